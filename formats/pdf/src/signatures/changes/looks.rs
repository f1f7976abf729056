//! Fields that look as the interactive form says (ISO 32000-2, 12.7.3 and
//! 12.7.4.3): readers make up an appearance that is missing, and look for the
//! fonts of one that has no resources in the form's.

use std::collections::BTreeMap;

use lopdf::{Dictionary, Object};

use super::{ChangeDetector, Comparison};
use crate::structure::{FieldKind, FieldNode, is_decorated, says_something};

/// The flag of choices that unfold (12.7.5.4).
const COMBO: i64 = 1 << 17;

impl Comparison<'_, '_, '_> {
    /// Whether a locked field looks as the form says. It is looked at as it is
    /// now: where it was changed the lock is broken.
    pub(super) fn locked_looks_hang_on_form(&self) -> bool {
        let mut hanging = self.detector.hanging_on_form();
        self.permissions.has_locks() && hanging.any(|field| !self.may_be_filled_in(field))
    }
}

impl<'f> ChangeDetector<'f, '_> {
    fn hanging_on_form(&self) -> impl Iterator<Item = &FieldNode<'f>> {
        let places = self.hanging_on_form.get_or_init(|| {
            let mut states = BTreeMap::new();
            let fields = self.fields.iter().enumerate();
            let hanging = fields.filter(|(_, field)| self.hangs_on_form(field, &mut states));
            hanging.map(|(place, _)| place).collect()
        });
        places.iter().filter_map(|place| self.fields.get(*place))
    }

    /// `known` says of dictionaries of states whether any appearance in them
    /// borrows: buttons may share a long one.
    fn hangs_on_form(
        &self,
        node: &FieldNode<'f>,
        known: &mut BTreeMap<*const Dictionary, bool>,
    ) -> bool {
        let has = |key| self.file.entry(node.dictionary, key).is_some();
        // A field whose widgets stand below it shows nothing itself, and what a
        // signature field shows is a matter of its signature.
        if node.kind == FieldKind::Signature || !has(b"Rect") && !has(b"AP") {
            return false;
        }
        let appearances = self.file.entry_dictionary(node.dictionary, b"AP");
        let normal = appearances.and_then(|appearances| appearances.get(b"N").ok());
        let Some(normal) = normal else {
            return self.is_made_up(node);
        };
        match self.file.resolve(normal) {
            Some(Object::Stream(_)) => self.borrows_resources(normal),
            Some(Object::Dictionary(states)) if node.kind == FieldKind::Button => {
                let borrows = known.entry(std::ptr::from_ref(states)).or_insert_with(|| {
                    let mut appearances = states.iter().map(|(_, appearance)| appearance);
                    appearances.any(|appearance| self.borrows_resources(appearance))
                });
                let state = self.file.entry(node.dictionary, b"AS");
                let state = state.map(|state| state.as_name().unwrap_or_default());
                let has_state = state.is_none_or(|state| {
                    let appearance = states.get(state).ok();
                    let appearance = appearance.and_then(|shown| self.file.resolve(shown));
                    state == b"Off" || matches!(appearance, Some(Object::Stream(_)))
                });
                *borrows || !has_state && self.is_made_up(node)
            }
            // Readers take no other field for one that has states.
            _ => self.is_made_up(node),
        }
    }

    /// Whether an appearance uses what it has not got itself.
    fn borrows_resources(&self, appearance: &Object) -> bool {
        let Some(Object::Stream(stream)) = self.file.resolve(appearance) else {
            return false;
        };
        let own = self.file.entry_dictionary(&stream.dict, b"Resources");
        let id = self.file.resolve_id(appearance);
        own.is_none() && !id.is_some_and(|id| self.is_blank(id))
    }

    /// Whether readers have something to show for a widget that has no
    /// appearance. What cannot be read counts.
    fn is_made_up(&self, node: &FieldNode<'f>) -> bool {
        let value = node.value.and_then(|value| self.file.resolve(value));
        let shows = match node.kind {
            FieldKind::Button => {
                let state = self.file.entry(node.dictionary, b"AS");
                state.is_some_and(|state| state.as_name().ok() != Some(b"Off"))
                    || says_something(self.file, [value, None])
            }
            FieldKind::Choice => {
                let selection = self.inherited(node, b"I");
                says_something(self.file, [value, selection]) || self.lists_options(node)
            }
            FieldKind::Signature => false,
            FieldKind::Text | FieldKind::Unknown => says_something(self.file, [value, None]),
        };
        shows || is_decorated(self.file, node.dictionary)
    }

    /// Whether readers show the options of a choice, selected or not.
    fn lists_options(&self, node: &FieldNode<'f>) -> bool {
        let flags = self.inherited(node, b"Ff").map_or(Ok(0), Object::as_i64);
        let unfolds = flags.is_ok_and(|flags| flags & COMBO != 0);
        !unfolds && self.inherited(node, b"Opt").is_some()
    }

    /// A value of a field, or of one above it.
    fn inherited(&self, node: &FieldNode<'f>, key: &[u8]) -> Option<&Object> {
        let above = |node: &&FieldNode<'f>| self.field(node.parent?.0);
        let mut nodes = std::iter::successors(self.field(node.id.0), above);
        nodes.find_map(|node| self.file.entry(node.dictionary, key))
    }
}
