use url::form_urlencoded;

use super::fault::append;
use super::{Faults, Position};

/// The parameters of a request's query, read as a flat object.
#[derive(Debug, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads what stands in an address after the question mark.
    #[must_use]
    pub fn parse(query: &str) -> Self {
        Self(
            form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .collect(),
        )
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A parameter that may be left out, parsed; `wanted` describes what it
    /// must be.
    pub fn optional<T>(
        &self,
        faults: &Faults,
        name: &str,
        wanted: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let (index, (_, value)) = self
            .0
            .iter()
            .enumerate()
            .find(|(_, (given, _))| given == name)?;
        let parsed = parse(value);
        if parsed.is_none() {
            faults.note(
                Position::of_parameter(index),
                append("", name),
                format!("must be {wanted}"),
            );
        }
        parsed
    }

    /// Notes every parameter that is not among `known`, and every one that is
    /// repeated.
    pub fn refuse_others(&self, faults: &Faults, known: &[&str]) {
        for (index, (name, _)) in self.0.iter().enumerate() {
            let detail = if !known.contains(&name.as_str()) {
                "is not a known parameter"
            } else if self
                .0
                .iter()
                .take(index)
                .any(|(earlier, _)| earlier == name)
            {
                "must not appear twice"
            } else {
                continue;
            };
            faults.note(Position::of_parameter(index), append("", name), detail);
        }
    }

    /// For calls that take no parameters.
    pub fn refuse_all(&self, faults: &Faults) {
        self.refuse_others(faults, &[]);
    }
}
