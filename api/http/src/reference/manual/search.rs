//! Search over calls, events, schemas and problems, by their names and those of their members.

use super::document::{Document, text};
use super::{markdown, members};

/// Maximum length of a query, in characters.
pub(super) const LONGEST_QUERY: usize = 100;
/// Maximum number of words read from a query, to bound the time.
const MOST_WORDS: usize = 8;
/// Maximum number of hits on a page, to keep it light.
const MOST_HITS: usize = 60;
/// Maximum number of matching names shown within a hit.
const MOST_WITHIN: usize = 3;

/// Index of the search.
pub(super) struct Search {
    entries: Vec<Entry>,
}

/// Something that has a page.
pub(super) struct Entry {
    pub(super) address: String,
    pub(super) title: String,
    /// A few words in plain text.
    pub(super) told: String,
    /// Its own names.
    names: Vec<String>,
    /// Names of its members.
    within: Vec<String>,
}

/// Hits, and the number of those left out.
pub(super) struct Found<'s> {
    pub(super) hits: Vec<Hit<'s>>,
    pub(super) left_out: usize,
}

/// Something that was found.
pub(super) struct Hit<'s> {
    pub(super) entry: &'s Entry,
    /// Names within it that have something of the query.
    pub(super) within: Vec<&'s str>,
    is_by_name: bool,
}

impl Search {
    pub(super) fn of(document: &Document<'_>) -> Self {
        let about = document.about;
        let calls = document.calls().into_iter().map(|call| {
            let parameters = document.parameters(&call).into_iter();
            let parameters = parameters.map(|parameter| text(&parameter["name"]));
            let below = members::all_names(document, &call.schemas()).into_iter();
            Entry {
                address: about.call(call.id),
                title: call.summary().to_owned(),
                told: call.line(),
                names: owned([call.id, &call.line(), call.summary()]),
                within: owned(parameters.chain(call.problems()).chain(below)),
            }
        });
        let schemas = document.schemas().map(|(name, schema)| Entry {
            address: about.schema(name),
            title: name.to_owned(),
            told: markdown::first(text(&schema["description"])).replace('`', ""),
            names: owned([name]),
            within: owned(members::names(document, schema)),
        });
        let problems = about.problems.iter().map(|problem| Entry {
            address: about.problem(problem.name),
            title: problem.name.to_owned(),
            told: problem.title.to_owned(),
            names: owned([problem.name, problem.title]),
            within: Vec::new(),
        });
        Self {
            entries: calls.chain(schemas).chain(problems).collect(),
        }
    }

    /// Entries with every word of a query in one of their names, ignoring case. Those with the
    /// words in their own name come first.
    pub(super) fn find(&self, query: &str) -> Found<'_> {
        let words: Vec<_> = query.split_whitespace().take(MOST_WORDS).collect();
        let mut hits: Vec<_> = self
            .entries
            .iter()
            .filter_map(|entry| entry.hit(&words))
            .collect();
        hits.sort_by_key(|hit| !hit.is_by_name);
        let left_out = hits.len().saturating_sub(MOST_HITS);
        hits.truncate(MOST_HITS);
        Found { hits, left_out }
    }
}

impl Entry {
    fn hit(&self, words: &[&str]) -> Option<Hit<'_>> {
        let is_named = |word: &&str| self.names.iter().any(|name| has(name, word));
        let is_within = |word: &&str| self.within.iter().any(|name| has(name, word));
        let is_hit = words.iter().all(|word| is_named(word) || is_within(word));
        let within = self.within.iter();
        let within = within.filter(|name| words.iter().any(|word| has(name, word)));
        is_hit.then(|| Hit {
            entry: self,
            within: within.take(MOST_WITHIN).map(String::as_str).collect(),
            is_by_name: words.iter().all(is_named),
        })
    }
}

fn has(name: &str, word: &str) -> bool {
    let mut parts = name.as_bytes().windows(word.len());
    parts.any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

fn owned<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}
