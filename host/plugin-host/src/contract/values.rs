//! What plugins need and make, where a host keeps it in other shapes than the
//! catalogue's.

use parafa_catalogue::{DigestAlgorithm, NeedKind, Outcome, Payload};
use serde::{Deserialize, Serialize};
use serde_with::base64::Base64;
use serde_with::{As, Same};

use super::payload;
use crate::Parameter;

/// What a plugin cannot do itself.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Need {
    /// Unique within one signature.
    pub id: String,
    /// What is needed.
    pub kind: NeedKind,
    /// What it is needed for; `wit/CATALOGUE.md` says what of each kind.
    #[serde(with = "payload::stored")]
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
    /// Its bytes.
    pub bytes: bytes::Bytes,
    /// The document, with what is known of it, for whoever goes on with it.
    pub document: crate::Document,
    /// Its media type.
    pub media_type: String,
    /// Codes of what the plugin tells about how it was made.
    pub notes: Vec<String>,
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
