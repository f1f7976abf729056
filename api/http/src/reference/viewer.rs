//! The description of an API as people read it.

use std::sync::LazyLock;

use axum::response::Response;
use http::header::CONTENT_SECURITY_POLICY;
use http::{HeaderValue, StatusCode};
use maud::{Markup, html};

use crate::pages::{AssetFile, AssetFolder, for_developers, page_response};

/// The viewer writes its rules into style elements that are empty, and one that
/// holds the style of its scroll bars: these two are let in by their digests. Its
/// pictures are part of itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; \
     style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' \
     'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(crate) static VIEWER: LazyLock<AssetFolder> = LazyLock::new(|| {
    AssetFolder::new(
        "reference",
        const {
            &[
                AssetFile {
                    name: "redoc.standalone.js",
                    media_type: "text/javascript; charset=utf-8",
                    content: include_bytes!("assets/redoc/redoc.standalone.js"),
                    policy: None,
                },
                AssetFile {
                    name: "reference.js",
                    media_type: "text/javascript; charset=utf-8",
                    content: include_bytes!("assets/reference.js"),
                    policy: None,
                },
            ]
        },
    )
});

/// The page of the API whose description is in `folder`.
pub(super) fn page(folder: &str, title: &str) -> Markup {
    for_developers(
        title,
        &html! {
            main.whole #main tabindex="-1" data-description={ (folder) "/openapi.json" } {
                noscript {
                    section {
                        h1 { (title) }
                        p {
                            "The reference is drawn by a script. Without one, read "
                            a href={ (folder) "/openapi.yaml" } { "the description itself" } "."
                        }
                    }
                }
                div #reference {}
            }
            script src=(VIEWER.path("redoc.standalone.js")) defer {}
            script src=(VIEWER.path("reference.js")) defer {}
        },
    )
}

pub(super) fn response(page: Markup) -> Response {
    let mut response = page_response(StatusCode::OK, page);
    let policy = HeaderValue::from_static(POLICY);
    response
        .headers_mut()
        .insert(CONTENT_SECURITY_POLICY, policy);
    response
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_viewer_names_no_picture_of_others() {
        let viewer = include_str!("assets/redoc/redoc.standalone.js");

        assert_eq!(viewer.matches("src:\"http").count(), 0);
        assert!(!viewer.contains("cdn."), "what it loads is part of itself");
    }
}
