//! The page that a person begins with.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::config::HttpConfig;
use crate::operation::{Operation, Tag};
use crate::problem::ProblemKind;

/// The style sheet, which the page carries itself.
const STYLE: &str = "\
body{margin:0 auto;max-width:60rem;padding:1.5rem;font:1rem/1.5 system-ui,sans-serif;color:#1c2430;background:#fff}\
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem}\
a{color:#0b5394}code{font-size:.95em}\
table{border-collapse:collapse;width:100%}\
th,td{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;border-bottom:1px solid #d8dee6}\
td:first-child{white-space:nowrap}";

/// The style sheet by its digest, so that no other one is applied.
pub(crate) struct Style(String);

impl Style {
    pub(crate) fn get() -> Self {
        Self(STANDARD.encode(Sha256::digest(STYLE)))
    }

    /// Content Security Policy, level 3: nothing but this style.
    pub(crate) fn content_security_policy(&self) -> String {
        let Self(digest) = self;
        format!(
            "default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
    }
}

/// Another API on the same listener, for the overview.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Neighbour {
    /// What it is called.
    pub title: String,
    /// The folder of its `openapi.json` and `openapi.yaml`, such as `/dd`.
    pub folder: String,
}

/// The overview, as HTML.
pub(crate) fn page(config: &HttpConfig) -> String {
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
                    (apis(config))
                    p {
                        "Calls carry " code { "Authorization: Bearer" }
                        " with an API key. The base address is " code { (config.base_url) } "."
                    }
                    @for tag in Tag::ALL {
                        (operations(tag))
                    }
                    (problems(config))
                }
            }
        }
    }
    .into_string()
}

fn apis(config: &HttpConfig) -> Markup {
    let links = |title: &str, folder: &str| {
        html! {
            li {
                (title) ": "
                a href=(config.base_url.join(&format!("{folder}/openapi.json"))) { "OpenAPI as JSON" }
                ", "
                a href=(config.base_url.join(&format!("{folder}/openapi.yaml"))) { "as YAML" }
            }
        }
    };
    html! {
        ul {
            (links("Signing orchestration", ""))
            @for neighbour in &config.neighbours {
                (links(&neighbour.title, &neighbour.folder))
            }
        }
    }
}

fn operations(tag: Tag) -> Markup {
    let contracts = Operation::ALL
        .into_iter()
        .map(Operation::contract)
        .filter(|contract| contract.tag == tag);
    html! {
        h2 { (tag.name()) }
        p { (tag.description()) }
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

fn problems(config: &HttpConfig) -> Markup {
    html! {
        h2 { "Problems" }
        table {
            thead { tr { th { "Name" } th { "Status" } th { "Means" } } }
            tbody {
                @for kind in ProblemKind::ALL {
                    tr {
                        td { a href=(config.base_url.join(&kind.path())) { code { (kind.name()) } } }
                        td { (kind.status().as_u16()) }
                        td { (kind.title()) }
                    }
                }
            }
        }
    }
}
