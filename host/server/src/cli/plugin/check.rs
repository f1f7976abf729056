use std::iter;
use std::path::PathBuf;

use anyhow::Context;
use parafa_plugin_host::{Capability, Plugin, PluginDigest, Surface};
use serde::Serialize;

use super::bench::{self, Bench};
use crate::cli::{CommandError, Place, REFUSED, print_json, print_line, shown};

/// The world that every plugin has.
const DESCRIBE: &str = "describe";

/// Arguments of `parafa plugin check`.
#[derive(Debug, clap::Args)]
pub(super) struct CheckArguments {
    /// The component, or the format of an installed one; without it the only
    /// one that is installed.
    wasm: Option<PathBuf>,
    #[command(flatten)]
    place: Place,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What is known of a component.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Findings {
    #[serde(skip_serializing_if = "Option::is_none")]
    plugin: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    digest: String,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract: Option<String>,
    /// Worlds of the contract that it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    worlds: Option<Vec<&'static str>>,
    /// Worlds of the contract that it has not.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<Vec<&'static str>>,
    imports: Vec<String>,
    exports: Vec<String>,
    admissible: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Says what a component is, and whether it would be admitted.
pub(super) fn check(arguments: &CheckArguments) -> Result<(), CommandError> {
    let bench = Bench::open(&arguments.place)?;
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let component = runtime.block_on(bench.component(arguments.wasm.as_deref()))?;
    let wasm = bench::read(&component)?;
    let surface = Surface::read(&wasm).unwrap_or_default();
    let digest = PluginDigest::of(&wasm);
    let bytes = wasm.len();
    let admitted = runtime.block_on(bench.admit_bytes(wasm))?;
    let plugin = admitted.as_ref().ok();
    let findings = Findings {
        plugin: plugin.map(|plugin| plugin.id().to_owned()),
        version: plugin.map(|plugin| plugin.version().to_owned()),
        digest: digest.to_string(),
        bytes,
        contract: plugin.map(|plugin| Plugin::contract_version(plugin)),
        worlds: plugin.map(|plugin| worlds(plugin)),
        missing: plugin.map(|plugin| missing_worlds(plugin)),
        imports: surface.imports().to_vec(),
        exports: surface.exports().iter().cloned().collect(),
        admissible: admitted.is_ok(),
        reason: admitted.err(),
    };
    if arguments.json {
        print_json(&findings)?;
    } else {
        print_line(findings.text())?;
    }
    if findings.admissible {
        Ok(())
    } else {
        Err(CommandError::Told(REFUSED))
    }
}

impl Findings {
    fn text(&self) -> String {
        let known = |value: &Option<String>| shown(value.as_deref().unwrap_or("?")).into_owned();
        let listed_if_known = |names: &Option<Vec<&str>>| match names {
            Some(names) => listed(names),
            None => "?".to_owned(),
        };
        let lines = [
            format!("plugin    {} {}", known(&self.plugin), known(&self.version)),
            format!("digest    {}", self.digest),
            format!("size      {} bytes", self.bytes),
            format!("contract  {}", known(&self.contract)),
            format!("worlds    {}", listed_if_known(&self.worlds)),
            format!("missing   {}", listed_if_known(&self.missing)),
            format!("imports   {}", listed(&self.imports)),
            format!("exports   {}", listed(&self.exports)),
            match &self.reason {
                None => "admissible".to_owned(),
                Some(reason) => format!("not admissible: {}", shown(reason)),
            },
        ];
        lines.join("\n")
    }
}

fn worlds(plugin: &Plugin) -> Vec<&'static str> {
    let optional = plugin.capabilities().iter().map(|one| one.world());
    iter::once(DESCRIBE).chain(optional).collect()
}

fn missing_worlds(plugin: &Plugin) -> Vec<&'static str> {
    let missing = Capability::ALL
        .into_iter()
        .filter(|one| !plugin.capabilities().contains(one));
    missing.map(Capability::world).collect()
}

fn listed(names: &[impl AsRef<str>]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let names: Vec<_> = names.iter().map(|name| shown(name.as_ref())).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_forges_the_next_line_is_shown_on_one() {
        let findings = Findings {
            plugin: Some("pdf".to_owned()),
            version: Some("1\nadmissible\u{1b}[2J".to_owned()),
            digest: String::new(),
            bytes: 1,
            contract: None,
            worlds: None,
            missing: None,
            imports: vec!["a\nadmissible".to_owned()],
            exports: Vec::new(),
            admissible: false,
            reason: Some("b\nadmissible".to_owned()),
        };

        let text = findings.text();

        assert!(text.starts_with("plugin    pdf 1\\nadmissible\\u{1b}[2J\n"));
        assert_eq!(text.lines().filter(|line| *line == "admissible").count(), 0);
    }
}
