//! The page of a call, or of an event.

use http::StatusCode;
use maud::{Markup, html};
use serde_json::Value;

use super::document::{Call, Document, members, problems, text};
use super::types::{Types, limits};
use super::{index, markdown, members as schemas, samples};

/// Page of a call.
pub(super) fn page<'d>(document: &Document<'d>, call: &Call<'d>) -> Markup {
    let below = schemas::below(document, &call.schemas());
    let types = Types::new(document.about, &below);
    index::frame(
        document.about,
        call.summary(),
        markdown::first(call.description()),
        &html! {
            section {
                h1 { (call.summary()) }
                p { code { (call.line()) } }
                (markdown::text(call.description()))
                p.hint { "Operation ID: " code { (call.id) } ". Tag: " (call.tag()) "." }
                (credentials(document, call))
            }
            (parameters(document, &types, call))
            (body(document, &types, call))
            @if !call.is_event {
                section { h2 { "Samples" } (samples::of(document, call)) }
            }
            section {
                h2 { "Responses" }
                @for (status, response) in call.responses() {
                    (answer(document, &types, status, response))
                }
                (headers(document, call))
            }
            (schemas::section(document, &types, &below))
        },
    )
}

fn credentials<'d>(document: &Document<'d>, call: &Call<'d>) -> Markup {
    if call.is_event {
        return Markup::default();
    }
    let Some((_, scheme)) = document.credentials(call) else {
        return html! { p.hint { "Authentication: none." } };
    };
    html! {
        p.hint {
            "Authentication: " code { "Authorization" } " header, scheme " (text(&scheme["scheme"])) ". "
            (markdown::inline(text(&scheme["description"])))
        }
    }
}

fn parameters<'d>(document: &Document<'d>, types: &Types<'_, 'd>, call: &Call<'d>) -> Markup {
    let parameters = document.parameters(call);
    html! {
        @if !parameters.is_empty() {
            section {
                h2 { @if call.is_event { "Headers" } @else { "Parameters" } }
                dl.members-of {
                    @for parameter in parameters {
                        dt { code { (text(&parameter["name"])) } }
                        dd {
                            p.hint {
                                (text(&parameter["in"])) ", "
                                (types.kind(&parameter["schema"])) (limits(&parameter["schema"]))
                                @if parameter["required"] == true { ", " strong { "required" } }
                            }
                            (markdown::text(text(&parameter["description"])))
                        }
                    }
                }
            }
        }
    }
}

fn body<'d>(document: &Document<'d>, types: &Types<'_, 'd>, call: &Call<'d>) -> Markup {
    let Some((media_type, content)) = call.body() else {
        return Markup::default();
    };
    let is_required = call.operation["requestBody"]["required"] == true;
    html! {
        section {
            h2 { @if call.is_event { "Payload" } @else { "Request body" } }
            p.hint {
                code { (media_type) }
                @if is_required { ", " strong { "required" } }
            }
            (content_of(document, types, content))
            // Samples show the input of calls.
            @if call.is_event { (example(content)) }
        }
    }
}

fn answer<'d>(
    document: &Document<'d>,
    types: &Types<'_, 'd>,
    status: &str,
    response: &'d Value,
) -> Markup {
    let reason = status
        .parse()
        .ok()
        .and_then(|code| StatusCode::from_u16(code).ok());
    let reason = reason.and_then(|status| status.canonical_reason());
    let is_refusal = problems(response).next().is_some();
    html! {
        h3 { (status) @if let Some(reason) = reason { " " (reason) } }
        @if is_refusal {
            (refusals(document, response))
        } @else {
            (markdown::text(text(&response["description"])))
            @for (media_type, content) in members(&response["content"]) {
                p.hint { code { (media_type) } }
                (content_of(document, types, content))
                (example(content))
            }
        }
    }
}

/// Problems of an answer, each with a link to its page.
fn refusals(document: &Document<'_>, response: &Value) -> Markup {
    let described = |name: &str| {
        let mut known = document.about.problems.iter();
        known.find(|problem| problem.name == name)
    };
    html! {
        ul {
            @for name in problems(response) {
                li {
                    a href=(document.about.problem(name)) { code { (name) } }
                    @if let Some(problem) = described(name) { ": " (problem.meaning) }
                }
            }
        }
    }
}

/// Headers of all answers, each with its statuses.
fn headers<'d>(document: &Document<'d>, call: &Call<'d>) -> Markup {
    let mut headers: Vec<(&str, &Value, Vec<&str>)> = Vec::new();
    for (status, response) in call.responses() {
        for (name, header) in members(&response["headers"]) {
            match headers.iter_mut().find(|(known, ..)| *known == name) {
                Some((.., statuses)) => statuses.push(status),
                None => headers.push((name, document.resolved(header), vec![status])),
            }
        }
    }
    html! {
        @if !headers.is_empty() {
            h3 { "Headers" }
            ul {
                @for (name, header, statuses) in headers {
                    li {
                        code { (name) }
                        @if statuses.len() < call.responses().count() { " (" (statuses.join(", ")) ")" }
                        ": "
                        (markdown::inline(text(&header["description"])))
                    }
                }
            }
        }
    }
}

fn content_of<'d>(document: &Document<'d>, types: &Types<'_, 'd>, content: &'d Value) -> Markup {
    let schema = &content["schema"];
    let described = text(&document.resolved(schema)["description"]);
    html! {
        (markdown::text(described))
        (schemas::body(document, types, schema))
    }
}

fn example(content: &Value) -> Markup {
    html! {
        @if let Some(example) = content.get("example") {
            p.hint { "Example:" }
            pre tabindex="0" { code { (format!("{example:#}")) } }
        }
    }
}
