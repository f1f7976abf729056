//! A service that opens sessions, and never says what has become of them.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Method, Request, Response};
use jiff::SignedDuration;
use parafa_domain::SigningMethod;
use parafa_eid::smart_id::{SmartIdClient, SmartIdConfig};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use parafa_store::{Clock, ManualClock};
use serde_json::json;
use uuid::Uuid;

use super::end;
use crate::tests::deployment::{SIGN, Site};
use crate::tests::log::Log;
use crate::tests::stage::Stage;

/// Longest time for which the other signers may have to wait.
const LONGEST_TURN: SignedDuration = SignedDuration::from_mins(5);

/// The service, which keeps whoever asks it for as long as they wait.
struct Silent(Arc<ManualClock>);

#[async_trait]
impl HttpPort for Silent {
    async fn exchange(
        &self,
        request: Request<Bytes>,
        limits: ExchangeLimits,
    ) -> Result<Response<Bytes>, HttpPortError> {
        if request.method() == Method::POST {
            let session = json!({"sessionID": Uuid::now_v7()});
            return Ok(Response::new(session.to_string().into()));
        }
        self.0.advance(limits.timeout.try_into().unwrap());
        Err(HttpPortError::TimedOut(limits.timeout))
    }
}

#[tokio::test]
async fn a_service_that_says_nothing_of_a_session_keeps_the_turn_for_minutes() {
    let site = Site::start().await;
    let mut stage = Stage::set(&site, site.posted()).await;
    let settings = site.config.smart_id.as_ref().unwrap();
    let (settings, clock) = (settings.clone(), site.clock.clone());
    stage.host = stage.host.with_doors(move |doors| {
        let settings = SmartIdConfig::new(
            settings.base_url.clone(),
            settings.relying_party_uuid,
            &settings.relying_party_name,
            &settings.scheme_name,
        );
        let service = Arc::new(Silent(clock.clone()));
        let client = Arc::new(SmartIdClient::new(settings, service));
        doors.providers.insert(SigningMethod::SmartId, client);
    });
    let log = Log::open();
    let begun = site.clock.now();

    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    let end = end(&stage, &log, begun).await;

    end.assert("provider_unavailable", "the service gave no answer");
    assert!(end.took > SignedDuration::from_mins(1), "{:?}", end.took);
    assert!(end.took < LONGEST_TURN, "{:?}", end.took);
}
