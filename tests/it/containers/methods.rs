//! Containers signed by every method, and every outcome of each.

use std::collections::HashSet;
use std::fs;

use parafa_fixtures::referees::{AsicE, Dss};
use reqwest::Method;
use serde_json::{Value, json};

use super::composition;
use crate::cards::{HOSTILE, UNFIT, assert_ended, refusal};
use crate::support::client::{Attempt, Ceremony, Signing, SigningClient};
use crate::support::demo::{Demo, Persona};

const FORMATS: [&str; 2] = ["asice", "adoc"];

async fn composed(api: &SigningClient, format: &str, signers: Value) -> Signing {
    let files = [1, 2].map(parafa_fixtures::plain);
    let named = [
        ("Sutartis Nr. 1.pdf", files[0].as_slice()),
        ("Priedas ąč.pdf", &files[1]),
    ];
    let mut body = composition(&named, &signers);
    body["container"]["format"] = json!(format);
    let created = api.call(Method::POST, "v1/signings", Some(body)).await;
    serde_json::from_value(created.expect("the signing is created")).expect("a signing")
}

/// Runs an attempt by phone and returns its end.
async fn attempt(ceremony: &Ceremony, method: &str, persona: &Persona) -> Attempt {
    let started = match method {
        "mobile_id" => ceremony.sign_with_mobile_id(persona).await,
        _ => ceremony.sign_with_smart_id(persona).await,
    };
    started.expect("the attempt starts");
    ceremony.ended_attempt().await
}

#[tokio::test]
async fn one_container_is_signed_by_phone_by_card_and_by_a_scanned_code_and_every_referee_agrees() {
    let demo = Demo::start();
    let roots = &demo.world.world.roots;
    let (Some(judge), Some(dss)) = (AsicE::find(roots), Dss::find(roots)) else {
        return;
    };
    let api = demo.signing();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let by_phone = [
        ("smart_id", demo.smart_id_personas("signs")[0]),
        ("mobile_id", demo.persona("mobile-id-1")),
    ];
    let [ona, ruta] = by_phone.map(|(_, persona)| &persona.personal_code);
    let signers = json!([
        {"email": "ona@example.lt", "personalCode": ona},
        {"email": "ruta@example.lt", "personalCode": ruta},
        {"email": "jonas@example.lt"},
        {"email": "algis@example.lt"},
        {"email": "rasa@example.lt"},
    ]);
    let mut written = Vec::new();
    for format in FORMATS {
        let signing = composed(&api, format, signers.clone()).await;
        let ceremony = |signer: usize| Demo::ceremony(signing.signers[signer].link());
        for (signer, (method, persona)) in by_phone.into_iter().enumerate() {
            let (other, stranger) = by_phone[1 - signer];
            let refused = attempt(&ceremony(signer), other, stranger).await;
            let error = refused.error.expect("a failed attempt says why");
            assert_eq!(error.code, "identity_mismatch", "{format}, {other}");
            let attempt = attempt(&ceremony(signer), method, persona).await;
            assert_eq!(attempt.phase, "done", "{format}: {:?}", attempt.error);
        }
        for (signer, card) in [(2, "card-p384"), (3, "card-rsa")] {
            let link = signing.signers[signer].link();
            assert_eq!(refusal(&demo, link, &["--as", card]), None, "{format}");
        }
        let by_link = ceremony(4);
        let code = by_link.open_device_link().await.qr;
        assert!(demo.follow(&code, "QR", demo.persona_who_scans()).await);
        let attempt = by_link.ended_attempt().await;
        assert_eq!(attempt.phase, "done", "{format}: {:?}", attempt.error);
        let ended = api.signing(signing.signing_id).await;
        assert_eq!(ended.status, "completed", "{format}");
        let methods = ended.signers.iter().map(|signer| &signer.actual_method);
        let methods: Vec<_> = methods.flatten().collect();
        assert_eq!(
            methods,
            ["smart_id", "mobile_id", "nfc", "nfc", "smart_id"],
            "{format}"
        );
        let (container, _) = api.document(signing.signing_id).await;
        let file = folder.path().join(format!("signed.{format}"));
        fs::write(&file, &container).expect("a file");
        written.push(file);
    }

    for (verdict, format) in judge.verdicts(&written).iter().zip(FORMATS) {
        assert!(verdict.ok, "{format}: {verdict:#?}");
        assert_eq!(verdict.signatures.len(), 5, "{format}");
    }
    let verdict = dss.verdict(&written[0], &["--level", "T", "--online-loopback"]);
    assert!(verdict.ok, "DSS: {verdict:#?}");
    assert_eq!(verdict.signatures.len(), 5);
}

#[tokio::test]
async fn whoever_signs_an_adoc_is_named_by_given_name_and_surname_whatever_the_method() {
    let demo = Demo::start();
    let api = demo.signing();
    let people = [
        ("smart_id", demo.smart_id_personas("signs")[0]),
        ("mobile_id", demo.persona("mobile-id-1")),
        ("nfc", demo.persona("card-p384")),
    ];
    let signers = ["ona", "ruta", "jonas"].map(|name| json!({"email": format!("{name}@a.lt")}));
    let signing = composed(&api, "adoc", json!(signers)).await;

    for (signer, (method, persona)) in signing.signers.iter().zip(people) {
        if method == "nfc" {
            assert_eq!(refusal(&demo, signer.link(), &["--as", &persona.id]), None);
        } else {
            let attempt = attempt(&Demo::ceremony(signer.link()), method, persona).await;
            assert_eq!(attempt.phase, "done", "{method}: {:?}", attempt.error);
        }
    }

    let (container, _) = api.document(signing.signing_id).await;
    let container = String::from_utf8_lossy(&container);
    for (method, persona) in people {
        let name = persona.name.to_uppercase();
        let named = format!("<sig:individualName>{name}</sig:individualName>");
        assert!(container.contains(&named), "{method}: {name}");
    }
}

#[tokio::test]
async fn a_card_signs_as_many_files_with_as_long_names_as_can_be_composed() {
    let demo = Demo::start();
    // `AsicE` extracts members under their names, and no file system accepts
    // names of 400 bytes.
    let Some(dss) = Dss::find(&demo.world.world.roots) else {
        return;
    };
    let api = demo.signing();
    let file = parafa_fixtures::plain(1);
    let names: Vec<String> = (10..30)
        .map(|number| format!("{}{number}.pdf", "ė".repeat(200)))
        .collect();
    let named: Vec<_> = names.iter().map(|name| (&**name, &*file)).collect();
    let body = composition(&named, &json!([{"email": "ona@example.lt"}]));
    let created = api.call(Method::POST, "v1/signings", Some(body)).await;
    let signing: Signing =
        serde_json::from_value(created.expect("the signing is created")).expect("a signing");

    let link = signing.signers[0].link();
    assert_eq!(refusal(&demo, link, &["--as", "card-p384"]), None);

    let (container, _) = api.document(signing.signing_id).await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let signed = folder.path().join("signed.asice");
    fs::write(&signed, &container).expect("a file");
    let verdict = dss.verdict(&signed, &["--level", "T", "--online-loopback"]);
    assert!(verdict.ok, "{verdict:#?}");
}

#[tokio::test]
async fn whatever_a_phone_answers_a_container_stays_to_be_signed() {
    let demo = Demo::start();
    let api = demo.signing();
    for format in FORMATS {
        for method in ["smart_id", "mobile_id"] {
            let one = json!([{"email": "ona@example.lt"}]);
            let signing = composed(&api, format, one).await;
            let ceremony = Demo::ceremony(signing.signers[0].link());
            let mut outcomes = HashSet::new();
            for persona in demo.personas(method) {
                let code = match persona.outcome.as_str() {
                    "signs" | "foreign" => continue,
                    "revoked" => "certificate_revoked",
                    "expired" => "certificate_expired",
                    "untrusted" => "certificate_untrusted",
                    outcome => outcome,
                };
                if !outcomes.insert(code) {
                    continue;
                }
                let failed = attempt(&ceremony, method, persona).await;
                let error = failed.error.expect("a failed attempt says why");
                assert_eq!(error.code, code, "{format}, {}", persona.id);
            }
            assert!(outcomes.len() > 4, "{outcomes:?}");
            let unsigned = api.signing(signing.signing_id).await;
            assert_eq!(unsigned.status, "pending");
            assert!(unsigned.document.is_none());
            // Without a restriction, a foreigner can sign.
            let mut personas = demo.personas(method).into_iter();
            let foreigner = personas.find(|persona| persona.outcome == "foreign");
            let done = attempt(&ceremony, method, foreigner.expect("a persona")).await;
            assert_eq!(done.phase, "done", "{format}: {:?}", done.error);
        }
    }
}

#[tokio::test]
async fn whatever_a_card_or_its_app_does_wrong_a_container_stays_to_be_signed() {
    let demo = Demo::start();
    let api = demo.signing();
    for format in FORMATS {
        let owner = &demo.persona("card-p384").personal_code;
        let locked = json!([{"email": "ona@example.lt", "personalCode": owner}]);
        let signing = composed(&api, format, locked).await;
        let link = signing.signers[0].link();
        let ceremony = Demo::ceremony(link);
        let strangers = [("card-p256", "identity_mismatch")];
        let cards = UNFIT.into_iter().chain(strangers);
        let cards = cards.map(|(card, code)| (vec!["--as", card], code));
        let hostile = HOSTILE.into_iter();
        let hostile =
            hostile.map(|(how, code)| (vec!["--as", "card-p384", "--hostile", how], code));
        for (words, code) in cards.chain(hostile) {
            let told = refusal(&demo, link, &words).expect("a refusal");
            assert!(told.contains("422"), "{format}, {words:?}: {told}");
            assert_ended(&ceremony, code).await;
        }
        let unsigned = api.signing(signing.signing_id).await;
        assert_eq!(unsigned.status, "pending");
        assert!(unsigned.document.is_none());
        assert_eq!(
            refusal(&demo, link, &["--as", "card-p384"]),
            None,
            "{format}"
        );
    }
}
