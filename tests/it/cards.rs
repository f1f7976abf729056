//! Signing with an identity card, by a phone app.

use parafa_fixtures::plain;
use parafa_fixtures::signed::Identity;
use parafa_fixtures::signed::container::{ContainerSigning, SignedContainer};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use url::Url;

use crate::support::client::{Ceremony, Signing};
use crate::support::demo::{Demo, parafa};
use crate::support::referee::Referees;

/// Cards that may not sign, with the outcome of their attempts.
pub(crate) const UNFIT: [(&str, &str); 5] = [
    ("card-revoked", "certificate_revoked"),
    ("card-expired", "certificate_expired"),
    ("card-foreign", "certificate_untrusted"),
    ("card-untrusted", "certificate_untrusted"),
    ("card-not-qualified", "not_qualified"),
];
/// Attacks by an app that signs other data, with the outcome of the attempt.
pub(crate) const HOSTILE: [(&str, &str); 4] = [
    ("swap", "identity_mismatch"),
    ("other-bytes", "bad_signature"),
    ("wrong-curve", "bad_signature"),
    ("auth-certificate", "certificate_purpose"),
];

/// Returns the error of `parafa demo card sign`; `None` if the card has signed.
pub(crate) fn refusal(demo: &Demo, link: &Url, words: &[&str]) -> Option<String> {
    let data = demo.data();
    let place = ["--data", data.to_str().expect("a path in UTF-8")];
    let output = parafa(
        [
            ["demo", "card", "sign", link.as_str()].as_slice(),
            words,
            &place,
        ]
        .concat(),
    );
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.code() {
        Some(0) => None,
        Some(1) => Some(told),
        code => panic!("{code:?}: {told}"),
    }
}

async fn signing(demo: &Demo, signer: Value) -> Signing {
    demo.signing().create(&plain(1), json!([signer])).await
}

async fn in_english(demo: &Demo) -> Signing {
    signing(demo, json!({"email": "ona@example.lt", "language": "en"})).await
}

#[tokio::test]
async fn cards_with_every_kind_of_key_sign_and_every_referee_agrees() {
    let demo = Demo::start();
    let Some(referees) = Referees::find(&demo.world.world.roots) else {
        return;
    };
    for card in ["card-p384", "card-p256", "card-p521", "card-rsa"] {
        let signing = in_english(&demo).await;

        assert_eq!(
            refusal(&demo, signing.signers[0].link(), &["--as", card]),
            None
        );

        let (document, _) = demo.signing().document(signing.signing_id).await;
        referees.assert_baseline_t(&document, 1);
        let signer = &demo.signing().signing(signing.signing_id).await.signers[0];
        assert_eq!(signer.actual_method.as_deref(), Some("nfc"));
    }
}

#[tokio::test]
async fn a_card_that_may_not_sign_ends_the_attempt_with_a_sentence() {
    let demo = Demo::start();
    let signing = in_english(&demo).await;
    let ceremony = Demo::ceremony(signing.signers[0].link());
    for (card, code) in UNFIT {
        let told = refusal(&demo, signing.signers[0].link(), &["--as", card]).expect("a refusal");
        assert!(
            told.contains("422") && told.contains(code),
            "{card}: {told}"
        );
        assert_ended(&ceremony, code).await;
    }
    assert_eq!(
        refusal(&demo, signing.signers[0].link(), &["--as", "card-p384"]),
        None
    );
}

#[tokio::test]
async fn a_hostile_app_gets_nothing_signed() {
    let demo = Demo::start();
    let signing = in_english(&demo).await;
    let ceremony = Demo::ceremony(signing.signers[0].link());
    for (hostile, code) in HOSTILE {
        let words = ["--as", "card-p384", "--hostile", hostile];
        let told = refusal(&demo, signing.signers[0].link(), &words).expect("a refusal");
        assert!(told.contains("422"), "{hostile}: {told}");
        assert_ended(&ceremony, code).await;
    }
    assert_eq!(
        refusal(&demo, signing.signers[0].link(), &["--as", "card-p384"]),
        None
    );
}

#[tokio::test]
async fn a_hostile_app_that_is_refused_keeps_nobody_waiting() {
    let demo = Demo::start();
    let signing = in_english(&demo).await;
    let link = signing.signers[0].link();
    let words = ["--as", "card-rsa", "--hostile", "wrong-curve"];

    let told = refusal(&demo, link, &words).expect("a refusal");

    assert!(told.contains("422"), "{told}");
    assert_ended(&Demo::ceremony(link), "cancelled").await;
    assert_eq!(refusal(&demo, link, &["--as", "card-p384"]), None);
}

pub(crate) async fn assert_ended(ceremony: &Ceremony, code: &str) {
    let state = ceremony.state().await;
    assert_eq!(state.signer.status, "pending");
    let error = state.attempt.and_then(|attempt| attempt.error);
    let error = error.expect("the attempt has ended");
    assert_eq!(error.code, code);
    assert!(error.message.ends_with('.'), "{}", error.message);
}

#[tokio::test]
async fn a_lock_admits_its_owner_s_card_alone() {
    let demo = Demo::start();
    let owner = &demo.persona("card-p256").personal_code;
    let locked = json!({"email": "ona@example.lt", "personalCode": owner});
    let signing = signing(&demo, locked).await;

    let told =
        refusal(&demo, signing.signers[0].link(), &["--as", "card-p384"]).expect("a refusal");
    assert!(told.contains("identity_mismatch"), "{told}");
    assert!(!told.contains(owner.as_str()), "{told}");

    assert_eq!(
        refusal(&demo, signing.signers[0].link(), &["--as", "card-p256"]),
        None
    );
}

/// Phone with an app.
pub(crate) struct App {
    http: Client,
    cards: String,
}

/// App paired with an attempt.
pub(crate) struct PairedApp {
    pub(crate) app: App,
    /// Base URL of its calls.
    base: String,
    token: String,
}

impl PairedApp {
    /// Pairs with the attempt that shows this code.
    pub(crate) async fn by_code(demo: &Demo, code: &str) -> Self {
        let app = App::of(demo);
        let pairings = demo.world.base_url.join("c/pairings").expect("a path");
        let code = json!({"code": code});
        let (status, paired) = app.post(pairings.as_str(), None, &code).await;
        assert_eq!(status, StatusCode::OK, "{paired}");
        let text = |member: &str| paired[member].as_str().expect("text").to_owned();
        Self {
            base: text("base"),
            token: text("cardToken"),
            app,
        }
    }

    pub(crate) async fn post(&self, call: &str, body: &Value) -> (StatusCode, Value) {
        let address = format!("{}/{call}", self.base);
        self.app.post(&address, Some(&self.token), body).await
    }
}

impl App {
    /// Creates an app for the cards of a demo world.
    pub(crate) fn of(demo: &Demo) -> Self {
        Self {
            http: Client::new(),
            cards: demo.world.world.cards.clone(),
        }
    }

    /// Posts to the service or to a card.
    pub(crate) async fn post(
        &self,
        url: &str,
        token: Option<&str>,
        body: &Value,
    ) -> (StatusCode, Value) {
        let mut request = self.http.post(url).json(body);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let answer = request.send().await.expect("an answer");
        let status = answer.status();
        (status, answer.json().await.unwrap_or_default())
    }

    async fn certificate(&self, persona: &str) -> Value {
        self.certificate_of(&format!("{persona}/signing")).await
    }

    /// Returns the certificate of a card's key.
    pub(crate) async fn certificate_of(&self, key: &str) -> Value {
        let answer = self.http.get(format!("{}/{key}", self.cards));
        let answer = answer.send().await.expect("an answer");
        answer.json().await.expect("a certificate")
    }

    /// Signs the requested data with a card.
    pub(crate) async fn signed(&self, persona: &str, asked: &Value) -> Value {
        use base64::Engine as _;
        use base64::engine::general_purpose::STANDARD;
        use sha2::{Digest, Sha256};

        let bytes = STANDARD.decode(asked["dtbs"].as_str().expect("bytes"));
        let digest = Sha256::digest(bytes.expect("base64"));
        let body = json!({"sha256": STANDARD.encode(digest)});
        let url = format!("{}/{persona}/signing/sign", self.cards);
        let (status, mut signature) = self.post(&url, None, &body).await;
        assert_eq!(status, StatusCode::OK);
        signature["operationToken"] = asked["operationToken"].clone();
        signature
    }
}

#[tokio::test]
async fn a_code_pairs_one_app_once_and_the_same_certificate_keeps_what_is_signed() {
    let demo = Demo::start();
    let signing = in_english(&demo).await;
    let link = signing.signers[0].link();
    let ceremony = Demo::ceremony(link);
    let base = demo
        .world
        .base_url
        .as_str()
        .trim_end_matches('/')
        .to_owned();
    let started = ceremony.start(&json!({"method": "nfc"})).await;
    let attempt = started.expect("the attempt starts").attempt;
    let pairing = attempt.and_then(|attempt| attempt.pairing);
    let pairing = pairing.expect("a pairing");
    assert_eq!(
        pairing.uri.as_str(),
        format!("{base}/c/pair?code={}", pairing.code)
    );
    let (status, picture) = ceremony.code_to_scan().await;
    assert!(status.is_success() && picture.contains("<svg"));
    let page = reqwest::get(pairing.uri.clone()).await.expect("a page");
    assert!(page.text().await.expect("text").contains(&pairing.code));

    let app = App::of(&demo);
    let pairings = format!("{base}/c/pairings");
    let code = json!({"code": pairing.code});
    let (status, paired) = app.post(&pairings, None, &code).await;
    assert_eq!(status, StatusCode::OK, "{paired}");
    assert_eq!(paired["base"], format!("{base}/c/card"));
    assert_eq!(paired["signing"]["title"], "Paslaugų sutartis");
    assert_eq!(paired["document"]["name"], "sutartis.pdf");
    let (status, _) = app.post(&pairings, None, &code).await;
    assert_eq!(status, StatusCode::NOT_FOUND, "a code is used once");
    let attempt = ceremony.state().await.attempt.expect("an attempt");
    assert!(attempt.pairing.is_none());

    let token = paired["cardToken"].as_str().expect("a token");
    let url = format!("{base}/c/card/certificate");
    let certificate = app.certificate("card-p384").await;
    for guess in [None, Some("guessed")] {
        let (status, _) = app.post(&url, guess, &certificate).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED);
    }
    let (status, asked) = app.post(&url, Some(token), &certificate).await;
    assert_eq!(status, StatusCode::OK, "{asked}");
    assert_eq!(asked["dtbsHashAlgOid"], "2.16.840.1.101.3.4.2.1");
    assert_eq!(asked["cert"]["subject"]["serialNumber"], "48706189911");
    let (_, again) = app.post(&url, Some(token), &certificate).await;
    assert_eq!(again, asked);
    let shown = ceremony.verification_code().await;
    assert_eq!(asked["verificationCode"], shown);

    let url = format!("{base}/c/card/complete");
    let signature = app.signed("card-p384", &asked).await;
    let mut wrong = signature.clone();
    wrong["operationToken"] = json!("guessed");
    let (status, problem) = app.post(&url, Some(token), &wrong).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(problem["errors"][0]["pointer"], "/operationToken");
    let mut other = signature.clone();
    other["signatureAlgorithm"] = json!("PS256");
    let (_, problem) = app.post(&url, Some(token), &other).await;
    assert_eq!(problem["errors"][0]["pointer"], "/signatureAlgorithm");
    let (status, attempt) = app.post(&url, Some(token), &signature).await;
    assert_eq!(status, StatusCode::OK, "{attempt}");
    assert_eq!(attempt["phase"], "done");

    let again = app.post(&url, Some(token), &signature).await;
    assert_eq!(again, (status, attempt), "the answer was lost");
    let mut other = signature.clone();
    other["signature"] = app.signed("card-p384", &asked).await["signature"].clone();
    for (step, body) in [("complete", &other), ("certificate", &certificate)] {
        let url = format!("{base}/c/card/{step}");
        let (status, _) = app.post(&url, Some(token), body).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED, "the token is spent");
    }
}

#[tokio::test]
async fn the_page_itself_may_be_the_app_and_links_of_others_lead_to_no_attempt() {
    let demo = Demo::start();
    let signers = json!([{"email": "ona@example.lt"}, {"email": "jonas@example.lt"}]);
    let signing = demo.signing().create(&plain(1), signers).await;
    let [own, other] = [0, 1].map(|index| signing.signers[index].link().clone());
    let started = Demo::ceremony(&own).start(&json!({"method": "nfc"})).await;
    started.expect("the attempt starts");
    let app = App::of(&demo);
    let certificate = app.certificate("card-p384").await;

    let url = format!("{other}/card/certificate");
    let (status, _) = app.post(&url, None, &certificate).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(!Demo::ceremony(&other).state().await.busy);

    let url = format!("{own}/card/certificate");
    let (status, asked) = app.post(&url, None, &certificate).await;
    assert_eq!(status, StatusCode::OK, "{asked}");
    assert!(Demo::ceremony(&other).state().await.busy);
    let signature = app.signed("card-p384", &asked).await;
    let url = format!("{other}/card/complete");
    let (status, _) = app.post(&url, None, &signature).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let url = format!("{own}/card/complete");
    let (status, attempt) = app.post(&url, None, &signature).await;
    assert_eq!(
        (status, &attempt["phase"]),
        (StatusCode::OK, &json!("done"))
    );
    let again = app.post(&url, None, &signature).await;
    assert_eq!(again, (status, attempt), "the answer was lost");
}

#[tokio::test]
async fn cards_are_no_method_where_they_are_turned_off() {
    let demo = Demo::start_with(&[("PARAFA_CARD__ENABLED", "false".to_owned())]);
    let signing = in_english(&demo).await;

    let told =
        refusal(&demo, signing.signers[0].link(), &["--as", "card-p384"]).expect("a refusal");

    assert!(told.contains("400") && told.contains("nfc"), "{told}");
    let page = reqwest::get(signing.signers[0].link().clone()).await;
    let page = page.expect("a page").text().await.expect("text");
    assert!(page.contains("method-mobile_id") && !page.contains("method-nfc"));
}

#[tokio::test]
async fn a_card_signs_a_container_of_as_many_files_as_there_may_be() {
    // With the container's other members and the added signature, these are
    // 1,000 entries.
    const FILES: usize = 996;

    let demo = Demo::start();
    let names: Vec<String> = (0..FILES)
        .map(|number| format!("priedai/Pirkimo dokumentas Nr. {number}.txt"))
        .collect();
    let uris: Vec<String> = names.iter().map(|name| name.replace(' ', "%20")).collect();
    let files: Vec<_> = names
        .iter()
        .zip(&uris)
        .map(|(name, uri)| (&**name, &**uri, "text/plain", name.as_bytes()))
        .collect();
    let signed = SignedContainer::unsigned(&files).sign(ContainerSigning::by(Identity::Ona));
    let (api, container) = (demo.signing(), signed.zip.build());
    let signers = json!([{"email": "jonas@example.lt"}]);
    let created = api.try_create("pirkimas.asice", &container, signers);
    let signing = created.await.expect("the signing is created");
    let link = signing.signers[0].link();
    let started = Demo::ceremony(link).start(&json!({"method": "nfc"})).await;
    started.expect("the attempt starts");
    let app = App::of(&demo);
    let certificate = app.certificate("card-p384").await;

    let url = format!("{link}/card/certificate");
    let (status, asked) = app.post(&url, None, &certificate).await;
    assert_eq!(status, StatusCode::OK, "{asked}");
    let (_, again) = app.post(&url, None, &certificate).await;
    assert_eq!(again, asked);
    let shown = Demo::ceremony(link).verification_code().await;
    assert_eq!(asked["verificationCode"], shown);
    let signature = app.signed("card-p384", &asked).await;
    let url = format!("{link}/card/complete");
    let (status, attempt) = app.post(&url, None, &signature).await;

    assert_eq!(status, StatusCode::OK, "{attempt}");
    assert_eq!(attempt["phase"], "done");
}
