use std::path::Path;
use std::process::Command;

use anyhow::Context;

use crate::{process, referees};

/// Programs that building and testing use, and the Debian package of each.
const PROGRAMS: &[(&str, &str)] = &[
    ("cc", "gcc"),
    ("chromedriver", "chromium-driver"),
    ("chromium", "chromium"),
    ("javac", "openjdk-17-jdk-headless"),
    ("mvn", "maven"),
    ("openssl", "openssl"),
    ("pdftoppm", "poppler-utils"),
    ("pkg-config", "pkg-config"),
    ("python3", "python3"),
    ("qpdf", "qpdf"),
];

/// Installs what is missing, as far as this user may, and returns the names of
/// what still is.
pub(crate) fn install(root: &Path) -> anyhow::Result<Vec<String>> {
    let packages = missing_packages();
    if !packages.is_empty() {
        if is_root() && process::find("apt-get").is_some() {
            apt_get(&packages)?;
        } else {
            println!(
                "some tests will be skipped; to run them: sudo apt-get install {}",
                packages.join(" ")
            );
        }
    }

    let mut missing: Vec<String> = missing_packages().into_iter().map(str::to_owned).collect();
    if let Err(error) = referees::prepare(root) {
        println!("the referees cannot be prepared: {error:#}");
        missing.push("referees".to_owned());
    }
    Ok(missing)
}

fn missing_packages() -> Vec<&'static str> {
    let mut packages: Vec<&str> = PROGRAMS
        .iter()
        .filter(|(program, _)| process::find(program).is_none())
        .map(|(_, package)| *package)
        .collect();
    if !succeeds("pkg-config", &["--exists", "openssl"]) {
        packages.push("libssl-dev");
    }
    if !succeeds("python3", &["-c", "import ensurepip, venv"]) {
        packages.push("python3-venv");
    }
    packages
}

fn apt_get(packages: &[&str]) -> anyhow::Result<()> {
    process::run(Command::new("apt-get").args(["update", "-q"]))?;
    process::run(
        Command::new("apt-get")
            .args(["install", "-y", "-q", "--no-install-recommends"])
            .args(packages)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
    .context("packages that the tests use")
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .output()
        .is_ok_and(|output| output.status.success())
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
