//! What has its name in the configuration and is not in this build.

use config::{Value, ValueKind};

/// Sections that have no settings yet. An empty one asks for nothing.
pub(super) const WITHOUT_SETTINGS: [&str; 1] = ["webhooks"];
/// Sections that are for something that is off without them. An empty one asks
/// for nothing either.
const OPTIONAL: [&str; 4] = ["attorney", "mail", "mobile_id", "smart_id"];

/// Takes out empty sections that ask for nothing.
pub(super) fn without_empty(mut root: Value) -> Value {
    if let ValueKind::Table(sections) = &mut root.kind {
        for name in WITHOUT_SETTINGS.into_iter().chain(OPTIONAL) {
            let is_empty =
                |section: &Value| matches!(&section.kind, ValueKind::Table(set) if set.is_empty());
            if sections.get(name).is_some_and(is_empty) {
                sections.remove(name);
            }
        }
    }
    root
}

/// What is said of a setting that asks for something that this build does not
/// have.
pub(super) fn sentence(section: &str, key: &str) -> Option<String> {
    WITHOUT_SETTINGS
        .contains(&section)
        .then(|| format!("{section}.{key} is set, and this build has no settings in [{section}]"))
}
