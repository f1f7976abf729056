//! Certificates that were read before.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Certificate;

/// How many are remembered: those of the people who sign at one time, and of the
/// authorities that are asked meanwhile.
const MOST: usize = 256;
/// The longest one that is remembered, in bytes. Anybody can send one.
const LONGEST: usize = 8192;

/// The newest first. What is read follows from the DER alone, whoever asks.
static KNOWN: Mutex<VecDeque<Certificate>> = Mutex::new(VecDeque::new());

/// How many were read, those that are too long to be remembered among them.
static READ: AtomicU64 = AtomicU64::new(0);

/// How many certificates this process has read; those that it remembered are not
/// among them.
#[must_use]
pub fn count() -> u64 {
    READ.load(Ordering::Relaxed)
}

/// The certificate with this fingerprint.
pub(super) fn certificate(sha256: &[u8; 32]) -> Option<Certificate> {
    let known = known();
    let mut known = known.iter();
    known.find(|other| other.sha256() == sha256).cloned()
}

/// Remembers a certificate, in place of the oldest where there are too many.
pub(super) fn remember(certificate: &Certificate) {
    READ.fetch_add(1, Ordering::Relaxed);
    if certificate.der().len() > LONGEST {
        return;
    }
    let mut known = known();
    known.truncate(MOST - 1);
    known.push_front(certificate.clone());
}

fn known() -> MutexGuard<'static, VecDeque<Certificate>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}
