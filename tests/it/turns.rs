//! Two concurrent signers of one document.

use jiff::{SignedDuration, Timestamp};
use parafa_fixtures::plain;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::cards::PairedApp;
use crate::support::client::{Ceremony, Signing};
use crate::support::demo::Demo;
use crate::support::referee::Referees;

/// Time limit for a card's signature, in seconds.
const CARD_SECONDS: i64 = 5 * 60;

async fn signing(demo: &Demo) -> Signing {
    let signers = json!([{"email": "ona@example.lt"}, {"email": "john@example.lt"}]);
    demo.signing().create(&plain(1), signers).await
}

fn ceremonies(signing: &Signing) -> [Ceremony; 2] {
    [0, 1].map(|number: usize| Demo::ceremony(signing.signers[number].link()))
}

/// Asserts that both have signed, and that every validator accepts both
/// signatures.
async fn assert_signed_by_both(demo: &Demo, signing: &Signing) {
    let ended = demo.signing().signing(signing.signing_id).await;
    assert_eq!(ended.status, "completed");
    let (document, _) = demo.signing().document(signing.signing_id).await;
    if let Some(referees) = Referees::find(&demo.world.world.roots) {
        referees.assert_baseline_t(&document, 2);
    }
}

/// App paired with the attempt of a signer's page.
pub(crate) struct PairedCard {
    paired: PairedApp,
    card: &'static str,
}

impl PairedCard {
    pub(crate) async fn with(demo: &Demo, ceremony: &Ceremony, card: &'static str) -> Self {
        let started = ceremony.start(&json!({"method": "nfc"})).await;
        let attempt = started.expect("the attempt starts").attempt;
        let code = attempt.and_then(|attempt| attempt.pairing);
        let code = code.expect("a pairing").code;
        Self {
            paired: PairedApp::by_code(demo, &code).await,
            card,
        }
    }

    /// Sends the card's certificate.
    pub(crate) async fn certificate(&self) -> (StatusCode, Value) {
        let key = format!("{}/signing", self.card);
        let certificate = self.paired.app.certificate_of(&key).await;
        self.paired.post("certificate", &certificate).await
    }

    /// Signs the requested data with the card.
    pub(crate) async fn sign(&self, asked: &Value) {
        let signature = self.paired.app.signed(self.card, asked).await;
        let (status, told) = self.paired.post("complete", &signature).await;
        assert_eq!(status, StatusCode::OK, "{told}");
        assert_eq!(told["phase"], "done", "{told}");
    }
}

#[tokio::test]
async fn two_signers_never_sign_at_the_same_moment() {
    let demo = Demo::start();
    let personas = demo.smart_id_personas("signs");
    let signing = signing(&demo).await;
    let [one, other] = ceremonies(&signing);

    let begun = tokio::join!(
        one.sign_with_smart_id(personas[0]),
        other.sign_with_smart_id(personas[1]),
    );

    let (winner, loser, refusal, late) = match begun {
        (Ok(_), Err(refusal)) => (&one, &other, refusal, personas[1]),
        (Err(refusal), Ok(_)) => (&other, &one, refusal, personas[0]),
        both => panic!("one begins and one is refused, but: {both:?}"),
    };
    assert_eq!(
        (refusal.status, refusal.problem.name()),
        (StatusCode::CONFLICT, "signing-in-progress")
    );
    assert!(loser.state().await.busy);
    winner.finish().await;
    loser.sign(late).await;
    assert_signed_by_both(&demo, &signing).await;
}

#[tokio::test]
async fn a_code_that_is_scanned_late_signs_what_others_have_signed_meanwhile() {
    let demo = Demo::start();
    let signing = signing(&demo).await;
    let [late, quick] = ceremonies(&signing);
    late.open_device_link().await;

    quick.sign(demo.smart_id_personas("signs")[0]).await;
    let shown = late.state().await;
    assert_eq!(shown.document.sha256, quick.state().await.document.sha256);
    let link = shown.attempt.and_then(|attempt| attempt.device_link);
    let link = link.expect("the code is still shown").qr;
    assert!(demo.follow(&link, "QR", demo.persona_who_scans()).await);

    late.finish().await;
    assert_signed_by_both(&demo, &signing).await;
}

#[tokio::test]
async fn two_cards_are_paired_at_once_and_the_second_one_is_told_when_to_come_again() {
    let demo = Demo::start();
    let signing = signing(&demo).await;
    let [first, second] = ceremonies(&signing);
    let (holder, waiter) = (
        PairedCard::with(&demo, &first, "card-p384").await,
        PairedCard::with(&demo, &second, "card-p256").await,
    );
    let (status, asked) = holder.certificate().await;
    assert_eq!(status, StatusCode::OK, "{asked}");

    let (status, refused) = waiter.certificate().await;
    assert_eq!(status, StatusCode::CONFLICT, "{refused}");
    let kind = refused["type"].as_str().expect("a type");
    assert!(kind.ends_with("/problems/signing-in-progress"), "{kind}");
    let start = json!({"method": "smart_id", "personalCode": "50001029996"});
    let refused = second.start(&start).await.expect_err("somebody signs");
    assert_eq!(refused.problem.name(), "signing-in-progress");
    assert_eq!(refused.retry_after, Some(5), "the card may be quick");
    let state = second.state().await;
    assert!(state.busy);
    let until = state.busy_until.expect("an end");
    let longest = SignedDuration::from_secs(CARD_SECONDS);
    assert!(until <= Timestamp::now() + longest, "{until}");
    let attempt = state.attempt.expect("it goes on");
    assert_eq!(
        (attempt.phase.as_str(), attempt.error.is_none()),
        ("certificate", true)
    );

    holder.sign(&asked).await;
    let (status, asked) = waiter.certificate().await;
    assert_eq!(status, StatusCode::OK, "{asked}");
    waiter.sign(&asked).await;
    assert_signed_by_both(&demo, &signing).await;
}

#[tokio::test]
async fn a_paired_card_signs_what_others_have_signed_also_when_the_host_died_meanwhile() {
    let mut demo = Demo::start();
    let signing = signing(&demo).await;
    let [late, quick] = ceremonies(&signing);
    let paired = PairedCard::with(&demo, &late, "card-p384").await;
    quick.sign(demo.smart_id_personas("signs")[0]).await;

    demo.kill();
    demo.start_again();

    let (status, asked) = paired.certificate().await;
    assert_eq!(status, StatusCode::OK, "{asked}");
    paired.sign(&asked).await;
    assert_signed_by_both(&demo, &signing).await;
}
