//! Assets of pages. Their URLs contain the digest of their content, so that browsers may cache
//! them, unlike all other answers.

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue};
use sha2::{Digest, Sha256};

use crate::encoded::gzip;
use crate::{accepts, refusals};

/// A file that pages load.
#[derive(Clone, Copy, Debug)]
pub struct AssetFile {
    /// Its name in the folder.
    pub name: &'static str,
    /// Media type.
    pub media_type: &'static str,
    /// Content.
    pub content: &'static [u8],
    /// Content security policy of a worker, which has its own (Content Security Policy, level 3,
    /// 4.2.3).
    pub policy: Option<&'static str>,
}

/// Files that change together, below one address.
#[derive(Debug)]
pub struct AssetFolder {
    address: String,
    files: &'static [AssetFile],
}

impl AssetFolder {
    /// The folder's URL contains `name` and the digest of all files.
    #[must_use]
    pub fn new(name: &str, files: &'static [AssetFile]) -> Self {
        let mut hasher = Sha256::new();
        for file in files {
            for part in [file.name.as_bytes(), file.content] {
                hasher.update(part.len().to_be_bytes());
                hasher.update(part);
            }
        }
        let digest = hex::encode(&hasher.finalize()[..8]);
        Self {
            address: format!("/assets/{name}-{digest}/"),
            files,
        }
    }

    /// The path of the folder, with a slash at its end.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The path of a file.
    #[must_use]
    pub fn path(&self, file: &str) -> String {
        debug_assert!(self.files.iter().any(|known| known.name == file), "{file}");
        format!("{}{file}", self.address)
    }

    /// Routes of the files.
    pub fn routes<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        let routes = self.files.iter().fold(Router::new(), |router, file| {
            let compressed: Arc<OnceLock<Bytes>> = Arc::default();
            let answer =
                move |headers: HeaderMap| async move { file.answer(&headers, &compressed) };
            router.route(&self.path(file.name), get(answer))
        });
        routes.method_not_allowed_fallback(refusals::page_method_not_allowed)
    }
}

impl AssetFile {
    fn answer(&self, headers: &HeaderMap, compressed: &OnceLock<Bytes>) -> Response {
        let fields = [
            (CONTENT_TYPE, self.media_type),
            (CACHE_CONTROL, "public, max-age=31536000, immutable"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (VARY, "accept-encoding"),
        ];
        let mut response = if accepts(headers, ACCEPT_ENCODING, "gzip") {
            let content = compressed.get_or_init(|| gzip(self.content)).clone();
            (fields, [(CONTENT_ENCODING, "gzip")], content).into_response()
        } else {
            (fields, Bytes::from_static(self.content)).into_response()
        };
        if let Some(policy) = self.policy {
            let policy = HeaderValue::from_static(policy);
            response
                .headers_mut()
                .insert(CONTENT_SECURITY_POLICY, policy);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use axum::body::{Body, to_bytes};
    use flate2::read::GzDecoder;
    use http::{Request, StatusCode};
    use tower::ServiceExt;

    use super::*;

    static FILES: [AssetFile; 1] = [AssetFile {
        name: "a.css",
        media_type: "text/css",
        content: b"body{}",
        policy: None,
    }];
    static OTHERS: [AssetFile; 1] = [AssetFile {
        content: b"main{}",
        ..FILES[0]
    }];

    #[tokio::test]
    async fn a_file_is_read_alone() {
        let folder = AssetFolder::new("look", &FILES);
        let request = Request::post(folder.path("a.css")).body(Body::empty());
        let response = folder.routes::<()>().oneshot(request.unwrap()).await;
        assert_eq!(response.unwrap().headers()["allow"], "GET,HEAD");
    }

    async fn get_file(codings: &'static str) -> Response {
        let folder = AssetFolder::new("look", &FILES);
        let request = Request::get(folder.path("a.css")).header(ACCEPT_ENCODING, codings);
        let request = request.body(Body::empty()).unwrap();
        folder.routes::<()>().oneshot(request).await.unwrap()
    }

    #[test]
    fn other_files_have_another_address() {
        let address = |files| AssetFolder::new("look", files).address().to_owned();

        assert_eq!(address(&FILES), address(&FILES));
        assert_ne!(address(&FILES), address(&OTHERS));
    }

    #[tokio::test]
    async fn a_file_is_kept_for_long_and_compressed_for_those_who_take_it() {
        for (codings, is_compressed) in [("br, gzip", true), ("gzip;q=0", false), ("br", false)] {
            let response = get_file(codings).await;
            assert_eq!(response.status(), StatusCode::OK);
            assert!(
                response.headers()[CACHE_CONTROL]
                    .to_str()
                    .unwrap()
                    .contains("immutable")
            );
            let coding = response.headers().get(CONTENT_ENCODING).is_some();
            assert_eq!(coding, is_compressed, "{codings}");
            let body = to_bytes(response.into_body(), 1024).await.unwrap();
            let mut text = String::new();
            if is_compressed {
                GzDecoder::new(&body[..]).read_to_string(&mut text).unwrap();
            } else {
                text = String::from_utf8(body.to_vec()).unwrap();
            }
            assert_eq!(text, "body{}");
        }
    }
}
