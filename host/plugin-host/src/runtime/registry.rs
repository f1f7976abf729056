use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::{Plugin, PluginDigest};

/// The plugins in use. A newer version takes over at once and without a restart; running calls keep
/// their version.
#[derive(Debug, Default)]
pub struct Registry {
    plugins: RwLock<Plugins>,
}

#[derive(Debug, Default)]
struct Plugins {
    /// By id.
    formats: BTreeMap<String, Versions>,
    disabled: BTreeSet<PluginDigest>,
    /// Ids with an installed plugin, loaded or not.
    installed: BTreeSet<String>,
    /// Owners of media types and extensions that several plugins accept: ids, by names in lower
    /// case.
    owners: BTreeMap<String, String>,
}

/// The versions of one format.
#[derive(Debug, Default)]
struct Versions {
    active: Option<Arc<Plugin>>,
    /// The latest first.
    superseded: VecDeque<Arc<Plugin>>,
}

/// Reasons why a plugin is not installed.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// The operator has disabled this digest.
    #[error("plugin {0} is disabled")]
    Disabled(PluginDigest),
    /// Another plugin accepts the same media type or extension.
    #[error("{kind} {value:?} belongs to the plugin {owner:?}")]
    Taken {
        /// `media type` or `extension`.
        kind: &'static str,
        /// The media type or extension.
        value: String,
        /// Id of the plugin that has it.
        owner: String,
    },
}

/// Reasons why no plugin of a digest is available.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LookupError {
    /// The operator has disabled it.
    #[error("plugin {0} is disabled")]
    Disabled(PluginDigest),
    /// The version was never installed, or too many versions followed.
    #[error("plugin {0} is not installed")]
    Unknown(PluginDigest),
}

impl Registry {
    /// Superseded versions of a plugin that stay callable, because a signature in progress is
    /// finished with the code that began it.
    pub const KEPT_VERSIONS: usize = 4;

    /// Makes `plugin` the active version of its id.
    ///
    /// # Errors
    ///
    /// When its digest is disabled, or another plugin has one of its media types or extensions and
    /// no owner is set.
    pub fn install(&self, plugin: Arc<Plugin>) -> Result<(), InstallError> {
        let mut plugins = self.write();
        plugins.check(&plugin)?;
        plugins.installed.insert(plugin.id().to_owned());
        plugins.versions_of(&plugin).activate(plugin);
        Ok(())
    }

    /// Keeps `plugin` callable by its digest as the latest superseded version of its id, unless it
    /// is the active one. The id need not have an active version.
    pub fn keep(&self, plugin: Arc<Plugin>) {
        self.write().versions_of(&plugin).supersede(plugin);
    }

    /// Deactivates the version of this id unless it has this digest. It stays callable
    /// by its own digest.
    pub fn deactivate_others(&self, id: &str, digest: Option<PluginDigest>) {
        let mut plugins = self.write();
        if let Some(versions) = plugins.formats.get_mut(id)
            && let Some(other) = versions
                .active
                .take_if(|active| Some(active.digest()) != digest)
        {
            versions.supersede(other);
        }
    }

    /// Checks whether [`Registry::install`] would accept `plugin` now.
    ///
    /// # Errors
    ///
    /// The error that it would return.
    pub fn check(&self, plugin: &Plugin) -> Result<(), InstallError> {
        self.read().check(plugin)
    }

    /// Sets the owners of media types and extensions that several plugins accept: ids, by names in
    /// lower case. If the owner is disabled or not loaded, no plugin gets such documents.
    pub fn set_owners(&self, owners: BTreeMap<String, String>) {
        self.write().owners = owners;
    }

    /// Returns the media types and extensions of `plugin` that others accept, too, in lower case.
    /// Those with an owner are among them: it may be disabled or broken, and so not be loaded.
    #[must_use]
    pub fn shared_with_others(&self, plugin: &Plugin) -> BTreeSet<String> {
        let plugins = self.read();
        let own = plugin.media_types().iter().chain(plugin.extensions());
        let owned = own
            .map(|name| name.to_ascii_lowercase())
            .filter(|name| plugins.owners.contains_key(name));
        let shared = plugins.shared(plugin).map(|(_, value, _)| value);
        shared.chain(owned).collect()
    }

    /// Records that a plugin of this id is installed, whether it can be loaded or not.
    pub fn note_installed(&self, id: &str) {
        self.write().installed.insert(id.to_owned());
    }

    /// Returns true if each id with an installed plugin has an active one. Otherwise, formats
    /// unsupported now may be supported again.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let plugins = self.read();
        let active: BTreeSet<&str> = plugins.active().map(|plugin| plugin.id()).collect();
        let mut installed = plugins.installed.iter();
        installed.all(|id| active.contains(id.as_str()))
    }

    /// Disables a digest, also for signatures in progress. An older version does not replace it.
    pub fn disable(&self, digest: PluginDigest) {
        self.write().disabled.insert(digest);
    }

    /// Disables these digests, and no others.
    pub fn disable_only(&self, digests: BTreeSet<PluginDigest>) {
        self.write().disabled = digests;
    }

    /// Lets a digest be used again.
    pub fn enable(&self, digest: PluginDigest) {
        self.write().disabled.remove(&digest);
    }

    /// Returns true if a digest is disabled.
    #[must_use]
    pub fn is_disabled(&self, digest: PluginDigest) -> bool {
        self.read().disabled.contains(&digest)
    }

    /// Returns true if the plugin for this file name extension, in any case, is disabled. A plugin
    /// that was disabled when the program started is unknown.
    #[must_use]
    pub fn is_out_of_use(&self, extension: &str) -> bool {
        let plugins = self.read();
        let plugin = plugins.given(extension, |plugin| plugin.takes_extension(extension));
        plugin.is_some_and(|plugin| plugins.disabled.contains(&plugin.digest()))
    }

    /// Returns all active plugins, by id.
    #[must_use]
    pub fn active(&self) -> Vec<Arc<Plugin>> {
        self.read().active().cloned().collect()
    }

    /// Returns the active plugin of this id.
    #[must_use]
    pub fn by_id(&self, id: &str) -> Option<Arc<Plugin>> {
        self.find(|plugin| plugin.id() == id)
    }

    /// Returns the active plugin for this media type, compared without regard to case (RFC 9110,
    /// 8.3.1).
    #[must_use]
    pub fn by_media_type(&self, media_type: &str) -> Option<Arc<Plugin>> {
        self.given(media_type, |plugin| {
            plugin
                .media_types()
                .iter()
                .any(|own| own.eq_ignore_ascii_case(media_type))
        })
    }

    /// Returns the active plugin for this file name extension, in any case.
    #[must_use]
    pub fn by_extension(&self, extension: &str) -> Option<Arc<Plugin>> {
        self.given(extension, |plugin| plugin.takes_extension(extension))
    }

    /// Returns the plugin of this digest, active or superseded.
    ///
    /// # Errors
    ///
    /// When it is disabled or not installed.
    pub fn by_digest(&self, digest: PluginDigest) -> Result<Arc<Plugin>, LookupError> {
        let plugins = self.read();
        if plugins.disabled.contains(&digest) {
            return Err(LookupError::Disabled(digest));
        }
        plugins
            .formats
            .values()
            .flat_map(Versions::all)
            .find(|plugin| plugin.digest() == digest)
            .cloned()
            .ok_or(LookupError::Unknown(digest))
    }

    /// Returns the plugin that owns a media type or an extension, if it is not disabled.
    fn given(&self, name: &str, takes: impl Fn(&Plugin) -> bool) -> Option<Arc<Plugin>> {
        let plugins = self.read();
        let plugin = plugins.given(name, takes)?;
        let is_disabled = plugins.disabled.contains(&plugin.digest());
        (!is_disabled).then(|| Arc::clone(plugin))
    }

    fn find(&self, matches: impl Fn(&Plugin) -> bool) -> Option<Arc<Plugin>> {
        self.read().active().find(|plugin| matches(plugin)).cloned()
    }

    // Poisoning is ignored: no code panics while it holds the lock, and every change of `Plugins`
    // is complete or not begun.
    fn read(&self) -> RwLockReadGuard<'_, Plugins> {
        self.plugins.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Plugins> {
        self.plugins.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Versions {
    fn activate(&mut self, plugin: Arc<Plugin>) {
        let before = self.active.take();
        self.superseded
            .retain(|version| version.digest() != plugin.digest());
        self.active = Some(plugin);
        if let Some(before) = before {
            self.supersede(before);
        }
    }

    fn supersede(&mut self, plugin: Arc<Plugin>) {
        let digest = plugin.digest();
        if self.active.as_ref().is_some_and(|it| it.digest() == digest) {
            return;
        }
        self.superseded.retain(|version| version.digest() != digest);
        self.superseded.push_front(plugin);
        self.superseded.truncate(Registry::KEPT_VERSIONS);
    }

    fn all(&self) -> impl Iterator<Item = &Arc<Plugin>> {
        self.active.iter().chain(&self.superseded)
    }
}

impl Plugins {
    fn versions_of(&mut self, plugin: &Plugin) -> &mut Versions {
        self.formats.entry(plugin.id().to_owned()).or_default()
    }

    fn check(&self, plugin: &Plugin) -> Result<(), InstallError> {
        if self.disabled.contains(&plugin.digest()) {
            return Err(InstallError::Disabled(plugin.digest()));
        }
        let mut shared = self.shared(plugin);
        match shared.find(|(_, value, _)| !self.owners.contains_key(value)) {
            Some((kind, value, other)) => Err(InstallError::Taken {
                kind,
                value,
                owner: other.to_owned(),
            }),
            None => Ok(()),
        }
    }

    /// Returns the media types and extensions that `plugin` shares with others: the kind, the name
    /// in lower case, and the owner.
    fn shared<'p>(
        &'p self,
        plugin: &'p Plugin,
    ) -> impl Iterator<Item = (&'static str, String, &'p str)> {
        let others = self
            .current()
            .filter(move |other| other.id() != plugin.id());
        others.flat_map(move |other| {
            let lists = [
                ("media type", plugin.media_types(), other.media_types()),
                ("extension", plugin.extensions(), other.extensions()),
            ];
            lists.into_iter().flat_map(move |(kind, wanted, owned)| {
                let shared = wanted.iter().filter(move |value| {
                    let mut owned = owned.iter();
                    owned.any(|taken| taken.eq_ignore_ascii_case(value))
                });
                shared.map(move |value| (kind, value.to_ascii_lowercase(), other.id()))
            })
        })
    }

    /// Returns the owner of this name among the plugins that it `takes`, disabled or not: the one
    /// that was set, otherwise the only one.
    fn given(&self, name: &str, takes: impl Fn(&Plugin) -> bool) -> Option<&Arc<Plugin>> {
        let owner = self.owners.get(&name.to_ascii_lowercase());
        self.current()
            .find(|plugin| takes(plugin) && owner.is_none_or(|owner| owner == plugin.id()))
    }

    fn active(&self) -> impl Iterator<Item = &Arc<Plugin>> {
        self.current()
            .filter(|plugin| !self.disabled.contains(&plugin.digest()))
    }

    /// Returns the active version of each id. A disabled one keeps its media types and extensions
    /// until it is enabled again.
    fn current(&self) -> impl Iterator<Item = &Arc<Plugin>> {
        let formats = self.formats.values();
        formats.filter_map(|versions| versions.active.as_ref())
    }
}
