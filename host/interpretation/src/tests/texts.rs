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

/// Words that are correct with and without diacritics.
const BOTH_RIGHT: [&str; 12] = [
    "byla",
    "forma",
    "galima",
    "gaveju",
    "ji",
    "metu",
    "nuosavybe",
    "teise",
    "teises",
    "teisine",
    "tvarka",
    "viena",
];

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
        "areš",
        "būklę",
        "gavėj",
        "išduot",
        "išieškoj",
        "išnuomot",
        "išregistr",
        "išskyr",
        "įgyj",
        "įkeis",
        "įpareigot",
        "įrašyt",
        "įregistr",
        "įsipareig",
        "įstatym",
        "įsteigt",
        "įvykdy",
        "laikinųjų",
        "mokesčių",
        "mažaver",
        "mažiau",
        "pareigūn",
        "pasekmės",
        "prievolėms",
        "restruktūriz",
        "sąlyg",
        "sąraš",
        "savivaldybė",
        "stebėtoj",
        "šali",
        "trečiuos",
        "ūkin",
        "ūkio",
        "užtikrin",
        "uždar",
        "valstybė",
        "vieš",
        "žodži",
    ];
    let words: BTreeSet<String> = texts().iter().flat_map(|text| words(&text.lt)).collect();
    for stem in stems {
        let stripped = plain(stem);
        assert!(words.iter().any(|word| word.starts_with(stem)), "{stem}");
        let bare = words.iter().find(|word| word.starts_with(&stripped));
        assert_eq!(bare, None, "{stem}");
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
