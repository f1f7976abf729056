//! The fuzz targets of `tests/fuzz`, under libFuzzer.

mod coverage;
mod explore;
mod minimize;
mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

use crate::process::{cargo, run};
use crate::tools;

pub(crate) use coverage::print_coverage;
pub(crate) use explore::explore;
pub(crate) use minimize::minimize;

/// Wall-clock limit for one input, in seconds. It is long, since the machine may be busy; the
/// slowest known input takes some hundredths.
const TIMEOUT_SECONDS: u64 = 60;
/// Memory limit of the whole process, in MiB. The targets themselves limit the code under test far
/// below that.
const MEMORY_MIB: u64 = 2048;

/// Builds the targets, and returns those with these names, or all if there are none.
fn built(root: &Path, names: &[String]) -> anyhow::Result<Vec<Target>> {
    let all = targets(root)?;
    let known: Vec<&str> = all.iter().map(|target| target.name.as_str()).collect();
    for name in names {
        ensure!(
            known.contains(&name.as_str()),
            "there is no target {name}; there are {}",
            known.join(", ")
        );
    }
    build(root)?;
    let is_named = |target: &Target| names.is_empty() || names.contains(&target.name);
    Ok(all.into_iter().filter(is_named).collect())
}

fn build(root: &Path) -> anyhow::Result<()> {
    tools::require_for_build()?;
    run(in_workspace(root).args(["build", "--release", "--quiet"])).context("the fuzz targets")
}

/// A target of `tests/fuzz`, with the folders of its inputs.
struct Target {
    root: PathBuf,
    name: String,
}

impl Target {
    /// Returns the target's folder of a kind, such as `corpus`, for the results of runs.
    fn below(&self, kind: &str) -> PathBuf {
        self.root.join("target/fuzz").join(kind).join(&self.name)
    }

    /// Returns the folder of inputs from earlier runs.
    fn learnt(&self) -> PathBuf {
        self.below("corpus")
    }

    /// Returns the folder of inputs that the target itself generates.
    fn seeds(&self) -> PathBuf {
        self.below("seeds")
    }

    /// Returns the folder of inputs in the repository.
    fn kept(&self) -> PathBuf {
        package(&self.root).join("corpus").join(&self.name)
    }

    /// Returns libFuzzer's command with the common arguments of all runs of this target, but no
    /// inputs. It writes the target's seeds.
    fn command(&self) -> anyhow::Result<Command> {
        let (seeds, artifacts) = (self.seeds(), self.below("artifacts"));
        for folder in [&seeds, &artifacts] {
            create_folder(folder)?;
        }
        let dictionary = package(&self.root).join(self.dictionary());
        let mut command = in_workspace(&self.root);
        command
            .args(["run", "--release", "--quiet", "--bin", &self.name, "--"])
            .arg(format!("-timeout={TIMEOUT_SECONDS}"))
            .arg(format!("-rss_limit_mb={MEMORY_MIB}"))
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .arg(format!("-dict={}", dictionary.display()))
            .env("PARAFA_FUZZ_SEEDS", &seeds);
        Ok(command)
    }

    /// Returns a run that begins with the target's seeds and the inputs in the repository, and adds
    /// new finds to `folder`.
    fn fuzzer(&self, folder: &Path, seconds: u64) -> anyhow::Result<Command> {
        create_folder(folder)?;
        let mut command = self.command()?;
        command
            .arg(format!("-max_total_time={seconds}"))
            .arg(folder)
            .args(self.sources());
        Ok(command)
    }

    /// Returns a run of only the target's seeds and the inputs in the repository.
    fn replay(&self) -> anyhow::Result<Command> {
        let mut command = self.command()?;
        command.arg("-runs=0").args(self.sources());
        Ok(command)
    }

    /// Returns the folders of every run's first inputs.
    fn sources(&self) -> Vec<PathBuf> {
        let kept = Some(self.kept()).filter(|kept| kept.exists());
        [self.seeds()].into_iter().chain(kept).collect()
    }

    fn dictionary(&self) -> &'static str {
        match self.name.as_str() {
            "mcp" | "mobile_id" | "oci" | "plugin_signature" | "registers" | "requests"
            | "smart_id" => "json.dict",
            name if name.starts_with("pdf_") => "pdf.dict",
            _ => "der.dict",
        }
    }
}

/// Returns a target for each of `fuzz_targets/*.rs`, sorted.
fn targets(root: &Path) -> anyhow::Result<Vec<Target>> {
    let files = files(&workspace(root).join("fuzz_targets"))?;
    let names = files.iter().filter_map(|file| file.file_stem()?.to_str());
    let targets = names.map(|name| Target {
        root: root.to_owned(),
        name: name.to_owned(),
    });
    Ok(targets.collect())
}

/// Lists the files of a folder, sorted; none if it does not exist.
fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files = Vec::new();
    for entry in entries {
        files.push(entry?.path());
    }
    files.sort();
    Ok(files)
}

fn create_folder(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())
}

/// Returns the workspace of libFuzzer's programs.
fn workspace(root: &Path) -> PathBuf {
    package(root).join("libfuzzer")
}

/// Returns the package of the targets and their inputs.
fn package(root: &Path) -> PathBuf {
    root.join("tests/fuzz")
}

/// Returns cargo with the flags of the fuzz workspace and no others.
fn in_workspace(root: &Path) -> Command {
    let mut command = cargo(&workspace(root));
    command.env_remove("RUSTFLAGS");
    command
}
