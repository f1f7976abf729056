//! The page that lists all calls, what is found on it, and the frame of all pages.

use maud::{Markup, html};

use super::about::About;
use super::document::{Call, Document, items, text};
use super::markdown;
use super::search::{Found, LONGEST_QUERY};
use crate::pages::for_developers;

/// A page of the reference, with the way to all calls.
pub(super) fn frame(about: &About, title: &str, sections: &Markup) -> Markup {
    for_developers(
        title,
        &html! {
            main.wide #main tabindex="-1" {
                @if title != about.title {
                    nav aria-label="Reference" { a href=(about.index()) { (about.title) ": all calls" } }
                }
                (sections)
            }
        },
    )
}

/// A call in a list.
pub(super) fn entry(about: &About, call: &Call<'_>) -> Markup {
    html! { a href=(about.call(call.id)) { (call.summary()) } " " code { (call.line()) } }
}

/// All calls and events, by what they are about.
pub(super) fn page(document: &Document<'_>) -> Markup {
    let about = document.about;
    let calls = document.calls();
    frame(
        about,
        about.title,
        &html! {
            section {
                h1 { (about.title) }
                (markdown::text(text(&document.member("info")["description"])))
                p {
                    "Version " (text(&document.member("info")["version"])) ". The description itself: "
                    a href={ (about.folder) "/openapi.json" } { "OpenAPI as JSON" } ", "
                    a href={ (about.folder) "/openapi.yaml" } { "as YAML" } ". "
                    a href=(about.schemas()) { "All types" } "."
                }
                (form(about, ""))
            }
            @for tag in items(document.member("tags")) {
                (of_tag(about, text(&tag["name"]), text(&tag["description"]), &calls))
            }
        },
    )
}

fn of_tag(about: &About, name: &str, description: &str, calls: &[Call<'_>]) -> Markup {
    let calls: Vec<_> = calls.iter().filter(|call| call.tag() == name).collect();
    html! {
        @if !calls.is_empty() {
            section {
                h2 { (name) }
                p { (description) }
                ul.calls { @for call in calls { li { (entry(about, call)) } } }
            }
        }
    }
}

/// All schemas.
pub(super) fn schemas(document: &Document<'_>) -> Markup {
    let about = document.about;
    frame(
        about,
        "Types",
        &html! {
            section {
                h1 { "Types" }
                p { "What is sent and answered by the " (about.title) "." }
                ul.calls {
                    @for (name, schema) in document.schemas() {
                        li {
                            a href=(about.schema(name)) { (name) } " "
                            (markdown::inline(markdown::first(text(&schema["description"]))))
                        }
                    }
                }
            }
        },
    )
}

/// What was found.
pub(super) fn found(about: &About, query: &str, found: &Found<'_>) -> Markup {
    frame(
        about,
        "Search",
        &html! {
            section {
                h1 { "Search" }
                (form(about, query))
                @if found.hits.is_empty() {
                    p role="status" {
                        "Nothing is found for “" (query) "”. Try a part of a path, of a name of a member, \
                         or of the name of a problem; "
                        a href=(about.index()) { "all calls" } " are on one page."
                    }
                } @else {
                    p role="status" { (found.hits.len() + found.left_out) " found for “" (query) "”." }
                    ul.calls {
                        @for hit in &found.hits {
                            li {
                                a href=(hit.entry.address) { (hit.entry.title) }
                                " " (hit.entry.told)
                                @for name in &hit.within { " · " code { (name) } }
                            }
                        }
                    }
                    @if found.left_out > 0 {
                        p { (found.left_out) " more are left out: search for more words." }
                    }
                }
            }
        },
    )
}

/// In the place of a page that there is not.
pub(super) fn missing(about: &About) -> Markup {
    frame(
        about,
        "There is no such page",
        &html! {
            section {
                h1 { "There is no such page" }
                p { "The " (about.title) " has no call, event or type of this name." }
                (form(about, ""))
                p { a href=(about.index()) { "All calls" } ", " a href=(about.schemas()) { "all types" } }
            }
        },
    )
}

fn form(about: &About, query: &str) -> Markup {
    html! {
        form role="search" action=(about.index()) method="get" {
            label for="q" { "Search for a call, a path, a member or a problem" }
            input #q type="search" name="q" value=(query) maxlength=(LONGEST_QUERY) autocomplete="off";
            button.button type="submit" { "Search" }
        }
    }
}
