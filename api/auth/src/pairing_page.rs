//! Page behind a pairing link, for browsers without the app.

use axum::Router;
use axum::response::IntoResponse;
use axum::routing::get;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use parafa_api_http::edge;

use crate::envelope::ErrorEnvelope;

const POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
/// The code is not repeated; the visitor has it.
const PAGE: &str = r#"<!DOCTYPE html>
<html lang="lt">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Prisijungimas kortele · Log in with a card</title>
</head>
<body>
<main>
<h1>Prisijungimas kortele</h1>
<p>Telefone atverkite kortelės programėlę ir įveskite kodą, rodomą puslapyje, kuriame pradėjote prisijungti.</p>
<h1 lang="en">Log in with a card</h1>
<p lang="en">Open the card app on your phone and type in the code shown on the page where you began to log in.</p>
</main>
</body>
</html>
"#;

/// `GET /auth/pair`.
pub(crate) fn page() -> Router {
    let page = async || {
        let headers = [
            (CONTENT_TYPE, "text/html; charset=utf-8"),
            (CACHE_CONTROL, "public, max-age=3600"),
            (CONTENT_SECURITY_POLICY, POLICY),
        ];
        (headers, PAGE).into_response()
    };
    edge(Router::new().route("/auth/pair", get(page)), ErrorEnvelope)
}
