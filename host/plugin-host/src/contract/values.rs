//! Values of plugins' needs and outputs that the host keeps in other forms than the catalogue's.

use parafa_catalogue::{DigestAlgorithm, NeedKind, Outcome, Payload};
use serde::{Deserialize, Serialize};
use serde_with::base64::Base64;
use serde_with::{As, Same};

use super::payload;
use crate::Parameter;

/// A need of a plugin: an operation that it cannot do itself.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Need {
    /// Unique within one signature.
    pub id: String,
    /// The kind of need.
    pub kind: NeedKind,
    /// The input; `wit/CATALOGUE.md` defines it for each kind.
    #[serde(with = "payload::stored")]
    pub payload: Payload,
    /// The algorithm that hashes the payload, for signatures and time-stamps.
    pub digest_algorithm: Option<DigestAlgorithm>,
    /// Further parameters, as the plugin gave them.
    pub params: Vec<Parameter>,
}

/// A need with its answer. The need is kept, because the device's signature is later compared with
/// it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Answer {
    /// The need.
    pub need: Need,
    /// The bytes (see `wit/CATALOGUE.md` for their form), or the reason why
    /// there are none.
    #[serde(with = "As::<Result<Base64, Same>>")]
    pub outcome: Result<Vec<u8>, String>,
}

/// The result of one call of `sign`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum SignStep {
    /// The output is complete, and preserves its input as the plugin declares.
    Done {
        /// The signed document.
        document: crate::Document,
        /// The plugin's description of the output.
        outcome: Outcome,
    },
    /// Answers to these are needed.
    Needs(Vec<Need>),
}

/// The result of one call of `archive`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ArchiveStep {
    /// The output is complete, and preserves its input as the plugin declares.
    Done {
        /// The archived document; `None` if it needed no change.
        document: Option<crate::Document>,
        /// The plugin's description of the output.
        outcome: Archived,
    },
    /// Answers to these are needed.
    Needs(Vec<Need>),
}

/// The plugin's description of an archived document.
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
    /// The document, with the host's knowledge of it, for further calls.
    pub document: crate::Document,
    /// Its media type.
    pub media_type: String,
    /// Codes of the plugin's notes on how it was made.
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
