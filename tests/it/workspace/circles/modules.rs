//! Modules of a crate: their definitions, imports and names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::tokens::{group_end, is_word, tokens};

/// Reads a file, if it exists.
pub(super) type Read<'r> = &'r dyn Fn(&Path) -> Option<String>;

/// Segments of a path, without `::`.
pub(super) type Words = Vec<String>;

/// A module. An inline module has the file of its parent.
#[derive(Default)]
pub(super) struct Module {
    pub(super) file: PathBuf,
    pub(super) parent: Option<usize>,
    pub(super) children: BTreeMap<String, usize>,
    pub(super) defined: BTreeSet<String>,
    pub(super) imports: BTreeMap<String, Vec<Words>>,
    /// Sources of glob imports.
    pub(super) globs: Vec<Words>,
    pub(super) named: Vec<(Words, Manner)>,
}

/// Manner of naming.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Manner {
    /// Import by `use`.
    Import,
    /// Re-export by `pub use`, which does not need the item any more than `mod`
    /// does.
    Reexport,
    /// Any other place.
    Code,
    /// Macro call.
    Macro,
}

/// All modules of a crate, except for tests.
pub(super) struct Modules<'r> {
    read: Read<'r>,
    /// Modules; the root is the first.
    pub(super) all: Vec<Module>,
    /// Files that define macros, by name: macros have no modules.
    pub(super) macros: BTreeMap<String, BTreeSet<PathBuf>>,
}

/// Attributes whose strings contain names.
const NAMING: [&str; 11] = [
    "as",
    "default",
    "deserialize_with",
    "from",
    "into",
    "remote",
    "schema_with",
    "serialize_with",
    "skip_serializing_if",
    "try_from",
    "with",
];
/// Keywords that may precede an item's keyword.
const QUALIFIERS: [&str; 6] = ["async", "crate", "default", "extern", "pub", "unsafe"];
const ITEMS: [&str; 12] = [
    "const",
    "enum",
    "fn",
    "impl",
    "macro_rules",
    "mod",
    "static",
    "struct",
    "trait",
    "type",
    "union",
    "use",
];

impl<'r> Modules<'r> {
    /// Reads the modules below a file.
    pub(super) fn of(root: &Path, read: Read<'r>) -> Self {
        let mut modules = Self {
            read,
            all: Vec::new(),
            macros: BTreeMap::new(),
        };
        let source = read(root).unwrap_or_else(|| panic!("there is no {}", root.display()));
        let module = modules.add(root, None);
        modules.items(module, &tokens(&source), folder_of(root));
        modules
    }

    fn add(&mut self, file: &Path, parent: Option<usize>) -> usize {
        self.all.push(Module {
            file: file.to_owned(),
            parent,
            ..Module::default()
        });
        self.all.len() - 1
    }

    /// Reads the items of a module; `folder` contains its children.
    fn items(&mut self, module: usize, tokens: &[&str], folder: &Path) {
        let mut at = 0;
        while at < tokens.len() {
            let attributes = Attributes::at(tokens, at);
            if attributes.end_module {
                return;
            }
            let start = attributes.end;
            if tokens.get(start).is_none_or(|token| *token == ";") {
                at = start + 1;
                continue;
            }
            let item = Item::at(tokens, start);
            at = item.end;
            if attributes.of_test {
                continue;
            }
            self.code(module, &tokens[attributes.start..attributes.end]);
            let whole = &tokens[start..item.end];
            let named = tokens.get(item.kind + 1).copied().unwrap_or_default();
            match tokens[item.kind] {
                "use" => {
                    let is_public = whole[0] == "pub";
                    self.import(module, &tokens[item.kind + 1..item.end], is_public);
                }
                "mod" => self.child(module, tokens, &item, &attributes, folder),
                "macro_rules" => {
                    let named = tokens[item.kind + 2];
                    let file = self.all[module].file.clone();
                    self.macros
                        .entry(named.to_owned())
                        .or_default()
                        .insert(file);
                    self.macro_rules(module, whole);
                }
                kind => {
                    if kind != "impl" && ITEMS.contains(&kind) {
                        self.all[module].defined.insert(named.to_owned());
                    }
                    self.code(module, whole);
                }
            }
        }
    }

    fn child(
        &mut self,
        parent: usize,
        tokens: &[&str],
        item: &Item,
        attributes: &Attributes<'_>,
        folder: &Path,
    ) {
        let name = tokens[item.kind + 1];
        let below = folder.join(name);
        let own = self.all[parent].file.clone();
        if tokens[item.kind + 2] == "{" {
            let module = self.add(&own, Some(parent));
            self.all[parent].children.insert(name.to_owned(), module);
            self.items(module, &tokens[item.kind + 3..item.end - 1], &below);
        } else if name != "tests" {
            let named = attributes.path.map(|path| folder_of(&own).join(path));
            let (file, below) = match named {
                Some(file) => (file.clone(), folder_of(&file).to_owned()),
                None => (below.with_extension("rs"), below),
            };
            let source = (self.read)(&file);
            let source = source.unwrap_or_else(|| panic!("there is no {}", file.display()));
            let module = self.add(&file, Some(parent));
            self.all[parent].children.insert(name.to_owned(), module);
            self.items(module, &super::tokens::tokens(&source), &below);
        }
    }

    /// Adds an import, given the tokens after `use`.
    fn import(&mut self, module: usize, tokens: &[&str], is_public: bool) {
        let mut leaves = Vec::new();
        use_tree(tokens, 0, &[], &mut leaves);
        let module = &mut self.all[module];
        for (path, name) in leaves {
            let manner = match is_public {
                true => Manner::Reexport,
                false => Manner::Import,
            };
            match name.as_str() {
                "*" => module.globs.push(path.clone()),
                "_" => {}
                _ => module.imports.entry(name).or_default().push(path.clone()),
            }
            module.named.push((path, manner));
        }
    }

    /// Adds the names after `$crate` in a macro; all others depend on the place
    /// of the call.
    fn macro_rules(&mut self, module: usize, tokens: &[&str]) {
        let before = self.all[module].named.len();
        self.code(module, tokens);
        let named = &mut self.all[module].named;
        let of_macro = named.split_off(before);
        named.extend(of_macro.into_iter().filter(|(path, _)| path[0] == "crate"));
    }

    /// Adds the names in code, including imports in its blocks.
    fn code(&mut self, module: usize, tokens: &[&str]) {
        let mut at = 0;
        while at < tokens.len() {
            let before = |back: usize| at.checked_sub(back).map_or("", |at| tokens[at]);
            let next = |on: usize| tokens.get(at + on).copied().unwrap_or_default();
            let token = tokens[at];
            if token == "#" && next(1) == "[" {
                let attributes = Attributes::at(tokens, at);
                at = attributes.end;
                if attributes.of_test {
                    at = Item::at(tokens, at).end;
                } else {
                    self.attributes(module, &tokens[attributes.start + 1..attributes.end]);
                }
            } else if token == "use" && before(1) != "+" && next(1) != "<" {
                let end = tokens[at..].iter().position(|token| *token == ";");
                let end = end.map_or(tokens.len(), |end| at + end);
                self.import(module, &tokens[at + 1..end], false);
                at = end;
            } else if !is_word(token) || before(1) == "::" || before(1) == "." && before(2) != "." {
                at += 1;
            } else {
                let mut path = vec![token.to_owned()];
                at += 1;
                while tokens.get(at) == Some(&"::")
                    && let Some(word) = tokens.get(at + 1).filter(|token| is_word(token))
                {
                    path.push((*word).to_owned());
                    at += 2;
                }
                let next = |on: usize| tokens.get(at + on).copied().unwrap_or_default();
                // The name of a field or of an argument.
                if path.len() == 1 && next(0) == ":" {
                    continue;
                }
                let is_macro = next(0) == "!" && next(1) != "=";
                let manner = match is_macro {
                    true => Manner::Macro,
                    false => Manner::Code,
                };
                self.all[module].named.push((path, manner));
            }
        }
    }

    /// Adds the names in attributes, including those in strings.
    fn attributes(&mut self, module: usize, contents: &[&str]) {
        self.code(module, contents);
        for of_text in contents.windows(3) {
            if let [key, "=", text] = of_text
                && NAMING.contains(key)
                && text.starts_with('"')
            {
                self.code(module, &tokens(text.trim_matches('"')));
            }
        }
    }
}

/// Attributes before an item.
struct Attributes<'t> {
    start: usize,
    end: usize,
    /// True if the item is a test.
    of_test: bool,
    /// True if the whole module is a test.
    end_module: bool,
    /// Explicit file of a module.
    path: Option<&'t str>,
}

impl<'t> Attributes<'t> {
    fn at(tokens: &[&'t str], start: usize) -> Self {
        let mut attributes = Self {
            start,
            end: start,
            of_test: false,
            end_module: false,
            path: None,
        };
        while tokens.get(attributes.end) == Some(&"#") {
            let is_inner = tokens.get(attributes.end + 1) == Some(&"!");
            let opening = attributes.end + 1 + usize::from(is_inner);
            attributes.end = group_end(tokens, opening);
            let contents = &tokens[opening + 1..attributes.end - 1];
            let text = contents.concat();
            if text == "cfg(test)" || text.starts_with("cfg(all(test,") {
                attributes.of_test |= !is_inner;
                attributes.end_module |= is_inner;
            }
            if let ["path", "=", path] = contents {
                attributes.path = Some(path.trim_matches('"'));
            }
        }
        attributes
    }
}

/// Place of an item.
struct Item {
    /// Index of the item's keyword.
    kind: usize,
    end: usize,
}

impl Item {
    fn at(tokens: &[&str], start: usize) -> Self {
        let token = |at: usize| tokens.get(at).copied().unwrap_or_default();
        let mut kind = start;
        loop {
            let is_before_fn = token(kind) == "const"
                && ["async", "extern", "fn", "unsafe"].contains(&token(kind + 1));
            if token(kind) == "(" && token(kind.wrapping_sub(1)) == "pub" {
                kind = group_end(tokens, kind);
            } else if QUALIFIERS.contains(&token(kind))
                || token(kind).starts_with('"')
                || is_before_fn
            {
                kind += 1;
            } else {
                break;
            }
        }
        let is_item = ITEMS.contains(&token(kind));
        let has_body = !["const", "let", "static", "type", "use"].contains(&token(kind));
        let mut end = kind;
        while end < tokens.len() {
            match token(end) {
                ";" => return Self { kind, end: end + 1 },
                "," if !is_item => return Self { kind, end: end + 1 },
                ")" | "]" | "}" => return Self { kind, end },
                "{" if has_body => {
                    let end = group_end(tokens, end);
                    return Self { kind, end };
                }
                "(" | "[" | "{" => end = group_end(tokens, end),
                _ => end += 1,
            }
        }
        Self {
            kind: kind.min(tokens.len().saturating_sub(1)),
            end,
        }
    }
}

/// Collects the leaves of a `use` tree, each with its local name; `*` is a
/// glob. Returns the end of the tree.
fn use_tree(
    tokens: &[&str],
    mut at: usize,
    prefix: &[String],
    leaves: &mut Vec<(Words, String)>,
) -> usize {
    let mut path = prefix.to_vec();
    loop {
        match tokens.get(at).copied().unwrap_or(";") {
            "{" => {
                at += 1;
                while !["}", ";"].contains(&tokens.get(at).copied().unwrap_or(";")) {
                    at = use_tree(tokens, at, &path, leaves);
                    at += usize::from(tokens.get(at) == Some(&","));
                }
                return at + 1;
            }
            "*" => {
                leaves.push((path, "*".to_owned()));
                return at + 1;
            }
            "::" => {
                // The path begins in another crate.
                if path.is_empty() {
                    path.push(String::new());
                }
                at += 1;
            }
            "$" if tokens.get(at + 1) == Some(&"crate") => at += 1,
            word if is_word(word) => {
                path.push(word.to_owned());
                at += 1;
                if tokens.get(at) == Some(&"::") {
                    continue;
                }
                if word == "self" && path.len() > 1 {
                    path.pop();
                }
                let mut name = path.last().cloned().unwrap_or_default();
                if tokens.get(at) == Some(&"as") {
                    name = tokens.get(at + 1).copied().unwrap_or_default().to_owned();
                    at += 2;
                }
                leaves.push((path, name));
                return at;
            }
            // A part that a macro substitutes.
            _ => return tokens.len(),
        }
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent().expect("a file is in a folder")
}
