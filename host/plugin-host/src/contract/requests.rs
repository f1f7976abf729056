//! Requests to plugins. They are kept, because the same request and answers give the same bytes.

use parafa_catalogue::{SignatureAlgorithm, TargetLevel};
use serde::{Deserialize, Serialize};
use serde_with::As;
use serde_with::base64::Base64;

use crate::Document;

/// A request for a signature. It is stored before the first call, because the same request and
/// answers give the same bytes.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct SignRequest {
    /// Signing time, seconds since the Unix epoch.
    pub time: i64,
    /// Random bytes from which every identifier is derived.
    #[serde(with = "As::<Base64>")]
    pub seed: [u8; 32],
    /// The level to reach, B-B or B-T.
    pub target_level: TargetLevel,
    /// DER certificates, the signer's first, then its issuers.
    #[serde(with = "As::<Vec<Base64>>")]
    pub signer_chain: Vec<Vec<u8>>,
    /// The algorithm of the signing device.
    pub signature_algorithm: SignatureAlgorithm,
    /// Bytes reserved for signature, certificates and time-stamp.
    pub reserve: u32,
    /// Further parameters of the format.
    pub params: Vec<Parameter>,
}

/// A request to raise signatures to an archival level. It is stored, or at least kept, from the
/// first call on, because the same request and answers give the same bytes.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct ArchiveRequest {
    /// Time of archiving, seconds since the Unix epoch.
    pub time: i64,
    /// Random bytes from which every identifier is derived.
    #[serde(with = "As::<Base64>")]
    pub seed: [u8; 32],
    /// The level to reach at least, B-LT or B-LTA. Requests were stored without it when B-LT was
    /// the only one.
    #[serde(default = "level_of_requests_without_one")]
    pub target_level: TargetLevel,
    /// Further parameters of the format.
    pub params: Vec<Parameter>,
}

/// A request to derive a document from another one, by `flatten` or `rehearse`.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct DeriveRequest {
    /// Time of the derivation, seconds since the Unix epoch.
    pub time: i64,
    /// Random bytes from which every identifier is derived.
    #[serde(with = "As::<Base64>")]
    pub seed: [u8; 32],
    /// Further parameters of the format.
    pub params: Vec<Parameter>,
}

/// A request to make a document of files.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct ComposeRequest {
    /// Time of composing, seconds since the Unix epoch.
    pub time: i64,
    /// Random bytes from which every identifier is derived.
    #[serde(with = "As::<Base64>")]
    pub seed: [u8; 32],
    /// The document's media type, one of the plugin's.
    pub media_type: String,
    /// Further parameters of the format.
    pub params: Vec<Parameter>,
}

/// A file for a new document.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SourceFile {
    /// Its name within the document.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Its bytes.
    pub content: Document,
}

/// A named value of a request or a need.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Parameter {
    /// Name.
    pub name: String,
    /// Value.
    pub value: String,
}

fn level_of_requests_without_one() -> TargetLevel {
    TargetLevel::BLt
}

impl SignRequest {
    /// The reserve of ceremonies, in bytes. Qualified chains and time-stamp tokens of the region
    /// are well below.
    pub const RESERVE: u32 = 24 * 1024;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_to_archive_that_was_stored_without_a_level_asks_for_b_lt() {
        let request = ArchiveRequest {
            time: 1_700_000_000,
            seed: [7; 32],
            target_level: TargetLevel::BLta,
            params: Vec::new(),
        };
        let mut stored = serde_json::to_value(&request).unwrap();
        assert_eq!(
            serde_json::from_value::<ArchiveRequest>(stored.clone()).unwrap(),
            request
        );

        let told = stored.as_object_mut().unwrap().remove("target_level");

        assert_eq!(told, Some("B-LTA".into()));
        let read: ArchiveRequest = serde_json::from_value(stored).unwrap();
        assert_eq!(read.target_level, TargetLevel::BLt);
    }
}
