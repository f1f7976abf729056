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
    /// How it is signed.
    pub method: SigningMethod,
    /// In which the signer read the page that it was begun on, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) language: Option<Language>,
    /// How far it is.
    pub phase: Phase,
    /// Why it ended without a signature.
    pub failure: Option<AttemptFailure>,
    /// The code that the signer compares with the device's.
    pub verification_code: Option<String>,
    /// Byte file of the version that is being signed: the newest when the attempt
    /// took its turn.
    pub base_version: Uuid,
    /// Whether the attempt has yet to take its turn: it shows a code, or waits
    /// for another signer.
    #[serde(default)]
    pub awaits_turn: bool,
    /// The plugin that prepared the signature and will finish it.
    pub plugin: Option<PluginPin>,
    /// Keyed digest of the person who is asked, as long as somebody is.
    pub person: Option<String>,
    pub(crate) started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Counts the steps, so that a step done twice is stored once.
    pub step_number: u32,
    /// How often the current step was tried without getting on.
    pub tries: u32,
    /// An [`OpenDeviceLink`], when the attempt began without knowing the person.
    pub device_link: Option<Sealed>,
    /// Whether the app has come back to the link's callback.
    pub returned: bool,
    /// The digest of what it came back with, by which a repetition is known
    /// when the link itself is forgotten.
    pub(crate) returned_with: Option<String>,
    /// How the card's app comes to it, when it is signed with a card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) card: Option<CardAccess>,
    /// A [`CardSubmission`] that the step has not taken yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) card_submission: Option<Sealed>,
    /// The digest of the completion that the app sent, by which its repetition is
    /// known also when the attempt has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) completed_with: Option<String>,
    /// An [`AttemptStep`]; none once the attempt has ended.
    pub step: Option<Sealed>,
}

impl AttemptRow {
    /// Whether it waits for somebody to follow its link.
    pub fn awaits_device_link(&self) -> bool {
        self.phase == Phase::Certificate && self.device_link.is_some()
    }

    /// Whether it has all that it needs but the turn.
    pub(crate) fn waits_for_turn(&self) -> bool {
        self.awaits_turn && self.phase == Phase::Signing
    }

    /// Whether it has its turn, or may still take it.
    pub(crate) fn goes_on_in(&self, signing: &Ceremony) -> bool {
        let id = AttemptId::new(self.id);
        signing.has_turn(id) || (self.awaits_turn && self.is_open_in(signing))
    }

    /// Whether its device has signed and nothing else is waited for: that is finished. A card
    /// has signed, and an app come back, before the step that takes it up.
    pub(crate) fn has_signed_in(&self, signing: &Ceremony) -> bool {
        let has_come = self.returned || self.card_submission.is_some();
        let own_turn = signing.turn.filter(|turn| turn.attempt.uuid() == self.id);
        let device_signed = own_turn.is_some_and(|turn| turn.device_signed);
        self.phase == Phase::Completing || (has_come && device_signed)
    }

    /// Why it has lost its turn.
    pub(crate) fn loss_in(&self, signing: &Ceremony) -> AttemptFailure {
        match self.is_open_in(signing) {
            true => AttemptFailure::SigningInProgress,
            false => AttemptFailure::Cancelled,
        }
    }

    /// Whether it is the newest attempt of somebody who can sign.
    fn is_open_in(&self, signing: &Ceremony) -> bool {
        let party = signing.signer(SignerId::new(self.signer));
        party.is_some_and(|party| {
            let is_newest = party.attempt == Some(AttemptId::new(self.id));
            is_newest && party.status == SignerStatus::Pending
        })
    }
}

/// How the app that talks to a card comes to an attempt.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CardAccess {
    /// Hash of the pairing code; none once an app has used it.
    pub(crate) code_hash: Option<String>,
    /// When the code is no longer taken.
    pub(crate) code_until: Timestamp,
    /// Hash of the token that the app got for it.
    pub(crate) token_hash: Option<String>,
    /// Lower-case hex of the digest of the certificate that was sent first.
    pub(crate) certificate_sha256: Option<String>,
}

impl CardAccess {
    /// What leads to the attempt.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = &str> {
        let hashes = self.code_hash.iter().chain(&self.token_hash);
        hashes.map(String::as_str)
    }
}

/// What a card's app has handed over.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CardSubmission {
    /// The card's certificate, DER.
    Certificate(#[serde(with = "As::<Base64>")] Vec<u8>),
    /// What the card has signed, as verifiers take it.
    Signature(#[serde(with = "As::<Base64>")] Vec<u8>),
}

/// Exactly which plugin touched a document.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct PluginPin {
    /// The format, such as `pdf`.
    pub id: String,
    /// The plugin's own version.
    pub version: String,
    /// Lower-case hex of the component's SHA-256.
    pub sha256: String,
    /// Version of the contract that it is written against, such as `1.0.0`.
    pub contract: String,
}

/// What comes next in an attempt, with all that it needs: a restart loses
/// nothing.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", tag = "step")]
pub enum AttemptStep {
    /// Ask the provider for the person's certificate.
    RequestCertificate {
        /// ETSI semantics identifier of the person.
        person: String,
        /// The number of the person's phone, where the provider needs one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        phone_number: Option<String>,
    },
    /// Open a choice of a certificate to whoever follows its link.
    RequestDeviceLink,
    /// Wait for somebody to follow it and choose.
    AwaitDeviceLink {
        /// The provider's session.
        session: ProviderSession,
    },
    /// Wait for the provider to give it.
    AwaitCertificate {
        /// ETSI semantics identifier of the person.
        person: String,
        /// The provider's session.
        session: ProviderSession,
    },
    /// Check it, before any digest leaves.
    CheckCertificate {
        /// Whose it has to be; anybody's after a device link.
        person: Option<String>,
        /// The certificate that was chosen.
        chosen: ChosenCertificate,
    },
    /// Wait for the app to send the certificate of the signer's card.
    AwaitCard {
        /// Whose it has to be, where the signer said so.
        person: Option<String>,
        /// When it will not come any more.
        until: Timestamp,
    },
    /// Wait for the app to send what the card has signed.
    AwaitCardSignature {
        /// The card's certificate.
        chosen: ChosenCertificate,
        /// What the plugin has prepared.
        prepared: PreparedSignature,
        /// When it will not come any more.
        until: Timestamp,
    },
    /// Wait until no other signer has the turn.
    AwaitTurn {
        /// The certificate that was chosen.
        chosen: ChosenCertificate,
        /// What the plugin is asked, but for the time.
        request: SignRequest,
    },
    /// Have the plugin prepare the signature.
    Prepare {
        /// The certificate that was chosen.
        chosen: ChosenCertificate,
        /// What the plugin is asked.
        request: SignRequest,
    },
    /// Ask the device for it.
    Ask {
        /// The certificate that was chosen.
        chosen: ChosenCertificate,
        /// What the plugin has prepared.
        prepared: PreparedSignature,
        /// When it could be asked for first.
        asked_at: Timestamp,
    },
    /// Wait for the device.
    AwaitSignature {
        /// The provider's session.
        session: ProviderSession,
        /// What the plugin has prepared.
        prepared: PreparedSignature,
        /// Whether the app has to come back to the callback.
        must_return: bool,
    },
    /// Wait for the app to come back to the page that opened it.
    AwaitReturn {
        /// What the plugin has prepared.
        prepared: PreparedSignature,
        /// The signature that the device made.
        #[serde(with = "As::<Base64>")]
        value: Vec<u8>,
        /// When it will not come back any more.
        until: Timestamp,
    },
    /// Time-stamp and embed what the device has signed.
    Finish {
        /// What the plugin has prepared.
        prepared: PreparedSignature,
        /// The signature that the device made.
        #[serde(with = "As::<Base64>")]
        value: Vec<u8>,
    },
}

impl AttemptStep {
    /// Whether nobody else may sign from then on.
    pub(crate) fn needs_turn(&self) -> bool {
        self.asks_device() || self.holds_signature() || matches!(self, Self::Prepare { .. })
    }

    /// Whether the device is asked by then, or is about to be.
    pub(crate) fn asks_device(&self) -> bool {
        matches!(
            self,
            Self::Ask { .. } | Self::AwaitSignature { .. } | Self::AwaitCardSignature { .. }
        )
    }

    /// When the device's answer will not come any more, where that is known.
    pub(crate) fn answer_until(&self) -> Option<Timestamp> {
        match self {
            Self::AwaitCardSignature { until, .. } => Some(*until),
            _ => None,
        }
    }

    /// Whether the device has signed by then.
    pub(crate) fn holds_signature(&self) -> bool {
        matches!(self, Self::AwaitReturn { .. } | Self::Finish { .. })
    }
}

/// A certificate, and the choice that the signature is linked to.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ChosenCertificate {
    /// The certificate.
    pub certificate: SignerCertificate,
    /// None when the person was asked by notification.
    pub(crate) choice: Option<ProviderSession>,
}

/// A device link that is open.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct OpenDeviceLink {
    /// The provider's session.
    pub session: ProviderSession,
    /// Codes to scan say how long it has been open.
    pub(crate) opened_at: Timestamp,
}

/// What the device signs.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct PreparedSignature {
    /// As it was first made; every repetition uses it as it is.
    pub request: SignRequest,
    /// What the plugin wants signed; where the bytes are long, only their digest
    /// is kept.
    pub need: Need,
}

/// The attempts of a ceremony that have not ended.
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
