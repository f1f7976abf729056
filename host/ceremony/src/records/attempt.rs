use jiff::Timestamp;
use parafa_domain::{
    AttemptFailure, AttemptId, Ceremony, Language, Phase, SignerId, SignerStatus, SigningMethod,
};
use parafa_eid::{ProviderSession, SignerCertificate};
use parafa_plugin_host::{Need, SignRequest};
use parafa_store::{AnyIndex, Content, Index, Sealed, Table, TableName};
use serde::{Deserialize, Serialize};
use serde_with::As;
use serde_with::base64::Base64;
use uuid::Uuid;

/// One attempt of one signer to sign one version of the document.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct AttemptRow {
    /// The id.
    pub id: Uuid,
    /// The ceremony.
    #[serde(rename = "signing")]
    pub ceremony: Uuid,
    /// The signer.
    pub signer: Uuid,
    /// The method.
    pub method: SigningMethod,
    /// Language in which the signer read the page where it began, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) language: Option<Language>,
    /// The phase.
    pub phase: Phase,
    /// Failure of an attempt that ended without a signature.
    pub failure: Option<AttemptFailure>,
    /// The code that the signer compares with the device's.
    pub verification_code: Option<String>,
    /// Byte file of the version to be signed: the newest when the attempt took its turn.
    pub base_version: Uuid,
    /// The attempt has yet to take its turn: it shows a code, or waits for another signer.
    #[serde(default)]
    pub awaits_turn: bool,
    /// The plugin that prepared the signature and will finish it.
    pub plugin: Option<PluginPin>,
    /// Keyed digest of the prompted person, while there is one.
    pub person: Option<String>,
    pub(crate) started_at: Timestamp,
    /// Time of the end.
    pub ended_at: Option<Timestamp>,
    /// Number of the step, so that a step done twice is stored once.
    pub step_number: u32,
    /// Attempts at the current step without progress.
    pub tries: u32,
    /// An [`OpenDeviceLink`], if the attempt began without an identified person.
    pub device_link: Option<Sealed>,
    /// The app has returned to the link's callback.
    pub returned: bool,
    /// Digest of the return's value, by which a repetition is recognised when the link is
    /// deleted.
    pub(crate) returned_with: Option<String>,
    /// Access of the card's app, for an attempt with a card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) card: Option<CardAccess>,
    /// A [`CardSubmission`] that the step has not taken yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) card_submission: Option<Sealed>,
    /// Digest of the app's completion, by which a repetition is recognised even when the
    /// attempt has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) completed_with: Option<String>,
    /// An [`AttemptStep`]; `None` once the attempt has ended.
    pub step: Option<Sealed>,
}

impl AttemptRow {
    /// Returns whether it waits for a follower of its link.
    pub fn awaits_device_link(&self) -> bool {
        self.phase == Phase::Certificate && self.device_link.is_some()
    }

    /// Returns whether it lacks only the turn.
    pub(crate) fn waits_for_turn(&self) -> bool {
        self.awaits_turn && self.phase == Phase::Signing
    }

    /// Returns whether it has its turn, or may still take it.
    pub(crate) fn goes_on_in(&self, ceremony: &Ceremony) -> bool {
        let id = AttemptId::new(self.id);
        ceremony.has_turn(id) || (self.awaits_turn && self.is_open_in(ceremony))
    }

    /// Returns whether its device has signed and nothing else is waited for: such an attempt
    /// is finished. A card's signature or an app's return counts before the step takes it.
    pub(crate) fn has_signed_in(&self, ceremony: &Ceremony) -> bool {
        let has_come = self.returned || self.card_submission.is_some();
        let own_turn = ceremony.turn.filter(|turn| turn.attempt.uuid() == self.id);
        let device_signed = own_turn.is_some_and(|turn| turn.device_signed);
        self.phase == Phase::Completing || (has_come && device_signed)
    }

    /// Returns the failure by which it has lost its turn.
    pub(crate) fn loss_in(&self, ceremony: &Ceremony) -> AttemptFailure {
        match self.is_open_in(ceremony) {
            true => AttemptFailure::SigningInProgress,
            false => AttemptFailure::Cancelled,
        }
    }

    /// Returns whether it is the newest attempt of a signer who can sign.
    fn is_open_in(&self, ceremony: &Ceremony) -> bool {
        let party = ceremony.signer(SignerId::new(self.signer));
        party.is_some_and(|party| {
            let is_newest = party.attempt == Some(AttemptId::new(self.id));
            is_newest && party.status == SignerStatus::Pending
        })
    }
}

/// Access of a card's app to an attempt.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CardAccess {
    /// Hash of the pairing code; `None` once an app has used it.
    pub(crate) code_hash: Option<String>,
    /// Expiry of the code.
    pub(crate) code_until: Timestamp,
    /// Hash of the token that the app got for it.
    pub(crate) token_hash: Option<String>,
    /// Keyed digest of the first submitted certificate; in rows of earlier programs its SHA-256,
    /// by which the person could be recognised.
    #[serde(rename = "certificate_sha256")]
    pub(crate) certificate: Option<String>,
}

impl CardAccess {
    /// Returns the hashes that lead to the attempt.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = &str> {
        let hashes = self.code_hash.iter().chain(&self.token_hash);
        hashes.map(String::as_str)
    }
}

/// Submission of a card's app.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CardSubmission {
    /// The card's certificate in DER.
    Certificate(#[serde(with = "As::<Base64>")] Vec<u8>),
    /// The card's signature, in the form for verifiers.
    Signature(#[serde(with = "As::<Base64>")] Vec<u8>),
}

/// Exact identity of a plugin.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct PluginPin {
    /// The format, such as `pdf`.
    pub id: String,
    /// The plugin's own version.
    pub version: String,
    /// SHA-256 of the component, in lower-case hexadecimal.
    pub sha256: String,
    /// Version of its contract, such as `1.0.0`.
    pub contract: String,
}

/// Next step of an attempt, with all its input: a restart loses nothing.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", tag = "step")]
pub enum AttemptStep {
    /// Request of the person's certificate from the provider.
    RequestCertificate {
        /// ETSI semantics identifier of the person.
        person: String,
        /// The number of the person's phone, if the provider needs it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        phone_number: Option<String>,
    },
    /// Opening of a device link to choose a certificate.
    RequestDeviceLink,
    /// Wait for a follower of the link to choose.
    AwaitDeviceLink {
        /// The provider's session.
        session: ProviderSession,
    },
    /// Wait for the provider's certificate.
    AwaitCertificate {
        /// ETSI semantics identifier of the person.
        person: String,
        /// The provider's session.
        session: ProviderSession,
    },
    /// Check of the certificate, before any digest is sent.
    CheckCertificate {
        /// Its expected holder; anyone's after a device link.
        person: Option<String>,
        /// The chosen certificate.
        chosen: ChosenCertificate,
    },
    /// Wait for the app to send the certificate of the signer's card.
    AwaitCard {
        /// Its expected holder, if the signer is identified.
        person: Option<String>,
        /// End of the wait.
        until: Timestamp,
    },
    /// Wait for the app to send the card's signature.
    AwaitCardSignature {
        /// The card's certificate.
        chosen: ChosenCertificate,
        /// The prepared signature.
        prepared: PreparedSignature,
        /// End of the wait.
        until: Timestamp,
    },
    /// Wait until no other signer has the turn.
    AwaitTurn {
        /// The chosen certificate.
        chosen: ChosenCertificate,
        /// Request to the plugin, except for the time.
        request: SignRequest,
    },
    /// Preparation of the signature by the plugin.
    Prepare {
        /// The chosen certificate.
        chosen: ChosenCertificate,
        /// Request to the plugin.
        request: SignRequest,
    },
    /// Request of the signature from the device.
    Ask {
        /// The chosen certificate.
        chosen: ChosenCertificate,
        /// The prepared signature.
        prepared: PreparedSignature,
        /// Earliest time of the request.
        asked_at: Timestamp,
    },
    /// Wait for the device.
    AwaitSignature {
        /// The provider's session.
        session: ProviderSession,
        /// The prepared signature.
        prepared: PreparedSignature,
        /// The app must return to the callback.
        must_return: bool,
    },
    /// Wait for the app's return to the page that opened it.
    AwaitReturn {
        /// The prepared signature.
        prepared: PreparedSignature,
        /// The device's signature.
        #[serde(with = "As::<Base64>")]
        value: Vec<u8>,
        /// End of the wait.
        until: Timestamp,
    },
    /// Time-stamping and embedding of the device's signature.
    Finish {
        /// The prepared signature.
        prepared: PreparedSignature,
        /// The device's signature.
        #[serde(with = "As::<Base64>")]
        value: Vec<u8>,
    },
}

impl AttemptStep {
    /// Name of the step, for monitoring.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::RequestCertificate { .. } => "request-certificate",
            Self::RequestDeviceLink => "request-device-link",
            Self::AwaitDeviceLink { .. } => "await-device-link",
            Self::AwaitCertificate { .. } => "await-certificate",
            Self::CheckCertificate { .. } => "check-certificate",
            Self::AwaitCard { .. } => "await-card",
            Self::AwaitCardSignature { .. } => "await-card-signature",
            Self::AwaitTurn { .. } => "await-turn",
            Self::Prepare { .. } => "prepare",
            Self::Ask { .. } => "ask",
            Self::AwaitSignature { .. } => "await-signature",
            Self::AwaitReturn { .. } => "await-return",
            Self::Finish { .. } => "finish",
        }
    }

    /// Returns whether the step needs the turn.
    pub(crate) fn needs_turn(&self) -> bool {
        self.asks_device() || self.holds_signature() || matches!(self, Self::Prepare { .. })
    }

    /// Returns whether the device is prompted by then, or about to be.
    pub(crate) fn asks_device(&self) -> bool {
        matches!(
            self,
            Self::Ask { .. } | Self::AwaitSignature { .. } | Self::AwaitCardSignature { .. }
        )
    }

    /// Returns the end of the wait for the device's answer, if known.
    pub(crate) fn answer_until(&self) -> Option<Timestamp> {
        match self {
            Self::AwaitCardSignature { until, .. } => Some(*until),
            _ => None,
        }
    }

    /// Returns whether the device has signed by then.
    pub(crate) fn holds_signature(&self) -> bool {
        matches!(self, Self::AwaitReturn { .. } | Self::Finish { .. })
    }
}

/// A certificate, with the choice to which the signature is linked.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ChosenCertificate {
    /// The certificate.
    pub certificate: SignerCertificate,
    /// `None` if the person was prompted by a notification.
    pub(crate) choice: Option<ProviderSession>,
}

/// An open device link.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct OpenDeviceLink {
    /// The provider's session.
    pub session: ProviderSession,
    /// Opening time, on which the codes to scan depend.
    pub(crate) opened_at: Timestamp,
}

/// A prepared signature, for the device.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PreparedSignature {
    /// The first request, which every repetition uses unchanged.
    pub request: SignRequest,
    /// The plugin's need; of long bytes only the digest is kept.
    pub need: Need,
}

/// Index of a ceremony's attempts that have not ended.
pub const RUNNING_ATTEMPTS: Index<AttemptRow, Uuid> = Index::many("running_of_signing", |row| {
    let running = (!row.phase.is_terminal()).then_some(row.ceremony);
    running.into_iter().collect()
});

impl Table for AttemptRow {
    type Key = Uuid;

    const NAME: TableName = TableName::new("attempts");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) -> Uuid {
        self.id
    }

    fn indexes() -> &'static [&'static dyn AnyIndex<Self>] {
        &[&RUNNING_ATTEMPTS]
    }
}
