//! The page that lists all calls, the page of search results, and the frame of all pages.

use maud::{Markup, html};

use super::about::About;
use super::document::{Call, Document, items, text};
use super::markdown;
use super::search::{Found, LONGEST_QUERY};
use crate::pages::for_developers;

/// A page of the reference, with the way to all calls.
pub(super) fn frame(about: &About, title: &str, description: &str, sections: &Markup) -> Markup {
    for_developers(
        title,
        description,
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

/// All calls and events, by tag.
pub(super) fn page(document: &Document<'_>) -> Markup {
    let about = document.about;
    let info = document.member("info");
    let calls = document.calls();
    frame(
        about,
        about.title,
        text(&info["summary"]),
        &html! {
            section {
                h1 { (about.title) }
                (markdown::text(text(&info["description"])))
                p {
                    "Version " (text(&info["version"])) ". OpenAPI description: "
                    a href={ (about.folder) "/openapi.json" } { "JSON" } ", "
                    a href={ (about.folder) "/openapi.yaml" } { "YAML" } ". "
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

/// Page of all schemas.
pub(super) fn schemas(document: &Document<'_>) -> Markup {
    let about = document.about;
    frame(
        about,
        "Types",
        "The types of requests and responses.",
        &html! {
            section {
                h1 { "Types" }
                p { "The types of requests and responses of the " (about.title) "." }
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

/// Page of search results.
pub(super) fn found(about: &About, query: &str, found: &Found<'_>) -> Markup {
    frame(
        about,
        "Search",
        "",
        &html! {
            section {
                h1 { "Search" }
                (form(about, query))
                @if found.hits.is_empty() {
                    p role="status" {
                        "No results for “" (query) "”. Try part of a path, of a member's name or of a \
                         problem's name, or browse "
                        a href=(about.index()) { "all calls" } "."
                    }
                } @else {
                    p role="status" { (found.hits.len() + found.left_out) " found for “" (query) "”" }
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
                        p { "Not shown: " (found.left_out) " more. Add a word to narrow the search." }
                    }
                }
            }
        },
    )
}

/// Page instead of one that does not exist.
pub(super) fn missing(about: &About) -> Markup {
    frame(
        about,
        "Page not found",
        "",
        &html! {
            section {
                h1 { "Page not found" }
                p { "The " (about.title) " has no call, event or type with this name." }
                (form(about, ""))
                p { a href=(about.index()) { "All calls" } ", " a href=(about.schemas()) { "all types" } }
            }
        },
    )
}

fn form(about: &About, query: &str) -> Markup {
    html! {
        form role="search" action=(about.index()) method="get" {
            label for="q" { "Search calls, paths, members and problems" }
            input #q type="search" name="q" value=(query) maxlength=(LONGEST_QUERY) autocomplete="off";
            button.button type="submit" { "Search" }
        }
    }
}
