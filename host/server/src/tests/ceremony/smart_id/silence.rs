//! A service that opens sessions and never returns a result.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use jiff::SignedDuration;
use parafa_domain::SigningMethod;
use parafa_eid::mobile_id::{MobileIdClient, MobileIdConfig};
use parafa_eid::smart_id::{SmartIdClient, SmartIdConfig};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use parafa_store::{Clock, ManualClock};

use super::{Moment, end};
use crate::tests::support::{Host, Log, SIGN, Site, Stage};

/// Maximum time for which the other signers may have to wait.
pub(in crate::tests) const LONGEST_TURN: SignedDuration = SignedDuration::from_mins(5);

/// A service that lets every request wait for its full time, by the clock of
/// the records.
struct Silent(Arc<ManualClock>);

#[async_trait]
impl HttpPort for Silent {
    async fn exchange(
        &self,
        _request: Request<Bytes>,
        limits: ExchangeLimits,
    ) -> Result<Response<Bytes>, HttpPortError> {
        self.0.advance(limits.timeout.try_into().unwrap());
        Err(HttpPortError::TimedOut(limits.timeout))
    }
}

impl Host {
    /// Returns the same host with providers that never answer.
    pub(in crate::tests) fn before_silent_providers(&self, site: &Site) -> Self {
        let silent = Arc::new(Silent(site.clock.clone()));
        let smart_id = site.config.smart_id.clone().unwrap();
        let mobile_id = site.config.mobile_id.clone().unwrap();
        self.with_doors(move |doors| {
            let settings = SmartIdConfig::new(
                smart_id.base_url.clone(),
                smart_id.relying_party_uuid,
                &smart_id.relying_party_name,
                &smart_id.scheme_name,
            );
            let client = Arc::new(SmartIdClient::new(settings, silent.clone()));
            doors.providers.insert(SigningMethod::SmartId, client);
            let settings = MobileIdConfig::new(
                mobile_id.base_url.clone(),
                mobile_id.relying_party_uuid,
                &mobile_id.relying_party_name,
            );
            let client = Arc::new(MobileIdClient::new(settings, silent.clone()));
            doors.providers.insert(SigningMethod::MobileId, client);
        })
    }
}

#[tokio::test]
async fn a_service_that_says_nothing_of_a_session_keeps_the_turn_for_minutes() {
    let site = Site::start().await;
    let mut stage = Stage::set(&site, site.posted()).await;
    let log = Log::open();
    let begun = site.clock.now();
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    Moment::Choosing.come_on(&stage).await;

    stage.host = stage.host.before_silent_providers(&site);
    let end = end(&stage, &log, begun).await;

    end.assert("provider_unavailable", "the service gave no answer");
    assert!(end.took > SignedDuration::from_mins(1), "{:?}", end.took);
    assert!(end.took < LONGEST_TURN, "{:?}", end.took);
}
