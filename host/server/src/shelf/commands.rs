//! The changes that operators make.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use parafa_plugin_host::{Plugin, PluginDigest};
use parafa_store::StoreMode;
use semver::Version as SemanticVersion;
use serde::Serialize;

use super::error::{ShelfError, reasons};
use super::folder::{LONGEST_ENVELOPE, Offered, PluginFolder, read};
use super::loaded::{Loaded, admit_new};
use super::publisher::{PublisherKey, signature_file};
use super::state::{State, Version};
use super::stock::{Listed, Stock};
use super::trusted::{Formats, Grant};
use super::{Inner, blocking};

/// A publisher that is trusted.
#[derive(Debug, Serialize)]
pub(crate) struct Trust {
    pub(crate) publisher: String,
    /// For which formats; none where it is for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) formats: Option<Vec<String>>,
}

/// A publisher that is trusted no more.
#[derive(Debug, Serialize)]
pub(crate) struct Untrust {
    pub(crate) publisher: String,
    /// What it has signed and is disabled with it.
    pub(crate) disabled: Vec<Disabled>,
}

/// A version that is disabled.
#[derive(Debug, Serialize)]
pub(crate) struct Disabled {
    pub(crate) id: String,
    pub(crate) sha256: String,
}

/// The version that a rollback leads to.
struct Target {
    /// None where it is the one that came with the program.
    version: Option<PluginDigest>,
    plugin: Arc<Plugin>,
    /// Later ones, and why they are none.
    passed: Vec<String>,
}

/// A component that may be installed.
pub(super) struct Tested {
    wasm: Bytes,
    signature: Option<Bytes>,
    plugin: Arc<Plugin>,
    version: Version,
    warnings: Vec<String>,
}

impl Inner {
    /// Looks at a component that somebody wants installed.
    pub(super) async fn test(&self, component: &Path) -> Result<Tested, ShelfError> {
        let loaded = self.loaded().await?;
        let (folder, path) = (self.folder.clone(), component.to_owned());
        let offered = blocking(move || folder.offered(&path)).await??;
        let Offered {
            wasm,
            signature,
            grant,
        } = offered;
        let mut warnings = Vec::new();
        let grant = self.or_in_the_demo(grant, &mut warnings)?;
        let plugin = admit_new(&loaded.host, component, wasm.clone()).await?;
        let grant = match grant {
            Some(grant) => self.or_in_the_demo(for_format(grant, plugin.id()), &mut warnings)?,
            None => None,
        };
        let publisher = grant.map(|grant| grant.key.name().to_owned());
        Ok(Tested {
            version: Version::of(&plugin, publisher),
            wasm,
            signature,
            plugin,
            warnings,
        })
    }

    pub(super) async fn install(
        &self,
        tested: Tested,
        replace_publisher: bool,
    ) -> Result<Listed, ShelfError> {
        let (stock, loaded) = (self.stock().await?, self.loaded().await?);
        let Tested {
            wasm,
            signature,
            plugin,
            mut version,
            mut warnings,
        } = tested;
        let (id, digest) = (plugin.id(), plugin.digest());
        let components = self.components.read().await;
        let (folder, kept) = (self.folder.clone(), signature.clone());
        blocking(move || folder.keep(digest, &wasm, kept.as_deref())).await??;
        let mut state = stock.state.lock().await;
        loaded.check(&plugin)?;
        let is_signed = version.publisher.is_some();
        if let Some(signature) = signature.filter(|_| is_signed) {
            let grant = self.still_granted(&plugin, signature).await?;
            let grant = self.or_in_the_demo(grant, &mut warnings)?;
            version.publisher = grant.map(|grant| grant.key.name().to_owned());
        }
        if !replace_publisher {
            check_publisher(&state, id, &version)?;
        }
        warnings.extend(step_back(stock, &state, id, &version));
        let mut next = state.clone();
        let had_one = stock.active(&state, id).is_some();
        next.install(id, version, had_one);
        next.forget_old(|id| stock.shipped_digest(id));
        self.save(&next).await?;
        *state = next;
        loaded.enable(plugin.clone())?;
        drop(components);
        self.sweep(&state).await;
        tracing::info!(plugin.id = id, plugin.version = plugin.version(), plugin.digest = %digest, "plugin installed");
        told(stock, loaded, &state, id, &warnings)
    }

    pub(super) async fn disable(&self, id: &str) -> Result<Listed, ShelfError> {
        let stock = self.stock().await?;
        let mut state = stock.state.lock().await;
        let digest = stock.known_active(&state, id)?;
        let mut next = state.clone();
        if !next.disable(digest) {
            return Err(ShelfError::DisabledAlready(id.to_owned()));
        }
        self.save(&next).await?;
        *state = next;
        self.disable_loaded(digest);
        tracing::warn!(plugin.id = id, plugin.digest = %digest, "plugin disabled");
        let broken = self.broken(stock, &state).await?;
        stock.listed_active(&state, &broken, id)
    }

    pub(super) async fn rollback(&self, id: &str, enable: bool) -> Result<Listed, ShelfError> {
        let (stock, loaded) = (self.stock().await?, self.loaded().await?);
        loop {
            let before = stock.state.lock().await.clone();
            let target = target(stock, loaded, &before, id, enable).await?;
            let mut state = stock.state.lock().await;
            if *state != before {
                continue;
            }
            loaded.check(&target.plugin)?;
            let digest = target.plugin.digest();
            let mut next = before;
            next.go_back_to(id, target.version, digest);
            self.save(&next).await?;
            *state = next;
            loaded.enable(target.plugin)?;
            tracing::warn!(plugin.id = id, plugin.digest = %digest, "plugin rolled back");
            let passed = target.passed.iter();
            let warnings: Vec<_> = passed
                .map(|passed| format!("passed over {passed}"))
                .collect();
            return told(stock, loaded, &state, id, &warnings);
        }
    }

    pub(super) async fn trust(
        &self,
        key: PathBuf,
        formats: Vec<String>,
    ) -> Result<Trust, ShelfError> {
        let folder = self.folder.clone();
        let _changing = self.trust.lock().await;
        blocking(move || trust(&folder, &key, &formats)).await?
    }

    pub(super) async fn untrust(&self, publisher: String) -> Result<Untrust, ShelfError> {
        let stock = self.stock().await?;
        let mut state = stock.state.lock().await;
        let mut next = state.clone();
        let disabled = next.disable_signed_by(&publisher);
        let (folder, name) = (self.folder.clone(), publisher.clone());
        let changing = self.trust.lock().await;
        // What fails after this can be asked for again: the versions that are
        // still enabled name the publisher.
        let was_trusted = blocking(move || {
            let trusted = folder.trusted()?;
            let grant = trusted.grant(&name);
            grant.map(|grant| folder.untrust(grant)).transpose()
        })
        .await??
        .is_some();
        drop(changing);
        if !was_trusted && disabled.is_empty() {
            return Err(ShelfError::UnknownPublisher(publisher));
        }
        self.save(&next).await?;
        *state = next;
        for (_, digest) in &disabled {
            self.disable_loaded(*digest);
        }
        tracing::warn!(publisher, "publisher not trusted any more");
        let disabled = disabled.into_iter().map(|(id, digest)| Disabled {
            id,
            sha256: digest.to_string(),
        });
        Ok(Untrust {
            publisher,
            disabled: disabled.collect(),
        })
    }

    /// What the publisher of a component is trusted for now that nobody else
    /// changes anything; it may be less than before the component was compiled.
    async fn still_granted(
        &self,
        plugin: &Plugin,
        signature: Bytes,
    ) -> anyhow::Result<Result<Grant, ShelfError>> {
        let (folder, digest) = (self.folder.clone(), plugin.digest());
        let id = plugin.id().to_owned();
        blocking(move || {
            let path = signature_file(&folder.component(digest));
            let grant = folder.signed_by(&path, &signature, digest)?;
            for_format(grant, &id)
        })
        .await
    }

    async fn save(&self, state: &State) -> anyhow::Result<()> {
        let (folder, state) = (self.folder.clone(), state.clone());
        blocking(move || folder.save(&state)).await?
    }

    fn disable_loaded(&self, digest: PluginDigest) {
        if let Some(loaded) = self.loaded.get() {
            loaded.registry.disable(digest);
        }
    }

    /// Turns a want of trust into a warning where the demo runs.
    fn or_in_the_demo(
        &self,
        grant: Result<Grant, ShelfError>,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Grant>, ShelfError> {
        match grant {
            Ok(grant) => Ok(Some(grant)),
            Err(error) if error.is_want_of_trust() && self.mode == StoreMode::Demo => {
                warnings.push(format!("{error}; the demo takes it all the same"));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

fn trust(folder: &PluginFolder, key: &Path, formats: &[String]) -> Result<Trust, ShelfError> {
    let key = PublisherKey::from_pem(&read(key, LONGEST_ENVELOPE)?)?;
    let publisher = key.name().to_owned();
    let formats = Formats::of(formats);
    let (formats, files) = match folder.trusted()?.grant(&publisher) {
        Some(before) => (before.formats.and(formats), before.files.clone()),
        None => (Some(formats), Vec::new()),
    };
    let formats = formats.ok_or_else(|| ShelfError::TrustedForAll(publisher.clone()))?;
    let names = formats.names();
    folder.trust(&Grant {
        key,
        formats,
        files,
    })?;
    tracing::warn!(publisher, formats = ?names, "publisher trusted");
    Ok(Trust {
        publisher,
        formats: names,
    })
}

fn for_format(grant: Grant, id: &str) -> Result<Grant, ShelfError> {
    if grant.formats.include(id) {
        return Ok(grant);
    }
    Err(ShelfError::TrustedForOthers {
        publisher: grant.key.name().to_owned(),
        id: id.to_owned(),
    })
}

/// Refuses a version that somebody else has signed than the last signed one.
fn check_publisher(state: &State, id: &str, version: &Version) -> Result<(), ShelfError> {
    match (state.publisher(id), &version.publisher) {
        (Some(before), Some(now)) if before != now => Err(ShelfError::OtherPublisher {
            id: id.to_owned(),
            before: before.to_owned(),
            now: now.clone(),
        }),
        _ => Ok(()),
    }
}

/// A warning of a version that is lower than the active one.
fn step_back(stock: &Stock, state: &State, id: &str, version: &Version) -> Option<String> {
    let active = stock.active(state, id)?;
    let active = &state.version(id, active)?.version;
    let is_lower = is_lower(&version.version, active);
    is_lower.then(|| {
        format!(
            "version {} is lower than {active}, which it replaces",
            version.version
        )
    })
}

fn is_lower(version: &str, than: &str) -> bool {
    match (
        SemanticVersion::parse(version),
        SemanticVersion::parse(than),
    ) {
        (Ok(version), Ok(than)) => version < than,
        _ => false,
    }
}

async fn target(
    stock: &Stock,
    loaded: &Loaded,
    state: &State,
    id: &str,
    enable: bool,
) -> Result<Target, ShelfError> {
    let earlier = state.earlier(id, stock.shipped.contains_key(id));
    if earlier.is_empty() {
        let current = stock.active(state, id);
        let current = current.ok_or_else(|| stock.none_active(id))?;
        if !state.is_disabled(current) {
            return Err(ShelfError::NothingToRollBack(id.to_owned()));
        }
        let plugin = loaded.admit(stock, state, id, current).await?;
        return Ok(Target {
            version: state.active(id),
            plugin,
            passed: Vec::new(),
        });
    }
    let mut passed = Vec::new();
    for version in earlier {
        let Some(digest) = version.or_else(|| stock.shipped_digest(id)) else {
            continue;
        };
        if state.is_disabled(digest) && !enable {
            passed.push(format!("{digest}, which is disabled"));
            continue;
        }
        match loaded.admit(stock, state, id, digest).await {
            Ok(plugin) => {
                return Ok(Target {
                    version,
                    plugin,
                    passed,
                });
            }
            Err(error) => passed.push(format!("{digest}: {}", reasons(&error))),
        }
    }
    Err(ShelfError::NoneUsable {
        id: id.to_owned(),
        passed,
    })
}

/// The active version, with what an operator should know about it.
fn told(
    stock: &Stock,
    loaded: &Loaded,
    state: &State,
    id: &str,
    warnings: &[String],
) -> Result<Listed, ShelfError> {
    for warning in warnings {
        tracing::warn!(plugin.id = id, "{warning}");
    }
    let listed = stock.listed_active(state, &loaded.broken(), id)?;
    let warning = (!warnings.is_empty()).then(|| warnings.join("; "));
    Ok(Listed { warning, ..listed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(is_lower("0.9.0", "0.10.0"));
        assert!(is_lower("1.0.0-rc.1", "1.0.0"));
        assert!(!is_lower("0.10.0", "0.10.0"));
        assert!(
            !is_lower("first", "0.1.0"),
            "it is none that can be compared"
        );
    }
}
