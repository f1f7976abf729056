//! Attributes that a widget inherits from its field and the fields above (ISO
//! 32000-2, 12.7.4).

use std::collections::{BTreeMap, BTreeSet};

use lopdf::{Dictionary, Object, ObjectId};
use parafa_format_core::Refusal;

use super::verdict::Reason;
use super::widget::Annotation;
use crate::structure::{FieldKind, PdfFile, text_string};

/// Maximum number of parts of a value that are examined; a longer one counts as
/// a value.
const MAX_VALUE_PARTS: usize = 100;

/// Maximum length of a string that is searched for non-blank characters or
/// compared with options, in bytes.
const MAX_SHORT_BYTES: usize = 1_000;

/// Maximum number of options per document that are compared with values.
const MAX_COMPARED_OPTIONS: usize = 200_000;

/// Maximum length of a value that is compared with an appearance, in bytes.
const MAX_COMPARED_BYTES: usize = 10_000;

/// Field flags (12.7.5.2.1, 12.7.5.3 and 12.7.5.4).
const PASSWORD: i64 = 1 << 13;
const RICH_TEXT: i64 = 1 << 25;
const PUSHBUTTON: i64 = 1 << 16;
const COMBO: i64 = 1 << 17;

/// The fields of a document, looked up from their widgets.
pub(super) struct Fields<'f, 'a> {
    file: &'f PdfFile<'a>,
    /// Parents by the field tree; a widget's own `/Parent` takes precedence.
    parents: BTreeMap<ObjectId, ObjectId>,
    nodes: BTreeSet<ObjectId>,
    /// At least one field has a signature as its value.
    has_signature: bool,
    /// Attributes that widgets inherit from these fields.
    known: BTreeMap<ObjectId, Field<'f>>,
    /// Visibility of values, cached because widgets may share a long one.
    values: BTreeMap<[Option<*const Object>; 3], [bool; 2]>,
    /// Remaining budget of option comparisons.
    remaining_options: usize,
}

impl<'f, 'a> Fields<'f, 'a> {
    /// Reads the field tree.
    ///
    /// # Errors
    /// `form-tree` when it is no tree.
    pub(super) fn read(file: &'f PdfFile<'a>) -> Result<Self, Refusal> {
        let mut parents = BTreeMap::new();
        let mut nodes = BTreeSet::new();
        let mut has_signature = false;
        for node in file.field_nodes()? {
            let value = node.value.and_then(|value| file.resolve(value));
            has_signature |= is_signed(file, node.kind, value);
            nodes.insert(node.id);
            parents.extend(node.parent.map(|parent| (node.id, parent)));
        }
        Ok(Self {
            file,
            parents,
            nodes,
            has_signature,
            known: BTreeMap::new(),
            values: BTreeMap::new(),
            remaining_options: MAX_COMPARED_OPTIONS,
        })
    }

    /// Returns all fields and widgets of the field tree.
    pub(super) fn nodes(&self) -> &BTreeSet<ObjectId> {
        &self.nodes
    }

    /// Returns whether any field of the tree is signed.
    pub(super) fn has_signature(&self) -> bool {
        self.has_signature
    }

    /// Returns the parent of a field or widget, with its identifier.
    fn above(
        &self,
        id: Option<ObjectId>,
        dictionary: &Dictionary,
    ) -> Option<(ObjectId, &'f Dictionary)> {
        let own = dictionary.get(b"Parent").and_then(Object::as_reference);
        let parent = own.ok().or_else(|| self.parents.get(&id?).copied())?;
        match self.file.object(parent)? {
            Object::Dictionary(dictionary) => Some((parent, dictionary)),
            _ => None,
        }
    }

    /// Returns the fields above a widget, up to the root.
    fn ancestry(
        &self,
        widget: &Annotation<'f>,
    ) -> impl Iterator<Item = (ObjectId, &'f Dictionary)> {
        let parent = self.above(widget.id, widget.dictionary);
        // The parent chain may contain a cycle.
        std::iter::successors(parent, |(id, field)| self.above(Some(*id), field))
            .take(self.file.limits().tree_depth)
    }

    /// Returns the field of a widget.
    pub(super) fn of_widget(&mut self, widget: &Annotation<'f>) -> Field<'f> {
        let inherited = match self.above(widget.id, widget.dictionary) {
            Some(_) => self.inherited(widget),
            None => Field::default(),
        };
        let field = inherited.with(self.file, widget.dictionary);
        let place = field.value_parts();
        let place = place.map(|part| part.map(std::ptr::from_ref));
        let seen = self.values.entry(place);
        let seen = seen.or_insert_with(|| field.seen(self.file, &mut self.remaining_options));
        let [has_value, shows_value] = *seen;
        Field {
            has_value,
            shows_value,
            ..field
        }
    }

    /// Returns the attributes that a widget inherits from the fields above it.
    fn inherited(&mut self, widget: &Annotation<'f>) -> Field<'f> {
        let is_unknown = |(id, _): &(ObjectId, _)| !self.known.contains_key(id);
        let unknown: Vec<_> = self.ancestry(widget).take_while(is_unknown).collect();
        let first_known = self.ancestry(widget).nth(unknown.len());
        let first_known = first_known.and_then(|(id, _)| self.known.get(&id));
        let mut field = first_known.copied().unwrap_or_default();
        for (id, dictionary) in unknown.into_iter().rev() {
            field = field.with(self.file, dictionary);
            self.known.insert(id, field);
        }
        field
    }

    /// Returns the fully qualified name of a widget's field (12.7.4.2), or
    /// `None` if no field above it has a name. An empty name counts as none.
    /// `remaining` is the byte budget for names.
    ///
    /// # Errors
    /// `form-tree` when the name exceeds the budget.
    pub(super) fn name(
        &self,
        widget: &Annotation<'f>,
        remaining: &mut usize,
    ) -> Result<Option<String>, Refusal> {
        let mut names = Vec::new();
        let fields = self.ancestry(widget).map(|(_, field)| field);
        for node in std::iter::once(widget.dictionary).chain(fields) {
            let Some(name) = self.file.entry(node, b"T") else {
                continue;
            };
            // Undecodable names take time too.
            let len = name.as_str().map_or(0, <[u8]>::len);
            *remaining = remaining.checked_sub(len).ok_or_else(|| {
                Refusal::new("form-tree", "The names of the fields are too long.")
            })?;
            names.push(text_string(name).unwrap_or_else(|| "\u{FFFD}".to_owned()));
        }
        names.retain(|name| !name.is_empty());
        names.reverse();
        Ok((!names.is_empty()).then(|| names.join(".")))
    }
}

/// Attributes of a widget from its field and the fields above.
#[derive(Clone, Copy, Default)]
pub(super) struct Field<'f> {
    /// `/FT`.
    kind: Option<FieldKind>,
    /// `/Ff`; `Some(None)` when it is no integer.
    flags: Option<Option<i64>>,
    /// `/V`.
    value: Option<&'f Object>,
    /// `/Opt`.
    options: Option<&'f Object>,
    /// `/I`.
    selection: Option<&'f Object>,
    /// A widget has a value that a reader would want to see.
    has_value: bool,
    /// The text shown for the value is not blank.
    shows_value: bool,
}

impl<'f> Field<'f> {
    /// Returns the attributes of a field or widget below this one.
    fn with(mut self, file: &'f PdfFile<'_>, dictionary: &'f Dictionary) -> Self {
        // Looked up each time: a widget shared by many pages may have any
        // number of entries.
        let own = |key: &[u8]| file.entry(dictionary, key);
        self.kind = own(b"FT").map(FieldKind::of).or(self.kind);
        self.flags = own(b"Ff").map(|flags| flags.as_i64().ok()).or(self.flags);
        self.value = own(b"V").or(self.value);
        self.options = own(b"Opt").or(self.options);
        self.selection = own(b"I").or(self.selection);
        self
    }

    /// Returns the field type.
    pub(super) fn kind(&self) -> FieldKind {
        self.kind.unwrap_or(FieldKind::Unknown)
    }

    /// Returns whether this is a pushbutton, which keeps no value (12.7.5.2.2).
    pub(super) fn is_pushbutton(&self) -> Result<bool, Reason> {
        Ok(self.kind() == FieldKind::Button && self.has_flag(PUSHBUTTON)?)
    }

    /// Returns whether this is a list box with options (12.7.5.4). Readers show
    /// it whether or not an option is selected.
    pub(super) fn lists_options(&self) -> Result<bool, Reason> {
        let has_options = self.options.is_some_and(|options| {
            options
                .as_array()
                .map_or(true, |options| !options.is_empty())
        });
        Ok(self.kind() == FieldKind::Choice && has_options && !self.has_flag(COMBO)?)
    }

    /// Returns whether the display text of any option differs from its export
    /// value.
    fn shows_other_words(&self) -> bool {
        let options = self.options.and_then(|options| options.as_array().ok());
        options.into_iter().flatten().any(|option| match option {
            Object::Array(words) => words.windows(2).any(|pair| pair[0] != pair[1]),
            Object::String(..) => false,
            _ => true,
        })
    }

    fn has_flag(&self, flag: i64) -> Result<bool, Reason> {
        let flags = self.flags.unwrap_or(Some(0)).ok_or(Reason::BadFlags)?;
        Ok(flags & flag != 0)
    }

    /// Returns whether the value is a signature.
    pub(super) fn is_signed(&self, file: &PdfFile<'_>) -> bool {
        is_signed(file, self.kind(), self.value)
    }

    /// Returns the text of a regenerated appearance: `None` if readers do not
    /// regenerate one, `Some(None)` if the text is unknown.
    pub(super) fn text_made_anew(&self) -> Option<Option<String>> {
        match self.kind() {
            // Viewers show the rich text, or no text.
            FieldKind::Text if self.has_flag(PASSWORD | RICH_TEXT) != Ok(false) => {
                return Some(None);
            }
            FieldKind::Text => {}
            FieldKind::Choice
                if self.lists_options() == Ok(false)
                    && !(self.has_value && self.shows_other_words()) => {}
            FieldKind::Choice => return Some(None),
            FieldKind::Button | FieldKind::Signature | FieldKind::Unknown => return None,
        }
        Some(match self.value {
            Some(value) if !is_blank(value) => {
                let len = value.as_str().map_or(usize::MAX, <[u8]>::len);
                text_string(value).filter(|_| len <= MAX_COMPARED_BYTES)
            }
            _ => Some(String::new()),
        })
    }

    /// Returns whether the value is shown as text. A button shows its state; a
    /// choice shows display text rather than export values.
    pub(super) fn has_written_value(&self) -> bool {
        match self.kind() {
            FieldKind::Choice | FieldKind::Text => self.shows_value,
            FieldKind::Button | FieldKind::Signature | FieldKind::Unknown => false,
        }
    }

    /// Returns whether a reader would want to see the value. A lone byte order
    /// mark, white space and the state `Off` do not count. Selected options of
    /// a choice count, even if they display blanks.
    pub(super) fn has_value(&self) -> bool {
        self.has_value
    }

    /// Returns the value and, for a choice, its options and selection.
    fn value_parts(&self) -> [Option<&'f Object>; 3] {
        let of_choice = |part: Option<_>| part.filter(|_| self.kind() == FieldKind::Choice);
        let [options, selection] = [self.options, self.selection].map(of_choice);
        [self.value, options, selection]
    }

    /// Returns whether a reader would want to see the value, and whether its
    /// display is more than blank. `remaining` is the budget of option
    /// comparisons.
    fn seen(&self, file: &PdfFile<'_>, remaining: &mut usize) -> [bool; 2] {
        let [value, options, selection] = self.value_parts();
        let options = options.and_then(|options| options.as_array().ok());
        let options = options.map(Vec::as_slice).unwrap_or_default();
        let selected_word = |index: &Object| {
            let index = usize::try_from(index.as_i64().ok()?).ok()?;
            words(file, options.get(index)?).map(|[_, shown]| shown)
        };
        // A value displays as blank if every option with this export value
        // does, or if the value itself is blank. Forms of US tax authorities
        // use such an option for "no choice".
        let is_shown_blank = |value: &Object| {
            let (left, text) = (remaining.checked_sub(options.len()), short_text(value));
            *remaining = left.unwrap_or_default();
            let words = options.iter().filter_map(|option| words(file, option));
            let chosen = words.filter(|[export, _]| short_text(export) == text);
            let mut shown = chosen.map(|[_, shown]| shown).peekable();
            let is_known = left.is_some() && text.is_some();
            is_known && (shown.peek().is_some() || is_blank(value)) && shown.all(is_blank)
        };
        let shows_value = has_more_than(file, selection, |index| {
            selected_word(index).is_some_and(is_blank)
        }) || has_more_than(file, value, is_shown_blank);
        let has_value = shows_value || has_more_than(file, value, is_blank);
        [has_value, shows_value]
    }
}

/// Returns the export value and the display text of an option (12.7.5.4).
fn words<'f>(file: &'f PdfFile<'_>, option: &'f Object) -> Option<[&'f Object; 2]> {
    match file.resolve(option)? {
        Object::Array(words) => {
            let [export, shown]: &[_; 2] = words.as_slice().try_into().ok()?;
            Some([file.resolve(export)?, file.resolve(shown)?])
        }
        words => Some([words; 2]),
    }
}

/// Returns whether a value, or any value in an array, is more than blank.
fn has_more_than(
    file: &PdfFile<'_>,
    value: Option<&Object>,
    mut is_blank: impl FnMut(&Object) -> bool,
) -> bool {
    let mut open = Vec::from_iter(value);
    // References in an array may lead to further arrays.
    let mut remaining = MAX_VALUE_PARTS;
    while let Some(value) = open.pop() {
        match value {
            Object::Array(items) => {
                let Some(left) = remaining.checked_sub(items.len() + 1) else {
                    return true;
                };
                remaining = left;
                open.extend(items.iter().filter_map(|item| file.resolve(item)));
            }
            Object::Name(name) if matches!(name.as_slice(), b"" | b"Off") => {}
            _ if is_blank(value) => {}
            _ => return true,
        }
    }
    false
}

/// Returns whether a value belongs to a signature field, or looks like a
/// signature in another field (12.8.1).
fn is_signed(file: &PdfFile<'_>, kind: FieldKind, value: Option<&Object>) -> bool {
    let Some(Object::Dictionary(value)) = value else {
        return false;
    };
    let has = |key: &[u8]| file.entry(value, key).is_some();
    kind == FieldKind::Signature || has(b"ByteRange") && has(b"Contents")
}

fn is_blank(text: &Object) -> bool {
    short_text(text).is_some_and(|text| {
        text.chars()
            .all(|character| character.is_whitespace() || matches!(character, '\u{FEFF}' | '\0'))
    })
}

fn short_text(text: &Object) -> Option<String> {
    let is_short = text.as_str().ok()?.len() <= MAX_SHORT_BYTES;
    is_short.then(|| text_string(text)).flatten()
}
