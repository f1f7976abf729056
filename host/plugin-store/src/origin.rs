//! Where plugins come from that were pulled.

use parafa_plugin_host::PluginDigest;
use serde::{Deserialize, Serialize};

/// The artifact that a plugin was pulled from.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct PluginOrigin {
    /// The repository, such as `oci://ghcr.io/acme/sutartis`.
    pub repository: String,
    /// The tag that it was found by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The digest of the artifact's manifest, `sha256:` and 64 hexadecimal digits.
    pub digest: String,
}

/// A component that was pulled into a file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PulledComponent {
    /// The digest that the file must have when it is read.
    pub sha256: PluginDigest,
    /// Where it comes from.
    pub origin: PluginOrigin,
}

impl PluginOrigin {
    /// Returns whether both were found by the same tag.
    pub(crate) fn has_tag_of(&self, other: &Self) -> bool {
        self.tag.is_some() && self.tag == other.tag && self.repository == other.repository
    }

    /// A warning where the tag named another artifact before.
    pub(crate) fn moved_since(&self, before: &Self) -> Option<String> {
        let tag = self.tag.as_ref().filter(|_| self.has_tag_of(before))?;
        (before.digest != self.digest).then(|| {
            format!(
                "the tag {tag} of {} has moved: it named {} when a version was installed by it, and names {} now",
                self.repository, before.digest, self.digest
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(repository: &str, tag: Option<&str>, digest: &str) -> PluginOrigin {
        PluginOrigin {
            repository: repository.to_owned(),
            tag: tag.map(str::to_owned),
            digest: digest.to_owned(),
        }
    }

    #[test]
    fn a_tag_has_moved_when_it_names_another_artifact() {
        let before = origin("oci://a.example/p", Some("1"), "sha256:aa");
        let since = |repository, tag, digest| {
            let now = origin(repository, tag, digest);
            now.moved_since(&before).is_some()
        };

        assert!(since("oci://a.example/p", Some("1"), "sha256:bb"));
        assert!(!since("oci://a.example/p", Some("1"), "sha256:aa"));
        assert!(!since("oci://a.example/p", Some("2"), "sha256:bb"));
        assert!(!since("oci://a.example/p", None, "sha256:bb"));
        assert!(!since("oci://b.example/p", Some("1"), "sha256:bb"));
    }
}
