//! The page that a person begins with.

use maud::{Markup, html};

use crate::config::{BaseUrl, Neighbour};
use crate::pages::english;

/// What there is to read.
pub(super) fn page(apis: &[Neighbour], base_url: &BaseUrl) -> Markup {
    english("Documentation").render(
        &html! { a href="/" { "Front page" } },
        &html! {
            main.wide #main tabindex="-1" {
                section {
                    h1 { "Documentation" }
                    p {
                        "All calls begin with " code { (base_url) } ". Each guide leads to a first "
                        "result, in commands that run as they stand; the reference of an API has "
                        "every call, with its parameters, answers and refusals."
                    }
                }
                @for api in apis { (interface(api, base_url)) }
                section {
                    h2 { "For all of them" }
                    ul {
                        li { a href="/problems" { "Problems" } ": every refusal, and what to do about it" }
                        li { a href="/docs/webhooks" { "Webhooks" } ": events, and how a delivery is verified" }
                        li { a href="/docs/mcp" { "Tools for agents" } ": how an agent connects by the Model Context Protocol" }
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
