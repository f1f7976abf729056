//! Automatic actions and external data of a document (ISO 32000-2, 12.6 and
//! 7.3.8.2).

use std::collections::BTreeSet;

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::{Note, Refusal, note};

use crate::structure::PdfFile;

/// Events of an annotation that occur without interaction (table 197).
const PAGE_EVENTS: [&[u8]; 4] = [b"PC", b"PI", b"PO", b"PV"];

/// Keys for the target of a launch action (table 207). An element of the
/// structure tree may have the same name.
const STARTED: [&[u8]; 4] = [b"F", b"Mac", b"Unix", b"Win"];

/// Refuses automatic actions that start programs or send data, and streams in
/// external files. Returns notes on scripts, and on actions that open files or
/// start programs when clicked. Also returns whether files are embedded.
pub(super) fn examine(file: &PdfFile<'_>) -> Result<(Vec<Note>, bool), Refusal> {
    let catalog = file.catalog()?;
    // Named scripts run when the document is opened (12.6.4.17).
    let names = file.entry_dictionary(catalog, b"Names");
    let scripts = names.and_then(|names| names.get(b"JavaScript").ok());
    let opening = scripts.into_iter().chain(catalog.get(b"OpenAction").ok());
    let mut found = Found {
        actions: opening.map(|action| (action, true)).collect(),
        ..Found::default()
    };
    let pages: BTreeSet<ObjectId> = file.pages()?.into_iter().collect();
    for (id, object) in file.objects() {
        if let Object::Stream(stream) = object
            && file.entry(&stream.dict, b"F").is_some()
        {
            return Err(Refusal::new(
                "external-stream",
                format!("The stream {} is kept in another file.", id.0),
            ));
        }
        let has_own_events = || id == file.catalog_id() || pages.contains(&id);
        found.look_at(file, object, has_own_events);
    }
    refuse_automatic_actions(file, found.actions)?;
    let mut notes = Vec::new();
    if found.javascript {
        notes.push(Note::new(
            note::JAVASCRIPT,
            "The document contains JavaScript, which viewers may run.",
        ));
    }
    if found.launch {
        notes.push(Note::new(
            note::LAUNCH,
            "An action of the document starts a program or opens a file.",
        ));
    }
    if found.remote {
        notes.push(Note::new(
            "remote-goto",
            "An action of the document opens another document.",
        ));
    }
    Ok((notes, found.embeds_files))
}

/// Actions and embedded content found in a document.
#[derive(Default)]
struct Found<'f> {
    javascript: bool,
    launch: bool,
    remote: bool,
    /// A file specification contains the file's content (7.11.4).
    embeds_files: bool,
    /// Actions of all events, each with whether it runs automatically.
    actions: Vec<(&'f Object, bool)>,
    visited: BTreeSet<(*const Dictionary, bool)>,
}

impl<'f> Found<'f> {
    /// Visits every dictionary inside an object, including its stream
    /// dictionary.
    fn look_at(
        &mut self,
        file: &'f PdfFile<'_>,
        object: &'f Object,
        has_own_events: impl Fn() -> bool,
    ) {
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
            // Iterating is faster than looking up each key: most dictionaries
            // have none.
            for (key, value) in dictionary {
                match key.as_slice() {
                    b"AA" => self.add_events(file.resolve(value), has_own_events()),
                    b"EF" => self.embeds_files = true,
                    // Script of a 3D annotation (13.6.3).
                    b"OnInstantiate" => {
                        self.javascript |= file.entry(dictionary, b"OnInstantiate").is_some();
                    }
                    b"S" => self.add_action(file, file.resolve(value), dictionary),
                    _ => {}
                }
                open.push(value);
            }
        }
    }

    fn add_action(&mut self, file: &PdfFile<'_>, kind: Option<&Object>, dictionary: &Dictionary) {
        match kind.and_then(|kind| kind.as_name().ok()) {
            Some(b"GoToE" | b"GoToR") => self.remote = true,
            Some(b"JavaScript") => self.javascript = true,
            Some(b"Launch") => self.launch |= STARTED.iter().any(|key| dictionary.has(key)),
            // A rendition action may have a script instead of an operation
            // (12.6.4.14).
            Some(b"Rendition") => {
                self.javascript |= file.entry(dictionary, b"JS").is_some();
            }
            _ => {}
        }
    }

    fn add_events(&mut self, events: Option<&'f Object>, has_own_events: bool) {
        let Some(Object::Dictionary(events)) = events else {
            return;
        };
        // Many dictionaries may refer to one.
        let seen = (std::ptr::from_ref(events), has_own_events);
        if self.visited.insert(seen) {
            self.actions.extend(events.iter().map(|(event, action)| {
                let is_automatic = has_own_events || PAGE_EVENTS.contains(&event.as_slice());
                (action, is_automatic)
            }));
        }
    }
}

/// Follows automatic actions, and those of all other events, which must not
/// start programs either.
fn refuse_automatic_actions<'f>(
    file: &'f PdfFile<'_>,
    mut open: Vec<(&'f Object, bool)>,
) -> Result<(), Refusal> {
    let mut visited = BTreeSet::new();
    while let Some((action, is_automatic)) = open.pop() {
        let Some(action) = file.resolve(action) else {
            continue;
        };
        // Many references may lead to one object.
        if !visited.insert((std::ptr::from_ref(action), is_automatic)) {
            continue;
        }
        match action {
            // A list of actions, a destination, or a name array.
            Object::Array(items) => open.extend(items.iter().map(|item| (item, is_automatic))),
            Object::Dictionary(action) => {
                match action_type(file, action) {
                    Some(b"SubmitForm" | b"ImportData") if is_automatic => {
                        return Err(Refusal::new(
                            "auto-submit",
                            "The document sends or fetches form data when it is opened or shown.",
                        ));
                    }
                    Some(b"Launch") => {
                        return Err(Refusal::new(
                            "launch-action",
                            "The document starts a program without being asked to.",
                        ));
                    }
                    _ => {}
                }
                let further = [&b"Kids"[..], b"Names", b"Next"].into_iter();
                let further = further.filter_map(|key| action.get(key).ok());
                open.extend(further.map(|further| (further, is_automatic)));
            }
            _ => {}
        }
    }
    Ok(())
}

fn action_type<'f>(file: &'f PdfFile<'_>, dictionary: &'f Dictionary) -> Option<&'f [u8]> {
    file.entry(dictionary, b"S")?.as_name().ok()
}
