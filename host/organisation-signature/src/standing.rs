//! Status of the attorney's certificate, checked every few minutes.

use jiff::{SignedDuration, Timestamp};
use parafa_trust::{Certificate, SignerCheck};
use tokio::sync::Mutex;

use crate::{SIGNING_METHOD, SignatureUnavailable};

/// Time for which an answer of the certificate's issuer counts.
const COUNTS_FOR: SignedDuration = SignedDuration::from_mins(10);

/// The attorney's certificate with the result of its last check.
pub(crate) struct Standing {
    certificate: Certificate,
    check: SignerCheck,
    found: Mutex<Option<Found>>,
}

struct Found {
    at: Timestamp,
    /// DER from the attorney's certificate to the anchor.
    chain: Vec<Vec<u8>>,
}

impl Standing {
    pub(crate) fn new(certificate: Certificate, check: SignerCheck) -> Self {
        Self {
            certificate,
            check,
            found: Mutex::default(),
        }
    }

    /// The chain of the certificate, which may sign at `now`.
    pub(crate) async fn chain(&self, now: Timestamp) -> Result<Vec<Vec<u8>>, SignatureUnavailable> {
        // Concurrent callers wait for the same answer.
        let mut found = self.found.lock().await;
        if let Some(found) = &*found {
            let age = found.at.duration_until(now);
            let counts = !age.is_negative() && age < COUNTS_FOR;
            if counts && now <= self.certificate.not_after() {
                return Ok(found.chain.clone());
            }
        }
        let checked = self
            .check
            .check_signer(&self.certificate, SIGNING_METHOD, now);
        let checked = checked.await.map_err(SignatureUnavailable::Certificate)?;
        let chain = checked.chain_der();
        *found = Some(Found {
            at: now,
            chain: chain.clone(),
        });
        Ok(chain)
    }
}
