//! Reads rules files, and rejects invalid ones.

use std::{collections::BTreeMap, num::NonZeroUsize};

use serde::{Deserialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

use crate::{
    ActFault, Bilingual, Citation, Endpoint, Library, LibraryError, RuleFault,
    condition::Condition, pointer::Pattern, rule::Rule,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FileText {
    policy_version: String,
    repeat_limit: NonZeroUsize,
    #[serde(default)]
    lasts: Vec<Condition>,
    #[serde(default)]
    ended: Vec<Condition>,
    notice: Bilingual,
    acts: Vec<toml::Table>,
    rules: Vec<toml::Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ActText {
    key: String,
    number: String,
    date: String,
    confidence: Confidence,
    #[serde(default)]
    confirmed: bool,
    title: Bilingual,
    url: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    id: String,
    endpoints: Vec<Endpoint>,
    pointer: Pattern,
    #[serde(default)]
    when: Vec<Condition>,
    #[serde(default)]
    lapses: bool,
    #[serde(default)]
    qualified_by: Vec<String>,
    confidence: Confidence,
    #[serde(default)]
    confirmed: bool,
    meaning: Bilingual,
    citations: Vec<CitationText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CitationText {
    act: String,
    article: Option<String>,
    paragraph: Option<String>,
    point: Option<String>,
    /// Confidence, if it differs from the rule's.
    confidence: Option<Confidence>,
    #[serde(default)]
    confirmed: bool,
}

/// Confidence that a provision says what is attributed to it.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
enum Confidence {
    H,
    M,
    L,
}

impl Confidence {
    /// Returns true if content with this confidence is served.
    fn serves(self, confirmed: bool) -> bool {
        match self {
            Self::H => true,
            Self::M => confirmed,
            Self::L => false,
        }
    }

    fn allows(self, confirmed: bool) -> bool {
        self == Self::M || !confirmed
    }
}

type Acts = BTreeMap<String, ActText>;

pub(crate) fn library(version: &str, text: &str) -> Result<Library, LibraryError> {
    let of_file = |message: String| LibraryError::File {
        version: version.to_owned(),
        message,
    };
    let file: FileText = toml::from_str(text).map_err(|error| of_file(error.to_string()))?;
    if file.policy_version != version {
        let message = format!("policyVersion is `{}`", file.policy_version);
        return Err(of_file(message));
    }
    if let Some(language) = file.notice.language_without_text() {
        return Err(of_file(format!("the notice has no text in `{language}`")));
    }
    let acts = acts(version, file.acts)?;
    Ok(Library {
        policy_version: file.policy_version,
        sha256: hex::encode(Sha256::digest(text)),
        repeat_limit: file.repeat_limit.get(),
        notice: file.notice,
        lasts: file.lasts,
        ended: file.ended,
        rules: rules(version, file.rules, &acts)?,
    })
}

fn acts(version: &str, tables: Vec<toml::Table>) -> Result<Acts, LibraryError> {
    let mut acts = Acts::new();
    for (index, table) in tables.into_iter().enumerate() {
        let name = name(&table, "key", index);
        let of_act = |fault| LibraryError::Act {
            version: version.to_owned(),
            act: name.clone(),
            fault,
        };
        let act: ActText = members(table).map_err(ActFault::Member).map_err(of_act)?;
        act.check().map_err(of_act)?;
        if acts.insert(act.key.clone(), act).is_some() {
            return Err(of_act(ActFault::Duplicate));
        }
    }
    Ok(acts)
}

fn rules(version: &str, tables: Vec<toml::Table>, acts: &Acts) -> Result<Vec<Rule>, LibraryError> {
    let mut rules: Vec<Rule> = Vec::with_capacity(tables.len());
    for (index, table) in tables.into_iter().enumerate() {
        let name = name(&table, "id", index);
        let of_rule = |fault| LibraryError::Rule {
            version: version.to_owned(),
            rule: name.clone(),
            fault,
        };
        let rule: RuleText = members(table).map_err(RuleFault::Member).map_err(of_rule)?;
        let rule = rule.check(acts).map_err(of_rule)?;
        if rules.iter().any(|earlier| earlier.id == rule.id) {
            return Err(of_rule(RuleFault::Duplicate));
        }
        rules.push(rule);
    }
    for rule in &rules {
        let is_other = |id: &str| id != rule.id && rules.iter().any(|other| other.id == id);
        if let Some(unknown) = rule.qualified_by.iter().find(|id| !is_other(id)) {
            return Err(LibraryError::Rule {
                version: version.to_owned(),
                rule: rule.id.clone(),
                fault: RuleFault::Qualifier(unknown.clone()),
            });
        }
    }
    Ok(rules)
}

/// Name of a table, or its position.
fn name(table: &toml::Table, member: &str, index: usize) -> String {
    match table.get(member).and_then(toml::Value::as_str) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("number {}", index + 1),
    }
}

fn members<T: DeserializeOwned>(table: toml::Table) -> Result<T, String> {
    T::deserialize(table).map_err(|error| error.to_string().trim_end().to_owned())
}

impl ActText {
    fn check(&self) -> Result<(), ActFault> {
        for (member, text) in [("key", &self.key), ("number", &self.number)] {
            if text.is_empty() || text.trim() != text {
                return Err(ActFault::Member(format!("`{member}` has no text")));
            }
        }
        if let Some(language) = self.title.language_without_text() {
            return Err(ActFault::Untitled(language));
        }
        let date: Result<toml::value::Datetime, _> = self.date.parse();
        if !date.is_ok_and(|date| date.date.is_some() && date.time.is_none()) {
            return Err(ActFault::Date(self.date.clone()));
        }
        if let Some(url) = &self.url
            && (!url.starts_with("https://") || url.contains(char::is_whitespace))
        {
            return Err(ActFault::Address(url.clone()));
        }
        if !self.confidence.allows(self.confirmed) {
            return Err(ActFault::Confirmed);
        }
        Ok(())
    }
}

impl RuleText {
    fn check(self, acts: &Acts) -> Result<Rule, RuleFault> {
        if !is_id(&self.id) {
            return Err(RuleFault::Id);
        }
        if self.endpoints.is_empty() {
            return Err(RuleFault::NoEndpoint);
        }
        for (index, endpoint) in self.endpoints.iter().enumerate() {
            if self.endpoints[..index].contains(endpoint) {
                return Err(RuleFault::RepeatedEndpoint(*endpoint));
            }
        }
        self.when.iter().try_for_each(Condition::check)?;
        if let Some(language) = self.meaning.language_without_text() {
            return Err(RuleFault::NoMeaning(language));
        }
        if !self.confidence.allows(self.confirmed) {
            return Err(RuleFault::Confirmed);
        }
        let served = self.confidence.serves(self.confirmed);
        let mut citations = Vec::new();
        for citation in self.citations {
            if let Some(citation) = citation.check(acts, served)? {
                citations.push(citation);
            }
        }
        if served && citations.is_empty() {
            return Err(RuleFault::Uncited);
        }
        Ok(Rule {
            id: self.id,
            endpoints: self.endpoints,
            pointer: self.pointer,
            when: self.when,
            lapses: self.lapses,
            qualified_by: self.qualified_by,
            meaning: self.meaning,
            citations,
            served,
        })
    }
}

/// Words of a-z, digits and underscores, with dots between.
fn is_id(text: &str) -> bool {
    let is_word = |word: &str| {
        let of_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        !word.is_empty() && word.chars().all(of_word)
    };
    text.split('.').all(is_word)
}

impl CitationText {
    /// The citation as it is served, if it is, in a rule that is or is not.
    fn check(self, acts: &Acts, of_served_rule: bool) -> Result<Option<Citation>, RuleFault> {
        let Some(act) = acts.get(&self.act) else {
            return Err(RuleFault::UnknownAct(self.act));
        };
        for part in [&self.article, &self.paragraph, &self.point] {
            if let Some(part) = part
                && (part.is_empty() || part.contains(char::is_whitespace))
            {
                return Err(RuleFault::Provision(part.clone()));
            }
        }
        let of_itself = match self.confidence {
            Some(confidence) if !confidence.allows(self.confirmed) => {
                return Err(RuleFault::Confirmed);
            }
            Some(confidence) => confidence.serves(self.confirmed),
            None if self.confirmed => return Err(RuleFault::Confirmed),
            None => true,
        };
        if !(of_served_rule && of_itself && act.confidence.serves(act.confirmed)) {
            return Ok(None);
        }
        if self.article.is_none() && self.point.is_none() {
            return Err(RuleFault::NoProvision(self.act));
        }
        Ok(Some(Citation {
            act: self.act,
            number: act.number.clone(),
            article: self.article,
            paragraph: self.paragraph,
            point: self.point,
            title: act.title.clone(),
            url: act.url.clone(),
        }))
    }
}
