//! The page that a person begins with.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::{Neighbour, Reference, SetUp, Tag};
use crate::api::Api;
use crate::operation::Operation;
use crate::router::Http;

/// The style sheet, which the page carries itself.
const STYLE: &str = "\
body{margin:0 auto;max-width:60rem;padding:1.5rem;font:1rem/1.5 system-ui,sans-serif;color:#1c2430;background:#fff}\
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem}\
a{color:#0b5394}code{font-size:.95em}\
table{border-collapse:collapse;width:100%}\
th,td{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;border-bottom:1px solid #d8dee6}\
td:first-child{white-space:nowrap}";

/// The style sheet by its digest, so that no other one is applied.
pub(super) struct Style(String);

impl Style {
    pub(super) fn get() -> Self {
        Self(STANDARD.encode(Sha256::digest(STYLE)))
    }

    /// Content Security Policy, level 3: nothing but this style.
    pub(super) fn content_security_policy(&self) -> String {
        let Self(digest) = self;
        format!(
            "default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
    }
}

/// The overview, as HTML.
pub(super) fn page<A: Api>(http: &Http<A>) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Parafa: interfaces" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { "Parafa: interfaces" }
                    (apis(http))
                    p {
                        "Calls carry " code { "Authorization: " (http.reference.security.challenge()) }
                        " with an API key. The base address is " code { (http.config.base_url) } "."
                    }
                    (set_up(http))
                    @for tag in http.reference.tags {
                        (operations(tag, &http.operations))
                    }
                    (problems(http))
                }
            }
        }
    }
    .into_string()
}

fn apis<A: Api>(http: &Http<A>) -> Markup {
    let base_url = &http.config.base_url;
    let links = |title: &str, folder: &str| {
        html! {
            li {
                (title) ": "
                a href=(base_url.join(&format!("{folder}/openapi.json"))) { "OpenAPI as JSON" }
                ", "
                a href=(base_url.join(&format!("{folder}/openapi.yaml"))) { "as YAML" }
            }
        }
    };
    let Reference { name, folder, .. } = *http.reference;
    html! {
        ul {
            (links(name, folder))
            @for Neighbour { title, folder } in &http.config.neighbours {
                (links(title, folder))
            }
        }
    }
}

fn set_up<A: Api>(http: &Http<A>) -> Markup {
    let groups = (http.reference.set_up)(&http.api);
    html! {
        @if !groups.is_empty() {
            h2 { "Set up here" }
            table {
                tbody {
                    @for SetUp { title, names } in groups {
                        tr {
                            td { (title) }
                            td { @if names.is_empty() { "none" } @else { (names.join(", ")) } }
                        }
                    }
                }
            }
        }
    }
}

fn operations<A: Api>(tag: &Tag, operations: &[Operation<A>]) -> Markup {
    let contracts = operations.iter().map(|operation| &operation.contract);
    let contracts: Vec<_> = contracts
        .filter(|contract| contract.tag == tag.name)
        .collect();
    html! {
        @if !contracts.is_empty() {
            h2 { (tag.name) }
            p { (tag.description) }
            table {
                thead { tr { th { "Call" } th { "Does" } } }
                tbody {
                    @for contract in contracts {
                        tr {
                            td { code { (contract.method) " " (contract.path) } }
                            td { (contract.summary) }
                        }
                    }
                }
            }
        }
    }
}

fn problems<A: Api>(http: &Http<A>) -> Markup {
    html! {
        h2 { "Problems" }
        table {
            thead { tr { th { "Name" } th { "Status" } th { "Means" } } }
            tbody {
                @for kind in &http.reference.problems {
                    tr {
                        td { a href=(http.config.base_url.join(&kind.path())) { code { (kind.name) } } }
                        td { (kind.status.as_u16()) }
                        td { (kind.title) }
                    }
                }
            }
        }
    }
}
