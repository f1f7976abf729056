//! Messages to signers and operators when Smart-ID misbehaves.

mod end_results;
mod oversized_answers;
mod service_faults;
pub(super) mod silence;

use axum::body::{Body, to_bytes};
use http::Request;
use jiff::SignedDuration;
use parafa_domain::Phase;
use parafa_store::Clock;
use serde_json::Value;
use tower::ServiceExt;

use crate::tests::support::{Log, SIGN, Site, Stage};

/// Maximum size of a ceremony's state, in bytes.
const LONGEST_STATE: usize = 64 * 1024;

/// End of an attempt.
pub(super) struct End {
    /// Error on the signer's page.
    pub(super) error: Value,
    /// Sentence of the error in English.
    pub(super) in_english: String,
    /// Operator's log.
    pub(super) log: String,
    /// Time for which the other signers had to wait, by the clock of the
    /// records.
    pub(super) took: SignedDuration,
}

impl End {
    #[track_caller]
    pub(super) fn assert(&self, code: &str, logged: &str) {
        assert_eq!(self.error["code"], code, "{logged}");
        let [lithuanian, english] = self.sentences();
        assert!(lithuanian.ends_with('.') && english.ends_with('.'));
        assert_ne!(lithuanian, english);
        assert!(
            self.log.contains(logged),
            "{logged:?} is not in {}",
            self.log
        );
        assert!(!self.log.contains(SIGN[0]), "{}", self.log);
    }

    /// Returns the signer's sentence in Lithuanian and in English.
    pub(super) fn sentences(&self) -> [&str; 2] {
        [self.error["message"].as_str().unwrap(), &self.in_english]
    }
}

/// State of an attempt when the failure begins.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// The certificate is about to be requested.
    Choice,
    /// The person is choosing the certificate.
    Choosing,
    /// The signature is about to be requested.
    Signature,
    /// The person is signing.
    Signing,
}

/// Runs an attempt from the button to its end, with a failure from a moment on.
async fn attempt(site: &Site, moment: Moment, go_wrong: impl Fn(&Site)) -> End {
    let stage = Stage::set(site, site.posted()).await;
    let log = Log::open();
    let begun = site.clock.now();
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    moment.come_on(&stage).await;
    go_wrong(site);
    end(&stage, &log, begun).await
}

pub(super) async fn end(stage: &Stage<'_>, log: &Log, begun: jiff::Timestamp) -> End {
    stage.outcome().await;
    let took = stage.site.clock.now().duration_since(begun);
    assert_eq!(stage.signing().await.ceremony.turn, None);
    let state = state(stage).await;
    assert_eq!(state["attempt"]["phase"], "failed");
    let in_english = state_told(stage, "?lang=en").await;
    let in_english = in_english["attempt"]["error"]["message"].as_str();
    End {
        error: state["attempt"]["error"].clone(),
        in_english: in_english.unwrap().to_owned(),
        log: log.take(),
        took,
    }
}

/// Returns the state that the signer's page receives.
async fn state(stage: &Stage<'_>) -> Value {
    state_told(stage, "").await
}

async fn state_told(stage: &Stage<'_>, query: &str) -> Value {
    let path = format!("/c/{}/state{query}", stage.host.link(stage.signer));
    let request = Request::get(path).body(Body::empty()).unwrap();
    let answer = stage.host.app.ceremony_router().oneshot(request);
    let body = to_bytes(answer.await.unwrap().into_body(), LONGEST_STATE).await;
    serde_json::from_slice(&body.unwrap()).unwrap()
}

impl Moment {
    async fn come_on(self, stage: &Stage<'_>) {
        let phase = match self {
            Self::Choice => return,
            Self::Choosing => Phase::Certificate,
            Self::Signature => Phase::Signing,
            Self::Signing => Phase::WaitingForUser,
        };
        stage.reach_at_once(phase).await;
        if phase == Phase::Certificate {
            // The session is open, and has not been polled yet.
            stage.host.run_due().await;
        }
    }
}

#[tokio::test]
async fn a_signature_by_notification_is_one_job_that_is_claimed_once() {
    let site = Site::start().await;
    let mut stage = Stage::set(&site, site.posted()).await;
    stage.host.goes_on = true;
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();

    assert_eq!(stage.host.run_due().await, 1);

    assert_eq!(stage.newest_attempt().await.phase, Phase::Done);
}
