//! Views for signers: the ceremony's state as JSON, and the content of the page.

use jiff::Timestamp;
use parafa_api_http::views::timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::face::Face;
use crate::messages::Messages;
use crate::progress::Progress;
use crate::vocabulary::{
    AttemptFailure, Country, Language, MemberRole, Phase, SignerStatus, SigningMethod,
};

/// Answer of `GET /c/{token}/state`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// Request for the signature, and its sender.
    pub signing: CeremonyView,
    /// Person asked to sign.
    pub signer: Signer,
    /// The version that would be signed now.
    pub document: Document,
    /// The newest attempt, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<Attempt>,
    /// True while another signer is signing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy: Option<bool>,
    /// When the other signer's turn ends at the latest. Left out once their device
    /// has signed: the signature is finished first, as a rule within seconds.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "timestamp::nullable::serialize"
    )]
    pub busy_until: Option<Timestamp>,
}

/// Request for the signature, and its sender.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Signing")]
pub struct CeremonyView {
    /// Title given by the caller.
    pub title: String,
    /// Registered name of the sender.
    pub tenant: String,
    /// Name shown as the sender's, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The deadline.
    #[serde(serialize_with = "timestamp::serialize")]
    pub expires_at: Timestamp,
    /// True if nothing is signed, in the sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<bool>,
}

/// Person asked to sign.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Signer {
    /// Name given by the caller.
    pub name: Option<String>,
    /// Language of the page.
    pub language: Language,
    /// Methods allowed by the caller.
    pub methods_allowed: Vec<SigningMethod>,
    /// Countries of the national codes accepted: Lithuania alone if the signer is
    /// compared with a Lithuanian register.
    pub countries: &'static [Country],
    /// Status of the signer.
    pub status: SignerStatus,
}

/// The version that would be signed now.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// File name.
    pub name: String,
    /// Lower-case hexadecimal digits.
    pub sha256: String,
    /// Size, in bytes.
    pub bytes: u64,
    /// Media type.
    pub mime_type: String,
}

/// Answer of `GET /c/{token}/members`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub(crate) struct Members {
    /// Signed parts, in the document's order.
    pub(crate) members: Vec<Member>,
}

/// Part of the document, or the document itself if it is no container.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// Id for requests of this part.
    pub id: String,
    /// File name.
    pub name: String,
    /// Media type.
    pub mime_type: String,
    /// Size, in bytes.
    pub bytes: u64,
    /// Lower-case hexadecimal digits.
    pub sha256: String,
    /// Role of the part for the signer.
    pub role: MemberRole,
}

/// An attempt to sign.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// Method of the attempt.
    pub method: SigningMethod,
    /// Its status.
    pub phase: Phase,
    /// Verification code, which the device shows too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification_code: Option<String>,
    /// Link to the signer's app, while the attempt waits for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_link: Option<DeviceLink>,
    /// Pairing of the card's app with the attempt, while the attempt waits for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairing: Option<Pairing>,
    /// Reason of an end without a signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<AttemptError>,
}

/// Link to the signer's app.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceLink {
    /// The content of the code to scan now.
    pub qr: String,
    /// The link that opens the app on the same device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_device: Option<String>,
}

/// Pairing of the card's app with an attempt.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pairing {
    /// To be typed into the app.
    pub code: String,
    /// The same as an address, which is the content of the code to scan.
    pub uri: String,
    /// When it is no longer taken.
    #[serde(serialize_with = "timestamp::serialize")]
    pub expires_at: Timestamp,
}

/// Why an attempt ended without a signature.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AttemptError {
    code: AttemptFailure,
    message: &'static str,
    #[serde(skip)]
    circumstances: Circumstances,
}

/// Circumstances of a failure that its sentence depends on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Circumstances {
    /// Signing method.
    pub method: SigningMethod,
    /// True if the link is for one person alone.
    pub is_locked: bool,
}

impl AttemptError {
    /// The failure with a sentence for the signer.
    #[must_use]
    pub fn new(failure: AttemptFailure, circumstances: Circumstances, language: Language) -> Self {
        Self {
            code: failure,
            message: Messages::of(language).failure(failure, circumstances),
            circumstances,
        }
    }
}

impl State {
    /// The same state for a reader who may have chosen another language than the signer's.
    pub(crate) fn told_in(mut self, language: Option<Language>) -> Self {
        let error = self
            .attempt
            .as_mut()
            .and_then(|attempt| attempt.error.as_mut());
        if let (Some(error), Some(language)) = (error, language) {
            *error = AttemptError::new(error.code, error.circumstances, language);
        }
        self
    }
}

impl AttemptFailure {
    /// The sentence in English, for programs.
    #[must_use]
    pub fn sentence(self, circumstances: Circumstances) -> &'static str {
        Messages::of(Language::En).failure(self, circumstances)
    }
}

/// Answer to an app that was paired with an attempt.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PairedCard {
    /// The bearer token of the app's calls.
    pub card_token: String,
    /// Base URL of the app's calls.
    pub base: String,
    /// Request for the signature, and its sender.
    pub signing: CeremonyView,
    /// Document to sign.
    pub document: PairedDocument,
}

/// The document that an app was paired for.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PairedDocument {
    /// File name.
    pub name: String,
    /// Lower-case hexadecimal digits.
    pub sha256: String,
}

/// Request for a card's signature.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CardRequest {
    /// Id of the request.
    pub request_id: String,
    /// Base64 of the bytes whose digest the card signs.
    pub dtbs: String,
    /// The OID of the digest.
    pub dtbs_hash_alg_oid: &'static str,
    /// Token to send back with the signature.
    pub operation_token: String,
    /// Code for people to compare with the page.
    pub verification_code: String,
    /// The certificate that was sent.
    pub cert: CardCertificate,
}

/// Whom a card's certificate names.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CardCertificate {
    /// Its subject.
    pub subject: CardSubject,
}

/// A subject's attributes, as they stand in the certificate.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CardSubject {
    /// serialNumber.
    pub serial_number: Option<String>,
    /// givenName.
    pub given_name: Option<String>,
    /// surname.
    pub sn: Option<String>,
    /// commonName.
    pub cn: Option<String>,
    /// countryName.
    pub c: Option<String>,
}

/// Content of the page before its script runs.
#[derive(Clone, Debug)]
pub struct PageContent {
    /// Branding of the requesting workspace.
    pub face: Face,
    /// Title of the document to be signed.
    pub title: String,
    /// File name of the document.
    pub document_name: String,
    /// Media type of the document.
    pub document_mime_type: String,
    /// Lower-case hex digest of the version that would be signed now.
    pub document_sha256: String,
    /// Requested signing date, if given.
    pub wanted_by: Option<Timestamp>,
    /// The deadline.
    pub expires_at: Timestamp,
    /// Methods that the signer may use and that are set up here.
    pub methods: Vec<SigningMethod>,
    /// True if nothing is really signed.
    pub sandbox: bool,
    /// True if the document has scripts, which viewers may run.
    pub has_scripts: bool,
    /// Privacy notice for a signer who is compared with a register.
    pub subject_notice: Option<SubjectNotice>,
    /// Signatures that the document carries.
    pub earlier_signatures: EarlierSignatures,
    /// On a link to the completed document: the end of its validity.
    pub copy_until: Option<Timestamp>,
    /// Members of the document.
    pub members: PageMembers,
    /// Progress of the signatures.
    pub progress: Progress,
}

impl PageContent {
    /// The countries that a signer can choose from.
    pub(crate) fn countries(&self) -> &'static [Country] {
        Country::offered(self.subject_notice.is_some())
    }
}

/// Privacy notice for a person who is compared with a register (GDPR, article 13), in paragraphs
/// between line breaks. It is stored in this form too.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct SubjectNotice {
    /// Text in Lithuanian.
    pub lt: String,
    /// Text in English.
    pub en: String,
}

impl SubjectNotice {
    /// The paragraphs in one language.
    pub fn paragraphs(&self, language: Language) -> impl Iterator<Item = &str> {
        match language {
            Language::Lt => self.lt.lines(),
            Language::En => self.en.lines(),
        }
    }
}

impl Country {
    /// Countries offered to a signer, depending on a comparison with a Lithuanian register.
    #[must_use]
    pub fn offered(is_compared: bool) -> &'static [Self] {
        match is_compared {
            true => &[Self::Lithuania],
            false => &[Self::Lithuania, Self::Latvia, Self::Estonia],
        }
    }
}

/// Members of the document on the page.
#[derive(Clone, Debug)]
pub enum PageMembers {
    /// Not a container.
    DocumentItself,
    /// All members of a container, in order.
    Known(Vec<Member>),
    /// A container that could not be read, or not in time.
    Unknown,
}

/// Signatures that a document carries.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum EarlierSignatures {
    /// All of them, or the first ones. Empty if there are none, or if there is no plugin that could
    /// check.
    Known {
        /// The first ones.
        signatures: Vec<EarlierSignature>,
        /// Number of further ones.
        more: usize,
    },
    /// There are some, but they could not be read, or not in time.
    Unknown,
}

/// A signature that a document carries.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct EarlierSignature {
    /// The signer named by the certificate, which was not validated; on one line.
    pub signer: Option<String>,
    /// Time of signing, as claimed by the signature.
    pub claimed_at: Option<Timestamp>,
    /// Baseline level, such as `PAdES-B-T`, or `unknown`.
    pub level: String,
    /// Verdict on the integrity of the signed content.
    pub verdict: SignatureVerdict,
}

/// Verdict of an advisory check of a signature.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SignatureVerdict {
    /// Unchanged since the signature.
    Intact,
    /// Something is not.
    NotIntact,
    /// Unknown: an algorithm or a curve is not supported.
    Uncheckable,
}
