//! The page at the service's address itself.

use maud::{Markup, html};

use super::layout::english;
use crate::config::Neighbour;

/// The service in short, with links to further pages.
#[derive(Clone, Debug)]
pub struct FrontPage {
    /// The APIs that are served.
    pub apis: Vec<Neighbour>,
    /// The demo world that the service is in, if it is.
    pub demo: Option<DemoWorld>,
}

/// A world of people, providers and mail beside the service, to try it in.
#[derive(Clone, Debug)]
pub struct DemoWorld {
    /// URL of its mail.
    pub mail: String,
    /// Persons that can sign.
    pub people: Vec<DemoPerson>,
    /// Path of a form that leads to a signing page.
    pub sample: &'static str,
}

/// A persona of a demo world.
#[derive(Clone, Debug)]
pub struct DemoPerson {
    /// Given name and surname.
    pub name: String,
    /// Their signing method, such as `Smart-ID`.
    pub method: String,
    /// Country and national code.
    pub personal_code: String,
    /// Phone number, for Mobile-ID.
    pub phone_number: Option<String>,
    /// Outcome of asking them, in words.
    pub outcome: &'static str,
}

impl FrontPage {
    /// The whole page.
    #[must_use]
    pub fn render(&self) -> Markup {
        let description = "Parafa gets documents signed with qualified electronic signatures, by Smart-ID, Mobile-ID or ID card.";
        english("Electronic signatures", description).render(
            &html! { a href="/docs" { "Documentation" } },
            &html! {
                main.wide #main tabindex="-1" {
                    section {
                        h1 { "Qualified electronic signatures" }
                        p {
                            "Parafa gets documents signed. A program posts a document and the \
                             people who should sign it; each of them gets a link, looks at the \
                             document, and signs with their own Smart-ID, Mobile-ID or ID card."
                        }
                        p {
                            "Were you asked to sign? Open the link in the message that you \
                             received: it is for you only. There is nothing to sign on this page."
                        }
                        p lang="lt" {
                            "Gavote prašymą pasirašyti? Atverkite gautame pranešime esančią nuorodą: \
                             ji skirta tik jums. Šiame puslapyje pasirašyti nieko nereikia."
                        }
                    }
                    @if let Some(demo) = &self.demo { (demo.walk()) }
                    section {
                        h2 { "For developers" }
                        ul {
                            li { a href="/docs" { "Getting started" } }
                            @for api in &self.apis {
                                li {
                                    (api.title) ": "
                                    a href={ (api.folder) "/docs/guide" } { (api.guide) }
                                    ", "
                                    a href={ (api.folder) "/docs/reference" } { (api.title) ": reference" }
                                }
                            }
                            li { a href="/problems" { "Problems" } }
                            li { a href="/docs/webhooks" { "Webhooks" } }
                            li { a href="/docs/mcp" { "Tools for agents" } }
                        }
                    }
                    @if let Some(demo) = &self.demo { (demo.people()) }
                }
            },
        )
    }
}

impl DemoWorld {
    fn walk(&self) -> Markup {
        html! {
            section {
                p.sandbox { "This is a demo: its people, providers and authorities are fictitious, and its signatures have no legal value." }
                h2 { "Try it" }
                form method="post" action=(self.sample) {
                    button.button type="submit" { "Sign a sample now" }
                }
                p {
                    "Choose a method and sign as one of the people below. Their devices answer "
                    "automatically after about a second. Then download the signed document."
                }
                p {
                    "To sign your own document, follow " a href="/docs/guide" { "the guide" }
                    ". API keys are in " code { "demo.json" } " in the data folder; emails with "
                    "links arrive in " a href=(self.mail) { "the demo's mailbox" } "."
                }
            }
        }
    }

    fn people(&self) -> Markup {
        html! {
            section {
                h2 { "People to sign as" }
                div.scrolled role="region" aria-label="People of the demo" tabindex="0" {
                    table {
                        thead { tr { @for head in ["Name", "Method", "Personal code", "Phone", "Outcome"] { th scope="col" { (head) } } } }
                        tbody {
                            @for person in &self.people {
                                tr {
                                    td { (person.name) }
                                    td { (person.method) }
                                    td { code { (person.personal_code) } }
                                    td { code { (person.phone_number.as_deref().unwrap_or_default()) } }
                                    td { (person.outcome) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_was_asked_to_sign_is_told_where_in_both_languages() {
        let page = FrontPage {
            apis: Vec::new(),
            demo: None,
        };
        let page = page.render().into_string();

        assert!(page.contains("<p>Were you asked to sign?"), "{page}");
        assert!(page.contains("<p lang=\"lt\">Gavote prašymą"), "{page}");
    }
}
