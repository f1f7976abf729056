//! The OpenAPI document, as the pages read it.

use serde_json::Value;

use super::about::About;

/// Prefix of references to schemas.
const SCHEMAS: &str = "#/components/schemas/";

/// The description of an API.
pub(super) struct Document<'d> {
    value: &'d Value,
    pub(super) about: &'d About,
}

/// A call of the API, or an event that it posts.
pub(super) struct Call<'d> {
    pub(super) id: &'d str,
    /// Method in lower case.
    pub(super) method: &'d str,
    /// The template of the path, or the kind of the event.
    pub(super) path: &'d str,
    pub(super) is_event: bool,
    pub(super) operation: &'d Value,
    shared: &'d Value,
}

impl<'d> Document<'d> {
    pub(super) fn new(value: &'d Value, about: &'d About) -> Self {
        Self { value, about }
    }

    /// A member of the document itself.
    pub(super) fn member(&self, name: &str) -> &'d Value {
        &self.value[name]
    }

    /// Every call in the order of the paths, and then every event.
    pub(super) fn calls(&self) -> Vec<Call<'d>> {
        let mut calls = Vec::new();
        for (group, is_event) in [("paths", false), ("webhooks", true)] {
            for (path, item) in members(self.member(group)) {
                let operations = members(item).filter(|(name, _)| *name != "parameters");
                calls.extend(operations.map(|(method, operation)| Call {
                    id: text(&operation["operationId"]),
                    method,
                    path,
                    is_event,
                    operation,
                    shared: &item["parameters"],
                }));
            }
        }
        calls
    }

    /// Every named schema.
    pub(super) fn schemas(&self) -> impl Iterator<Item = (&'d str, &'d Value)> {
        members(&self.member("components")["schemas"])
    }

    /// A schema by its name.
    pub(super) fn schema(&self, name: &str) -> Option<&'d Value> {
        self.member("components")["schemas"].get(name)
    }

    /// The target of a reference, or the value itself.
    pub(super) fn resolved(&self, value: &'d Value) -> &'d Value {
        let pointer = value["$ref"].as_str().and_then(|to| to.strip_prefix('#'));
        let target = pointer.and_then(|pointer| self.value.pointer(pointer));
        target.unwrap_or(value)
    }

    /// Parameters of a call in path, query and headers.
    pub(super) fn parameters(&self, call: &Call<'d>) -> Vec<&'d Value> {
        let all = [call.shared, &call.operation["parameters"]].into_iter();
        let all = all.flat_map(items);
        all.map(|parameter| self.resolved(parameter)).collect()
    }

    /// Name and scheme of a call's credentials, if it needs any.
    pub(super) fn credentials(&self, call: &Call<'d>) -> Option<(&'d str, &'d Value)> {
        let own = call.operation.get("security");
        let security = own.unwrap_or_else(|| self.member("security"));
        let (name, _) = members(items(security).next()?).next()?;
        Some((name, &self.member("components")["securitySchemes"][name]))
    }

    /// The call whose answer has the id that another one takes as a parameter.
    pub(super) fn origin(&self, call: &Call<'d>, parameter: &str) -> Option<Call<'d>> {
        let leads_there = |response: &Value| {
            let link = &response["links"][call.id];
            link["parameters"].get(parameter).is_some()
        };
        let mut calls = self.calls().into_iter();
        calls.find(|other| {
            let mut responses = members(&other.operation["responses"]);
            responses.any(|(_, response)| leads_there(response))
        })
    }
}

impl<'d> Call<'d> {
    /// Method and path, as in requests and lists.
    pub(super) fn line(&self) -> String {
        match self.is_event {
            true => self.path.to_owned(),
            false => format!("{} {}", self.method.to_uppercase(), self.path),
        }
    }

    /// Summary of the call.
    pub(super) fn summary(&self) -> &'d str {
        text(&self.operation["summary"])
    }

    /// Description of the call.
    pub(super) fn description(&self) -> &'d str {
        text(&self.operation["description"])
    }

    /// Tag of the call.
    pub(super) fn tag(&self) -> &'d str {
        items(&self.operation["tags"])
            .map(text)
            .next()
            .unwrap_or_default()
    }

    /// Media type and content of its body, if it has one.
    pub(super) fn body(&self) -> Option<(&'d str, &'d Value)> {
        members(&self.operation["requestBody"]["content"]).next()
    }

    /// Its answers by their statuses.
    pub(super) fn responses(&self) -> impl Iterator<Item = (&'d str, &'d Value)> {
        members(&self.operation["responses"])
    }

    /// The names of the problems that it answers.
    pub(super) fn problems(&self) -> Vec<&'d str> {
        self.responses()
            .flat_map(|(_, response)| problems(response))
            .collect()
    }

    /// Schemas of its request body and of its successful answers.
    pub(super) fn schemas(&self) -> Vec<&'d Value> {
        let body = self.body().into_iter().map(|(_, content)| content);
        let done = self
            .responses()
            .filter(|(status, _)| status.starts_with('2'));
        let done = done.flat_map(|(_, response)| members(&response["content"]));
        let contents = body.chain(done.map(|(_, content)| content));
        contents.map(|content| &content["schema"]).collect()
    }
}

/// The names of the problems of an answer.
pub(super) fn problems(response: &Value) -> impl Iterator<Item = &str> {
    let contents = members(&response["content"]);
    let examples = contents.flat_map(|(_, content)| members(&content["examples"]));
    examples.map(|(name, _)| name)
}

/// The name of the schema that a value refers to.
pub(super) fn schema_name(value: &Value) -> Option<&str> {
    value["$ref"].as_str()?.strip_prefix(SCHEMAS)
}

/// Members of an object; empty for other values.
pub(super) fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = value.as_object().into_iter().flatten();
    members.map(|(name, member)| (name.as_str(), member))
}

/// Items of a list; empty for other values.
pub(super) fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A text; empty for other values.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
