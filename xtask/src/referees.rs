use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::Context;

use crate::process::{find, run, run_quietly};

/// The options of the Java virtual machine for short runs.
const JAVA_OPTIONS: &str = "tests/referees/dss/java.options";
/// A document with a signature and a time-stamp: its validation loads almost every class that
/// validation needs.
const TYPICAL: &str = "fixtures/cases/pdf/tampered-timestamp/input.pdf";

/// Installs the external validators that judge our signatures in tests, and the other needs of the
/// scripts of `tests/referees`, in `target/referees`. Nothing is done twice.
pub(crate) fn prepare(root: &Path) -> anyhow::Result<()> {
    python_environment(root).context("the Python environment of the referees")?;
    if find("npm").is_some() {
        let client = root.join("docs/clients/typescript");
        node_packages(root, &client).context("what the client in TypeScript is made with")?;
        let jose = root.join("tests/referees/jose");
        node_packages(root, &jose).context("the judge of JSON Web Signatures")?;
        let mcp = root.join("tests/referees/mcp");
        node_packages(root, &mcp).context("the judges of the Model Context Protocol")?;
    }
    if find("mvn").is_some() {
        verapdf_class_path(root).context("veraPDF")?;
        dss(root).context("DSS")?;
    }
    Ok(())
}

/// Returns the folder of public sample documents, optional and outside of the repository:
/// `PARAFA_SAMPLES`, or a folder `samples` in any folder beside the checkout.
pub(crate) fn samples(root: &Path) -> Option<PathBuf> {
    let named = std::env::var_os("PARAFA_SAMPLES").map(PathBuf::from);
    let path = named.or_else(|| beside(root, "samples"))?;
    path.canonicalize().ok().filter(|path| path.is_dir())
}

fn python_environment(root: &Path) -> anyhow::Result<()> {
    let requirements = root.join("tests/referees/requirements.txt");
    let wanted = fs::read(&requirements).with_context(|| requirements.display().to_string())?;
    let environment = root.join("target/referees/venv");
    let stamp = environment.join("installed.txt");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    run(Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&environment))?;
    run(Command::new(environment.join("bin/pip"))
        .args([
            "install",
            "--quiet",
            "--disable-pip-version-check",
            // Most of it is never imported; Python compiles the rest at import.
            "--no-compile",
            "--requirement",
        ])
        .arg(&requirements))?;
    fs::write(&stamp, wanted).with_context(|| stamp.display().to_string())
}

/// Fetches the packages of a project by npm into a folder of the same name.
fn node_packages(root: &Path, project: &Path) -> anyhow::Result<()> {
    let name = project
        .file_name()
        .context("a project stands in a folder")?;
    let built = root.join("target/referees").join(name);
    let installed = built.join("node_modules/.package-lock.json");
    let files = ["package.json", "package-lock.json"];
    if files
        .iter()
        .all(|file| is_newer(&installed, &project.join(file)))
    {
        return Ok(());
    }
    fs::create_dir_all(&built).with_context(|| built.display().to_string())?;
    for file in files {
        let copied = fs::copy(project.join(file), built.join(file));
        copied.with_context(|| file.to_owned())?;
    }
    let mut npm = Command::new("npm");
    npm.current_dir(&built);
    run_quietly(npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]))
}

/// Fetches veraPDF by Maven and writes its class path.
fn verapdf_class_path(root: &Path) -> anyhow::Result<()> {
    let project = root.join("tests/referees/verapdf/pom.xml");
    let class_path = root.join("target/referees/verapdf.classpath");
    if is_newer(&class_path, &project) {
        return Ok(());
    }
    run_quietly(
        maven(&project)
            .arg("dependency:build-classpath")
            .arg(format!("-Dmdep.outputFile={}", class_path.display())),
    )
}

/// Builds the EU's reference validator by Maven, with its libraries beside it. Then it archives the
/// classes that validation loads, so that every start is shorter.
fn dss(root: &Path) -> anyhow::Result<()> {
    let project = root.join("tests/referees/dss");
    let built = root.join("target/referees/dss");
    let classes = built.join("classes.jsa");
    if is_newer(&classes, &project) {
        return Ok(());
    }
    // The built files are newer than its sources, however old those are.
    if built.exists() {
        fs::remove_dir_all(&built).with_context(|| built.display().to_string())?;
    }
    run_quietly(maven(&project.join("pom.xml")).arg("package"))?;
    let mut judge = Command::new("java");
    judge
        .arg(format!("@{}", root.join(JAVA_OPTIONS).display()))
        .arg(format!("-XX:ArchiveClassesAtExit={}", classes.display()))
        .arg("-jar")
        .arg(built.join("dss-referee.jar"))
        .args(["validate", "--online-loopback"])
        .arg(root.join(TYPICAL));
    // The verdict lacks a trusted anchor; any verdict is enough here.
    let output = judge.output().context("java")?;
    anyhow::ensure!(
        classes.is_file(),
        "DSS cannot judge: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

/// Returns Maven, which runs too shortly for optimized compilation of its own code.
fn maven(project: &Path) -> Command {
    let mut options = std::env::var_os("MAVEN_OPTS").unwrap_or_default();
    options.push(" -XX:TieredStopAtLevel=1");
    let mut command = Command::new("mvn");
    command
        .env("MAVEN_OPTS", options)
        .args(["--quiet", "--batch-mode", "--file"])
        .arg(project);
    command
}

/// Returns true if a file was written after everything at a path.
fn is_newer(file: &Path, path: &Path) -> bool {
    let written = fs::metadata(file).and_then(|file| file.modified()).ok();
    written.is_some_and(|written| newest(path).is_some_and(|newest| newest <= written))
}

/// Returns the last change of a file, or of anything in a folder.
fn newest(path: &Path) -> Option<SystemTime> {
    let own = fs::metadata(path).ok()?.modified().ok()?;
    let Ok(entries) = fs::read_dir(path) else {
        return Some(own);
    };
    let inside = entries.filter_map(|entry| newest(&entry.ok()?.path()));
    inside.chain([own]).max()
}

fn beside(root: &Path, name: &str) -> Option<PathBuf> {
    let neighbours = fs::read_dir(root.parent()?).ok()?;
    let mut found: Vec<_> = neighbours
        .filter_map(|neighbour| Some(neighbour.ok()?.path()))
        .filter(|neighbour| neighbour != root)
        .map(|neighbour| neighbour.join(name))
        .filter(|folder| folder.is_dir())
        .collect();
    found.sort();
    found.into_iter().next()
}
