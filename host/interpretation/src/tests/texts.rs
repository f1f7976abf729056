//! Texts that people read.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::{Bilingual, library::FILES};

/// A rules file as far as its texts go.
#[derive(Deserialize)]
struct Texts {
    notice: Bilingual,
    acts: Vec<Titled>,
    rules: Vec<Meant>,
}

#[derive(Deserialize)]
struct Titled {
    title: Bilingual,
}

#[derive(Deserialize)]
struct Meant {
    meaning: Bilingual,
}

fn texts() -> Vec<Bilingual> {
    FILES
        .into_iter()
        .flat_map(|(_, text)| {
            let texts: Texts = toml::from_str(text).unwrap();
            let titles = texts.acts.into_iter().map(|act| act.title);
            let meanings = texts.rules.into_iter().map(|rule| rule.meaning);
            titles.chain(meanings).chain([texts.notice])
        })
        .collect()
}

fn plain(text: &str) -> String {
    let letters = [
        ('ą', 'a'),
        ('č', 'c'),
        ('ę', 'e'),
        ('ė', 'e'),
        ('į', 'i'),
        ('š', 's'),
        ('ų', 'u'),
        ('ū', 'u'),
        ('ž', 'z'),
    ];
    text.chars()
        .map(|c| {
            letters
                .iter()
                .find(|(with, _)| *with == c)
                .map_or(c, |(_, without)| *without)
        })
        .collect()
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// Words that differ from others only in diacritics, and are both right.
const BOTH_RIGHT: [&str; 0] = [];

#[test]
fn no_lithuanian_word_stands_once_with_and_once_without_its_diacritics() {
    let texts = texts();
    let all: BTreeSet<String> = texts.iter().flat_map(|text| words(&text.lt)).collect();
    let mut spellings: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for word in &all {
        spellings.entry(plain(word)).or_default().push(word);
    }
    for (plain, spelled) in spellings {
        let right = spelled.len() == 1 || BOTH_RIGHT.contains(&plain.as_str());
        assert!(right, "{spelled:?}");
    }
}

#[test]
fn words_that_need_diacritics_have_them() {
    let stems = [
        "areštas",
        "arešto",
        "įstatym",
        "registr",
        "bendrovė",
        "naudos gavėj",
        "juridin",
        "išregistr",
        "įregistr",
        "buveinė",
        "nuosavyb",
        "skolinink",
        "antstol",
        "institucij",
        "akcinink",
        "trečiųjų",
        "tretiesiems",
        "žodžiai",
        "įsipareig",
        "viešas",
        "vieši",
        "pareigūn",
        "duomenys",
        "akcijų",
        "valstybė",
        "savivaldybė",
        "likvid",
        "teisės",
        "kodeksas",
        "nėra",
        "kuriuo",
        "kurių",
        "atsižvelg",
        "išskyrus",
        "apribot",
    ];
    for text in texts() {
        let text = text.lt.to_lowercase();
        for stem in stems {
            let stripped = plain(stem);
            if stripped != stem {
                assert!(
                    !words(&text).any(|word| word.starts_with(&stripped)) || text.contains(stem),
                    "{stem}: {text}"
                );
            }
        }
        let has_diacritics = plain(&text) != text;
        assert!(has_diacritics, "{text}");
    }
}

#[test]
fn each_language_has_its_own_marks() {
    for text in texts() {
        assert!(
            !text.lt.contains(['"', '“']) || text.lt.contains('„'),
            "{}",
            text.lt
        );
        assert!(
            !text.lt.contains(" - ") && !text.en.contains(" - "),
            "{}",
            text.lt
        );
        assert!(
            !text.en.contains('„') && !text.en.contains('"'),
            "{}",
            text.en
        );
        assert!(
            !text.lt.contains("  ") && !text.en.contains("  "),
            "{}",
            text.lt
        );
    }
}

#[test]
fn nothing_is_rated() {
    let rating = [
        "score", "rating", "risk", "likely", "balas", "reiting", "rizik", "tikėtin",
    ];
    for text in texts() {
        if text.en.contains("it is no score") {
            continue;
        }
        for word in words(&text.en).chain(words(&text.lt)) {
            assert!(
                !rating.iter().any(|rating| word.starts_with(rating)),
                "{word}"
            );
        }
    }
}
