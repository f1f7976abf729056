//! Choice of a method, and the input of each.

use maud::{Markup, html};

use super::card_app::named;
use crate::card_app::CardApp;
use crate::messages::Messages;
use crate::vocabulary::{Country, SigningMethod};

/// All methods, the most common ones first.
const USUAL_ORDER: [SigningMethod; 3] = [
    SigningMethod::SmartId,
    SigningMethod::MobileId,
    SigningMethod::Nfc,
];

/// These methods, in the order of every page.
pub(super) fn in_usual_order(methods: &[SigningMethod]) -> impl Iterator<Item = SigningMethod> {
    let order = USUAL_ORDER.into_iter();
    order.filter(move |method| methods.contains(method))
}

/// Returns true if the signer is identified before the request.
pub(super) fn is_by_code(method: &SigningMethod) -> bool {
    matches!(method, SigningMethod::SmartId | SigningMethod::MobileId)
}

/// The choice of one method.
pub(super) fn tile(
    texts: &Messages,
    method: SigningMethod,
    is_chosen: bool,
    card_app: Option<&CardApp>,
) -> Markup {
    let (name, explained) = match method {
        SigningMethod::SmartId => (texts.smart_id, texts.smart_id_explained.to_owned()),
        SigningMethod::MobileId => (texts.mobile_id, texts.mobile_id_explained.to_owned()),
        SigningMethod::Nfc => {
            let explained = card_app.map(|app| named(texts.card_tile_explained, app));
            (texts.card, explained.unwrap_or_default())
        }
    };
    let id = format!("method-{}", method.as_str());
    html! {
        div.tile {
            input #(id) type="radio" name="method" value=(method.as_str()) checked[is_chosen];
            label for=(id) { (name) span { (explained) } }
        }
    }
}

/// Fields for the person, and the button.
pub(super) fn person_fields(
    texts: &Messages,
    methods: &[SigningMethod],
    countries: &[Country],
) -> Markup {
    html! {
        div.of-method data-methods="smart_id mobile_id" {
            @if let [country] = countries {
                input #country type="hidden" name="country" value=(country.as_str());
            } @else {
                label for="country" { (texts.country) }
                select #country name="country" autocomplete="country" {
                    @for (index, country) in countries.iter().enumerate() {
                        option value=(country.as_str()) selected[index == 0] { (name(texts, *country)) }
                    }
                }
            }
            @if methods.contains(&SigningMethod::MobileId) {
                div.of-method data-methods="mobile_id" {
                    label for="phone-number" { (texts.phone_number) }
                    input #phone-number name="phoneNumber" type="tel" autocomplete="tel" required
                        aria-describedby="phone-number-hint phone-number-fault";
                    p.hint #phone-number-hint { (texts.phone_number_hint) }
                    p.fault #phone-number-fault hidden role="alert" { (texts.phone_number_fault) }
                }
            }
            label for="personal-code" { (texts.personal_code) }
            input #personal-code name="personalCode" inputmode="numeric" autocomplete="off" required
                aria-describedby="personal-code-hint personal-code-fault personal-code-doubt";
            p.hint #personal-code-hint { (texts.personal_code_hint) }
            p.fault #personal-code-fault hidden role="alert" { (texts.personal_code_fault) }
            p.fault #personal-code-doubt hidden role="alert" { (texts.personal_code_doubt) }
            button.button #sign type="submit" { (texts.sign) }
        }
    }
}

fn name(texts: &Messages, country: Country) -> &'static str {
    match country {
        Country::Lithuania => texts.lithuania,
        Country::Latvia => texts.latvia,
        Country::Estonia => texts.estonia,
    }
}
