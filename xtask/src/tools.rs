use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use crate::{process, referees};

/// Debian's folder of PostgreSQL servers, with a folder for each version, and the package of the
/// newest.
const POSTGRES: (&str, &str) = ("/usr/lib/postgresql", "postgresql");

/// Debian's path of pgbouncer, which is not on every user's `PATH`, and its package.
const POOLER: (&str, &str) = ("/usr/sbin/pgbouncer", "pgbouncer");

/// Programs for building and testing, with their Debian packages.
const PROGRAMS: &[(&str, &str)] = &[
    ("c++", "g++"),
    ("cc", "gcc"),
    ("chromedriver", "chromium-driver"),
    ("chromium-headless-shell", "chromium-headless-shell"),
    ("javac", "default-jdk-headless"),
    ("mutool", "mupdf-tools"),
    ("mvn", "maven"),
    ("node", "nodejs"),
    ("npm", "npm"),
    ("openssl", "openssl"),
    ("pdftoppm", "poppler-utils"),
    ("promtool", "prometheus"),
    ("python3", "python3"),
    ("qpdf", "qpdf"),
    ("softhsm2-util", "softhsm2"),
    ("strace", "strace"),
    ("systemd-analyze", "systemd"),
    ("xmlsec1", "xmlsec1"),
];

/// Installs missing programs and referees, as far as this user may, and returns the names of those
/// still missing.
pub(crate) fn install(root: &Path) -> Vec<String> {
    let mut missing = install_programs();
    if let Err(error) = referees::prepare(root) {
        println!("the referees cannot be prepared: {error:#}");
        missing.push("referees".to_owned());
    }
    missing
}

/// Installs missing programs but not referees, as far as this user may, and returns the names of
/// those still missing.
pub(crate) fn install_programs() -> Vec<String> {
    let packages = missing_packages();
    if !packages.is_empty() {
        if may_install() {
            if let Err(error) = apt_get(&packages) {
                println!("{error:#}");
            }
        } else {
            println!(
                "some tests will be skipped; to run them: sudo apt-get install {}",
                packages.join(" ")
            );
        }
    }

    missing_packages().into_iter().map(str::to_owned).collect()
}

/// Checks the packages for building the server, and installs missing ones if possible.
///
/// # Errors
/// Names the missing packages.
pub(crate) fn require_for_build() -> anyhow::Result<()> {
    let packages = missing_build_packages();
    if !packages.is_empty() && may_install() {
        apt_get(&packages)?;
    }
    let packages = missing_build_packages();
    ensure!(
        packages.is_empty(),
        "the server cannot be built; run: sudo apt-get install {}",
        packages.join(" ")
    );
    Ok(())
}

/// Returns the missing packages for the build of OpenSSL's bindings. With another OpenSSL, neither
/// is needed.
fn missing_build_packages() -> Vec<&'static str> {
    if env::var_os("OPENSSL_DIR").is_some() || succeeds("pkg-config", &["--exists", "openssl"]) {
        Vec::new()
    } else {
        vec!["pkg-config", "libssl-dev"]
    }
}

fn missing_packages() -> Vec<&'static str> {
    let mut packages: Vec<&str> = PROGRAMS
        .iter()
        .filter(|(program, _)| process::find(program).is_none())
        .map(|(_, package)| *package)
        .chain(missing_build_packages())
        .collect();
    if !succeeds("python3", &["-c", "import ensurepip, venv"]) {
        packages.push("python3-venv");
    }
    if !has_postgres() {
        packages.push(POSTGRES.1);
    }
    if !Path::new(POOLER.0).is_file() && process::find(POOLER.1).is_none() {
        packages.push(POOLER.1);
    }
    packages
}

/// Returns true if PostgreSQL's server is installed. Debian's folder of it is not on the `PATH`.
pub(crate) fn has_postgres() -> bool {
    let versions = fs::read_dir(POSTGRES.0).into_iter().flatten().flatten();
    let has_server = |version: fs::DirEntry| version.path().join("bin/initdb").is_file();
    versions.into_iter().any(has_server) || process::find("initdb").is_some()
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

fn may_install() -> bool {
    let is_root = Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    is_root && process::find("apt-get").is_some()
}
