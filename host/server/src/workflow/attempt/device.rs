//! What the signer's device is asked, through its provider.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::SignedDuration;
use parafa_domain::{AttemptFailure, Phase};
use parafa_eid::{SemanticsIdentifier, SignerOutcome, SmartIdClient, SmartIdError};
use parafa_plugin_host::verify_with_certificate;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{Next, Running, StepOutcome, after};
use crate::app::App;
use crate::ceremony::texts::device_prompt;
use crate::error::WorkflowError;
use crate::records::{AttemptStep, PreparedSignature};

/// How long one poll waits for the signer, in milliseconds.
const POLL_MILLIS: u32 = 10_000;
/// Polls in a row that may go wrong before the attempt is given up.
const MAX_FAILED_POLLS: u32 = 5;
/// Pause after a poll that went wrong.
const PAUSE: SignedDuration = SignedDuration::from_secs(1);

/// What the device was asked for.
pub(super) struct Asked {
    pub(super) session: String,
    pub(super) verification_code: Option<String>,
}
