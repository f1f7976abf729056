//! The page that a person begins with.

use std::sync::Arc;

use maud::{Markup, html};

use super::{Reference, SetUp, Tag};
use crate::api::Api;
use crate::config::Neighbour;
use crate::operation::Contract;
use crate::pages::english;
use crate::served::Http;

/// The overview.
pub(super) fn page<A: Api>(http: &Http<A>) -> Markup {
    english("Interfaces").render(
        &Markup::default(),
        &html! {
            main.wide #main tabindex="-1" {
                section {
                    h1 { "Interfaces" }
                    (apis(http))
                    p {
                        "Calls carry " code { "Authorization: " (http.reference.security.challenge()) }
                        " with an API key. The base address is " code { (http.config.base_url) } "."
                    }
                    @if let Some(guide) = &http.reference.guide {
                        p {
                            "New here? "
                            a href={ (http.reference.folder) "/docs/guide" } { (guide.title) }
                        }
                    }
                }
                (set_up(http))
                @for tag in http.reference.tags {
                    (operations(tag, &http.contracts))
                }
                (problems(http))
            }
        },
    )
}

fn apis<A: Api>(http: &Http<A>) -> Markup {
    let base_url = &http.config.base_url;
    let links = |title: &str, folder: &str| {
        html! {
            li {
                a href={ (folder) "/docs/reference" } { (title) }
                ": "
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
            @for Neighbour { title, folder, .. } in &http.config.neighbours {
                (links(title, folder))
            }
        }
    }
}

fn set_up<A: Api>(http: &Http<A>) -> Markup {
    let groups = (http.reference.set_up)(&http.api);
    html! {
        @if !groups.is_empty() {
            section {
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
}

fn operations<A: Api>(tag: &Tag, contracts: &[Arc<Contract<A>>]) -> Markup {
    let contracts: Vec<_> = contracts
        .iter()
        .filter(|contract| contract.tag == tag.name)
        .collect();
    html! {
        @if !contracts.is_empty() {
            section {
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
}

fn problems<A: Api>(http: &Http<A>) -> Markup {
    html! {
        section {
            h2 { "Problems" }
            table {
                thead { tr { th { "Name" } th { "Status" } th { "Means" } } }
                tbody {
                    @for kind in &http.reference.problems {
                        tr {
                            td {
                                a href=(http.config.base_url.join(&kind.path())) {
                                    code { (kind.name) }
                                }
                            }
                            td { (kind.status.as_u16()) }
                            td { (kind.title) }
                        }
                    }
                }
            }
        }
    }
}
