//! Certificates that were read before.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Certificate;
use crate::recent::Recent;

/// The longest one that is remembered, in bytes. Anybody can send one.
const LONGEST: usize = 8192;

/// What is read follows from the DER alone, whoever asks.
static KNOWN: Mutex<Recent<Certificate>> = Mutex::new(Recent::new());

/// How many certificates this process has read; those that it remembered are not
/// among them.
pub static CERTIFICATES_READ: AtomicU64 = AtomicU64::new(0);

/// The certificate with this fingerprint.
pub(super) fn certificate(sha256: &[u8; 32]) -> Option<Certificate> {
    let mut known = known();
    known.find(|other| other.sha256() == sha256).cloned()
}

/// Remembers a certificate.
pub(super) fn remember(certificate: &Certificate) {
    CERTIFICATES_READ.fetch_add(1, Ordering::Relaxed);
    if certificate.der().len() <= LONGEST {
        known().insert(certificate.clone());
    }
}

/// Forgets those that were not asked for since this was called last.
pub(crate) fn forget_unused() {
    known().end_period();
}

fn known() -> MutexGuard<'static, Recent<Certificate>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}
