//! JSON pointers (RFC 6901) with `*` for every element of a list.

use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use crate::PointerError;

/// A pointer in a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Pattern(Vec<Token>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Member(String),
    EveryElement,
}

/// A place in the data to which a [`Pattern`] leads.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place(Vec<Step>);

#[derive(Debug, Clone)]
enum Step {
    Member(String),
    Element(usize),
}

impl Pattern {
    /// Places to which the pattern leads in `data`, in the order of the data, with their values;
    /// null counts as absent.
    pub(crate) fn places<'a>(&self, data: &'a Value) -> Vec<(Place, &'a Value)> {
        self.places_from(0, Place::default(), data)
    }

    /// Values to which the pattern leads in `data`, relative to a place of `other`. Where the two
    /// patterns share a prefix, it selects that place's elements; beyond it, every element.
    pub(crate) fn values_beside<'a>(
        &self,
        other: &Self,
        place: &Place,
        data: &'a Value,
    ) -> Vec<&'a Value> {
        let shared = self
            .0
            .iter()
            .zip(&other.0)
            .take_while(|(mine, theirs)| mine == theirs)
            .count();
        let start = place.0[..shared]
            .iter()
            .try_fold(data, |value, step| step.down(value));
        let Some(start) = start else {
            return Vec::new();
        };
        self.places_from(shared, Place::default(), start)
            .into_iter()
            .map(|(_, value)| value)
            .collect()
    }

    /// The outermost list to whose elements the pattern leads, or its single place.
    pub(crate) fn whole_list(&self) -> Place {
        let members = self.0.iter().map_while(|token| match token {
            Token::Member(name) => Some(Step::Member(name.clone())),
            Token::EveryElement => None,
        });
        Place(members.collect())
    }

    fn places_from<'a>(
        &self,
        from: usize,
        start: Place,
        data: &'a Value,
    ) -> Vec<(Place, &'a Value)> {
        let mut places = vec![(start, data)];
        for token in &self.0[from..] {
            places = places
                .into_iter()
                .flat_map(|(place, value)| token.below(&place, value))
                .collect();
        }
        places.retain(|(_, value)| !value.is_null());
        places
    }
}

impl Token {
    fn below<'a>(&self, place: &Place, value: &'a Value) -> Vec<(Place, &'a Value)> {
        match self {
            Self::Member(name) => value
                .as_object()
                .and_then(|members| members.get(name))
                .map(|value| (place.and(Step::Member(name.clone())), value))
                .into_iter()
                .collect(),
            Self::EveryElement => value
                .as_array()
                .into_iter()
                .flatten()
                .enumerate()
                .map(|(index, value)| (place.and(Step::Element(index)), value))
                .collect(),
        }
    }
}

impl Place {
    fn and(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }
}

impl Step {
    fn down<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        match self {
            Self::Member(name) => value.as_object()?.get(name),
            Self::Element(index) => value.as_array()?.get(*index),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|step| match step {
            Step::Member(name) => write!(to, "/{}", name.replace('~', "~0").replace('/', "~1")),
            Step::Element(index) => write!(to, "/{index}"),
        })
    }
}

impl TryFrom<String> for Pattern {
    type Error = PointerError;

    fn try_from(text: String) -> Result<Self, PointerError> {
        let mut tokens = text.split('/');
        let before_the_first_slash = tokens.next();
        if before_the_first_slash != Some("") {
            return Err(PointerError(text));
        }
        let tokens: Option<_> = tokens.map(Token::read).collect();
        match tokens {
            Some(tokens) => Ok(Self(tokens)),
            None => Err(PointerError(text)),
        }
    }
}

impl Token {
    fn read(text: &str) -> Option<Self> {
        if text == "*" {
            return Some(Self::EveryElement);
        }
        let unescaped = text.replace("~1", "/").replace("~0", "~");
        let escapes = text.matches("~0").count() + text.matches("~1").count();
        let sound = !text.is_empty() && text.matches('~').count() == escapes;
        sound.then_some(Self::Member(unescaped))
    }
}
