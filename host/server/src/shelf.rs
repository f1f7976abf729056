//! The format plugins of a host: those that came with it, and those that its
//! operator has installed into the data folder.
//!
//! ```text
//! plugins/active.json            which version of each format is active, and was before
//! plugins/components/SHA256.wasm the installed components
//! plugins/trusted/KEY.pub        the keys of publishers that are trusted
//! ```
//! A change is written there first and then made in the registry, where it
//! takes effect at once: calls that run keep the version they have.

mod error;
mod folder;
mod publisher;
mod state;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use parafa_conformance::Verdict;
use parafa_plugin_host::{CallObserver, InstallError, Plugin, PluginDigest, PluginHost, Registry};
use parafa_store::StoreMode;
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex, OnceCell};

pub(crate) use self::error::ShelfError;
pub(crate) use self::folder::BACKED_UP;
use self::folder::{PluginFolder, read};
pub(crate) use self::publisher::{KeyPair, signature_file};
use self::publisher::{PluginSignature, PublisherKey, Trusted};
use self::state::{State, Version};
use crate::config::Config;
use crate::startup;

/// Most bytes that are read of a component; what is admitted is shorter.
const LONGEST_COMPONENT: u64 = 64 * 1024 * 1024;
/// Longest signature or key, in bytes.
const LONGEST_ENVELOPE: u64 = 16 * 1024;
/// Failed checks that a refusal names.
const NAMED_FAILURES: usize = 3;

/// The plugins of a data folder, opened when they are first asked for.
pub(crate) struct Shelf {
    config: Config,
    mode: StoreMode,
    observer: Arc<dyn CallObserver>,
    opened: OnceCell<Opened>,
}

struct Opened {
    host: Arc<PluginHost>,
    registry: Arc<Registry>,
    /// What came with this program, by id.
    shipped: BTreeMap<String, Shipped>,
    folder: PluginFolder,
    /// Whoever changes something holds it.
    state: Mutex<State>,
}

/// A plugin that came with this program.
struct Shipped {
    file: PathBuf,
    plugin: Arc<Plugin>,
}

/// One version of a format, as operators see it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Listed {
    pub(crate) id: String,
    pub(crate) version: String,
    pub(crate) contract: String,
    pub(crate) sha256: String,
    pub(crate) active: bool,
    #[serde(skip_serializing_if = "is_false", default)]
    pub(crate) disabled: bool,
    /// The key that its signature was verified with, by its SHA-256.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) publisher: Option<String>,
    /// What an operator should know about the installation.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) warning: Option<String>,
}

impl Shelf {
    pub(crate) fn new(config: &Config, mode: StoreMode, observer: Arc<dyn CallObserver>) -> Self {
        Self {
            config: config.clone(),
            mode,
            observer,
            opened: OnceCell::new(),
        }
    }

    /// The plugins that can be called: admits what is installed and what came
    /// with this program, the first time.
    ///
    /// # Errors
    /// When one of them is not admitted, or there is none.
    pub(crate) async fn registry(&self) -> anyhow::Result<&Arc<Registry>> {
        Ok(&self.open().await?.registry)
    }

    async fn open(&self) -> anyhow::Result<&Opened> {
        self.opened
            .get_or_try_init(|| Opened::open(&self.config, self.observer.clone()))
            .await
    }

    /// The file of the active plugin of a format; none when there is no such
    /// format, or when it is disabled.
    pub(crate) async fn component(&self, id: &str) -> anyhow::Result<Option<PathBuf>> {
        let opened = self.open().await?;
        let Some(plugin) = opened.registry.by_id(id) else {
            return Ok(None);
        };
        Ok(Some(match opened.shipped.get(id) {
            Some(shipped) if shipped.plugin.digest() == plugin.digest() => shipped.file.clone(),
            _ => opened.folder.component(plugin.digest()),
        }))
    }

    /// All versions of all formats, those that came with this program first.
    pub(crate) async fn list(&self) -> Result<Vec<Listed>, ShelfError> {
        let opened = self.open().await?;
        let state = opened.state.lock().await;
        Ok(opened.list(&state))
    }

    /// Takes a component into use, now and after a restart.
    pub(crate) async fn install(&self, component: &Path) -> Result<Listed, ShelfError> {
        let opened = self.open().await?;
        let wasm = read(component, LONGEST_COMPONENT)?;
        let digest = PluginDigest::of(&wasm);
        let (publisher, warning) =
            match opened.publisher_of(component, digest) {
                Ok(publisher) => (Some(publisher), None),
                Err(
                    error @ (ShelfError::Unsigned { .. } | ShelfError::UntrustedPublisher { .. }),
                ) if self.mode == StoreMode::Demo => (
                    None,
                    Some(format!("{error}; the demo takes it all the same")),
                ),
                Err(error) => return Err(error),
            };
        let plugin =
            opened
                .host
                .admit(wasm.clone())
                .await
                .map_err(|source| ShelfError::NotAdmitted {
                    path: component.to_owned(),
                    source: Box::new(source),
                })?;
        self_test(&plugin).await?;

        let mut state = opened.state.lock().await;
        opened.check(&plugin)?;
        opened.folder.keep(digest, &wasm)?;
        let mut next = state.clone();
        let had_one = next.is_installed(plugin.id()) || opened.shipped.contains_key(plugin.id());
        next.install(plugin.id(), Version::of(&plugin, publisher), had_one);
        opened.folder.save(&next)?;
        *state = next;
        opened.registry.enable(digest);
        opened.registry.install(plugin.clone())?;
        tracing::info!(plugin.id = plugin.id(), plugin.version = plugin.version(), plugin.digest = %digest, "plugin installed");
        if let Some(warning) = &warning {
            tracing::warn!(plugin.id = plugin.id(), "{warning}");
        }
        let listed = opened.listed_active(&state, plugin.id())?;
        Ok(Listed { warning, ..listed })
    }

    /// Takes the active version of a format out of use. Nothing takes its
    /// place; signatures in the making that it prepared fail.
    pub(crate) async fn disable(&self, id: &str) -> Result<Listed, ShelfError> {
        let opened = self.open().await?;
        let mut state = opened.state.lock().await;
        let digest = opened.active(&state, id)?;
        let mut next = state.clone();
        if !next.disable(digest) {
            return Err(ShelfError::DisabledAlready(id.to_owned()));
        }
        opened.folder.save(&next)?;
        *state = next;
        opened.registry.disable(digest);
        tracing::warn!(plugin.id = id, plugin.digest = %digest, "plugin disabled");
        opened.listed_active(&state, id)
    }

    /// Makes the version active that was before, or enables the only one
    /// there is.
    pub(crate) async fn rollback(&self, id: &str) -> Result<Listed, ShelfError> {
        let opened = self.open().await?;
        let mut state = opened.state.lock().await;
        let current = opened.active(&state, id)?;
        let mut next = state.clone();
        next.roll_back(id, current)?;
        let digest = opened.active(&next, id)?;
        let plugin = match opened.shipped.get(id) {
            Some(shipped) if shipped.plugin.digest() == digest => shipped.plugin.clone(),
            _ => opened.folder.admit(&opened.host, digest).await?,
        };
        next.enable(digest);
        opened.folder.save(&next)?;
        *state = next;
        opened.registry.enable(digest);
        opened.registry.install(plugin)?;
        tracing::warn!(plugin.id = id, plugin.digest = %digest, "plugin rolled back");
        opened.listed_active(&state, id)
    }

    /// Trusts the publisher with this key; gives the key's name.
    pub(crate) async fn trust(&self, key: &Path) -> Result<String, ShelfError> {
        let folder = PluginFolder::of(&self.config);
        let key = PublisherKey::from_pem(&read(key, LONGEST_ENVELOPE)?)?;
        folder.trust(&key)?;
        tracing::warn!(publisher = key.name(), "publisher trusted");
        Ok(key.name().to_owned())
    }
}

impl Opened {
    async fn open(config: &Config, observer: Arc<dyn CallObserver>) -> anyhow::Result<Self> {
        let folder = PluginFolder::of(config);
        let state = folder.state()?;
        let host = startup::plugin_host(config, observer)?;
        let registry = Registry::default();
        let mut shipped = BTreeMap::new();
        for (file, plugin) in startup::shipped_plugins(config, &host).await? {
            registry
                .install(plugin.clone())
                .with_context(|| format!("the plugin {} cannot be used", file.display()))?;
            shipped.insert(plugin.id().to_owned(), Shipped { file, plugin });
        }
        for (id, digests) in state.to_load(Registry::KEPT_VERSIONS) {
            for digest in digests {
                let plugin = match digest {
                    Some(digest) => folder.admit(&host, digest).await?,
                    None => match shipped.get(id) {
                        Some(shipped) => shipped.plugin.clone(),
                        // It came with an earlier program.
                        None => continue,
                    },
                };
                registry.install(plugin).with_context(|| {
                    format!("the installed plugin {id} cannot be used beside the others")
                })?;
            }
        }
        for digest in state.disabled() {
            registry.disable(digest);
        }
        if shipped.is_empty() && state.versions().next().is_none() {
            bail!("there is no plugin: build them with `cargo xtask build-plugins`");
        }
        Ok(Self {
            host,
            registry: Arc::new(registry),
            shipped,
            folder,
            state: Mutex::new(state),
        })
    }

    /// The digest of a format's active version, disabled or not.
    fn active(&self, state: &State, id: &str) -> Result<PluginDigest, ShelfError> {
        let installed = state.active(id);
        let shipped = || Some(self.shipped.get(id)?.plugin.digest());
        installed
            .or_else(shipped)
            .ok_or_else(|| ShelfError::UnknownFormat(id.to_owned()))
    }

    fn listed_active(&self, state: &State, id: &str) -> Result<Listed, ShelfError> {
        let digest = self.active(state, id)?.to_string();
        self.list(state)
            .into_iter()
            .find(|listed| listed.id == id && listed.sha256 == digest)
            .ok_or_else(|| ShelfError::UnknownFormat(id.to_owned()))
    }

    fn list(&self, state: &State) -> Vec<Listed> {
        let mut all: BTreeMap<&str, Vec<Version>> = BTreeMap::new();
        for (id, shipped) in &self.shipped {
            let version = Version::of(&shipped.plugin, None);
            all.entry(id).or_default().push(version);
        }
        for (id, versions) in state.versions() {
            let known = all.entry(id).or_default();
            for version in versions {
                known.retain(|known| known.sha256 != version.sha256);
                known.push(version.clone());
            }
        }
        all.into_iter()
            .flat_map(|(id, versions)| {
                let active = self.active(state, id).ok();
                versions.into_iter().map(move |version| {
                    let disabled = state.is_disabled(version.sha256);
                    Listed {
                        id: id.to_owned(),
                        active: active == Some(version.sha256) && !disabled,
                        disabled,
                        version: version.version,
                        contract: version.contract,
                        sha256: version.sha256.to_string(),
                        publisher: version.publisher,
                        warning: None,
                    }
                })
            })
            .collect()
    }

    /// Who has signed a component.
    fn publisher_of(&self, component: &Path, digest: PluginDigest) -> Result<String, ShelfError> {
        let path = signature_file(component);
        let signature = match read(&path, LONGEST_ENVELOPE) {
            Err(ShelfError::Unreadable { source, .. })
                if source.kind() == io::ErrorKind::NotFound =>
            {
                return Err(ShelfError::Unsigned {
                    component: component.to_owned(),
                    signature: path,
                });
            }
            read => read?,
        };
        let bad = |reason| ShelfError::BadSignature {
            path: path.clone(),
            reason,
        };
        let signature = PluginSignature::parse(&signature).map_err(bad)?;
        let publisher = signature.publisher();
        let trusted = Trusted::read(&self.folder.trusted())?;
        match trusted.key(publisher) {
            Some(key) => signature.verify(key, digest).map_err(bad)?,
            None => {
                return Err(ShelfError::UntrustedPublisher {
                    publisher: publisher.to_owned(),
                });
            }
        }
        Ok(publisher.to_owned())
    }

    /// Whether the registry would take a plugin, which is enabled with it.
    fn check(&self, plugin: &Plugin) -> Result<(), InstallError> {
        match self.registry.check(plugin) {
            Err(InstallError::Disabled(_)) => Ok(()),
            checked => checked,
        }
    }
}

async fn self_test(plugin: &Plugin) -> Result<(), ShelfError> {
    let played = parafa_conformance::run_quick(plugin).await;
    let scorecard = played.map_err(|error| ShelfError::Fault(error.into()))?;
    if scorecard.failed == 0 {
        return Ok(());
    }
    let failed = scorecard
        .cases
        .iter()
        .filter(|case| case.outcome == Verdict::Failed);
    let named: Vec<String> = failed
        .take(NAMED_FAILURES)
        .map(|case| match &case.detail {
            Some(detail) => format!("{} ({detail})", case.name),
            None => case.name.clone(),
        })
        .collect();
    Err(ShelfError::FailsSelfTest {
        failed: scorecard.failed,
        named: named.join(", "),
    })
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}
