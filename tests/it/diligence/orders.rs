//! Orders of identification packages, from the dossier to their end.

use std::time::Duration;

use jiff::SignedDuration;
use reqwest::StatusCode;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::evidence::Evidence;
use super::{DiligenceCaller, ledger};
use crate::support::client::Ceremony;
use crate::support::demo::Demo;
use crate::support::outside::{Delivery, Hook, letters, members};
use crate::support::referee::text_of;

pub(super) const PACKAGES: &str = "/v1/kyc-packages";
/// Maximum number of polls for the end of a signed order, half a second apart.
const LOOKS: usize = 120;

impl DiligenceCaller<'_> {
    pub(crate) async fn orders(&self, order: &Value) -> Value {
        let ordered = self.post(PACKAGES, order.clone()).await;
        assert_eq!(ordered.status, StatusCode::ACCEPTED, "{}", ordered.json());
        ordered.json()
    }

    /// Waits for the end of an order and returns it.
    pub(crate) async fn ended(&self, ordered: &Value) -> Value {
        for _ in 0..LOOKS {
            let read = self.get(&path_of(ordered)).await.json();
            if read["status"] != "awaiting_subject" && read["status"] != "verifying" {
                return read;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        panic!("the order does not end");
    }
}

pub(crate) fn path_of(ordered: &Value) -> String {
    format!("{PACKAGES}/{}", ordered["orderId"].as_str().expect("an id"))
}

/// Returns the pages where an order's subject signs.
pub(crate) fn ceremony_of(ordered: &Value) -> Ceremony {
    let link = ordered["ceremonyUrl"].as_str().expect("a link");
    Ceremony::new(link.parse().expect("an address"))
}

fn order_of(entity: &str, role: &str, purpose: &str) -> Value {
    json!({"entityCode": entity, "subjectRole": role, "purpose": purpose})
}

#[tokio::test]
async fn a_dossier_says_in_both_languages_what_is_confirmed_and_what_is_registered() {
    let demo = Demo::start();
    let (live, test) = (DiligenceCaller::live(&demo), DiligenceCaller::test(&demo));
    for (entity, [role, role_lt, role_en], [purpose, purpose_lt, purpose_en]) in [
        (
            "999000009",
            ["manager", "vadovas (vadovė)", "manager"],
            [
                "AML_KYC",
                "pinigų plovimo ir teroristų finansavimo prevencija",
                "prevention of money laundering and terrorist financing",
            ],
        ),
        (
            "999000017",
            [
                "supervisory_board_member",
                "stebėtojų tarybos narys (narė)",
                "member of the supervisory board",
            ],
            ["LEGAL_CLAIM", "teisinis reikalavimas", "a legal claim"],
        ),
        (
            "999000063",
            ["liquidator", "likvidatorius (likvidatorė)", "liquidator"],
            ["OTHER", "kitas teisėtas tikslas", "another lawful purpose"],
        ),
    ] {
        let ordered = live.orders(&order_of(entity, role, purpose)).await;
        let Some(text) = text_of(&ceremony_of(&ordered).document().await) else {
            return;
        };
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let profile = test.get(&format!("/v1/entities/{entity}")).await.json();
        let profile = &profile["data"];
        let fact = |label: &str, pointer: &str| {
            let fact = profile.pointer(pointer).and_then(Value::as_str);
            format!("{label} {}", fact.expect("a fact"))
        };
        let (lithuanian, english) = text.split_once(" Statement ").expect("two languages");
        for part in [
            "patvirtinu, kad esu asmuo, nurodytas parašo sertifikate, ir kad",
            &format!("juridiniame asmenyje esu: {role_lt}."),
            &format!("Pareigos ar statusas {role_lt}"),
            &format!("Tikslas {purpose_lt}"),
            &fact("Pavadinimas", "/name"),
            &fact("Kodas", "/code"),
            &fact("Teisinė forma", "/legalForm/label/lt"),
            &fact("Teisinis statusas", "/legalStatus/label/lt"),
            &fact("Buveinė", "/registeredOffice/full"),
            "Prašytojas Demo UAB",
            "Juridinių asmenų registras VĮ Registrų centras, 124110246",
            "Pasirašyti neprivaloma",
            "Asmens duomenys (BDAR 13 straipsnis)",
            "Duomenų valdytojai: Demo UAB",
        ] {
            assert!(lithuanian.contains(part), "{part}: {lithuanian}");
        }
        for part in [
            "I confirm that I am the person named in the certificate of the signature, and that",
            &format!("in the legal entity named below I am: {role_en}."),
            &format!("Role {role_en}"),
            &format!("Purpose {purpose_en}"),
            &fact("Name", "/name"),
            &fact("Code", "/code"),
            &fact("Legal form", "/legalForm/label/en"),
            &fact("Legal status", "/legalStatus/label/en"),
            &fact("Registered office", "/registeredOffice/full"),
            "Requested by Demo UAB",
            "Juridinių asmenų registras VĮ Registrų centras, 124110246",
            "You do not have to sign",
            "Personal data (Article 13 GDPR)",
            "Controllers: Demo UAB",
        ] {
            assert!(english.contains(part), "{part}: {english}");
        }
        // The page names no holder of the role to its visitors.
        for persona in &demo.world.world.personas {
            for secret in [&persona.name, &persona.personal_code] {
                assert!(!text.contains(secret), "{secret}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn a_subject_reads_where_they_sign_what_becomes_of_their_data_and_is_offered_lithuania_alone()
{
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let mut order = order_of("999000009", "manager", "AML_KYC");
    order["delivery"] = json!("email");
    order["subjectEmail"] = json!("ona@example.lt");
    let ordered = live.orders(&order).await;
    let link = ordered["ceremonyUrl"].as_str().expect("a link");
    let page = async |language: &str| {
        let address = format!("{link}?lang={language}");
        let page = reqwest::get(address).await.expect("an answer");
        page.text().await.expect("a page")
    };
    let letters = letters(&demo, 1).await;
    let letter = letters[0]["text"].as_str().expect("a text");

    for (language, parts) in [
        (
            "lt",
            [
                "Duomenų valdytojai: Demo UAB",
                "TESTAS ADVOKATAS",
                "Dėl duomenų kreipkitės: parafa@example.com",
                "Tikslas: ",
                "BDAR 6 straipsnio 1 dalies c punktas",
                "Gavėjai: ",
                "Saugojimo laikas: ",
                "Jūsų teisės: ",
                "Valstybinei duomenų apsaugos inspekcijai",
                "Pasirašyti neprivaloma",
            ],
        ),
        (
            "en",
            [
                "Controllers: Demo UAB",
                "TESTAS ADVOKATAS, attorney-at-law",
                "Contact about your data: parafa@example.com",
                "Purpose: ",
                "GDPR, Article 6(1)(c)",
                "Recipients: ",
                "Retention: ",
                "Your rights: ",
                "State Data Protection Inspectorate",
                "You do not have to sign",
            ],
        ),
    ] {
        let page = page(language).await;
        for part in parts {
            assert!(page.contains(part), "{part}: {page}");
            assert!(letter.contains(part), "{part}: {letter}");
        }
        assert!(!page.contains("value=\"EE\"") && !page.contains("value=\"LV\""));
    }
    let (_, state) = ceremony_of(&ordered).get("state").await;
    let state: Value = serde_json::from_slice(&state).expect("JSON");
    assert_eq!(state["signer"]["countries"], json!(["LT"]));
}

#[tokio::test]
async fn a_package_is_delivered_once_a_holder_of_the_role_has_signed() {
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let hook = Hook::new(&demo, "orders");
    let mut order = order_of("999000009", "manager", "AML_KYC");
    order["callbackUrl"] = json!(hook.address);
    let ordered = live.orders(&order).await;
    let artifact = format!("{}/artifact", path_of(&ordered));
    let early = live.get(&artifact).await;
    early.assert_refused(409, "artifact-not-ready");
    let manager = demo.persona("smart-id-1");

    ceremony_of(&ordered).begin(manager).await;
    let delivered = live.ended(&ordered).await;

    assert_eq!(delivered["status"], "delivered", "{delivered}");
    assert_eq!(delivered["price"]["amount"], "24.99");
    let deliveries = hook.deliveries(1).await;
    assert_eq!(deliveries.len(), 1);
    deliveries[0].assert_signed_with(&demo.world.diligence.webhook_secret);
    assert_eq!(deliveries[0].header("x-service-event"), "kyc.delivered");
    let artifact = live.get(&artifact).await;
    assert_eq!(artifact.media_type, "application/vnd.etsi.asic-e+zip");
    let mut event = deliveries[0].event();
    let occurred = event
        .as_object_mut()
        .and_then(|event| event.remove("occurredAt"));
    assert!(occurred.is_some_and(|at| at.is_string()));
    let told = json!({
        "event": "kyc.delivered",
        "orderId": ordered["orderId"],
        "status": "delivered",
        "statusReason": null,
        "entityCode": "999000009",
        "artifact": {
            "sha256": hex::encode(Sha256::digest(&artifact.body)),
            "bytes": artifact.body.len(),
            "mimeType": artifact.media_type,
        },
    });
    assert_eq!(event, told);
    let again = live.orders(&order).await;
    ceremony_of(&again).begin(manager).await;
    let again = live.ended(&again).await;
    assert_eq!(again["price"]["amount"], "14.99", "{again}");
    let charged = [("24.99"), ("14.99")]
        .map(|amount| ("identification_package".to_owned(), amount.to_owned()));
    assert_eq!(ledger(&demo), charged);
    // Last, because external validation takes longer than an idle connection
    // stays open.
    Evidence::of(&artifact.body).assert_holds(&demo, manager);
}

#[tokio::test]
async fn an_order_that_ends_without_a_package_costs_nothing_and_finds_nothing() {
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let hook = Hook::new(&demo, "endings");
    let mut order = order_of("999000009", "manager", "AML_KYC");
    order["callbackUrl"] = json!(hook.address);
    let somebody_else = live.orders(&order).await;
    ceremony_of(&somebody_else)
        .begin(demo.persona("smart-id-2"))
        .await;
    live.ended(&somebody_else).await;
    let foreign = live.orders(&order).await;
    let foreigner = demo.persona("smart-id-foreign");
    let manager = demo.persona("smart-id-1");
    assert_eq!(foreigner.personal_code, manager.personal_code);
    ceremony_of(&foreign).begin(foreigner).await;
    live.ended(&foreign).await;
    let declined = live.orders(&order).await;
    ceremony_of(&declined).decline("Ne aš").await;
    let abandoned = live.orders(&order).await;
    ceremony_of(&abandoned)
        .begin(demo.persona("smart-id-refuses"))
        .await;
    let attempt = ceremony_of(&abandoned).ended_attempt().await;
    assert_eq!(attempt.phase, "failed");
    let open = live.get(&path_of(&abandoned)).await.json();
    assert_eq!(open["status"], "awaiting_subject", "one may try again");
    hook.deliveries(3).await;
    let fortnight = SignedDuration::from_hours(14 * 24);
    demo.move_clock(&format!("+{}s", fortnight.as_secs()));
    let events = hook.deliveries(4).await;
    assert_eq!(events.len(), 4);

    for (ordered, status, reason) in [
        (&somebody_else, "identity_mismatch", Value::Null),
        (&foreign, "refused", json!("out_of_scope_identifier")),
        (&declined, "refused", json!("subject_declined")),
        (&abandoned, "expired", Value::Null),
    ] {
        let ended = live.get(&path_of(ordered)).await.json();
        assert_eq!(ended["status"], status, "{ended}");
        assert_eq!(ended["statusReason"], reason, "{ended}");
        for name in ["artifact", "price", "deliveredAt", "reverification"] {
            assert!(ended[name].is_null(), "{name}: {ended}");
        }
        let artifact = live.get(&format!("{}/artifact", path_of(ordered))).await;
        artifact.assert_refused(404, "not-found");
        let mut told = events.iter().map(Delivery::event);
        let told = told.find(|event| event["orderId"] == ordered["orderId"]);
        let told = told.expect("an event of each");
        assert_eq!(told["event"], format!("kyc.{status}"));
        assert_eq!(told["statusReason"], reason, "{told}");
        let about_the_order = [
            "event",
            "orderId",
            "status",
            "statusReason",
            "entityCode",
            "occurredAt",
        ];
        assert_eq!(members(&told), about_the_order);
    }
    assert_eq!(ledger(&demo), []);
}

#[tokio::test]
async fn an_erased_order_answers_without_its_container() {
    let demo = Demo::start();
    let test = DiligenceCaller::test(&demo);
    let order = order_of("999000009", "manager", "AML_KYC");
    let ordered = test.orders(&order).await;
    let path = path_of(&ordered);
    let action = json!({"action": "complete"});
    test.post(&format!("{path}/simulate"), action.clone()).await;
    let delivered = test.ended(&ordered).await;
    assert!(delivered["erasedAt"].is_null(), "{delivered}");
    let artifact = format!("{path}/artifact");
    assert_eq!(test.get(&artifact).await.status, StatusCode::OK);

    for changed in [true, false] {
        let erased = test.delete(&path).await;
        assert_eq!(erased.status, StatusCode::OK, "{}", erased.json());
        let told = json!({"orderId": ordered["orderId"], "deleted": true, "changed": changed});
        assert_eq!(erased.json(), told);
    }

    let mut expected = delivered;
    let left = test.get(&path).await.json();
    assert!(left["erasedAt"].is_string(), "{left}");
    expected["erasedAt"] = left["erasedAt"].clone();
    expected["artifact"] = Value::Null;
    assert_eq!(left, expected);
    let gone = test.get(&artifact).await;
    gone.assert_refused(404, "not-found");
    let simulated = test.post(&format!("{path}/simulate"), action).await;
    simulated.assert_refused(404, "not-found");
}
