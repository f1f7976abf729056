//! Files made anew of the objects in a text, whatever else it says.

use std::collections::BTreeMap;

use memchr::memmem;
use parafa_fixtures::Objects;

use super::documents::LAYOUTS;

/// Highest object number that is taken; the layouts list every number below.
const MAX_NUMBER: u32 = 4096;

/// The file; `layout` picks one of three.
pub(super) fn write(text: &[u8], layout: u8) -> Vec<u8> {
    let mut objects = Objects::new();
    for (number, body) in self::objects(text) {
        match split_stream(body) {
            Some((entries, data)) => objects.set_stream(number, entries, data),
            None => objects.set(number, body),
        }
    }
    let layout = LAYOUTS[usize::from(layout) % LAYOUTS.len()];
    objects.write(&version(text), layout, &trailer(text))
}

/// Returns true if a file can be made of the text.
pub(super) fn has_objects(text: &[u8]) -> bool {
    memmem::find(text, b"\ntrailer\n").is_some() && !objects(text).is_empty()
}

/// The bodies between `N 0 obj` and `endobj`; of two with one number the later.
pub(super) fn objects(text: &[u8]) -> BTreeMap<u32, &[u8]> {
    const START: &[u8] = b" 0 obj\n";
    const END: &[u8] = b"\nendobj";

    let mut objects = BTreeMap::new();
    let mut rest = text;
    while let Some(start) = memmem::find(rest, START) {
        let number = number_before(&rest[..start]);
        let body = &rest[start + START.len()..];
        let len = memmem::find(body, END).unwrap_or(body.len());
        if let Some(number) = number.filter(|number| (1..=MAX_NUMBER).contains(number)) {
            objects.insert(number, &body[..len]);
        }
        rest = &body[len..];
    }
    objects
}

/// The trailer's entries but those that the writer sets.
pub(super) fn trailer(text: &[u8]) -> String {
    const START: &[u8] = b"\ntrailer\n<<";

    let found = memmem::rfind(text, START).map(|start| &text[start + START.len()..]);
    let entries =
        found.and_then(|entries| Some(&entries[..memmem::find(entries, b">>\nstartxref")?]));
    let entries = String::from_utf8_lossy(entries.unwrap_or(b" /Root 1 0 R "));
    match entries.trim_start().strip_prefix("/Size ") {
        Some(sized) => sized
            .trim_start_matches(|letter: char| letter.is_ascii_digit())
            .to_owned(),
        None => entries.into_owned(),
    }
}

fn version(text: &[u8]) -> String {
    let found = text.strip_prefix(b"%PDF-").and_then(|rest| rest.get(..3));
    String::from_utf8_lossy(found.unwrap_or(b"1.7")).into_owned()
}

fn number_before(text: &[u8]) -> Option<u32> {
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let start = text.len() - digits.count();
    str::from_utf8(&text[start..]).ok()?.parse().ok()
}

/// The entries of a stream's dictionary without `/Length`, and its data.
fn split_stream(body: &[u8]) -> Option<(String, &[u8])> {
    let end = memmem::find(body, b">>\nstream\n")?;
    let entries = String::from_utf8_lossy(body[..end].strip_prefix(b"<<")?);
    let data = &body[end + b">>\nstream\n".len()..];
    let data = data.strip_suffix(b"\nendstream").unwrap_or(data);
    let entries = match entries.rsplit_once("/Length ") {
        Some((before, after)) if after.trim().bytes().all(|byte| byte.is_ascii_digit()) => before,
        _ => &entries,
    };
    Some((entries.to_owned(), data))
}
