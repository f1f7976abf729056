use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use parafa_conformance::{Input, Operation, SoftwareSigner, perform};
use parafa_plugin_host::{CallError, MemoryMeter, Plugin, Refusal, TargetLevel};
use parafa_plugin_store::reasons;
use serde::Serialize;

use crate::answer::OutcomeView;
use crate::bench::{self, Bench};
use crate::log::Line;
use crate::output::{print_aside, print_json, print_line, shown, warn};
use crate::{FAULT, REFUSED, ToolError, USAGE};

/// The code of a refusal because the plugin lacks the operation.
const NOT_SUPPORTED: &str = "not-supported";
/// The code of a refusal before any call of a plugin.
const NOT_RUN: &str = "not-run";

/// Arguments of `parafa plugin run`.
#[derive(Debug, clap::Args)]
pub struct RunArguments {
    /// inspect, verify, sign (with a temporary key), archive (a document that `sign` made),
    /// flatten, rehearse, compose (a document from this file), members, or extract.
    operation: Operation,
    /// The document.
    file: PathBuf,
    /// The component to call, or the format of an installed one. Default: the plugin for the
    /// document's file extension that is active in the data folder or came with the program. For
    /// `compose`, the extension of `--out` counts; without `--out`, the only installed plugin is
    /// called.
    #[arg(long, value_name = "WASM")]
    plugin: Option<PathBuf>,
    /// The file for the resulting document; an unchanged document is written as it is.
    #[arg(long, value_name = "F")]
    out: Option<PathBuf>,
    /// A file beside the document that its detached signatures cover. Can be given several times.
    #[arg(long, value_name = "F")]
    beside: Vec<PathBuf>,
    /// The id of the member for `extract`.
    #[arg(long, value_name = "ID", required_if_eq("operation", "extract"))]
    member: Option<String>,
    /// The level for `sign`, B-B (by default) or B-T, or for `archive`, B-LT (by default) or B-LTA.
    #[arg(long, value_parser = level)]
    level: Option<TargetLevel>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The result of one call.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    plugin: String,
    version: String,
    /// Version of the contract that the plugin is written against.
    contract: String,
    digest: String,
    operation: &'static str,
    #[serde(flatten)]
    end: End,
    milliseconds: f64,
    peak_memory_bytes: usize,
    /// The plugin's log for the operator.
    log: Vec<Line>,
}

/// The answer if no call was made.
#[derive(Debug, Serialize)]
struct NotMade {
    operation: &'static str,
    #[serde(flatten)]
    end: End,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
enum End {
    Outcome(OutcomeView),
    Refusal(Refusal),
    Fault(String),
}

impl RunArguments {
    /// Returns the document of the plugin's format, if one is named.
    fn document(&self) -> Option<&Path> {
        match self.operation {
            Operation::Compose => self.out.as_deref(),
            _ => Some(&self.file),
        }
    }
}

/// Calls a plugin with a document.
pub fn run(arguments: &RunArguments, bench: &Bench) -> Result<(), ToolError> {
    if arguments.out.is_some() && !arguments.operation.makes_a_document() {
        warn(format_args!(
            "{} makes no document to write: leave out --out",
            arguments.operation
        ));
        return Err(ToolError::Told(USAGE));
    }
    if let Some(level) = arguments.level
        && !arguments.operation.levels().contains(&level)
    {
        warn(format_args!(
            "{} cannot be asked for the level {level}",
            arguments.operation
        ));
        return Err(ToolError::Told(USAGE));
    }
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let call = match runtime.block_on(call(arguments, bench)) {
        Err(error) if arguments.json => return Err(told_as_json(arguments, error)?),
        call => call?,
    };
    if arguments.json {
        print_json(&call)?;
    } else {
        for line in &call.log {
            print_aside(line);
        }
        print_line(call.text())?;
    }
    match call.end {
        End::Outcome(_) => Ok(()),
        End::Refusal(_) => Err(ToolError::Told(REFUSED)),
        End::Fault(_) => Err(ToolError::Told(FAULT)),
    }
}

/// Prints the reason why no call was made, in the form of a call's result.
fn told_as_json(arguments: &RunArguments, error: ToolError) -> anyhow::Result<ToolError> {
    let (end, code) = match error {
        ToolError::Refused(detail) => (End::Refusal(Refusal::new(NOT_RUN, detail)), REFUSED),
        ToolError::Fault(error) => (End::Fault(format!("{error:#}")), FAULT),
        told @ ToolError::Told(_) => return Ok(told),
    };
    print_json(&NotMade {
        operation: arguments.operation.name(),
        end,
    })?;
    Ok(ToolError::Told(code))
}

async fn call(arguments: &RunArguments, bench: &Bench) -> Result<Call, ToolError> {
    let mut companions = Vec::with_capacity(arguments.beside.len());
    for file in &arguments.beside {
        companions.push((name_of(file), bench::read(file)?));
    }
    let input = Input {
        names: vec![name_of(&arguments.file)],
        document: bench::read(&arguments.file)?,
        companions,
        member: arguments.member.clone(),
        params: Vec::new(),
    };
    let plugin = match (&arguments.plugin, arguments.document()) {
        (None, Some(document)) => bench.installed_for(document).await?,
        (named, _) => {
            let component = bench.component(named.as_deref()).await?;
            bench.admit(&component).await?
        }
    };
    let meter = MemoryMeter::default();
    let metered = Plugin::metered(&plugin, &meter);
    let signer = software_signer()?;

    let start = Instant::now();
    let answer = match lack(&plugin, arguments.operation) {
        Some(refusal) => Err(CallError::Refused(refusal)),
        None => {
            // `archive` goes to B-LT at least.
            let level = arguments.level.unwrap_or(TargetLevel::BB);
            perform(&metered, arguments.operation, &input, &signer, level).await
        }
    };
    let milliseconds = (start.elapsed().as_secs_f64() * 1e6).round() / 1e3;

    if let (Some(out), Ok(answered)) = (&arguments.out, &answer) {
        let made = answered.document().unwrap_or(&input.document);
        std::fs::write(out, made)
            .with_context(|| format!("{} cannot be written", out.display()))?;
    }
    Ok(Call {
        plugin: plugin.id().to_owned(),
        version: plugin.version().to_owned(),
        contract: plugin.contract_version(),
        digest: plugin.digest().to_string(),
        operation: arguments.operation.name(),
        end: match answer {
            Ok(answered) => End::Outcome(OutcomeView::of(&answered)),
            Err(CallError::Refused(refusal)) => End::Refusal(refusal),
            Err(CallError::Fault(fault)) => End::Fault(reasons(&fault.kind)),
        },
        milliseconds,
        peak_memory_bytes: meter.peak_bytes(),
        log: bench.log().lines(),
    })
}

fn name_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Returns a refusal if the plugin lacks the operation.
fn lack(plugin: &Plugin, operation: Operation) -> Option<Refusal> {
    let capability = operation.capability();
    let is_there = plugin.capabilities().contains(&capability);
    (!is_there).then(|| {
        let (id, verb) = (plugin.id(), capability.verb_phrase());
        Refusal::new(NOT_SUPPORTED, format!("the plugin {id} cannot {verb}"))
    })
}

fn level(name: &str) -> Result<TargetLevel, String> {
    TargetLevel::ALL
        .iter()
        .copied()
        .find(|level| level.name().eq_ignore_ascii_case(name))
        .ok_or_else(|| format!("there is no level {name:?}; there are B-B, B-T, B-LT and B-LTA"))
}

fn software_signer() -> anyhow::Result<SoftwareSigner> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).context("there is no randomness")?;
    let now = jiff::Timestamp::now().as_second();
    Ok(SoftwareSigner::generate(now, seed)?)
}

impl Call {
    fn text(&self) -> String {
        let end = match &self.end {
            End::Outcome(outcome) => outcome.to_string(),
            End::Refusal(refusal) if refusal.subjects.is_empty() => format!("refused: {refusal}"),
            End::Refusal(refusal) => {
                format!("refused: {refusal}: {}", refusal.subjects.join(", "))
            }
            End::Fault(fault) => format!("fault: {}", shown(fault)),
        };
        format!(
            "{end}\n{} {} ({}): {} in {} ms, {} bytes of memory",
            self.plugin,
            shown(&self.version),
            self.digest,
            self.operation,
            self.milliseconds,
            self.peak_memory_bytes
        )
    }
}
