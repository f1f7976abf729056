//! Receivers of events in a race, with changing moods.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use parafa_ceremony::records::CeremonyRow;
use parafa_domain::{CeremonyStatus, SignerStatus};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use uuid::Uuid;

use crate::tests::support::{Host, Invariant};

/// Events received, and the receivers' mood.
#[derive(Default)]
pub(super) struct Receivers {
    calls: AtomicUsize,
    is_in_good_mood: AtomicBool,
    /// Event ids, by signing and kind.
    told: Mutex<BTreeMap<(Uuid, String), BTreeSet<String>>>,
}

impl Receivers {
    pub(super) fn open() -> Arc<Self> {
        Arc::default()
    }

    /// Returns the host with these receivers.
    pub(super) fn of(self: &Arc<Self>, host: &Host) -> Host {
        let receivers = self.clone();
        host.with_doors(move |doors| doors.webhooks = receivers.clone())
    }

    /// Accepts all deliveries from now on.
    pub(super) fn cheer_up(&self) {
        self.is_in_good_mood.store(true, Ordering::Relaxed);
    }

    fn note(&self, signing: Uuid, kind: &str, id: String) {
        let mut told = self.told.lock().unwrap();
        let ids = told.entry((signing, kind.to_owned())).or_default();
        ids.insert(id);
    }

    /// Checks that each event of an ended signing was delivered, under one id,
    /// and no other event was. An erased signing has at most these events.
    pub(super) fn check(&self, row: &CeremonyRow) {
        let _invariant = Invariant::EverythingEnds.checked();
        let signing = row.ceremony.id.uuid();
        let told = self.told.lock().unwrap();
        let told: BTreeMap<&str, usize> = told
            .iter()
            .filter(|((of, _), _)| *of == signing)
            .map(|((_, kind), ids)| (kind.as_str(), ids.len()))
            .collect();
        let expected = expected(row);
        if row.erased_at.is_some() {
            let is_expected = |(kind, times): (&&str, &usize)| expected.get(kind) >= Some(times);
            assert!(told.iter().all(is_expected), "{told:?} of {expected:?}");
        } else {
            assert_eq!(told, expected, "told of {signing}");
        }
    }
}

/// Returns the events of an ended signing, by kind.
fn expected(row: &CeremonyRow) -> BTreeMap<&'static str, usize> {
    let signing = &row.ceremony;
    let count = |status| {
        let parties = signing.signers.iter();
        parties.filter(|party| party.status == status).count()
    };
    let last = match signing.status {
        CeremonyStatus::Cancelled => "signing.cancelled",
        CeremonyStatus::Completed => "signing.completed",
        CeremonyStatus::Declined => "signing.declined",
        CeremonyStatus::Expired => "signing.expired",
        CeremonyStatus::Failed => "signing.failed",
        CeremonyStatus::Pending => panic!("{} goes on", signing.id),
    };
    let events = [
        ("signing.signer_signed", count(SignerStatus::Signed)),
        ("signing.signer_declined", count(SignerStatus::Declined)),
        (last, 1),
    ];
    events.into_iter().filter(|(_, times)| *times > 0).collect()
}

#[async_trait]
impl HttpPort for Receivers {
    async fn exchange(
        &self,
        request: Request<Bytes>,
        limits: ExchangeLimits,
    ) -> Result<Response<Bytes>, HttpPortError> {
        let event: serde_json::Value = serde_json::from_slice(request.body()).unwrap();
        let kind = request.headers()["x-service-event"].to_str().unwrap();
        assert_eq!(event["event"], kind);
        let signing = event["signingId"].as_str().unwrap().parse().unwrap();
        let id = request.headers()["x-service-idempotency-key"].to_str();
        let id = id.unwrap().to_owned();
        self.note(signing, kind, id);
        tokio::task::yield_now().await;
        let mut answer = Response::default();
        if self.is_in_good_mood.load(Ordering::Relaxed) {
            return Ok(answer);
        }
        *answer.status_mut() = match self.calls.fetch_add(1, Ordering::Relaxed) % 5 {
            0 => StatusCode::SERVICE_UNAVAILABLE,
            1 => return Err(HttpPortError::TimedOut(limits.timeout)),
            2 => StatusCode::NOT_FOUND,
            3 => return Err(HttpPortError::Transport("reset".to_owned())),
            _ => StatusCode::OK,
        };
        Ok(answer)
    }
}
