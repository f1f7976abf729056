//! Language of answers to signers.

use http::{Request, StatusCode};

use crate::desk::{answer, page, text};

#[tokio::test]
async fn a_failure_is_told_in_the_language_that_is_asked_for_or_the_signers() {
    for (link, told) in [
        (
            "/c/lithuanian/state",
            "Savo įrenginyje atsisakėte pasirašyti",
        ),
        ("/c/lithuanian/state?lang=en", "You declined on your device"),
        (
            "/c/english/state?lang=lt&waitMs=0",
            "Savo įrenginyje atsisakėte pasirašyti",
        ),
    ] {
        let (status, state) = text(answer(Request::get(link), "").await).await;

        assert_eq!(status, StatusCode::OK);
        assert!(state.contains(told), "{link}: {state}");
    }
    let unknown = answer(Request::get("/c/english/state?lang=de"), "").await;
    assert_eq!(unknown.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_failure_of_an_attempt_at_its_start_is_told_in_the_language_of_the_page() {
    for (language, told) in [
        (r#", "language": "en""#, "You declined on your device"),
        ("", "Savo įrenginyje atsisakėte pasirašyti"),
    ] {
        let request = Request::post("/c/lithuanian/attempts");
        let request = request.header("content-type", "application/json");
        let body = format!(r#"{{"method": "smart_id"{language}}}"#);

        let (status, state) = text(answer(request, &body).await).await;

        assert_eq!(status, StatusCode::CREATED, "{state}");
        assert!(state.contains(told), "{language}: {state}");
    }
}

#[tokio::test]
async fn who_comes_back_from_the_app_comes_to_the_page_in_the_language_they_left() {
    for (callback, page) in [
        ("/c/lithuanian/callback?value=a", "/c/lithuanian#returned"),
        (
            "/c/lithuanian/callback?lang=en&value=a",
            "/c/lithuanian?lang=en#returned",
        ),
        (
            "/c/lithuanian/callback?lang=en%23&value=a",
            "/c/lithuanian#returned",
        ),
    ] {
        let answer = answer(Request::get(callback), "").await;

        assert_eq!(answer.status(), StatusCode::SEE_OTHER);
        assert_eq!(answer.headers()["location"], page);
        assert_eq!(answer.headers()["referrer-policy"], "no-referrer");
    }
}

#[tokio::test]
async fn a_refusal_is_told_in_the_language_of_the_page_or_of_the_signer() {
    for (path, status, told) in [
        ("/c/signed/callback?value=a", 404, "You have already signed"),
        ("/c/signed/callback?lang=lt", 404, "Jūs jau pasirašėte"),
        (
            "/c/nobodys/callback?lang=en",
            404,
            "This link does not work",
        ),
        ("/c/nobodys/decline?lang=en", 404, "This link does not work"),
        ("/c/broken", 503, "The page could not be shown"),
        ("/c/broken?lang=lt", 503, "Puslapio parodyti nepavyko"),
    ] {
        let (answered, page) = page(path).await;

        assert_eq!(answered.as_u16(), status, "{path}");
        assert!(page.contains(told), "{path}: {page}");
        assert_eq!(page.matches("<h1>").count(), 1, "{path}: {page}");
    }
}

#[tokio::test]
async fn who_is_not_known_reads_both_languages_until_one_is_asked_for() {
    for (path, status, lithuanian, english) in [
        (
            "/c/nobodys",
            404,
            "Nuoroda neveikia",
            "This link does not work",
        ),
        (
            "/c/nobodys/callback?utm_source=mail",
            404,
            "Nuoroda neveikia",
            "This link does not work",
        ),
        (
            "/c/unread",
            503,
            "Puslapio parodyti nepavyko",
            "The page could not be shown",
        ),
        (
            "/c/pair?code=ABCD-EFGH",
            200,
            "Atverkite programėlę „Skaitytuvas“",
            "Open the Skaitytuvas app",
        ),
    ] {
        let lithuanian = format!("lang=\"lt\"><h1>{lithuanian}</h1>");
        let english = format!("lang=\"en\"><h1>{english}</h1>");
        let (answered, both) = page(path).await;
        assert_eq!(answered.as_u16(), status, "{path}");
        let [first, second] = [&lithuanian, &english].map(|heading| both.find(heading.as_str()));
        assert!(first.is_some() && first < second, "{path}: {both}");

        let separator = if path.contains('?') { '&' } else { '?' };
        let (_, one) = page(&format!("{path}{separator}lang=en")).await;
        assert!(one.contains(&english), "{path}: {one}");
        assert!(!one.contains("lang=\"lt\""), "{path}: {one}");
    }
}
