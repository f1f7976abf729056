use std::fs;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use parafa_conformance::{CaseResult, run};
use parafa_fixtures::built;
use parafa_plugin_host::{CallLimits, Plugin, PluginHost, PluginHostConfig};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// A component of `target/plugins`.
pub(crate) async fn plugin(name: &str) -> Arc<Plugin> {
    limited(name, CallLimits::default()).await
}

/// A component of `target/plugins`, with these limits.
pub(crate) async fn limited(name: &str, limits: CallLimits) -> Arc<Plugin> {
    let config = PluginHostConfig {
        limits,
        ..PluginHostConfig::new(built::compiled_plugins())
    };
    let host = Arc::new(PluginHost::new(config).unwrap());
    host.admit(built::plugin(name).into()).await.unwrap()
}

/// A folder of cases in the making.
pub(crate) struct Cases(TempDir);

impl Cases {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    /// Adds a case with one check.
    pub(crate) fn add(&self, name: &str, document: impl Into<Bytes>, check: &str) {
        let document = document.into();
        let digest: String = Sha256::digest(&document)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let folder = self.folder().join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("input"), &document).unwrap();
        fs::write(
            folder.join("case.toml"),
            format!(
                "origin = 'a test'\nlicence = 'Apache-2.0'\ninput = 'input'\nsha256 = '{digest}'\n\
                 [[checks]]\n{check}\n"
            ),
        )
        .unwrap();
    }
}

/// Result of the toy plugin in one check of a document.
pub(crate) async fn verdict_of_toy(document: &str, check: &str) -> CaseResult {
    verdict(&*plugin("test/toy.wasm").await, document, check).await
}

/// Result of a plugin in one check of a document.
pub(crate) async fn verdict(plugin: &Plugin, document: &str, check: &str) -> CaseResult {
    let cases = Cases::new();
    cases.add("one", document.to_owned(), check);
    let scorecard = run(plugin, cases.folder()).await.unwrap();
    let [result] = <[CaseResult; 1]>::try_from(scorecard.cases).unwrap();
    result
}
