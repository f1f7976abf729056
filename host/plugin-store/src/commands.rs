//! The changes that operators make.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use parafa_plugin_host::{Plugin, PluginDigest};
use parafa_store::StoreMode;
use semver::Version as SemanticVersion;
use serde::Serialize;

use crate::catalogue::{Catalogue, PluginVersion};
use crate::error::{PluginStoreError, reasons};
use crate::folder::{Candidate, LONGEST_ENVELOPE, PluginFolder, read};
use crate::loaded::{Loaded, admit_new};
use crate::publisher::{PublisherKey, signature_file};
use crate::state::{State, Version};
use crate::trusted::{Formats, Grant};
use crate::{Inner, blocking};

/// A publisher that is trusted.
#[derive(Debug, Serialize)]
pub struct Trust {
    /// The key's name.
    pub publisher: String,
    /// For which formats; none where it is for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formats: Option<Vec<String>>,
}

/// A publisher that is trusted no more.
#[derive(Debug, Serialize)]
pub struct Untrust {
    /// The key's name.
    pub publisher: String,
    /// What it has signed and is disabled with it.
    pub disabled: Vec<DisabledVersion>,
}

/// A version that is disabled.
#[derive(Debug, Serialize)]
pub struct DisabledVersion {
    /// The format.
    pub id: String,
    /// Lower-case hex of the component's SHA-256.
    pub sha256: String,
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
pub(crate) struct Tested {
    wasm: Bytes,
    signature: Option<Bytes>,
    plugin: Arc<Plugin>,
    version: Version,
    warnings: Vec<String>,
}

impl Inner {
    /// Looks at a component that somebody wants installed.
    pub(crate) async fn test(&self, component: &Path) -> Result<Tested, PluginStoreError> {
        let loaded = self.loaded().await?;
        let (folder, path) = (self.folder.clone(), component.to_owned());
        let candidate = blocking(move || folder.candidate(&path)).await??;
        let Candidate {
            wasm,
            signature,
            grant,
        } = candidate;
        let mut warnings = Vec::new();
        let grant = self.unless_demo(grant, &mut warnings)?;
        let plugin = admit_new(&loaded.host, component, wasm.clone()).await?;
        let grant = match grant {
            Some(grant) => self.unless_demo(for_format(grant, plugin.id()), &mut warnings)?,
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

    pub(crate) async fn install(
        &self,
        tested: Tested,
        replace_publisher: bool,
    ) -> Result<PluginVersion, PluginStoreError> {
        let (catalogue, loaded) = (self.catalogue().await?, self.loaded().await?);
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
        let mut state = catalogue.state.lock().await;
        loaded.check(&plugin)?;
        let is_signed = version.publisher.is_some();
        if let Some(signature) = signature.filter(|_| is_signed) {
            let grant = self.still_granted(&plugin, signature).await?;
            let grant = self.unless_demo(grant, &mut warnings)?;
            version.publisher = grant.map(|grant| grant.key.name().to_owned());
        }
        if !replace_publisher {
            check_publisher(&state, id, &version)?;
        }
        warnings.extend(step_back(catalogue, &state, id, &version));
        let mut next = state.clone();
        let had_one = catalogue.active(&state, id).is_some();
        next.install(id, version, had_one);
        next.forget_old(|id| catalogue.shipped_digest(id));
        self.save(&next).await?;
        *state = next;
        loaded.enable(plugin.clone())?;
        drop(components);
        self.sweep(&state).await;
        tracing::info!(plugin.id = id, plugin.version = plugin.version(), plugin.digest = %digest, "plugin installed");
        listing(catalogue, loaded, &state, id, &warnings)
    }

    pub(crate) async fn disable(&self, id: &str) -> Result<PluginVersion, PluginStoreError> {
        let catalogue = self.catalogue().await?;
        let mut state = catalogue.state.lock().await;
        let digest = catalogue.known_active(&state, id)?;
        let mut next = state.clone();
        if !next.disable(digest) {
            return Err(PluginStoreError::DisabledAlready(id.to_owned()));
        }
        self.save(&next).await?;
        *state = next;
        self.disable_loaded(digest);
        tracing::warn!(plugin.id = id, plugin.digest = %digest, "plugin disabled");
        let broken = self.broken(catalogue, &state).await?;
        catalogue.listed_active(&state, &broken, id)
    }

    pub(crate) async fn rollback(
        &self,
        id: &str,
        enable: bool,
    ) -> Result<PluginVersion, PluginStoreError> {
        let (catalogue, loaded) = (self.catalogue().await?, self.loaded().await?);
        loop {
            let before = catalogue.state.lock().await.clone();
            let target = target(catalogue, loaded, &before, id, enable).await?;
            let mut state = catalogue.state.lock().await;
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
            return listing(catalogue, loaded, &state, id, &warnings);
        }
    }

    pub(crate) async fn trust(
        &self,
        key: PathBuf,
        formats: Vec<String>,
    ) -> Result<Trust, PluginStoreError> {
        let folder = self.folder.clone();
        let _changing = self.trust.lock().await;
        blocking(move || trust(&folder, &key, &formats)).await?
    }

    pub(crate) async fn untrust(&self, publisher: String) -> Result<Untrust, PluginStoreError> {
        let catalogue = self.catalogue().await?;
        let mut state = catalogue.state.lock().await;
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
            return Err(PluginStoreError::UnknownPublisher(publisher));
        }
        self.save(&next).await?;
        *state = next;
        for (_, digest) in &disabled {
            self.disable_loaded(*digest);
        }
        tracing::warn!(publisher, "publisher not trusted any more");
        let disabled = disabled.into_iter().map(|(id, digest)| DisabledVersion {
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
    ) -> anyhow::Result<Result<Grant, PluginStoreError>> {
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
    fn unless_demo(
        &self,
        grant: Result<Grant, PluginStoreError>,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Grant>, PluginStoreError> {
        match grant {
            Ok(grant) => Ok(Some(grant)),
            Err(error) if error.is_missing_trust() && self.mode == StoreMode::Demo => {
                warnings.push(format!("{error}; the demo takes it all the same"));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

fn trust(folder: &PluginFolder, key: &Path, formats: &[String]) -> Result<Trust, PluginStoreError> {
    let key = PublisherKey::from_pem(&read(key, LONGEST_ENVELOPE)?)?;
    let publisher = key.name().to_owned();
    let formats = Formats::of(formats);
    let (formats, files) = match folder.trusted()?.grant(&publisher) {
        Some(before) => (before.formats.and(formats), before.files.clone()),
        None => (Some(formats), Vec::new()),
    };
    let formats = formats.ok_or_else(|| PluginStoreError::TrustedForAll(publisher.clone()))?;
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

fn for_format(grant: Grant, id: &str) -> Result<Grant, PluginStoreError> {
    if grant.formats.include(id) {
        return Ok(grant);
    }
    Err(PluginStoreError::TrustedForOthers {
        publisher: grant.key.name().to_owned(),
        id: id.to_owned(),
    })
}

/// Refuses a version that somebody else has signed than the last signed one.
fn check_publisher(state: &State, id: &str, version: &Version) -> Result<(), PluginStoreError> {
    match (state.publisher(id), &version.publisher) {
        (Some(before), Some(now)) if before != now => Err(PluginStoreError::OtherPublisher {
            id: id.to_owned(),
            before: before.to_owned(),
            now: now.clone(),
        }),
        _ => Ok(()),
    }
}

/// A warning of a version that is lower than the active one.
fn step_back(catalogue: &Catalogue, state: &State, id: &str, version: &Version) -> Option<String> {
    let active = catalogue.active(state, id)?;
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
    catalogue: &Catalogue,
    loaded: &Loaded,
    state: &State,
    id: &str,
    enable: bool,
) -> Result<Target, PluginStoreError> {
    let earlier = state.earlier(id, catalogue.shipped.contains_key(id));
    let current = catalogue.active(state, id);
    let is_out_of_use = current.is_some_and(|current| state.is_disabled(current));
    if earlier.is_empty() && !is_out_of_use {
        current.ok_or_else(|| catalogue.none_active(id))?;
        return Err(PluginStoreError::NothingToRollBack(id.to_owned()));
    }
    let mut passed = Vec::new();
    for version in earlier {
        let Some(digest) = version.or_else(|| catalogue.shipped_digest(id)) else {
            continue;
        };
        if state.is_disabled(digest) && !enable {
            passed.push(format!("{digest}, which is disabled"));
            continue;
        }
        match loaded.admit(catalogue, state, id, digest).await {
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
    // With nothing to go back to, what was taken out of use is used again.
    if let Some(current) = current.filter(|_| is_out_of_use) {
        match loaded.admit(catalogue, state, id, current).await {
            Ok(plugin) => {
                passed.retain(|passed| !passed.starts_with(&current.to_string()));
                return Ok(Target {
                    version: state.active(id),
                    plugin,
                    passed,
                });
            }
            Err(error) if passed.is_empty() => return Err(error),
            Err(error) => passed.push(format!("{current}: {}", reasons(&error))),
        }
    }
    Err(PluginStoreError::NoneUsable {
        id: id.to_owned(),
        passed,
    })
}

/// The active version, with what an operator should know about it.
fn listing(
    catalogue: &Catalogue,
    loaded: &Loaded,
    state: &State,
    id: &str,
    warnings: &[String],
) -> Result<PluginVersion, PluginStoreError> {
    for warning in warnings {
        tracing::warn!(plugin.id = id, "{warning}");
    }
    let listed = catalogue.listed_active(state, &loaded.broken(), id)?;
    let warning = (!warnings.is_empty()).then(|| warnings.join("; "));
    Ok(PluginVersion { warning, ..listed })
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
