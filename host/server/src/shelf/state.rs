//! Which versions of formats are installed, and which of them is active.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use parafa_plugin_host::{Plugin, PluginDigest};
use serde::{Deserialize, Serialize};

/// What operators have changed.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub(super) struct State {
    #[serde(default)]
    formats: BTreeMap<String, Format>,
    /// What is called no more, whichever version follows it.
    #[serde(default)]
    disabled: BTreeSet<PluginDigest>,
}

/// One format. A version that came with the program, whichever that is, is
/// none of `versions` and is told by no digest.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
struct Format {
    /// Those that were installed, the newest last.
    versions: Vec<Version>,
    active: Option<PluginDigest>,
    /// Those that were active before, the latest last.
    #[serde(default)]
    before: Vec<Option<PluginDigest>>,
}

/// An installed component.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Version {
    pub(super) sha256: PluginDigest,
    pub(super) version: String,
    pub(super) contract: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) publisher: Option<String>,
    installed_at: Timestamp,
}

/// There is no version before the active one.
#[derive(Debug, thiserror::Error)]
#[error("the plugin {0} has no earlier version to go back to")]
pub(crate) struct NothingToRollBack(String);

/// Where the state is kept in the folder of plugins.
pub(super) fn path(folder: &Path) -> PathBuf {
    folder.join("active.json")
}

impl Version {
    pub(super) fn of(plugin: &Plugin, publisher: Option<String>) -> Self {
        Self {
            sha256: plugin.digest(),
            version: plugin.version().to_owned(),
            contract: plugin.contract_version(),
            publisher,
            installed_at: Timestamp::now(),
        }
    }
}

impl State {
    /// Makes a version active. `had_one` tells whether one was before.
    pub(super) fn install(&mut self, id: &str, version: Version, had_one: bool) {
        let format = self.formats.entry(id.to_owned()).or_default();
        let digest = version.sha256;
        if had_one && format.active != Some(digest) {
            format.before.push(format.active);
        }
        format.active = Some(digest);
        format.versions.retain(|known| known.sha256 != digest);
        format.versions.push(version);
        self.disabled.remove(&digest);
    }

    /// Tells whether it was not disabled before.
    pub(super) fn disable(&mut self, digest: PluginDigest) -> bool {
        self.disabled.insert(digest)
    }

    pub(super) fn enable(&mut self, digest: PluginDigest) {
        self.disabled.remove(&digest);
    }

    /// Makes the version active that was before `current`, or where there is
    /// none, enables that one again.
    pub(super) fn roll_back(
        &mut self,
        id: &str,
        current: PluginDigest,
    ) -> Result<(), NothingToRollBack> {
        let format = self.formats.get_mut(id);
        if let Some((format, before)) =
            format.and_then(|format| format.before.pop().map(|before| (format, before)))
        {
            format.active = before;
            return Ok(());
        }
        if self.disabled.contains(&current) {
            return Ok(());
        }
        Err(NothingToRollBack(id.to_owned()))
    }

    pub(super) fn is_installed(&self, id: &str) -> bool {
        self.active(id).is_some()
    }

    /// The installed version that is active, disabled or not; none where it is
    /// the one that came with the program.
    pub(super) fn active(&self, id: &str) -> Option<PluginDigest> {
        self.formats.get(id)?.active
    }

    pub(super) fn is_disabled(&self, digest: PluginDigest) -> bool {
        self.disabled.contains(&digest)
    }

    pub(super) fn disabled(&self) -> impl Iterator<Item = PluginDigest> {
        self.disabled.iter().copied()
    }

    /// The installed versions of each format.
    pub(super) fn versions(&self) -> impl Iterator<Item = (&str, &[Version])> {
        let formats = self.formats.iter();
        formats.map(|(id, format)| (&**id, &*format.versions))
    }

    /// What a server has to know of each format: the `kept` versions that were
    /// active last and, at the end, the one that is.
    pub(super) fn to_load(
        &self,
        kept: usize,
    ) -> impl Iterator<Item = (&str, Vec<Option<PluginDigest>>)> {
        self.formats.iter().map(move |(id, format)| {
            let mut digests = Vec::new();
            let latest_first = format.before.iter().rev();
            for digest in [&format.active].into_iter().chain(latest_first) {
                if digests.len() <= kept && !digests.contains(digest) {
                    digests.push(*digest);
                }
            }
            digests.reverse();
            (&**id, digests)
        })
    }
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
            installed_at: Timestamp::UNIX_EPOCH,
        }
    }

    fn digest(build: u8) -> PluginDigest {
        version(build).sha256
    }

    /// One format that came with the program, and these builds installed.
    fn with(builds: impl IntoIterator<Item = u8>) -> State {
        let mut state = State::default();
        for build in builds {
            state.install("pdf", version(build), true);
        }
        state
    }

    #[test]
    fn rolling_back_goes_the_way_of_installing() {
        let mut state = with([1, 2, 1]);
        for (current, before) in [(1, Some(2)), (2, Some(1)), (1, None)] {
            state.roll_back("pdf", digest(current)).unwrap();
            assert_eq!(state.active("pdf"), before.map(digest));
        }

        let shipped = digest(9);
        assert!(state.roll_back("pdf", shipped).is_err());
    }

    #[test]
    fn a_format_that_did_not_come_with_the_program_is_not_rolled_back_to_nothing() {
        let mut state = State::default();
        state.install("toy", version(1), false);

        assert!(state.roll_back("toy", digest(1)).is_err());
        assert_eq!(state.active("toy"), Some(digest(1)));
    }

    #[test]
    fn rolling_back_the_only_version_is_possible_while_it_is_disabled() {
        let mut state = State::default();
        assert!(state.disable(digest(9)));
        assert!(!state.disable(digest(9)));

        state.roll_back("pdf", digest(9)).unwrap();
        state.enable(digest(9));

        assert!(!state.is_disabled(digest(9)));
        assert!(state.roll_back("pdf", digest(9)).is_err());
    }

    #[test]
    fn installing_enables() {
        let mut state = with([1]);
        state.disable(digest(1));

        state.install("pdf", version(1), true);

        assert!(!state.is_disabled(digest(1)));
        assert_eq!(state.active("pdf"), Some(digest(1)));
        state.roll_back("pdf", digest(1)).unwrap();
        assert_eq!(state.active("pdf"), None, "the same again is no step");
    }

    #[test]
    fn the_versions_that_were_active_last_are_loaded_and_the_active_one_last() {
        let state = with([1, 2, 3, 2]);

        let loaded: Vec<_> = state.to_load(2).collect();

        let expected = [3, 2].map(|build| Some(digest(build)));
        assert_eq!(loaded.len(), 1);
        assert_eq!(loaded[0].0, "pdf");
        assert!(loaded[0].1.ends_with(&expected), "{loaded:?}");
        assert_eq!(loaded[0].1.len(), 3);
    }

    #[test]
    fn the_state_is_read_as_it_was_written() {
        let mut state = with([1, 2]);
        state.disable(digest(1));

        let text = serde_json::to_string(&state).unwrap();

        assert_eq!(serde_json::from_str::<State>(&text).unwrap(), state);
    }
}
