use parafa_catalogue::{
    DigestAlgorithm, NeedKind, Operation, Outcome, Payload, Preservation, Refusal,
    SignatureAlgorithm, TimestampKind, refusal,
};

/// What a format is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct About {
    /// The format's name, such as `pdf`.
    pub id: &'static str,
    /// Version of the implementation.
    pub version: &'static str,
    /// Media types that it takes.
    pub media_types: &'static [&'static str],
    /// Lower-case extensions without the dot.
    pub extensions: &'static [&'static str],
    /// One for each of `sign`, `archive`, `flatten` and `rehearse` that it has.
    pub abilities: &'static [Ability],
}

/// What an operation makes of a document.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Ability {
    /// Which operation.
    pub operation: Operation,
    /// How it keeps the bytes of its input.
    pub preservation: Preservation,
    /// The levels that `sign` and `archive` come to, such as `PAdES-B-T`, the
    /// lowest first.
    pub levels: &'static [&'static str],
}

/// A request for one signature; the same request and answers give the same bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SignRequest {
    /// Signing time, seconds since the Unix epoch.
    pub time: i64,
    /// 32 bytes from which every identifier is derived.
    pub seed: Vec<u8>,
    /// `B-B` or `B-T`.
    pub target_level: String,
    /// DER certificates, the signer's first, then its issuers.
    pub signer_chain: Vec<Vec<u8>>,
    /// How the device will sign.
    pub signature_algorithm: SignatureAlgorithm,
    /// Bytes kept for signature, certificates and time-stamp.
    pub reserve: u32,
    /// What is to be covered: the ids of all that `members` tells, or the names of
    /// all files beside the document; none where there is neither.
    pub covers: Vec<String>,
    /// Further parameters of the format.
    pub params: Vec<(String, String)>,
}

/// What a format cannot do itself.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Need {
    /// Unique within the step, and stable when the step is repeated.
    pub id: String,
    /// What is needed.
    pub kind: NeedKind,
    /// What it is needed for; `wit/CATALOGUE.md` says what of each kind.
    pub payload: Payload,
    /// `signature` and `timestamp`: how the payload is hashed.
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
    /// Which need.
    pub need_id: String,
    /// The bytes, or the reason why there are none.
    pub outcome: Result<Vec<u8>, String>,
}

impl Need {
    /// A need without further parameters.
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

    /// The answer to it: the bytes, or the reason why there are none.
    #[must_use]
    pub fn answer(&self, outcome: Result<Vec<u8>, &str>) -> Answer {
        Answer {
            need_id: self.id.clone(),
            outcome: outcome.map_err(str::to_owned),
        }
    }
}

impl Answer {
    /// What the answer to a need holds; `None` when nobody has answered yet.
    ///
    /// # Errors
    /// `bad-request` with the reason why there never will be one.
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

/// Either needs, all that are known, or an outcome; the sink holds the
/// document only when there is an outcome.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Step<O = Outcome> {
    /// The output is complete.
    Done(O),
    /// Call again with answers to these.
    Needs(Vec<Need>),
}

/// One need, as all that is known.
impl<O> From<Need> for Step<O> {
    fn from(need: Need) -> Self {
        Self::Needs(vec![need])
    }
}
