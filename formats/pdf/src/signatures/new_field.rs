//! Names for new fields, where earlier signatures lock some (ISO 32000-2,
//! 12.7.4.2 and 12.8.2.4).

use std::collections::BTreeSet;
use std::rc::Rc;

use parafa_format_core::Refusal;

use super::SignatureDictionary;
use super::permissions::FieldLock;
use crate::structure::PdfFile;

/// Longest name that is taken from a lock, in bytes of UTF-8. Intake leaves
/// room for twice as many, as in UTF-16.
const MAX_NAME_BYTES: usize = 48;

/// A name for a signature field at the root of the form: no field has it, and
/// no transform of an earlier signature locks it. It is `Signature<n>` unless
/// locks leave out other names only.
///
/// Refuses with `certified-no-changes` when there is no such name.
pub(crate) fn new_field_name(
    file: &PdfFile<'_>,
    signatures: &[SignatureDictionary],
) -> Result<String, Refusal> {
    let nodes = file.field_nodes()?.into_iter();
    let mut unusable: BTreeSet<String> = nodes.map(|node| node.name).collect();
    // `None` is every name.
    let mut left_out: Option<Vec<&str>> = None;
    let mut read = BTreeSet::new();
    let locks = signatures
        .iter()
        .map(|signature| &signature.permissions.locks)
        .filter(|locks| read.insert(Rc::as_ptr(locks).cast::<()>()));
    for lock in locks.flat_map(|locks| locks.iter()) {
        match lock {
            FieldLock::All => left_out = Some(Vec::new()),
            FieldLock::Exclude(names) => {
                left_out = Some(match left_out {
                    None => names.iter().map(String::as_str).collect(),
                    Some(mut left_out) => {
                        let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
                        left_out.retain(|name| names.contains(name));
                        left_out
                    }
                });
            }
            FieldLock::Include(names) => unusable.extend(names.iter().cloned()),
        }
    }
    let found = match left_out {
        None => (1_usize..)
            .map(|number| format!("Signature{number}"))
            .find(|name| !unusable.contains(name)),
        Some(left_out) => left_out
            .into_iter()
            .find(|name| is_name_at_the_root(name) && !unusable.contains(*name))
            .map(str::to_owned),
    };
    found.ok_or_else(|| refusal(signatures))
}

/// Whether a field at the root can have a name: full stops stand between the
/// names of fields and of those below them.
fn is_name_at_the_root(name: &str) -> bool {
    let is_plain = |character: char| {
        !character.is_control() && !matches!(character, '.' | char::REPLACEMENT_CHARACTER)
    };
    (1..=MAX_NAME_BYTES).contains(&name.len()) && name.chars().all(is_plain)
}

fn refusal(signatures: &[SignatureDictionary]) -> Refusal {
    let is_in_the_way = |signature: &&SignatureDictionary| {
        let mut locks = signature.permissions.locks.iter();
        locks.any(|lock| !matches!(lock, FieldLock::Include(_)))
    };
    Refusal {
        subjects: signatures
            .iter()
            .filter(is_in_the_way)
            .map(|signature| signature.field_name.clone())
            .collect(),
        ..Refusal::new(
            "certified-no-changes",
            "An earlier signature locks every field that could be added for a further one.",
        )
    }
}
