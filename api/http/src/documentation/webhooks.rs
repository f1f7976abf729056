//! What receivers of webhooks have to know.

use maud::{Markup, html};

use crate::config::Neighbour;
use crate::pages::{for_developers, inline};
use crate::webhooks::{HEADERS, TEST_VECTOR, VERIFY_IN_SHELL};

/// How a delivery is verified, by language.
const WAYS: [(&str, &str); 3] = [
    ("Shell, with openssl", VERIFY_IN_SHELL),
    ("Python, without packages", include_str!("verify.py")),
    ("TypeScript, without packages", include_str!("verify.ts")),
];

/// Events, headers, and how a delivery is verified.
pub(super) fn page(apis: &[Neighbour]) -> Markup {
    for_developers(
        "Webhooks",
        &html! {
            main.wide #main tabindex="-1" {
                section {
                    h1 { "Webhooks" }
                    p {
                        "What happens is posted as JSON to the address that a record was created "
                        "with. Polling always works too, and a delivery that fails changes nothing."
                    }
                }
                (events(apis))
                section {
                    h2 { "A delivery" }
                    table {
                        thead { tr { th { "Header" } th { "Value" } } }
                        tbody {
                            @for (name, description) in HEADERS {
                                tr { td { code { (name) } } td { (inline(description)) } }
                            }
                        }
                    }
                    p {
                        "Any 2xx answer ends it. After a 5xx answer, one of 408, 421, 425 and 429, "
                        "or none within 15 seconds, it is sent again: ten times in all, the last "
                        "time after some three days. Any other answer ends it at once. Events come "
                        "in no promised order, and at least once: the id tells a repetition."
                    }
                }
                section {
                    h2 { "Verify it" }
                    p {
                        "Before anything else, and over the body as it came. The secret was shown "
                        "with the workspace's first key. While it is rotated there are several "
                        "signatures, of which one has to be yours. The last three headers are "
                        "those of Standard Webhooks, whose libraries verify a delivery as it is."
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
                thead { tr { th { "Event" } th { "When" } th { "API" } } }
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
