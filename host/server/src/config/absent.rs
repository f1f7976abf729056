//! What has its name in the configuration and is not in this build.

use config::{ConfigError, Map, Value, ValueKind};

/// Sections that have no settings yet. An empty one asks for nothing.
const WITHOUT_SETTINGS: [&str; 3] = ["diligence", "objects", "webhooks"];
/// Sections that are for something that is off without them. An empty one asks
/// for nothing either.
const OPTIONAL: [&str; 4] = ["attorney", "mail", "mobile_id", "smart_id"];

/// Takes out what asks for nothing.
///
/// # Errors
/// What asks for something that this build does not have, all of it, by name.
pub(super) fn without_absent(mut root: Value) -> Result<Value, ConfigError> {
    let ValueKind::Table(sections) = &mut root.kind else {
        return Ok(root);
    };
    let mut absent = Vec::new();
    for name in WITHOUT_SETTINGS {
        let Some(section) = sections.get(name) else {
            continue;
        };
        let ValueKind::Table(settings) = &section.kind else {
            return Err(ConfigError::Message(format!("{name} must be a section")));
        };
        absent.extend(
            settings.keys().map(|key| {
                format!("{name}.{key} is set, and this build has no settings in [{name}]")
            }),
        );
        sections.remove(name);
    }
    for name in OPTIONAL {
        let is_empty =
            |section: &Value| matches!(&section.kind, ValueKind::Table(set) if set.is_empty());
        if sections.get(name).is_some_and(is_empty) {
            sections.remove(name);
        }
    }
    if let Some(ValueKind::Table(store)) = sections.get("store").map(|store| &store.kind) {
        absent.extend(absent_of_store(store));
    }
    if absent.is_empty() {
        return Ok(root);
    }
    absent.sort();
    Err(ConfigError::Message(absent.join("; ")))
}

fn absent_of_store(store: &Map<String, Value>) -> Vec<String> {
    let mut absent = Vec::new();
    let engine = store.get("engine").map(|engine| &engine.kind);
    if matches!(engine, Some(ValueKind::String(engine)) if engine == "postgres") {
        absent.push(
            "store.engine is postgres, and this build does not have that engine: sled is the one \
             that it has"
                .to_owned(),
        );
    }
    if store.contains_key("url") {
        absent.push(
            "store.url is set, and this build has no engine that is reached by a URL: records are \
             in store.data"
                .to_owned(),
        );
    }
    absent
}
