//! The changes that operators make.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use jiff::Timestamp;
use parafa_platform::reasons;
use parafa_plugin_host::{Plugin, PluginDigest};
use parafa_publisher::PublisherKey;
use parafa_store::StoreMode;
use semver::Version as SemanticVersion;

use crate::Inner;
use crate::catalogue::{Catalogue, PluginVersion, copy};
use crate::error::PluginStoreError;
use crate::folder::{Component, LONGEST_ENVELOPE, blocking, read};
use crate::loaded::{Loaded, admit_new};
use crate::origin::{PluginOrigin, PulledComponent};
use crate::rows::PluginComponentRow;
use crate::shared::SharedPlugins;
use crate::state::{State, Version};
use crate::trusted::{DisabledVersion, Formats, Grant, Trust, TrustedPublishers, Untrust};

/// The target version of a rollback.
struct Target {
    /// `None` for the shipped one.
    version: Option<PluginDigest>,
    plugin: Arc<Plugin>,
    /// Later versions, and why they cannot be used.
    passed: Vec<String>,
}

/// The operator's consents in an installation.
#[derive(Clone, Copy, Debug, Default)]
pub struct InstallTerms {
    /// Its publisher may differ from the last one's.
    pub replace_publisher: bool,
    /// The documents of media types and extensions that other plugins accept, too, are passed to
    /// it.
    pub prefer: bool,
}

/// A component that may be installed.
pub(crate) struct Tested {
    /// Its path.
    path: PathBuf,
    component: Component,
    plugin: Arc<Plugin>,
    /// The reason why it counts as unsigned, if the demo accepts it anyway.
    unsigned: Option<String>,
    /// The origin from which it was pulled, if it was.
    origin: Option<PluginOrigin>,
}

impl Inner {
    /// Checks a component that is to be installed. A pulled one must be unchanged since the pull.
    pub(crate) async fn test(
        &self,
        component: &Path,
        pulled: Option<PulledComponent>,
    ) -> Result<Tested, PluginStoreError> {
        let (catalogue, loaded) = (self.catalogue().await?, self.loaded().await?);
        self.follow().await?;
        let path = component.to_owned();
        let candidate = {
            let path = path.clone();
            blocking(move || Component::candidate(&path)).await??
        };
        let pinned = pulled.as_ref().map(|pulled| pulled.sha256);
        if pinned.is_some_and(|pinned| pinned != PluginDigest::of(&candidate.wasm)) {
            return Err(PluginStoreError::Changed(path));
        }
        let publishers = catalogue.seen().publishers.clone();
        let grant = granted(&publishers, &path, &candidate);
        let grant = self.unless_demo(grant)?;
        let admitted = async {
            let plugin = admit_new(&loaded.host, component, candidate.wasm.clone()).await?;
            let unsigned = match grant {
                Ok(grant) => {
                    let checked = grant.check_format(plugin.id()).map(|()| grant);
                    self.unless_demo(checked)?.err()
                }
                Err(unsigned) => Some(unsigned),
            };
            Ok::<_, PluginStoreError>((plugin, unsigned))
        };
        let (plugin, unsigned) = match admitted.await {
            Ok(admitted) => admitted,
            Err(error) => {
                let refused = PluginDigest::of(&candidate.wasm);
                self.discard_compiled(catalogue, [refused].into()).await;
                return Err(error);
            }
        };
        Ok(Tested {
            path,
            component: candidate,
            plugin,
            unsigned,
            origin: pulled.map(|pulled| pulled.origin),
        })
    }

    pub(crate) async fn install(
        &self,
        tested: &Tested,
        terms: InstallTerms,
    ) -> Result<PluginVersion, PluginStoreError> {
        let installed = self.install_tested(tested, terms).await;
        if installed.is_err() {
            let catalogue = self.catalogue().await?;
            let refused = [tested.plugin.digest()];
            self.discard_compiled(catalogue, refused.into()).await;
        }
        installed
    }

    async fn install_tested(
        &self,
        tested: &Tested,
        terms: InstallTerms,
    ) -> Result<PluginVersion, PluginStoreError> {
        let (catalogue, loaded) = (self.catalogue().await?, self.loaded().await?);
        let row = self.shared()?.write(&tested.component).await?;
        let plugin = &tested.plugin;
        let (id, digest) = (plugin.id(), plugin.digest());
        let mut state = catalogue.state.lock().await;
        let install = |state: &mut State, now| {
            if terms.prefer {
                state.prefer(id, loaded.registry.shared_with_others(plugin));
            } else {
                loaded.check(plugin)?;
            }
            let (publisher, unsigned) = self.publisher(state, tested)?;
            let version = Version {
                publisher,
                origin: tested.origin.clone(),
                ..Version::of(plugin, now)
            };
            if !terms.replace_publisher {
                check_publisher(state, id, &version)?;
            }
            let lower = step_back(catalogue, state, id, &version);
            let moved = moved(state, id, &version);
            let had_one = catalogue.active(state, id).is_some();
            state.install(id, version, had_one);
            state.forget_old(|id| catalogue.shipped_digest(id));
            Ok([unsigned, lower, moved]
                .into_iter()
                .flatten()
                .collect::<Vec<String>>())
        };
        let components = std::slice::from_ref(&row);
        let (next, warnings) = self.change(catalogue, components, install).await?;
        loaded.registry.set_owners(next.owners.clone());
        let enabled = loaded.enable(plugin.clone());
        copy(tested.component.clone(), self.folder.component(digest)).await?;
        self.take_over(catalogue, &mut state, next).await;
        enabled?;
        tracing::info!(plugin.id = id, plugin.version = plugin.version(), plugin.digest = %digest, "plugin installed");
        listing(catalogue, loaded, &state, id, &warnings)
    }

    pub(crate) async fn disable(&self, id: &str) -> Result<PluginVersion, PluginStoreError> {
        let catalogue = self.catalogue().await?;
        let mut state = catalogue.state.lock().await;
        let disable = |state: &mut State, _| {
            let digest = catalogue.known_active(state, id)?;
            if !state.disable(digest) {
                return Err(PluginStoreError::DisabledAlready(id.to_owned()));
            }
            Ok(digest)
        };
        let (next, digest) = self.change(catalogue, &[], disable).await?;
        self.take_over(catalogue, &mut state, next).await;
        tracing::warn!(plugin.id = id, plugin.digest = %digest, "plugin disabled");
        let broken = self.broken(catalogue, &state).await;
        catalogue.listed_active(&state, &broken, id)
    }

    pub(crate) async fn rollback(
        &self,
        id: &str,
        enable: bool,
    ) -> Result<PluginVersion, PluginStoreError> {
        let (catalogue, loaded) = (self.catalogue().await?, self.loaded().await?);
        self.follow().await?;
        loop {
            let before = catalogue.state.lock().await.clone();
            let target = target(catalogue, loaded, &before, id, enable).await?;
            let digest = target.plugin.digest();
            let mut state = catalogue.state.lock().await;
            let go_back = |state: &mut State, _| {
                let is_same = state.generation == before.generation;
                if is_same {
                    loaded.check(&target.plugin)?;
                    state.go_back_to(id, target.version, digest);
                }
                Ok(is_same)
            };
            let (next, is_done) = self.change(catalogue, &[], go_back).await?;
            let enabled = if is_done {
                loaded.enable(target.plugin.clone())
            } else {
                Ok(())
            };
            self.take_over(catalogue, &mut state, next).await;
            enabled?;
            if !is_done {
                continue;
            }
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
        let catalogue = self.catalogue().await?;
        let key = blocking(move || read(&key, LONGEST_ENVELOPE)).await??;
        let key = PublisherKey::from_pem(&key)?;
        let mut state = catalogue.state.lock().await;
        let trust = |state: &mut State, _| {
            let formats = Formats::of(&formats);
            let formats = match state.publishers.grant(key.name()) {
                Some(before) => before.formats.and(formats),
                None => Some(formats),
            };
            let formats =
                formats.ok_or_else(|| PluginStoreError::TrustedForAll(key.name().to_owned()))?;
            let names = formats.names();
            let key = key.clone();
            state.publishers.put(Grant { key, formats });
            Ok(names)
        };
        let (next, formats) = self.change(catalogue, &[], trust).await?;
        self.take_over(catalogue, &mut state, next).await;
        let publisher = key.name().to_owned();
        tracing::warn!(publisher, formats = ?formats, "publisher trusted");
        Ok(Trust { publisher, formats })
    }

    pub(crate) async fn untrust(&self, publisher: String) -> Result<Untrust, PluginStoreError> {
        let catalogue = self.catalogue().await?;
        let mut state = catalogue.state.lock().await;
        let untrust = |state: &mut State, _| {
            let disabled = state.disable_signed_by(&publisher);
            if !state.publishers.remove(&publisher) && disabled.is_empty() {
                return Err(PluginStoreError::UnknownPublisher(publisher.clone()));
            }
            Ok(disabled)
        };
        let (next, disabled) = self.change(catalogue, &[], untrust).await?;
        self.take_over(catalogue, &mut state, next).await;
        tracing::warn!(publisher, "publisher no longer trusted");
        let disabled = disabled.into_iter().map(|(id, digest)| DisabledVersion {
            id,
            sha256: digest.to_string(),
        });
        Ok(Untrust {
            publisher,
            disabled: disabled.collect(),
        })
    }

    /// Changes the deployment's records.
    async fn change<T: Send>(
        &self,
        catalogue: &Catalogue,
        components: &[PluginComponentRow],
        change: impl Fn(&mut State, Timestamp) -> Result<T, PluginStoreError> + Send + Sync,
    ) -> Result<(State, T), PluginStoreError> {
        let change = |state: &mut State, now| {
            catalogue.ship_into(state);
            change(state, now)
        };
        self.shared()?.change(components, change).await
    }

    fn shared(&self) -> Result<&SharedPlugins, PluginStoreError> {
        let shared = self.shared.as_ref();
        Ok(shared.context("the plugins are only looked at")?)
    }

    /// Returns the publisher of a component by the current trust, which may be less than before it
    /// was compiled. In the demo it returns the reason if there is none.
    fn publisher(
        &self,
        state: &State,
        tested: &Tested,
    ) -> Result<(Option<String>, Option<String>), PluginStoreError> {
        if let Some(unsigned) = &tested.unsigned {
            return Ok((None, Some(unsigned.clone())));
        }
        let grant = granted(&state.publishers, &tested.path, &tested.component);
        let grant = grant.and_then(|grant| {
            grant.check_format(tested.plugin.id())?;
            Ok(grant)
        });
        Ok(match self.unless_demo(grant)? {
            Ok(grant) => (Some(grant.key.name().to_owned()), None),
            Err(unsigned) => (None, Some(unsigned)),
        })
    }

    /// Turns missing trust into a warning in the demo.
    fn unless_demo<T>(
        &self,
        granted: Result<T, PluginStoreError>,
    ) -> Result<Result<T, String>, PluginStoreError> {
        match granted {
            Ok(granted) => Ok(Ok(granted)),
            Err(error) if error.is_missing_trust() && self.mode == StoreMode::Demo => {
                Ok(Err(format!("{error}; the demo installs it nevertheless")))
            }
            Err(error) => Err(error),
        }
    }
}

/// Returns the trust in the publisher of a component to be installed.
fn granted<'p>(
    publishers: &'p TrustedPublishers,
    path: &Path,
    component: &Component,
) -> Result<&'p Grant, PluginStoreError> {
    component
        .publisher(path, publishers)
        .map_err(|error| match error {
            PluginStoreError::SignatureNotKept(signature) => PluginStoreError::Unsigned {
                component: path.to_owned(),
                signature,
            },
            error => error,
        })
}

/// Refuses a version whose publisher differs from that of the last signed one.
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

/// Returns a warning if a version is lower than the active one.
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

/// Returns a warning if a tag named another artifact at the last installation from it.
fn moved(state: &State, id: &str, version: &Version) -> Option<String> {
    let origin = version.origin.as_ref()?;
    let tag = origin.tag.as_ref()?;
    let newest_first = state.installed(id).iter().rev();
    let mut origins = newest_first.filter_map(|known| known.origin.as_ref());
    let before = origins
        .find(|known| known.repository == origin.repository && known.tag.as_ref() == Some(tag))?;
    (before.digest != origin.digest).then(|| {
        format!(
            "the tag {tag} of {} has moved: it named {} when a version was installed by it, and names {} now",
            origin.repository, before.digest, origin.digest
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
    // Without an earlier version, the disabled current one is used again.
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

/// Returns the listing of the active version, with warnings to the operator.
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
