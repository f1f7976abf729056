use std::iter;
use std::path::PathBuf;

use anyhow::Context;
use bytes::Bytes;
use parafa_plugin_host::{Capability, Plugin, PluginDigest, Surface};
use parafa_plugin_store::{PluginStoreError, reasons, self_test};
use serde::Serialize;

use crate::bench::{self, Bench};
use crate::output::{print_json, print_line, shown};
use crate::packages::Packages;
use crate::reach::postable;
use crate::{REFUSED, ToolError};

/// The world that every plugin has.
const DESCRIBE: &str = "describe";

/// Arguments of `parafa plugin check`.
#[derive(Debug, clap::Args)]
pub struct CheckArguments {
    /// The component, or the format of an installed one. Default: the only installed
    /// one.
    wasm: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The findings about a component.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Findings {
    #[serde(flatten)]
    about: Option<About>,
    digest: String,
    bytes: usize,
    imports: Vec<String>,
    exports: Vec<String>,
    #[serde(flatten)]
    packages: Packages,
    admissible: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Further checks of an installation.
    not_looked_at: Vec<Unseen>,
}

/// A component's description of itself and its worlds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct About {
    plugin: String,
    version: String,
    contract: String,
    media_types: Vec<String>,
    extensions: Vec<Extension>,
    /// Worlds of the contract in the component.
    worlds: Vec<&'static str>,
    /// Worlds of the contract that the component lacks.
    missing: Vec<&'static str>,
}

/// The end of its documents' names.
#[derive(Debug, Serialize)]
struct Extension {
    extension: String,
    /// True if the API accepts documents with it.
    postable: bool,
}

/// A check of an installation that this command does not make.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Unseen {
    /// The publisher's signature.
    Signature,
    /// Conflicts with installed plugins of other formats.
    Installed,
    /// The checks for its format.
    SelfTest,
}

/// The verdict whether a component would be admitted, by the checks made.
struct Verdict {
    plugin: Option<About>,
    reason: Option<String>,
    not_looked_at: Vec<Unseen>,
}

/// Prints a component's description, and whether it would be admitted.
pub fn check(arguments: &CheckArguments, bench: &Bench) -> Result<(), ToolError> {
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let component = runtime.block_on(bench.component(arguments.wasm.as_deref()))?;
    let wasm = bench::read(&component)?;
    let surface = Surface::read(&wasm).unwrap_or_default();
    let digest = PluginDigest::of(&wasm);
    let bytes = wasm.len();
    let packages = Packages::read(&wasm);
    let verdict = runtime.block_on(judge(bench, wasm))?;
    let findings = Findings {
        about: verdict.plugin,
        digest: digest.to_string(),
        bytes,
        imports: surface.imports().to_vec(),
        exports: surface.exports().iter().cloned().collect(),
        packages,
        admissible: verdict.reason.is_none(),
        reason: verdict.reason,
        not_looked_at: verdict.not_looked_at,
    };
    if arguments.json {
        print_json(&findings)?;
    } else {
        print_line(findings.text())?;
    }
    if findings.admissible {
        Ok(())
    } else {
        Err(ToolError::Told(REFUSED))
    }
}

/// Checks a component as an installation does, up to the first refusal.
async fn judge(bench: &Bench, wasm: Bytes) -> anyhow::Result<Verdict> {
    let mut not_looked_at = vec![Unseen::Signature];
    let plugin = match bench.admit_bytes(wasm).await? {
        Ok(plugin) => plugin,
        Err(reason) => {
            not_looked_at.extend([Unseen::Installed, Unseen::SelfTest]);
            return Ok(Verdict {
                plugin: None,
                reason: Some(reason),
                not_looked_at,
            });
        }
    };
    if !bench.has_data() {
        not_looked_at.push(Unseen::Installed);
    }
    let mut reason = refusal(bench.plugin_store().check_conflicts(&plugin).await)?;
    if reason.is_none() {
        reason = refusal(self_test(&plugin).await)?;
    } else {
        not_looked_at.push(Unseen::SelfTest);
    }
    Ok(Verdict {
        plugin: Some(About::of(&plugin)),
        reason,
        not_looked_at,
    })
}

fn refusal(looked: Result<(), PluginStoreError>) -> anyhow::Result<Option<String>> {
    match looked {
        Ok(()) => Ok(None),
        Err(error) if error.is_refusal() => Ok(Some(reasons(&error))),
        Err(error) => Err(error.into()),
    }
}

impl About {
    fn of(plugin: &Plugin) -> Self {
        let extensions = plugin.extensions().iter().map(|extension| Extension {
            extension: extension.clone(),
            postable: postable(extension),
        });
        Self {
            plugin: plugin.id().to_owned(),
            version: plugin.version().to_owned(),
            contract: plugin.contract_version(),
            media_types: plugin.media_types().to_vec(),
            extensions: extensions.collect(),
            worlds: worlds(plugin),
            missing: missing_worlds(plugin),
        }
    }

    fn name(&self) -> String {
        format!("{} {}", shown(&self.plugin), shown(&self.version))
    }

    fn takes(&self) -> String {
        let media_types = self.media_types.iter().map(|name| shown(name).into_owned());
        let extensions = self.extensions.iter().map(Extension::text);
        let all: Vec<_> = media_types.chain(extensions).collect();
        all.join(", ")
    }
}

impl Findings {
    fn text(&self) -> String {
        let about = self.about.as_ref();
        let told = |tell: fn(&About) -> String| about.map_or_else(|| "?".to_owned(), tell);
        let mut lines = vec![
            format!("plugin    {}", told(About::name)),
            format!("digest    {}", self.digest),
            format!("size      {} bytes", self.bytes),
            format!(
                "contract  {}",
                told(|about| shown(&about.contract).into_owned())
            ),
            format!("takes     {}", told(About::takes)),
            format!("worlds    {}", told(|about| listed(&about.worlds))),
            format!("missing   {}", told(|about| listed(&about.missing))),
            format!("imports   {}", listed(&self.imports)),
            format!("exports   {}", listed(&self.exports)),
            format!("packages  {}", self.packages.linked()),
            format!("built by  {}", self.packages.run_in_build()),
            match &self.reason {
                None => "admissible".to_owned(),
                Some(reason) => format!("not admissible: {}", shown(reason)),
            },
        ];
        let unseen = self.not_looked_at.iter();
        lines.extend(unseen.map(|unseen| format!("not checked: {}", unseen.sentence())));
        lines.join("\n")
    }
}

impl Extension {
    fn text(&self) -> String {
        let extension = shown(&self.extension);
        if self.postable {
            format!(".{extension}")
        } else {
            format!(".{extension} (callers can post it where `plugins.extensions` lists it)")
        }
    }
}

impl Unseen {
    fn sentence(self) -> &'static str {
        match self {
            Self::Signature => "its signature, and trust in its publisher",
            Self::Installed => {
                "conflicts with installed plugins: name their folder with --data or --config"
            }
            Self::SelfTest => "the conformance cases of its format",
        }
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
            about: Some(About {
                plugin: "pdf".to_owned(),
                version: "1\nadmissible\u{1b}[2J".to_owned(),
                contract: "0.1.0".to_owned(),
                media_types: vec!["a/b\nadmissible".to_owned()],
                extensions: Vec::new(),
                worlds: Vec::new(),
                missing: Vec::new(),
            }),
            digest: String::new(),
            bytes: 1,
            imports: vec!["a\nadmissible".to_owned()],
            exports: Vec::new(),
            packages: Packages::default(),
            admissible: false,
            reason: Some("b\nadmissible".to_owned()),
            not_looked_at: Vec::new(),
        };

        let text = findings.text();

        assert!(text.starts_with("plugin    pdf 1\\nadmissible\\u{1b}[2J\n"));
        assert_eq!(text.lines().filter(|line| *line == "admissible").count(), 0);
    }
}
