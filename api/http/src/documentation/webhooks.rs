//! Documentation for receivers of webhooks.

use maud::{Markup, html};

use crate::config::Neighbour;
use crate::pages::{for_developers, inline};
use crate::webhooks::{HEADERS, TEST_VECTOR, VERIFY_IN_SHELL};

/// Code that verifies a delivery, by language.
const WAYS: [(&str, &str); 3] = [
    ("Shell, with openssl", VERIFY_IN_SHELL),
    ("Python, without packages", include_str!("verify.py")),
    ("TypeScript, without packages", include_str!("verify.ts")),
];

/// Events, headers, and how a delivery is verified.
pub(super) fn page(apis: &[Neighbour]) -> Markup {
    for_developers(
        "Webhooks",
        "The events that Parafa posts, their headers and retries, and how to verify a delivery.",
        &html! {
            main.wide #main tabindex="-1" {
                section {
                    h1 { "Webhooks" }
                    p {
                        "Events are posted as JSON to the URL that a record was created with. "
                        "A failed delivery changes nothing, and polling always works too."
                    }
                }
                (events(apis))
                section {
                    h2 { "Deliveries" }
                    table {
                        thead { tr { th scope="col" { "Header" } th scope="col" { "Value" } } }
                        tbody {
                            @for (name, description) in HEADERS {
                                tr { td { code { (name) } } td { (inline(description)) } }
                            }
                        }
                    }
                    p {
                        "Answer any 2xx status to acknowledge a delivery. After a 5xx status, one of "
                        "408, 421, 425 and 429, or no answer within 15 seconds, it is retried: ten "
                        "attempts in all, the last after some three days. Any other status ends it."
                    }
                    p {
                        "Events arrive at least once, in no guaranteed order. Use "
                        code { "webhook-id" } " to ignore duplicates."
                    }
                }
                section {
                    h2 { "Verify a delivery" }
                    p {
                        "Verify the raw body before you parse it. The secret was shown with the "
                        "workspace's first key. While it is rotated, a delivery has several "
                        "signatures: accept it if one of them is valid. The last three headers "
                        "follow Standard Webhooks, so its libraries can verify deliveries too."
                    }
                    @for (way, code) in WAYS {
                        h3 { (way) }
                        pre tabindex="0" { code { (code.trim_end()) } }
                    }
                    p { (inline(TEST_VECTOR)) }
                }
            }
        },
    )
}

fn events(apis: &[Neighbour]) -> Markup {
    html! {
        section {
            h2 { "Events" }
            table {
                thead { tr { @for head in ["Event", "When", "API"] { th scope="col" { (head) } } } }
                tbody {
                    @for api in apis {
                        @for event in &api.events {
                            tr {
                                td { code { (event.name) } }
                                td { (event.summary) }
                                td { a href={ (api.folder) "/docs/reference" } { (api.title) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
