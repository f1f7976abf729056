//! Names for new fields under the locks of earlier signatures (ISO 32000-2,
//! 12.7.4.2 and 12.8.2.4).

use std::collections::BTreeSet;
use std::rc::Rc;

use parafa_format_core::Refusal;

use super::SignatureDictionary;
use super::permissions::FieldLock;
use crate::structure::FieldNode;

/// Maximum length of a name taken from a lock, in bytes of UTF-8. Intake
/// reserves twice as much, for UTF-16.
const MAX_NAME_BYTES: usize = 48;

/// Returns a name for a signature field at the root of the form. No field uses
/// it, and no transform of an earlier signature locks it. The name is
/// `Signature<n>` unless locks exempt only other names.
///
/// Refuses with `certified-no-changes` if there is no such name.
pub(crate) fn new_field_name(
    fields: &[FieldNode<'_>],
    signatures: &[SignatureDictionary],
) -> Result<String, Refusal> {
    let names = fields.iter().map(|field| field.name.clone());
    let mut unusable: BTreeSet<String> = names.collect();
    let mut read = BTreeSet::new();
    let locks = signatures
        .iter()
        .map(|signature| &signature.permissions.locks)
        .filter(|locks| read.insert(Rc::as_ptr(locks).cast::<()>()));
    let found = match left_out(locks.flat_map(|locks| locks.iter()), &mut unusable) {
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

/// Returns the names exempt from all of these locks, each once; `None` means
/// every name except `unusable`, which the locks extend.
fn left_out<'l>(
    locks: impl Iterator<Item = &'l FieldLock>,
    unusable: &mut BTreeSet<String>,
) -> Option<Vec<&'l str>> {
    let mut left_out: Option<Vec<&str>> = None;
    // Locks may share a list.
    let mut read = BTreeSet::new();
    for lock in locks {
        match lock {
            FieldLock::All => left_out = Some(Vec::new()),
            FieldLock::Exclude(names) if read.insert((false, Rc::as_ptr(names))) => {
                let in_order = names.iter().map(String::as_str);
                let mut names: BTreeSet<&str> = in_order.clone().collect();
                left_out = Some(match left_out {
                    None => in_order.filter(|name| names.remove(name)).collect(),
                    Some(mut left_out) => {
                        left_out.retain(|name| names.contains(name));
                        left_out
                    }
                });
            }
            FieldLock::Include(names) if read.insert((true, Rc::as_ptr(names))) => {
                unusable.extend(names.iter().cloned());
            }
            FieldLock::Exclude(_) | FieldLock::Include(_) => {}
        }
    }
    left_out
}

/// Returns whether a root field can have this name: a full stop separates field
/// names from those below.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signatures::permissions::FieldNames;

    fn names(numbers: impl Iterator<Item = u32>) -> Rc<FieldNames> {
        Rc::new(numbers.map(|number| format!("field{number}")).collect())
    }

    #[test]
    fn a_list_that_locks_share_is_gone_through_once() {
        let shared = names(0..20_000);
        for lock in [FieldLock::Exclude, FieldLock::Include] {
            let locks = vec![lock(Rc::clone(&shared)); 20_000];
            let mut unusable = BTreeSet::new();

            let left_out = left_out(locks.iter(), &mut unusable);

            assert_eq!(
                unusable.len() + left_out.map_or(0, |names| names.len()),
                20_000
            );
        }
    }

    #[test]
    fn what_every_lock_leaves_out_is_left_in_the_order_of_the_first() {
        let locks = [[3, 1, 2, 1], [1, 4, 3, 3]];
        let locks = locks.map(|numbers| FieldLock::Exclude(names(numbers.into_iter())));

        let left_out = left_out(locks.iter(), &mut BTreeSet::new());

        assert_eq!(left_out.unwrap(), ["field3", "field1"]);
    }
}
