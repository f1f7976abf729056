//! The start page.

use maud::{Markup, html};

use crate::config::{BaseUrl, Neighbour};
use crate::pages::english;

/// The start page.
pub(super) fn page(apis: &[Neighbour], base_url: &BaseUrl) -> Markup {
    let description =
        "Guides, API references, problems, webhooks and agent tools of the Parafa APIs.";
    english("Documentation", description).render(
        &html! { a href="/" { "Front page" } },
        &html! {
            main.wide #main tabindex="-1" {
                section {
                    h1 { "Documentation" }
                    p {
                        "The base URL is " code { (base_url) } ". Start with a guide: its commands run "
                        "as shown. The references list every call with its parameters, responses "
                        "and problems."
                    }
                }
                @for api in apis { (interface(api, base_url)) }
                section {
                    h2 { "For all APIs" }
                    ul {
                        li { a href="/problems" { "Problems" } ": every error, and how to fix it" }
                        li { a href="/docs/webhooks" { "Webhooks" } ": events, and how to verify a delivery" }
                        li { a href="/docs/mcp" { "Tools for agents" } ": how to connect an agent over the Model Context Protocol" }
                    }
                }
            }
        },
    )
}

fn interface(api: &Neighbour, base_url: &BaseUrl) -> Markup {
    let description = |form: &str| base_url.join(&format!("{}/openapi.{form}", api.folder));
    html! {
        section {
            h2 { (api.title) }
            p { (api.summary) "." }
            ul {
                li { "Guide: " a href={ (api.folder) "/docs/guide" } { (api.guide) } }
                li { a href={ (api.folder) "/docs/reference" } { (api.title) ": reference" } }
                li {
                    "OpenAPI: "
                    a href=(description("json")) { (api.title) " as JSON" }
                    ", "
                    a href=(description("yaml")) { "as YAML" }
                }
            }
        }
    }
}
