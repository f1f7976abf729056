//! The app that reads identity cards, on the page.

use maud::{Markup, html};

use crate::card_app::CardApp;
use crate::messages::Messages;

/// A sentence with the app's name in it.
pub(super) fn named(sentence: &str, app: &CardApp) -> String {
    sentence.replace("{app}", &app.name)
}

/// Links to the app, if configured. The signing page stays open.
pub(super) fn where_to_get(texts: &Messages, app: &CardApp) -> Markup {
    let links = [("iPhone", &app.url_ios), ("Android", &app.url_android)];
    let links = links
        .into_iter()
        .filter_map(|(system, url)| Some((system, url.as_ref()?)));
    let links: Vec<_> = links.collect();
    html! {
        @if !links.is_empty() {
            p.hint {
                (named(texts.get_card_app, app))
                @for (system, url) in links {
                    " " a href=(url) target="_blank" rel="noopener noreferrer" { (system) }
                }
            }
        }
    }
}

/// Instructions for the signer, and the button that shows the code for the app.
pub(super) fn offered(texts: &Messages, app: &CardApp) -> Markup {
    html! {
        div.of-method data-methods="nfc" {
            p { (named(texts.card_explained, app)) }
            (where_to_get(texts, app))
            button.button #card type="button" { (texts.show_card_code) }
        }
    }
}

/// The code for the app, while it is waited for.
pub(super) fn pairing_box(texts: &Messages, app: &CardApp) -> Markup {
    html! {
        p.with-touch { a.button #pairing-link { (named(texts.open_card_app, app)) } }
        p.with-touch { (named(texts.pair_card, app)) }
        p.with-mouse { (named(texts.pair_with_phone, app)) }
        img.qr #pairing-qr alt=(texts.code_to_scan) width="246" height="246";
        p.code-label { (texts.pairing_code) }
        p.code #pairing-code {}
        p.hint #pairing-until data-until=(texts.pairing_code_until) {}
        (where_to_get(texts, app))
    }
}
