//! States of the pages, on screens of all sizes, in both languages.

use fantoccini::Locator;
use parafa_fixtures::plain;
use reqwest::header::{CACHE_CONTROL, ORIGIN};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode};
use serde_json::json;

use crate::support::browser::{Browser, Screen};
use crate::support::demo::Demo;

/// Maximum size of a page's resources, in bytes, except for the document and
/// its renderer.
pub(super) const MOST_BYTES: f64 = 100_000.0;
/// Script: bytes loaded over the network.
pub(super) const LOADED: &str = "
    const is_counted = (entry) => !/\\/assets\\/pdfjs-|\\/document$|\\/state/.test(entry.name);
    return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .filter(is_counted).reduce((total, entry) => total + entry.transferSize, 0);
";

/// Pages besides the signer's that the documentation shows.
const PICTURED: [&str; 7] = [
    "dead-link",
    "docs",
    "front",
    "guide",
    "pair",
    "problem",
    "reference",
];

/// Maximum layout shift while a page loads: the moved share of the window,
/// times the distance (Layout Instability, 2.2).
const MOST_SHIFT: f64 = 0.02;
const SHIFTS: &str = "
    const tell = arguments[arguments.length - 1];
    let total = 0;
    const add = (list) => total = list.getEntries().reduce((sum, shift) => sum + shift.value, 0);
    new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true });
    // Both are called in one task, in their order.
    new PerformanceObserver(() => tell(total)).observe({ type: 'navigation', buffered: true });
";

async fn open(browser: &Browser, demo: &Demo, language: &str) {
    let signers = json!([{"email": "ona@example.lt", "language": language}]);
    let signing = demo.signing().create(&plain(2), signers).await;
    let link = signing.signers[0].link();
    browser.goto(link.as_str()).await.expect("the page");
    browser.shown(".sheet[data-drawn]").await;
    browser.shown("#choose").await;
}

/// Returns the id of the focused element.
async fn focused(browser: &Browser) -> String {
    let id = browser.active_element().await.expect("an element");
    let id = id.attr("id").await.expect("its attributes");
    id.unwrap_or_default()
}

/// States of one browser, visited one after the other.
struct Walk<'a> {
    browser: &'a Browser,
    screen: Screen,
    language: &'a str,
}

impl Walk<'_> {
    async fn look(&self, state: &str) {
        self.browser.assert_accessible(state).await;
        let screen = self.screen.name;
        if screen == "phone" || (state == "choose" && screen != "zoomed") {
            let name = format!("ceremony-{state}-{screen}-{}", self.language);
            self.browser.illustrate(&name).await;
        }
    }
}

async fn walk(screen: Screen, language: &str) {
    let Some(browser) = Browser::on(screen).await else {
        return;
    };
    let demo = Demo::start();
    let walk = Walk {
        browser: &browser,
        screen,
        language,
    };

    open(&browser, &demo, language).await;
    walk.look("choose").await;
    browser.click("#scan").await;
    browser.shown("#qr").await;
    walk.look("scan").await;
    browser.click("#give-up").await;
    browser.shown("#failed").await;
    walk.look("failed").await;
    browser.click("#again").await;
    assert_eq!(focused(&browser).await, "personal-code");
    browser.click("label[for=method-nfc]").await;
    browser.click("#card").await;
    browser.shown("#pairing-qr").await;
    walk.look("card").await;
    browser.click("#give-up").await;
    browser.shown("#failed").await;
    browser.click("#again").await;
    assert_eq!(focused(&browser).await, "card");

    open(&browser, &demo, language).await;
    let kept = browser.find(Locator::Css("#method-nfc:checked")).await;
    kept.expect("the method of last time is chosen");
    browser.click("label[for=method-mobile_id]").await;
    browser.click("#sign").await;
    browser.shown("#personal-code-fault").await;
    walk.look("faults").await;
    browser.click("label[for=method-smart_id]").await;
    let persona = demo.smart_id_personas("signs")[0];
    browser.start_signing(&persona.personal_code).await;
    browser.shown("#verification-code").await;
    walk.look("code").await;
    browser.shown("#done").await;
    walk.look("done").await;

    open(&browser, &demo, language).await;
    browser.click("#decline summary").await;
    walk.look("decline").await;
    browser.click("#decline-form button").await;
    browser.shown("#declined").await;
    let way = browser.find(Locator::Id("to-steps")).await.expect("a link");
    let is_shown = way.is_displayed().await.expect("a look");
    assert!(!is_shown, "nothing is left to sign");
    walk.look("declined").await;
    browser.close().await;
}

#[tokio::test]
async fn everybody_can_use_the_page_on_a_phone() {
    walk(Screen::PHONE, "lt").await;
}

#[tokio::test]
async fn everybody_can_use_the_page_on_a_desktop() {
    walk(Screen::DESKTOP, "en").await;
}

#[tokio::test]
async fn everybody_can_use_the_page_where_it_is_narrow_and_dark() {
    walk(Screen::NARROW, "en").await;
}

#[tokio::test]
async fn everybody_can_use_the_page_at_twice_the_size_in_the_dark() {
    walk(Screen::ZOOMED, "lt").await;
}

#[tokio::test]
async fn everybody_can_read_the_other_pages() {
    for screen in [Screen::NARROW, Screen::DESKTOP] {
        let Some(browser) = Browser::on(screen).await else {
            return;
        };
        let demo = Demo::start();
        let dead = format!("c/{}", "A".repeat(43));
        for (name, path, shows) in [
            ("front", "", "main a[href='/docs/guide']"),
            ("docs", "docs", "a[href='/auth/docs/reference']"),
            ("guide", "docs/guide", "pre code"),
            ("guide-auth", "auth/docs/guide", "pre code"),
            ("guide-dd", "dd/docs/guide", "pre code"),
            ("webhooks", "docs/webhooks", "pre code"),
            ("agents", "docs/mcp", "pre code"),
            ("problems", "problems", "td a"),
            ("problem", "problems/not-found", "h1"),
            ("dead-link", dead.as_str(), "h1"),
            ("pair", "c/pair?code=ABCD-EFGH", ".pairing"),
            ("reference", "docs/reference", "[role='search']"),
            ("reference-auth", "auth/docs/reference", "[role='search']"),
            ("reference-dd", "dd/docs/reference", "[role='search']"),
            (
                "reference-search",
                "docs/reference?q=deadline",
                "[role='status']",
            ),
            ("reference-call", "docs/reference/createSigning", "pre code"),
            (
                "reference-event",
                "docs/reference/schemas/SigningEvent",
                "dl",
            ),
            (
                "reference-report",
                "dd/docs/reference/readReport",
                "pre code",
            ),
            ("reference-types", "dd/docs/reference/schemas", "h1"),
            (
                "reference-union",
                "dd/docs/reference/schemas/Statement",
                "h1",
            ),
        ] {
            let page = demo.world.base_url.join(path).expect("an address");
            browser.goto(page.as_str()).await.expect("the page");
            browser.shown(shows).await;
            browser.assert_accessible(name).await;
            if name == "dead-link" {
                browser.assert_complains_of("404 (Not Found)").await;
            }
            if screen.name == "desktop" && PICTURED.contains(&name) {
                browser.illustrate(name).await;
            }
        }
        browser.close().await;
    }
}

#[tokio::test]
async fn the_page_is_small_beside_the_document_and_what_draws_it() {
    let Some(browser) = Browser::start().await else {
        return;
    };
    let demo = Demo::start();

    open(&browser, &demo, "lt").await;
    let loaded = browser.execute(LOADED, Vec::new()).await.expect("a sum");

    let loaded = loaded.as_f64().expect("a number");
    assert!((1000.0..MOST_BYTES).contains(&loaded), "{loaded}");
    browser.close().await;
}

#[tokio::test]
async fn nothing_moves_while_the_page_is_read_as_it_loads() {
    for screen in [Screen::PHONE, Screen::DESKTOP] {
        let Some(browser) = Browser::on(screen).await else {
            return;
        };
        let demo = Demo::start();

        open(&browser, &demo, "lt").await;
        let moved = browser.execute_async(SHIFTS, Vec::new()).await;

        let moved = moved.expect("a sum").as_f64().expect("a number");
        assert!(moved < MOST_SHIFT, "{}: {moved}", screen.name);
        browser.close().await;
    }
}

#[tokio::test]
async fn browsers_keep_what_pages_load_and_ask_whether_public_pages_are_the_same() {
    let demo = Demo::start();
    let public = reqwest::get(demo.world.base_url.clone()).await.unwrap();
    assert_eq!(public.headers()[CACHE_CONTROL], "public, no-cache");
    let page = demo.world.base_url.join("c/pair?code=ABCD-EFGH").unwrap();
    let page = reqwest::get(page).await.unwrap();
    assert_eq!(page.headers()[CACHE_CONTROL], "no-store");
    let page = page.text().await.unwrap();

    let assets: Vec<_> = page
        .split('"')
        .filter(|text| text.starts_with("/assets/"))
        .collect();

    assert!(!assets.is_empty(), "{page}");
    for asset in assets {
        let asset = demo.world.base_url.join(asset).unwrap();
        let answer = reqwest::get(asset).await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        let kept = answer.headers()[CACHE_CONTROL].to_str().unwrap();
        assert!(kept.contains("immutable"), "{kept}");
    }
}

#[tokio::test]
async fn a_form_declines_where_no_script_runs_and_only_from_the_page_itself() {
    let demo = Demo::start();
    let api = demo.signing();
    let signing = api.create_plain().await;
    let link = signing.signers[0].link();
    let page = reqwest::get(link.clone()).await.unwrap().text().await;
    let action = format!("method=\"post\" action=\"{}/decline?lang=lt\"", link.path());
    assert!(page.unwrap().contains(&action));
    let client = Client::builder().redirect(Policy::none()).build().unwrap();
    let post = async |site: &str| {
        let form = client
            .post(format!("{link}/decline"))
            .header(ORIGIN, "null")
            .header("sec-fetch-site", site)
            .header("content-type", "application/x-www-form-urlencoded")
            .body("reason=Ne+ta+kaina%0D%0Ane+tas+kiekis");
        form.send().await.unwrap()
    };

    assert_eq!(post("cross-site").await.status(), StatusCode::FORBIDDEN);
    let declined = post("same-origin").await;

    assert_eq!(declined.status(), StatusCode::OK);
    let page = declined.text().await.expect("a page");
    assert!(page.contains("Atsisakėte pasirašyti"), "{page}");
    let signer = &api.signing(signing.signing_id).await.signers[0];
    let reason = signer.decline_reason.as_deref();
    assert_eq!(reason, Some("Ne ta kaina\nne tas kiekis"));
}
