//! What plugins need and answer, as the host's own types: a
//! string of the contract that has a catalogue is an enumeration here.

use parafa_catalogue::{DigestAlgorithm, MemberRole, NeedKind, Operation, Preservation, note};
use serde::{Deserialize, Serialize};
use serde_with::base64::Base64;
use serde_with::{As, Same};

use crate::{Digest, Parameter, Payload};

/// Why a plugin does not accept a document or a request.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize, thiserror::Error)]
#[error("{code}: {detail}")]
pub struct Refusal {
    /// Code of `wit/CATALOGUE.md`, such as `encrypted`.
    pub code: String,
    /// One English sentence for the caller of the API.
    pub detail: String,
    /// Form fields or members concerned, all of them at once.
    pub subjects: Vec<String>,
}

/// What `inspect` found.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Report {
    /// Media type of the document.
    pub media_type: String,
    /// Version of the format, such as `1.7`.
    pub format_version: String,
    /// Signatures already there.
    pub signatures: Vec<SignatureSummary>,
    /// Form fields.
    pub fields: Vec<Field>,
    /// What is worth telling.
    pub notes: Vec<Note>,
    /// What the document, sound as it is, is not for.
    pub obstacles: Vec<Obstacle>,
    /// How operations keep the bytes of this document, where that is stronger
    /// than what the description says.
    pub preservation: Vec<(Operation, Preservation)>,
}

/// Why a document is not for an operation.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Obstacle {
    /// Which operation.
    pub operation: Operation,
    /// What it would answer.
    pub refusal: Refusal,
}

/// A file within a document that is made of files.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Member {
    /// Unique within the document, and the same as long as the member is.
    pub id: String,
    /// Its name within the document.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Length of its bytes.
    pub size: u64,
    /// Of its bytes, SHA-256.
    pub digest: Digest,
    /// What it is to those who sign.
    pub role: MemberRole,
}

/// A signature already there.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SignatureSummary {
    /// Identifier within the document, as `verify` reports it.
    pub id: String,
    /// Common name of the signing certificate.
    pub signer: Option<String>,
    /// Claimed signing time, seconds since the Unix epoch.
    pub claimed_time: Option<i64>,
}

/// A form field.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Field {
    /// Fully qualified name.
    pub name: String,
    /// Kind of the field, such as `text`.
    pub kind: String,
}

/// Something worth telling that refuses nothing.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Note {
    /// Code of `wit/CATALOGUE.md`, such as `javascript`.
    pub code: String,
    /// One English sentence.
    pub detail: String,
}

/// What a plugin cannot do itself.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Need {
    /// Unique within one signature.
    pub id: String,
    /// What is needed.
    pub kind: NeedKind,
    /// What it is needed for; `wit/CATALOGUE.md` says what of each kind.
    pub payload: Payload,
    /// How the payload is, or is to be, hashed, for signatures and time-stamps.
    pub digest_algorithm: Option<DigestAlgorithm>,
    /// Further parameters, as the plugin gave them.
    pub params: Vec<Parameter>,
}

/// A need with its answer. The need is kept with it, because the signature
/// that a device made is later compared with what it was asked to sign.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Answer {
    /// What was asked.
    pub need: Need,
    /// The bytes (see `wit/CATALOGUE.md` for their form), or the reason why
    /// there are none.
    #[serde(with = "As::<Result<Base64, Same>>")]
    pub outcome: Result<Vec<u8>, String>,
}

/// What one call of `sign` came to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum SignStep {
    /// The output is complete, and keeps of its input what the plugin declares.
    Done {
        /// The signed document.
        document: crate::Document,
        /// What was made.
        outcome: Outcome,
    },
    /// Answers to these are needed.
    Needs(Vec<Need>),
}

/// What a finished `sign` made.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Outcome {
    /// Media type of the output.
    pub media_type: String,
    /// Reached level, such as `PAdES-B-T`.
    pub level: String,
    /// The new signature's identifier.
    pub signature_id: String,
}

/// What one call of `archive` came to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ArchiveStep {
    /// The output is complete, and keeps of its input what the plugin declares.
    Done {
        /// The archived document; none when nothing was to be done.
        document: Option<crate::Document>,
        /// What was made.
        outcome: Archived,
    },
    /// Answers to these are needed.
    Needs(Vec<Need>),
}

/// What a finished `archive` made.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Archived {
    /// Media type of the document.
    pub media_type: String,
    /// The lowest level of its signatures, such as `PAdES-B-LT`.
    pub level: String,
}

/// A document that `flatten`, `rehearse` or `compose` made.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MadeDocument {
    /// The document.
    pub bytes: bytes::Bytes,
    /// Its media type.
    pub media_type: String,
    /// Codes of what the plugin tells about how it was made.
    pub notes: Vec<String>,
}

impl Report {
    /// Why the document is not for an operation, if it is not.
    #[must_use]
    pub fn obstacle(&self, operation: Operation) -> Option<&Refusal> {
        let mut obstacles = self.obstacles.iter();
        let obstacle = obstacles.find(|obstacle| obstacle.operation == operation)?;
        Some(&obstacle.refusal)
    }

    /// How many further signatures the document has room for, where the plugin
    /// says that these may be too few.
    #[must_use]
    pub fn room_for_signatures(&self) -> Option<usize> {
        let mut notes = self.notes.iter();
        let note = notes.find(|note| note.code == note::ROOM)?;
        note.detail.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SignRequest, SignatureAlgorithm, TargetLevel};

    #[test]
    fn a_request_and_its_answers_survive_being_stored() {
        let request = SignRequest {
            time: 1_700_000_000,
            seed: [7; 32],
            target_level: TargetLevel::BT,
            signer_chain: vec![vec![0x30, 0x00], Vec::new()],
            signature_algorithm: SignatureAlgorithm::RsaPss(DigestAlgorithm::Sha512),
            reserve: 32_768,
            params: vec![Parameter {
                name: "reason".into(),
                value: "because".into(),
            }],
        };
        let answers = [Ok(vec![0, 255]), Err("unavailable".to_owned())].map(|outcome| Answer {
            need: Need {
                id: "signature".into(),
                kind: NeedKind::Signature,
                payload: vec![1, 2, 3].into(),
                digest_algorithm: Some(DigestAlgorithm::Sha256),
                params: Vec::new(),
            },
            outcome,
        });

        let stored = serde_json::to_string(&(&request, &answers)).unwrap();

        assert_eq!(
            serde_json::from_str::<(SignRequest, [Answer; 2])>(&stored).unwrap(),
            (request, answers)
        );
    }
}
