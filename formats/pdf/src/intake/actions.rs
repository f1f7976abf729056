//! What the document does by itself or takes from elsewhere (ISO 32000-2,
//! 12.6 and 7.3.8.2).

use std::collections::BTreeSet;

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::{Note, Refusal};

use crate::structure::PdfFile;

/// Events of an annotation that need nobody to touch it (table 197).
const PAGE_EVENTS: [&[u8]; 4] = [b"PC", b"PI", b"PO", b"PV"];

/// Refuses actions that start programs or send the document away on their
/// own, and streams kept in other files; notes scripts and links to files.
pub(super) fn examine(file: &PdfFile<'_>) -> Result<Vec<Note>, Refusal> {
    let mut found = Found::default();
    for (id, object) in file.objects() {
        if let Object::Stream(stream) = object
            && file.entry(&stream.dict, b"F").is_some()
        {
            return Err(Refusal::new(
                "external-stream",
                format!("The stream {} is kept in another file.", id.0),
            ));
        }
        each_dictionary(object, |dictionary| found.look_at(file, dictionary));
    }
    if found.launch {
        return Err(Refusal::new(
            "launch-action",
            "An action of the document starts a program.",
        ));
    }
    refuse_automatic_sending(file)?;
    let mut notes = Vec::new();
    if found.javascript {
        notes.push(Note::new("javascript", "The document contains JavaScript."));
    }
    if found.remote {
        notes.push(Note::new(
            "remote-goto",
            "An action of the document opens another document.",
        ));
    }
    Ok(notes)
}

#[derive(Default)]
struct Found {
    javascript: bool,
    launch: bool,
    remote: bool,
}

impl Found {
    fn look_at(&mut self, file: &PdfFile<'_>, dictionary: &Dictionary) {
        match action_type(file, dictionary) {
            Some(b"GoToE" | b"GoToR") => self.remote = true,
            Some(b"JavaScript") => self.javascript = true,
            Some(b"Launch") => self.launch |= !is_structure_element(file, dictionary),
            // A rendition action may have a script instead of an operation
            // (12.6.4.14).
            Some(b"Rendition") => {
                self.javascript |= file.entry(dictionary, b"JS").is_some();
            }
            _ => {}
        }
    }
}

/// Follows the actions that run without anybody's doing.
fn refuse_automatic_sending(file: &PdfFile<'_>) -> Result<(), Refusal> {
    let mut visited = BTreeSet::new();
    let mut open = automatic_actions(file)?;
    while let Some(action) = open.pop() {
        let Some(action) = file.resolve(action) else {
            continue;
        };
        // Many references may lead to one object.
        if !visited.insert(std::ptr::from_ref(action)) {
            continue;
        }
        match action {
            // A list of actions, or a destination.
            Object::Array(items) => open.extend(items),
            Object::Dictionary(action) => {
                if let Some(b"SubmitForm" | b"ImportData") = action_type(file, action) {
                    return Err(Refusal::new(
                        "auto-submit",
                        "The document sends or fetches form data when it is opened or shown.",
                    ));
                }
                open.extend(action.get(b"Next").ok());
            }
            _ => {}
        }
    }
    Ok(())
}

fn automatic_actions<'f>(file: &'f PdfFile<'_>) -> Result<Vec<&'f Object>, Refusal> {
    let catalog = file.catalog()?;
    let pages: BTreeSet<ObjectId> = file.pages()?.into_iter().collect();
    let mut actions = Vec::from_iter(catalog.get(b"OpenAction").ok());
    let mut visited = BTreeSet::new();
    for (id, object) in file.objects() {
        let has_own_events = id == file.catalog_id() || pages.contains(&id);
        each_dictionary(object, |dictionary| {
            let Some(events) = file.entry_dictionary(dictionary, b"AA") else {
                return;
            };
            // Many dictionaries may refer to one.
            if !visited.insert((std::ptr::from_ref(events), has_own_events)) {
                return;
            }
            let automatic = events
                .iter()
                .filter(|(event, _)| has_own_events || PAGE_EVENTS.contains(&event.as_slice()));
            actions.extend(automatic.map(|(_, action)| action));
        });
    }
    Ok(actions)
}

fn action_type<'f>(file: &'f PdfFile<'_>, dictionary: &'f Dictionary) -> Option<&'f [u8]> {
    file.entry(dictionary, b"S")?.as_name().ok()
}

/// Whether a dictionary whose `/S` is the type of launch actions is an element
/// of the structure tree (14.7.2), where `/S` is any name: one that says so, or
/// has a parent, and names nothing that any reader could start.
fn is_structure_element(file: &PdfFile<'_>, dictionary: &Dictionary) -> bool {
    /// What a launch action starts (table 207).
    const STARTED: [&[u8]; 4] = [b"F", b"Mac", b"Unix", b"Win"];

    let is_element = match file.entry(dictionary, b"Type") {
        Some(of_type) => of_type.as_name().ok() == Some(b"StructElem"),
        None => file.entry_dictionary(dictionary, b"P").is_some(),
    };
    // Whatever their values are: no element has such entries.
    is_element && !STARTED.iter().any(|key| dictionary.has(key))
}

/// Calls with every dictionary inside an object, and its stream dictionary.
pub(super) fn each_dictionary<'f>(object: &'f Object, mut call: impl FnMut(&'f Dictionary)) {
    let mut open = vec![object];
    while let Some(object) = open.pop() {
        let dictionary = match object {
            Object::Array(items) => {
                open.extend(items);
                continue;
            }
            Object::Dictionary(dictionary) => dictionary,
            Object::Stream(stream) => &stream.dict,
            _ => continue,
        };
        call(dictionary);
        open.extend(dictionary.iter().map(|(_, value)| value));
    }
}
