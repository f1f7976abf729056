//! Content of the pages, also without scripts.

use http::{Request, StatusCode};

use crate::desk::{ORIGIN, answer, page, text};

/// Answer to a form that a browser submits without scripts.
async fn posted(link: &str, form: &str) -> (StatusCode, String) {
    let request = Request::post(link)
        .header("accept", "text/html")
        .header("origin", ORIGIN)
        .header("content-type", "application/x-www-form-urlencoded");
    text(answer(request, form).await).await
}

#[tokio::test]
async fn the_place_of_what_is_drawn_at_once_is_kept_for_it() {
    for (link, is_kept) in [
        ("/c/english", true),
        ("/c/container", true),
        ("/c/sealed", false),
    ] {
        let (_, page) = page(link).await;
        assert_eq!(page.contains("\"viewer awaited\""), is_kept, "{link}");
    }
}

#[tokio::test]
async fn a_form_that_declines_is_answered_by_the_page_of_those_who_declined() {
    for (link, told) in [
        ("/c/lithuanian/decline", "Atsisakėte pasirašyti"),
        ("/c/english/decline", "You declined to sign"),
        ("/c/lithuanian/decline?lang=en", "You declined to sign"),
    ] {
        let (status, page) = posted(link, "reason=Ne+ta+kaina").await;

        assert_eq!(status, StatusCode::OK, "{link}");
        assert!(page.contains(told), "{link}: {page}");
    }
}

#[tokio::test]
async fn a_form_that_is_refused_says_why_on_a_page_and_leads_back() {
    let long = format!("reason={}", "x".repeat(501));
    let back = "href=\"/c/english?lang=en\"";
    for (link, form, status, told) in [
        ("/c/english/decline", long.as_str(), 400, "up to 500"),
        ("/c/english/decline", "grounds=none", 400, "up to 500"),
        ("/c/busy/decline", "", 409, "being signed right now"),
        (
            "/c/broken/decline",
            "",
            503,
            "Something went wrong on our side",
        ),
    ] {
        let (answered, page) = posted(link, form).await;

        assert_eq!(answered.as_u16(), status, "{link}");
        assert!(page.contains(told), "{link}: {page}");
        let back = back.replace("english", link.split('/').nth(2).expect("a token"));
        assert!(page.contains(&back), "{link}: {page}");
    }
    let (status, page) = posted("/c/lithuanian/decline", &long).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(page.contains("Tokios priežasties išsiųsti negalima"));
}

#[tokio::test]
async fn a_form_on_a_link_that_is_answered_gets_the_page_of_dead_links() {
    for (link, told) in [
        ("/c/signed/decline?lang=en", "You have already signed"),
        ("/c/nobodys/decline?lang=en", "This link does not work"),
    ] {
        let (status, page) = posted(link, "").await;

        assert_eq!(status, StatusCode::NOT_FOUND);
        assert!(page.contains(told), "{link}: {page}");
    }
}

#[tokio::test]
async fn a_dead_link_says_why_it_is_dead_and_an_unknown_one_says_nothing() {
    for (token, lithuanian, english) in [
        (
            "early",
            "pradės veikti, kai ateis jūsų eilė",
            "keep it and open it later",
        ),
        ("mailed", "pranešime el.", "We will email you"),
        ("done", "Jūs jau pasirašėte", "You have already signed"),
        ("declined", "Atsisakėte pasirašyti", "You declined to sign"),
        ("refused", "Kitas asmuo atsisakė", "Someone else declined"),
        ("cancelled", "Siuntėjas atšaukė", "The sender cancelled"),
        (
            "expired",
            "terminas baigėsi",
            "The time to sign has run out",
        ),
        ("failed", "techninės klaidos", "a technical fault"),
        ("simulated", "Bandymas baigtas", "The test is over"),
    ] {
        let link = format!("/c/{token}");
        for (path, told) in [
            (link.clone(), english),
            (format!("{link}/callback?lang=lt"), lithuanian),
            (format!("{link}?lang=lt"), lithuanian),
        ] {
            let (status, page) = page(&path).await;

            assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
            assert!(page.contains(told), "{path}: {page}");
            assert_eq!(page.matches("<h1>").count(), 1, "{path}: {page}");
            assert!(!page.contains("does not work"), "{path}: {page}");
        }
        let (_, problem) = text(answer(Request::get(&link), "").await).await;
        assert!(!problem.contains(english), "{problem}");
    }
    let (status, unknown) = page("/c/nobodys?lang=en").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(unknown.contains("This link does not work"), "{unknown}");
}

#[tokio::test]
async fn a_dead_link_is_a_page_to_those_who_accept_one() {
    for (accepted, is_page) in [
        ("TEXT/HTML", true),
        ("application/json, text/html;q=0.5", true),
        ("application/json, text/html;q=0", false),
        ("application/xhtml+text/html", false),
    ] {
        let request = Request::get("/c/nobodys").header("accept", accepted);
        let answer = answer(request, "").await;

        assert_eq!(answer.status(), StatusCode::NOT_FOUND);
        // A problem is written by the edge, which is not here.
        assert_eq!(
            answer.headers().contains_key("content-type"),
            is_page,
            "{accepted}"
        );
    }
}

#[tokio::test]
async fn a_browser_that_does_not_say_where_a_form_comes_from_is_told_on_a_page() {
    let post = || {
        Request::post("/c/english/decline?lang=en")
            .header("origin", "null")
            .header("content-type", "application/x-www-form-urlencoded")
    };
    let (status, page) = text(answer(post().header("accept", "text/html"), "").await).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    assert!(page.contains("did not confirm that you declined"), "{page}");

    let program = answer(post(), "").await;
    assert_eq!(program.status(), StatusCode::FORBIDDEN);
    assert!(program.headers().get("content-security-policy").is_none());
}

#[tokio::test]
async fn all_files_of_a_container_are_on_the_page_and_each_can_be_saved() {
    let (_, page) = page("/c/container").await;

    for shown in [
        "download=\"Sutartis.pdf\" data-pdf data-main>Sutartis.pdf</a> (main document)",
        "<a class=\"save\" href=\"/c/container/members/a\" download=\"Sutartis.pdf\" \
         aria-label=\"Download the file: Sutartis.pdf\">",
        "<a href=\"/c/container/members/b\" download=\"Kainos.xlsx\">Kainos.xlsx</a> (attachment)",
        "download=\"Planas.png\" data-picture>A/Planas.png</a> (attachment)",
        "Before you sign, select the name of such a file to download it, and read it",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
}

#[tokio::test]
async fn a_picture_keeps_its_type_and_what_is_no_picture_has_none() {
    for (id, media_type) in [("png", "image/png"), ("svg", "application/octet-stream")] {
        let member = format!("/c/container/members/{id}");
        let answer = answer(Request::get(&member), "").await;

        assert_eq!(answer.headers()["content-type"], media_type, "{id}");
    }
}

#[tokio::test]
async fn a_container_that_cannot_be_looked_into_is_told_as_such() {
    let (status, page) = page("/c/sealed").await;

    assert_eq!(status, StatusCode::OK);
    assert!(page.contains("The list of files could not be loaded"));
}

#[tokio::test]
async fn no_id_stands_on_a_page_twice_and_where_no_script_runs_one_can_decline() {
    for link in ["/c/lithuanian", "/c/english", "/c/container", "/c/signed"] {
        let (_, page) = page(link).await;
        let mut ids: Vec<_> = page
            .split(" id=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        ids.sort_unstable();
        let all = ids.len();
        ids.dedup();
        assert!(all > 10, "{page}");
        assert_eq!(ids.len(), all, "{link}");
        let is_hidden = page.contains("<details id=\"decline\" hidden>");
        assert_eq!(is_hidden, link == "/c/signed", "{link}");
    }
}

#[tokio::test]
async fn a_document_that_fills_the_window_is_closed_by_name() {
    for (link, large, close) in [
        ("/c/english", "Full window", "Close"),
        ("/c/lithuanian", "Per visą langą", "Užverti"),
    ] {
        let (_, page) = page(link).await;

        let button = format!("data-close=\"{close}\">{large}</button>");
        assert!(page.contains(&button), "{page}");
    }
}

#[tokio::test]
async fn pages_name_the_app_that_reads_cards_and_where_to_get_it() {
    let link = "<a href=\"https://apps.example/ios\" target=\"_blank\" \
                rel=\"noopener noreferrer\">iPhone</a>";
    for (path, parts) in [
        (
            "/c/english",
            [
                "Card, and a phone with NFC and the Skaitytuvas app",
                "Get the Skaitytuvas app:",
                "The code is valid until {time}.",
                "Open the Skaitytuvas app on this device",
            ],
        ),
        (
            "/c/lithuanian",
            [
                "Kortelė ir telefonas su NFC bei programėle „Skaitytuvas“",
                "Atsisiųsti programėlę „Skaitytuvas“:",
                "Kodas galioja iki {time}.",
                "Atverti programėlę „Skaitytuvas“ šiame įrenginyje",
            ],
        ),
        (
            "/c/pair?code=ABCD-EFGH&lang=en",
            [
                "Open the Skaitytuvas app",
                "Get the Skaitytuvas app:",
                "The signing page shows how long the code is valid.",
                "go back to the signing page",
            ],
        ),
        (
            "/c/pair?code=ABCD-EFGH&lang=lt",
            [
                "Atverkite programėlę „Skaitytuvas“",
                "Atsisiųsti programėlę „Skaitytuvas“:",
                "Iki kada kodas galioja, nurodyta pasirašymo puslapyje.",
                "grįžkite į pasirašymo puslapį",
            ],
        ),
    ] {
        let (_, page) = page(path).await;
        for part in parts.into_iter().chain([link]) {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("Android"), "{page}");
    }
}

#[tokio::test]
async fn pdfs_are_shown_and_other_files_saved_and_none_runs_anything_under_our_address() {
    for (path, handling) in [
        ("/c/english/document", "inline"),
        ("/c/english/members/a", "inline"),
        ("/c/container/members/png", "attachment"),
        ("/c/container/members/svg", "attachment"),
    ] {
        let answer = answer(Request::get(path), "").await;

        let headers = answer.headers();
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(
            headers["content-security-policy"],
            "sandbox; default-src 'none'; frame-ancestors 'none'",
            "{path}"
        );
        let named = headers["content-disposition"].to_str().expect("ASCII");
        let named_so = format!("{handling}; filename=\"");
        assert!(named.starts_with(&named_so), "{path}: {named}");
    }
}
