//! The versions of formats, and the active one of each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use parafa_plugin_host::{Plugin, PluginDigest, Registry};
use serde::{Deserialize, Serialize};

use crate::origin::PluginOrigin;
use crate::trusted::TrustedPublishers;

/// Versions of a format that are kept beside the active one: those that a server keeps callable.
const KEPT: usize = Registry::KEPT_VERSIONS;

/// The operators' changes and the shipped versions. As JSON it is a host's copy, beside which the
/// publishers have their own files.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct State {
    /// Another number after each change.
    #[serde(default)]
    pub(crate) generation: u64,
    #[serde(default)]
    pub(crate) formats: BTreeMap<String, Format>,
    /// Disabled digests, also of superseded versions.
    #[serde(default)]
    pub(crate) disabled: BTreeSet<PluginDigest>,
    /// Owners of media types and extensions that several formats accept, by these names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) owners: BTreeMap<String, String>,
    #[serde(skip)]
    pub(crate) publishers: TrustedPublishers,
}

/// A format. The version shipped with the program is not in `versions` and has no digest here,
/// since each program ships its own. Versions shipped with earlier programs have digests.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Format {
    /// Installed versions, the newest last.
    versions: Vec<Version>,
    /// Versions shipped with this program and earlier ones, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shipped: Vec<Version>,
    active: Option<PluginDigest>,
    /// Earlier active versions, the latest last.
    #[serde(default)]
    before: Vec<Option<PluginDigest>>,
}

/// One version of a format.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Version {
    pub(crate) sha256: PluginDigest,
    pub(crate) version: String,
    pub(crate) contract: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) publisher: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<PluginOrigin>,
    pub(crate) installed_at: Timestamp,
}

/// Returns the path of the state in the folder of plugins.
pub(crate) fn path(folder: &Path) -> PathBuf {
    folder.join("active.json")
}

impl Version {
    /// Creates a version as shipped with a program; installed ones have more properties.
    pub(crate) fn of(plugin: &Plugin, installed_at: Timestamp) -> Self {
        Self {
            sha256: plugin.digest(),
            version: plugin.version().to_owned(),
            contract: plugin.contract_version(),
            publisher: None,
            origin: None,
            installed_at,
        }
    }
}

impl State {
    /// Makes a version active and enables it. `had_one` is true if one was active before.
    pub(crate) fn install(&mut self, id: &str, version: Version, had_one: bool) {
        let format = self.formats.entry(id.to_owned()).or_default();
        let digest = version.sha256;
        if had_one && format.active != Some(digest) {
            format.before.push(format.active);
            let too_many = format.before.len().saturating_sub(KEPT);
            format.before.drain(..too_many);
        }
        format.active = Some(digest);
        put_last(&mut format.versions, version);
        self.disabled.remove(&digest);
    }

    /// Makes a format the owner of names that others accept, too.
    pub(crate) fn prefer(&mut self, id: &str, names: BTreeSet<String>) {
        let names = names.into_iter().map(|name| (name, id.to_owned()));
        self.owners.extend(names);
    }

    /// Records a shipped version.
    pub(crate) fn ship(&mut self, id: &str, version: Version) {
        let format = self.formats.entry(id.to_owned()).or_default();
        let mut known = format.shipped.iter();
        if known.all(|known| known.sha256 != version.sha256) {
            format.shipped.push(version);
        }
    }

    /// Disables a version; returns true if it was enabled.
    pub(crate) fn disable(&mut self, digest: PluginDigest) -> bool {
        self.disabled.insert(digest)
    }

    /// Disables all installed versions that a publisher has signed, and returns those that were
    /// enabled.
    pub(crate) fn disable_signed_by(&mut self, publisher: &str) -> Vec<(String, PluginDigest)> {
        let mut disabled = Vec::new();
        for (id, format) in &self.formats {
            for version in &format.versions {
                let is_theirs = version.publisher.as_deref() == Some(publisher);
                if is_theirs && self.disabled.insert(version.sha256) {
                    disabled.push((id.clone(), version.sha256));
                }
            }
        }
        disabled
    }

    /// Makes an earlier version active again, and enables it. Later active versions are no longer
    /// earlier ones.
    pub(crate) fn go_back_to(
        &mut self,
        id: &str,
        target: Option<PluginDigest>,
        digest: PluginDigest,
    ) {
        self.disabled.remove(&digest);
        let Some(format) = self.formats.get_mut(id) else {
            return;
        };
        if format.active == target {
            return;
        }
        let last = format.before.iter().rposition(|before| *before == target);
        format.before.truncate(last.unwrap_or(0));
        format.active = target;
    }

    /// Returns the versions for a rollback, the latest first: the earlier active ones, then the
    /// shipped one. If no usable one was shipped, those of earlier programs follow instead.
    pub(crate) fn earlier(&self, id: &str, is_shipped: bool) -> Vec<Option<PluginDigest>> {
        let Some(format) = self.formats.get(id) else {
            return Vec::new();
        };
        let mut earlier: Vec<_> = format.before.iter().rev().copied().collect();
        if is_shipped {
            earlier.push(None);
        } else {
            let shipped = format.shipped.iter().rev();
            earlier.extend(shipped.map(|version| Some(version.sha256)));
        }
        let mut seen = BTreeSet::from([format.active]);
        earlier.retain(|digest| seen.insert(*digest));
        earlier
    }

    /// Returns the versions of a format that a server keeps beside the active one, the latest
    /// first: those active before, then the newest others.
    pub(crate) fn superseded(
        &self,
        id: &str,
        shipped: Option<PluginDigest>,
    ) -> impl Iterator<Item = PluginDigest> {
        let format = self.formats.get(id);
        let active = format.and_then(|format| format.active.or(shipped));
        let before = format
            .into_iter()
            .flat_map(|format| format.before.iter().rev());
        let mut latest: Vec<_> = before
            .filter_map(|digest| digest.or(shipped))
            .chain(format.into_iter().flat_map(Format::newest_first))
            .collect();
        let mut seen: BTreeSet<_> = active.into_iter().collect();
        latest.retain(|digest| seen.insert(*digest));
        latest.into_iter().take(KEPT)
    }

    /// Forgets all versions except those that a server keeps.
    pub(crate) fn forget_old(&mut self, shipped: impl Fn(&str) -> Option<PluginDigest>) {
        let ids: Vec<String> = self.formats.keys().cloned().collect();
        for id in ids {
            let shipped = shipped(&id);
            let mut kept: BTreeSet<_> = self.superseded(&id, shipped).collect();
            if let Some(format) = self.formats.get_mut(&id) {
                kept.extend(format.active.into_iter().chain(shipped));
                let is_kept = |version: &Version| kept.contains(&version.sha256);
                format.versions.retain(is_kept);
                format.shipped.retain(is_kept);
            }
        }
    }

    /// Returns the installed version that is active, disabled or not; `None` if the shipped one is.
    pub(crate) fn active(&self, id: &str) -> Option<PluginDigest> {
        self.formats.get(id)?.active
    }

    pub(crate) fn is_disabled(&self, digest: PluginDigest) -> bool {
        self.disabled.contains(&digest)
    }

    pub(crate) fn disabled(&self) -> impl Iterator<Item = PluginDigest> {
        self.disabled.iter().copied()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.formats.keys().map(String::as_str)
    }

    /// Returns the installed versions of a format, the newest last.
    pub(crate) fn installed(&self, id: &str) -> &[Version] {
        self.formats.get(id).map_or(&[], |format| &format.versions)
    }

    /// Lists all installed versions of all formats.
    pub(crate) fn all_installed(&self) -> impl Iterator<Item = (&str, &Version)> {
        let formats = self.formats.iter();
        formats.flat_map(|(id, format)| format.versions.iter().map(move |version| (&**id, version)))
    }

    /// Lists all versions of all formats shipped with this program or another.
    pub(crate) fn all_shipped(&self) -> impl Iterator<Item = (&str, &Version)> {
        let formats = self.formats.iter();
        formats.flat_map(|(id, format)| format.shipped.iter().map(move |version| (&**id, version)))
    }

    /// Returns the digests of all known versions.
    pub(crate) fn components(&self) -> BTreeSet<PluginDigest> {
        let all = self.all_installed().chain(self.all_shipped());
        all.map(|(_, version)| version.sha256).collect()
    }

    /// Returns a version of a format.
    pub(crate) fn version(&self, id: &str, digest: PluginDigest) -> Option<&Version> {
        let format = self.formats.get(id)?;
        let mut all = format.versions.iter().chain(&format.shipped);
        all.find(|version| version.sha256 == digest)
    }

    /// Returns the publisher of the newest signed version of a format.
    pub(crate) fn publisher(&self, id: &str) -> Option<&str> {
        let mut newest_first = self.installed(id).iter().rev();
        newest_first.find_map(|version| version.publisher.as_deref())
    }
}

impl Format {
    fn newest_first(&self) -> impl Iterator<Item = PluginDigest> {
        let mut all: Vec<_> = self.versions.iter().chain(&self.shipped).collect();
        all.sort_by_key(|version| std::cmp::Reverse(version.installed_at));
        all.into_iter().map(|version| version.sha256)
    }
}

fn put_last(versions: &mut Vec<Version>, version: Version) {
    versions.retain(|known| known.sha256 != version.sha256);
    versions.push(version);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(build: u8) -> Version {
        Version {
            sha256: PluginDigest::of(&[build]),
            version: format!("0.{build}.0"),
            contract: "0.1.0".to_owned(),
            publisher: None,
            origin: None,
            installed_at: Timestamp::from_second(build.into()).unwrap(),
        }
    }

    fn digest(build: u8) -> PluginDigest {
        version(build).sha256
    }

    /// Returns the state of a format with a shipped version and these installed builds.
    fn with(builds: impl IntoIterator<Item = u8>) -> State {
        let mut state = State::default();
        for build in builds {
            state.install("pdf", version(build), true);
        }
        state
    }

    fn superseded(state: &State) -> Vec<PluginDigest> {
        state.superseded("pdf", None).collect()
    }

    #[test]
    fn rolling_back_goes_the_way_of_installing() {
        let mut state = with([1, 2, 1]);
        for (before, build) in [(Some(2), 2), (Some(1), 1), (None, 9)] {
            let target = before.map(digest);
            assert_eq!(state.earlier("pdf", true)[0], target);
            state.go_back_to("pdf", target, digest(build));
            assert_eq!(state.active("pdf"), target);
        }

        assert_eq!(state.earlier("pdf", true), []);
    }

    #[test]
    fn whoever_goes_back_past_a_version_does_not_come_back_to_it() {
        let mut state = with([1, 2, 3]);

        state.go_back_to("pdf", Some(digest(1)), digest(1));

        assert_eq!(state.earlier("pdf", true), [None]);
    }

    #[test]
    fn a_format_that_did_not_come_with_the_program_is_not_rolled_back_to_nothing() {
        let mut state = State::default();
        state.install("toy", version(1), false);

        assert_eq!(state.earlier("toy", false), []);
        assert_eq!(state.earlier("toy", true), [None], "it does now");
    }

    #[test]
    fn what_came_with_earlier_programs_can_be_gone_back_to_where_nothing_came_with_this_one() {
        let mut state = State::default();
        state.ship("pdf", version(1));
        state.ship("pdf", version(2));
        assert_eq!(state.earlier("pdf", true), []);
        let shipped = [2, 1].map(|build| Some(digest(build)));
        assert_eq!(state.earlier("pdf", false), shipped);

        state.go_back_to("pdf", Some(digest(2)), digest(2));
        state.forget_old(|_| None);

        assert_eq!(state.active("pdf"), Some(digest(2)));
        assert_eq!(state.all_shipped().count(), 2);
        assert_eq!(state.earlier("pdf", true), [None], "once it is mended");
    }

    #[test]
    fn what_came_with_the_program_can_be_gone_back_to_after_any_number_of_versions() {
        let mut state = with(1..=20);
        let earlier = state.earlier("pdf", true);
        assert_eq!(earlier.len(), KEPT + 1);
        assert_eq!(earlier.last(), Some(&None));

        state.go_back_to("pdf", None, digest(99));

        assert_eq!(state.active("pdf"), None);
        assert_eq!(state.earlier("pdf", true), []);
    }

    #[test]
    fn going_back_enables_that_version_alone() {
        let mut state = with([1, 2]);
        assert!(state.disable(digest(1)));
        assert!(state.disable(digest(2)));
        assert!(!state.disable(digest(2)));

        state.go_back_to("pdf", Some(digest(1)), digest(1));

        assert!(!state.is_disabled(digest(1)));
        assert!(state.is_disabled(digest(2)));
    }

    #[test]
    fn installing_enables() {
        let mut state = with([1]);
        state.disable(digest(1));

        state.install("pdf", version(1), true);

        assert!(!state.is_disabled(digest(1)));
        assert_eq!(state.active("pdf"), Some(digest(1)));
        let earlier = state.earlier("pdf", true);
        assert_eq!(earlier, [None], "the same again is no step");
    }

    #[test]
    fn what_was_active_last_is_at_hand_and_what_was_rolled_back_from() {
        let mut state = with([1, 2, 3, 2]);
        assert_eq!(superseded(&state), [digest(3), digest(1)]);

        state.go_back_to("pdf", Some(digest(3)), digest(3));

        assert_eq!(superseded(&state), [digest(2), digest(1)]);
    }

    #[test]
    fn what_came_with_an_earlier_program_is_at_hand() {
        let mut state = State::default();
        state.ship("pdf", version(1));
        state.ship("pdf", version(2));
        state.ship("pdf", version(2));

        let superseded: Vec<_> = state.superseded("pdf", Some(digest(2))).collect();

        assert_eq!(superseded, [digest(1)]);
    }

    #[test]
    fn what_nothing_names_is_forgotten_but_not_that_it_is_disabled() {
        let mut state = with(1..=20);
        state.ship("pdf", version(0));
        state.disable(digest(1));

        state.forget_old(|_| Some(digest(0)));

        let known: Vec<_> = state.installed("pdf").iter().collect();
        assert_eq!(known.len(), KEPT + 1);
        assert_eq!(known[KEPT].sha256, digest(20));
        assert_eq!(state.all_shipped().count(), 1, "it is what there is now");
        assert!(state.is_disabled(digest(1)));
    }

    #[test]
    fn all_that_a_publisher_has_signed_is_disabled_and_nothing_else() {
        let mut state = with([1]);
        for build in [2, 3] {
            let publisher = Some("a".to_owned());
            let signed = Version {
                publisher,
                ..version(build)
            };
            state.install("pdf", signed, true);
        }
        state.disable(digest(3));
        assert_eq!(state.publisher("pdf"), Some("a"));

        let disabled = state.disable_signed_by("a");

        assert_eq!(disabled, [("pdf".to_owned(), digest(2))]);
        assert!(!state.is_disabled(digest(1)));
    }

    #[test]
    fn the_state_is_read_as_it_was_written() {
        let mut state = with([1, 2]);
        state.ship("pdf", version(3));
        state.disable(digest(1));
        state.prefer("pdf", ["application/pdf".to_owned()].into());

        let text = serde_json::to_string(&state).unwrap();

        assert_eq!(serde_json::from_str::<State>(&text).unwrap(), state);
    }
}
