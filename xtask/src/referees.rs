use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::process;

/// Independent validators and public sample documents, both outside of the
/// repository and both optional: tests that need them say that they were
/// skipped.
pub(crate) struct Referees {
    /// The scripts: `PARAFA_REFEREES`, or a folder beside the checkout.
    pub(crate) scripts: Option<PathBuf>,
    /// Sample documents: `PARAFA_SAMPLES`, or a folder beside the checkout.
    pub(crate) samples: Option<PathBuf>,
    /// The interpreter that has pyHanko.
    pub(crate) python: PathBuf,
    /// The class path of veraPDF.
    pub(crate) verapdf: PathBuf,
}

impl Referees {
    /// Looks where they may be.
    pub(crate) fn locate(root: &Path) -> Self {
        Self {
            scripts: folder(root, "PARAFA_REFEREES", "referee"),
            samples: folder(root, "PARAFA_SAMPLES", "samples"),
            python: environment(root).join("bin/python"),
            verapdf: verapdf(root),
        }
    }

    /// Tells the tests where everything is.
    pub(crate) fn describe(&self, command: &mut Command) {
        command
            .env("PARAFA_PYTHON", &self.python)
            .env("PARAFA_VERAPDF", &self.verapdf);
        if let Some(scripts) = &self.scripts {
            command.env("PARAFA_REFEREES", scripts);
        }
        if let Some(samples) = &self.samples {
            command.env("PARAFA_SAMPLES", samples);
        }
    }
}

/// Makes the Python environment with the pinned packages, and has the Java
/// referee build itself. Nothing is done twice.
pub(crate) fn prepare(root: &Path) -> anyhow::Result<()> {
    python_environment(root).context("the Python environment of the referees")?;
    verapdf_class_path(root).context("veraPDF")?;
    if let Some(scripts) = Referees::locate(root).scripts {
        let dss = scripts.join("dss/dss-referee");
        if dss.is_file() {
            process::run_quietly(Command::new(dss).arg("policy")).context("the DSS referee")?;
        }
    }
    Ok(())
}

fn python_environment(root: &Path) -> anyhow::Result<()> {
    let requirements = root.join("tests/referees.txt");
    let wanted = fs::read(&requirements).with_context(|| requirements.display().to_string())?;
    let environment = environment(root);
    let stamp = environment.join("installed.txt");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    process::run(
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(&environment),
    )?;
    process::run(
        Command::new(environment.join("bin/pip"))
            .args([
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--requirement",
            ])
            .arg(&requirements),
    )?;
    fs::write(&stamp, wanted).with_context(|| stamp.display().to_string())
}

/// Has Maven fetch veraPDF and write its class path, where there is a Maven.
fn verapdf_class_path(root: &Path) -> anyhow::Result<()> {
    let project = root.join("tests/verapdf/pom.xml");
    let class_path = verapdf(root);
    let modified = |file: &Path| fs::metadata(file).and_then(|file| file.modified());
    let is_newer = modified(&class_path)
        .is_ok_and(|written| modified(&project).is_ok_and(|project| project <= written));
    if is_newer || !is_there("mvn") {
        return Ok(());
    }
    process::run_quietly(
        Command::new("mvn")
            .args(["--quiet", "--batch-mode", "--file"])
            .arg(&project)
            .arg("dependency:build-classpath")
            .arg(format!("-Dmdep.outputFile={}", class_path.display())),
    )
}

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn verapdf(root: &Path) -> PathBuf {
    root.join("target/referees/verapdf.classpath")
}

fn environment(root: &Path) -> PathBuf {
    root.join("target/referees/venv")
}

/// The folder that a variable names, or the one of this name in any folder that
/// stands beside the checkout.
fn folder(root: &Path, variable: &str, name: &str) -> Option<PathBuf> {
    let path =
        std::env::var_os(variable).map_or_else(|| beside(root, name), |path| Some(path.into()));
    path?.canonicalize().ok().filter(|path| path.is_dir())
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
