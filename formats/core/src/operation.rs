use parafa_catalogue::{
    DigestAlgorithm, NeedKind, Operation, Outcome, Payload, Preservation, Refusal,
    SignatureAlgorithm, TimestampKind, refusal,
};

/// Description of a format.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct About {
    /// The format's name, such as `pdf`.
    pub id: &'static str,
    /// Version of the implementation.
    pub version: &'static str,
    /// Accepted media types.
    pub media_types: &'static [&'static str],
    /// Lower-case extensions without the dot.
    pub extensions: &'static [&'static str],
    /// One for each supported operation of `sign`, `archive`, `flatten` and
    /// `rehearse`.
    pub abilities: &'static [Ability],
}

/// Result of an operation on a document.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Ability {
    /// The operation.
    pub operation: Operation,
    /// Preservation of the input bytes.
    pub preservation: Preservation,
    /// Levels that `sign` and `archive` reach, such as `PAdES-B-T`, the lowest
    /// first.
    pub levels: &'static [&'static str],
}

/// A request for one signature; the same request and answers give the same
/// bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SignRequest {
    /// Signing time in seconds since the Unix epoch.
    pub time: i64,
    /// Source of every identifier: 32 bytes.
    pub seed: Vec<u8>,
    /// `B-B` or `B-T`.
    pub target_level: String,
    /// DER-encoded certificates, the signer's first, then its issuers.
    pub signer_chain: Vec<Vec<u8>>,
    /// Signature algorithm of the device.
    pub signature_algorithm: SignatureAlgorithm,
    /// Bytes reserved for signature, certificates and time-stamp.
    pub reserve: u32,
    /// Ids of the members to cover: all that `members` returns, or the names of
    /// all files beside the document; empty if there is neither.
    pub covers: Vec<String>,
    /// Further parameters of the format.
    pub params: Vec<(String, String)>,
}

/// A need that a format cannot meet itself.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Need {
    /// Unique within the step, and stable across calls.
    pub id: String,
    /// Kind of the need.
    pub kind: NeedKind,
    /// Object of the need; `wit/CATALOGUE.md` defines it for each kind.
    pub payload: Payload,
    /// Digest algorithm of the payload, for `signature` and `timestamp`.
    pub digest_algorithm: Option<DigestAlgorithm>,
    /// `timestamp`: what the token becomes in the document. Where it is not said,
    /// `sign` asks for a stamp of the signature, and `archive` for an archive
    /// time-stamp.
    pub stamps: Option<TimestampKind>,
    /// `revocation`: DER of the issuer's certificate, where it is known.
    pub issuer: Option<Vec<u8>>,
    /// `revocation`: the time that the answer has to cover, in seconds since the
    /// Unix epoch.
    pub time: Option<i64>,
    /// `signature`: further parameters.
    pub params: Vec<(String, String)>,
}

/// The answer to a [`Need`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Answer {
    /// Id of the need.
    pub need_id: String,
    /// The bytes, or the reason for their absence.
    pub outcome: Result<Vec<u8>, String>,
}

impl Need {
    /// Creates a need without further parameters.
    pub fn new(
        kind: NeedKind,
        id: impl Into<String>,
        payload: impl Into<Payload>,
        digest_algorithm: impl Into<Option<DigestAlgorithm>>,
    ) -> Self {
        Self {
            id: id.into(),
            kind,
            payload: payload.into(),
            digest_algorithm: digest_algorithm.into(),
            stamps: None,
            issuer: None,
            time: None,
            params: Vec::new(),
        }
    }

    /// Returns an answer to it: the bytes, or the reason for their absence.
    #[must_use]
    pub fn answer(&self, outcome: Result<Vec<u8>, &str>) -> Answer {
        Answer {
            need_id: self.id.clone(),
            outcome: outcome.map_err(str::to_owned),
        }
    }
}

impl Answer {
    /// Returns the bytes that answer a need; `None` if the answer is pending.
    ///
    /// # Errors
    /// `bad-request` with the reason why there will be none.
    pub fn find<'a>(answers: &'a [Self], need_id: &str) -> Result<Option<&'a [u8]>, Refusal> {
        let answer = answers.iter().find(|answer| answer.need_id == need_id);
        match answer.map(|answer| &answer.outcome) {
            None => Ok(None),
            Some(Ok(bytes)) => Ok(Some(bytes)),
            Some(Err(reason)) => {
                let detail = format!("There is no {need_id}: {reason}.");
                Err(Refusal::new(refusal::BAD_REQUEST, detail))
            }
        }
    }
}

/// All known needs, or an outcome. The sink contains the document only with an
/// outcome.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Step<O = Outcome> {
    /// The output is complete.
    Done(O),
    /// Call again with answers to these.
    Needs(Vec<Need>),
}

/// Converts the only known need.
impl<O> From<Need> for Step<O> {
    fn from(need: Need) -> Self {
        Self::Needs(vec![need])
    }
}
