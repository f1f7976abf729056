//! Widgets that look as the interactive form says (ISO 32000-2, 12.7.3 and
//! 12.7.4.3): readers make up an appearance that is missing, and look for the
//! fonts of one that has no resources in the form's.

use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Dictionary, Object};
use parafa_format_core::Refusal;

use super::{ChangeDetector, Comparison};
use crate::structure::{FieldKind, FieldNode, is_decorated};

/// Flags of buttons that keep no state, and of choices that unfold (12.7.5.2.1
/// and 12.7.5.4).
const PUSHBUTTON: i64 = 1 << 16;
const COMBO: i64 = 1 << 17;

/// Texts that are there and empty: nothing, or the mark of an encoding.
const EMPTY: [&[u8]; 4] = [b"", b"\xFE\xFF", b"\xFF\xFE", b"\xEF\xBB\xBF"];

impl Comparison<'_, '_, '_> {
    /// Whether a locked field looks as the form says. It is looked at as it is
    /// now: where it was changed the lock is broken. Widgets that are no part of
    /// the form count as locked.
    pub(super) fn locked_looks_hang_on_form(&self) -> Result<bool, Refusal> {
        let mut hanging = self.detector.hanging_on_form();
        let has_locks = self.permissions.has_locks();
        Ok(has_locks
            && (hanging.any(|field| !self.may_be_filled_in(field))
                || self.detector.form_has_foreign_widgets()?))
    }
}

/// What a widget has to show by itself.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Appearance {
    /// One that uses what the form has.
    Borrowed,
    /// None that all readers find.
    Missing,
    /// One that is complete, or is to be none.
    Own,
}

/// Whether a widget has appearances for states, by its kind of field.
#[derive(Clone, Copy, Eq, PartialEq)]
enum States {
    /// It has one for all.
    None,
    /// It shows what a state says.
    Pushed,
    /// The same, and in the state Off it may show nothing.
    Switched,
}

/// Whether any appearance borrows, of dictionaries of states: buttons may share
/// a long one.
type KnownStates = BTreeMap<*const Dictionary, bool>;

impl<'f> ChangeDetector<'f, '_> {
    fn hanging_on_form(&self) -> impl Iterator<Item = &FieldNode<'f>> {
        let places = self.hanging_on_form.get_or_init(|| {
            let mut known = KnownStates::new();
            let fields = self.fields.iter().enumerate();
            let hanging = fields.filter(|(_, field)| self.hangs_on_form(field, &mut known));
            hanging.map(|(place, _)| place).collect()
        });
        places.iter().filter_map(|place| self.fields.get(*place))
    }

    fn hangs_on_form(&self, node: &FieldNode<'f>, known: &mut KnownStates) -> bool {
        let has = |key| self.file.entry(node.dictionary, key).is_some();
        // A field whose widgets stand below it shows nothing itself, and what a
        // signature field shows is a matter of its signature.
        if node.kind == FieldKind::Signature || !has(b"Rect") && !has(b"AP") {
            return false;
        }
        let states = match node.kind {
            FieldKind::Button if self.is_pushbutton(node) => States::Pushed,
            FieldKind::Button => States::Switched,
            _ => States::None,
        };
        match self.appearance(node.dictionary, states, known) {
            Appearance::Borrowed => true,
            Appearance::Missing => self.is_made_up(node),
            Appearance::Own => false,
        }
    }

    /// Whether a page has a widget that is no part of the form, and looks as the
    /// form says.
    fn form_has_foreign_widgets(&self) -> Result<bool, Refusal> {
        if let Some(known) = self.form_has_foreign_widgets.get() {
            return Ok(*known);
        }
        let mut known = KnownStates::new();
        // Pages may share a list.
        let mut lists = BTreeSet::new();
        let mut hang = false;
        for page in self.file.pages()? {
            let page = self.file.object(page).and_then(|page| page.as_dict().ok());
            let annotations = page.and_then(|page| self.file.entry(page, b"Annots"));
            let annotations = annotations.filter(|list| lists.insert(std::ptr::from_ref(*list)));
            let mut items = annotations
                .and_then(|annotations| annotations.as_array().ok())
                .into_iter()
                .flatten();
            hang |= items.any(|item| self.is_hanging_stranger(item, &mut known));
        }
        Ok(*self.form_has_foreign_widgets.get_or_init(|| hang))
    }

    fn is_hanging_stranger(&self, item: &Object, known: &mut KnownStates) -> bool {
        let field = item.as_reference().ok().and_then(|id| self.field(id.0));
        let Some(Object::Dictionary(widget)) = self.file.resolve(item) else {
            return false;
        };
        let subtype = self.file.entry(widget, b"Subtype");
        if field.is_some() || subtype.and_then(|subtype| subtype.as_name().ok()) != Some(b"Widget")
        {
            return false;
        }
        let above = self.file.entry_dictionary(widget, b"Parent");
        let mut kinds = [Some(widget), above].into_iter().flatten();
        let kind = kinds.find_map(|field| self.file.entry(field, b"FT"));
        kind.map(FieldKind::of) != Some(FieldKind::Signature)
            && self.appearance(widget, States::Switched, known) != Appearance::Own
    }

    fn appearance(
        &self,
        widget: &Dictionary,
        states: States,
        known: &mut KnownStates,
    ) -> Appearance {
        let appearances = self.near(widget, b"AP");
        let appearances = appearances.and_then(|appearances| appearances.as_dict().ok());
        let normal = appearances.and_then(|appearances| self.near(appearances, b"N"));
        match (normal, appearances) {
            (Some(Object::Stream(_)), Some(appearances)) => {
                if self.borrows_resources(appearances, b"N") {
                    Appearance::Borrowed
                } else {
                    Appearance::Own
                }
            }
            (Some(Object::Dictionary(shown)), _) if states != States::None => {
                let borrows = known.entry(std::ptr::from_ref(shown)).or_insert_with(|| {
                    let mut names = shown.iter().map(|(name, _)| name);
                    names.any(|name| self.borrows_resources(shown, name))
                });
                let state = self.near(widget, b"AS");
                let state = state.and_then(|state| state.as_name().ok());
                let is_shown = |state: &[u8]| {
                    states == States::Switched && state == b"Off"
                        || matches!(self.near(shown, state), Some(Object::Stream(_)))
                };
                if *borrows {
                    Appearance::Borrowed
                } else if state.is_some_and(is_shown) {
                    Appearance::Own
                } else {
                    Appearance::Missing
                }
            }
            // Readers take no other field for one that has states.
            _ => Appearance::Missing,
        }
    }

    /// A value of a dictionary, or what it refers to. Some readers follow no
    /// reference that leads to another one.
    fn near<'d>(&'d self, dictionary: &'d Dictionary, key: &[u8]) -> Option<&'d Object> {
        let value = match dictionary.get(key).ok()? {
            Object::Reference(id) => self.file.object(*id)?,
            direct => direct,
        };
        (!matches!(value, Object::Null | Object::Reference(_))).then_some(value)
    }

    /// Whether an appearance stream uses what it has not got itself.
    fn borrows_resources(&self, appearances: &Dictionary, name: &[u8]) -> bool {
        let Some(Object::Stream(stream)) = self.near(appearances, name) else {
            return false;
        };
        let own = self.near(&stream.dict, b"Resources");
        let id = appearances.get(name).and_then(Object::as_reference);
        !matches!(own, Some(Object::Dictionary(_))) && !id.is_ok_and(|id| self.is_blank(id))
    }

    /// Whether readers have a text or a sign to show for a widget that has no
    /// appearance. What cannot be read counts.
    fn is_made_up(&self, node: &FieldNode<'f>) -> bool {
        let subtype = self.file.entry(node.dictionary, b"Subtype");
        // Other annotations show what they have as such.
        if subtype.is_some_and(|subtype| subtype.as_name().ok() != Some(b"Widget")) {
            return true;
        }
        let value = node.value.and_then(|value| self.file.resolve(value));
        match node.kind {
            FieldKind::Button if self.is_pushbutton(node) => {
                is_decorated(self.file, node.dictionary)
            }
            FieldKind::Button => {
                let state = self.file.entry(node.dictionary, b"AS");
                let is_on = |state: &Object| !matches!(state.as_name(), Ok(b"" | b"Off"));
                state.into_iter().chain(value).any(is_on)
            }
            // An empty one may stand for an option that has a text.
            FieldKind::Choice => {
                value.is_some() || self.inherited(node, b"I").is_some() || self.lists_options(node)
            }
            FieldKind::Signature => false,
            FieldKind::Text | FieldKind::Unknown => value.is_some_and(|value| {
                let text = value.as_str();
                !text.is_ok_and(|text| EMPTY.contains(&text))
            }),
        }
    }

    fn is_pushbutton(&self, node: &FieldNode<'f>) -> bool {
        self.has_flag(node, PUSHBUTTON).unwrap_or(true)
    }

    /// Whether readers show the options of a choice, selected or not.
    fn lists_options(&self, node: &FieldNode<'f>) -> bool {
        let unfolds = self.has_flag(node, COMBO).unwrap_or(false);
        !unfolds && self.inherited(node, b"Opt").is_some()
    }

    /// Whether a flag of a field is set; `None` when its flags are no integer.
    fn has_flag(&self, node: &FieldNode<'f>, flag: i64) -> Option<bool> {
        let flags = self.inherited(node, b"Ff").map_or(Ok(0), Object::as_i64);
        flags.ok().map(|flags| flags & flag != 0)
    }

    /// A value of a field, or of one above it.
    fn inherited(&self, node: &FieldNode<'f>, key: &[u8]) -> Option<&Object> {
        let above = |node: &&FieldNode<'f>| self.field(node.parent?.0);
        let mut nodes = std::iter::successors(self.field(node.id.0), above);
        nodes.find_map(|node| self.file.entry(node.dictionary, key))
    }
}
