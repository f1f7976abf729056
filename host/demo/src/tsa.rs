//! The time-stamping authority (RFC 3161 over HTTP, 3.4).

mod request;
mod token;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::post,
};
use parafa_issuing::KeyKind;

use self::{
    request::Query,
    token::{FailureInfo, TokenSigner},
};
use crate::pki::{CredentialSpec, Pki, Profile, Validity};
use crate::{clock::DemoClock, error::WorldError, folder::Folder, pki};

/// Largest request, bytes.
const REQUEST_LIMIT: usize = 16 * 1024;
const QUERY_TYPE: &str = "application/timestamp-query";
const REPLY_TYPE: &str = "application/timestamp-reply";

/// Settings of the time-stamping authority that can be changed while it runs.
#[derive(Clone, Debug, Default)]
pub struct TsaSwitches {
    fractional_seconds: Arc<AtomicBool>,
}

impl TsaSwitches {
    /// Sets fractions of a second in `genTime` (off by default).
    pub fn fractional_seconds(&self, on: bool) {
        self.fractional_seconds.store(on, Ordering::Relaxed);
    }
}

pub(crate) struct Tsa {
    signer: TokenSigner,
    clock: Arc<dyn DemoClock>,
    switches: TsaSwitches,
}

impl Tsa {
    pub(crate) fn open(
        folder: &Folder,
        pki: &Pki,
        clock: Arc<dyn DemoClock>,
        switches: TsaSwitches,
    ) -> Result<Self, WorldError> {
        let spec = CredentialSpec {
            name: "tsa/unit-1",
            issuer: pki::TSA_CA,
            key: KeyKind::P256,
            profile: Profile::TimeStamping,
            validity: Validity::Current,
        };
        let credential = pki.credential(folder, &spec, clock.now())?;
        let chain = pki.chain(credential.issuer());
        let chain = chain.into_iter().cloned().collect();
        Ok(Self {
            signer: TokenSigner::new(credential, chain),
            clock,
            switches,
        })
    }

    /// `POST /tsa`.
    pub(crate) fn router(self) -> Router {
        Router::new()
            .route("/tsa", post(time_stamp))
            .layer(DefaultBodyLimit::max(REQUEST_LIMIT))
            .with_state(Arc::new(self))
    }

    fn reply(&self, query: &[u8]) -> Result<Vec<u8>, WorldError> {
        let query = match Query::parse(query) {
            Ok(query) => query,
            Err(failure) => return token::rejection(failure),
        };
        let fractional = self.switches.fractional_seconds.load(Ordering::Relaxed);
        self.signer
            .grant(&query, self.clock.now(), fractional)
            .or_else(|error| {
                tracing::error!(%error, "no time-stamp token could be made");
                token::rejection(FailureInfo::SystemFailure)
            })
    }
}

async fn time_stamp(State(tsa): State<Arc<Tsa>>, headers: HeaderMap, body: Bytes) -> Response {
    let is_query = headers
        .get(CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(QUERY_TYPE.as_bytes()));
    if !is_query {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    match tsa.reply(&body) {
        Ok(reply) => ([(CONTENT_TYPE, REPLY_TYPE)], reply).into_response(),
        Err(error) => {
            tracing::error!(%error, "no time-stamp reply could be made");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
