//! The frame of every page.

use std::sync::LazyLock;

use axum::response::{IntoResponse, Response};
use http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderName, HeaderValue, StatusCode};
use maud::{DOCTYPE, Markup, html};

use super::assets::{AssetFile, AssetFolder};

/// Assets of all pages.
pub(super) static LOOK: LazyLock<AssetFolder> = LazyLock::new(|| {
    AssetFolder::new(
        "look",
        &[
            AssetFile {
                name: "style.css",
                media_type: "text/css; charset=utf-8",
                content: include_bytes!("assets/style.css"),
                policy: None,
            },
            AssetFile {
                name: "icon.svg",
                media_type: "image/svg+xml",
                content: include_bytes!("assets/icon.svg"),
                policy: None,
            },
        ],
    )
});

/// Allows only what this server sends itself, and no framing.
const POLICY: &str = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; \
     img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'";

/// Layout of all pages.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    /// Tag of the page's language (RFC 5646).
    pub language: &'a str,
    /// Title.
    pub title: &'a str,
    /// A sentence for search engines; empty if the page must not be indexed.
    pub description: &'a str,
    /// Text of the skip link, for users of screen readers and keyboards.
    pub skip: &'a str,
    /// True if search engines may index it.
    pub is_public: bool,
    /// Paths of the modules that it runs.
    pub scripts: &'a [String],
    /// Paths of style sheets beside the common one.
    pub styles: &'a [String],
}

/// A page for developers.
pub(crate) fn english<'a>(title: &'a str, description: &'a str) -> Layout<'a> {
    Layout {
        language: "en",
        title,
        description,
        skip: "Skip to content",
        is_public: true,
        scripts: &[],
        styles: &[],
    }
}

/// The page with a link to the documentation. Backticks of the description are removed.
pub(crate) fn for_developers(title: &str, description: &str, main: &Markup) -> Markup {
    let description = description.replace('`', "");
    let layout = english(title, &description);
    layout.render(&html! { a href="/docs" { "Documentation" } }, main)
}

/// A sentence with code between backticks.
pub(crate) fn inline(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

impl Layout<'_> {
    /// The whole page: `aside` is in its header, `main` is an element with the id `main`.
    #[must_use]
    pub fn render(&self, aside: &Markup, main: &Markup) -> Markup {
        html! {
            (DOCTYPE)
            html lang=(self.language) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    @if !self.is_public { meta name="robots" content="noindex"; }
                    @if !self.description.is_empty() { meta name="description" content=(self.description); }
                    title { (self.title) " · Parafa" }
                    link rel="icon" type="image/svg+xml" href=(LOOK.path("icon.svg"));
                    link rel="stylesheet" href=(LOOK.path("style.css"));
                    @for style in self.styles { link rel="stylesheet" href=(style); }
                    @for script in self.scripts { script src=(script) type="module" {} }
                }
                body {
                    a.skip href="#main" { (self.skip) }
                    header.bar {
                        span.brand {
                            img src=(LOOK.path("icon.svg")) alt="" width="28" height="28";
                            "Parafa"
                        }
                        (aside)
                    }
                    (main)
                }
            }
        }
    }
}

/// A page as an answer that is not cached, not framed, and sends no referrer.
#[must_use]
pub fn page_response(status: StatusCode, page: Markup) -> Response {
    (status, fields(), page.into_string()).into_response()
}

/// Media type of pages.
pub(super) const MEDIA_TYPE: &str = "text/html; charset=utf-8";

/// Headers of every page.
pub(super) fn fields() -> [(HeaderName, HeaderValue); 4] {
    let fields = [
        (CONTENT_TYPE, MEDIA_TYPE),
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    fields.map(|(name, value)| (name, HeaderValue::from_static(value)))
}
