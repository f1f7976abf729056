use std::borrow::Cow;

use url::form_urlencoded;

use super::json::Json;
use super::located::Located;
use super::{Faults, Object};

/// The parameters of a request's query, read as a flat object of strings.
#[derive(Debug)]
pub struct Query(Json<'static>);

impl Query {
    /// Parses the query of a URL.
    #[must_use]
    pub fn parse(query: &str) -> Self {
        let parameters = form_urlencoded::parse(query.as_bytes()).map(|(name, value)| {
            let value = Json::String(Cow::Owned(value.into_owned()));
            (Cow::Owned(name.into_owned()), value)
        });
        Self(Json::Object(parameters.collect()))
    }

    /// First value of a parameter, whatever else the query has.
    #[must_use]
    pub fn first(&self, name: &str) -> Option<&str> {
        let Json::Object(parameters) = &self.0 else {
            return None;
        };
        let (_, value) = parameters.iter().find(|(given, _)| given == name)?;
        match value {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(&self.0, Json::Object(parameters) if parameters.is_empty())
    }

    pub(super) fn decode<T>(
        &self,
        faults: &Faults,
        decode: impl FnOnce(&mut Object<'_>) -> Option<T>,
    ) -> Option<T> {
        Located::of_query(&self.0, faults).members(decode)
    }
}
