//! Appends one XAdES baseline signature (ETSI EN 319 132-1) in a file of its
//! own.
//!
//! The file is a pure function of the container and the request, so every call
//! makes it anew: the first to ask for a signature over its SignedInfo, the
//! second to ask for a time-stamp over the signature value, the last to write
//! it.

use std::collections::HashSet;
use std::fmt::Write as _;

use parafa_format_core::{
    Answer, DigestAlgorithm, Environment, Need, NeedKind, Outcome, Refusal, SEED_BYTES,
    SignRequest, SignatureAlgorithm, Sink, Step, expect_no_params, levels, parse_seed, refusal,
};
use parafa_pki::answers::{answer, require_timestamp, require_value, unusable};
use parafa_xades::{DataObject, Draft, SignatureRequest};
use parafa_zip::{Content, Writer};

use crate::MEDIA_TYPE;
use crate::container::Container;
use crate::limits::Limits;
use crate::obstacle::obstacle;
use crate::refusals::{about, bad_request};
use crate::signatures;

/// Signs a container: the first signature, or a further one beside those that
/// are there, over all data files.
///
/// Without answers the step needs a `signature`; at level B-T it then needs a
/// `timestamp`. Bytes need not be reserved: the file is as long as it is.
///
/// # Errors
/// A refusal of the container with the codes of `inspect` or of its obstacle,
/// or `bad-request` when the request or an answer cannot be used.
pub fn sign<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    request: &SignRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<Step, Refusal> {
    let signing = Signing::parse(request)?;
    let container = Container::read(environment, document)?;
    if answers.is_empty() {
        container.check_bytes()?;
    }
    let signatures = signatures::read(&container)?;
    if let Some(obstacle) = obstacle(&container, &signatures) {
        return Err(obstacle);
    }
    require_coverage(&container, &request.covers)?;

    let place = Place::find(&container, &signing.seed);
    let draft = draft(&container, &signing, &place.id)?;
    if draft.file_bytes() > MOST_DRAFTED {
        let detail = "The signature would be longer than signatures of containers may be.";
        return Err(Refusal::new(refusal::DOCUMENT_TOO_LONG, detail));
    }
    let Some(value) = answer(answers, SIGNATURE)? else {
        let signed = draft.to_be_signed();
        return Ok(need(NeedKind::Signature, SIGNATURE, signed, &signing));
    };
    require_value(
        environment,
        signing.certificate,
        signing.algorithm,
        draft.to_be_signed(),
        value,
    )?;
    let mut file = draft.with_value(value).map_err(|error| unusable(&error))?;
    if signing.is_stamped {
        let stamped = draft
            .to_be_stamped(&file)
            .map_err(|error| unusable(&error))?;
        let Some(token) = answer(answers, TIMESTAMP)? else {
            return Ok(need(NeedKind::Timestamp, TIMESTAMP, &stamped, &signing));
        };
        require_timestamp(token, &stamped)?;
        file = draft
            .with_timestamp(&file, token)
            .map_err(|error| unusable(&error))?;
    }

    let archive = &container.archive;
    let mut writer = Writer::append(out, request.time, document, archive);
    writer.add(&place.file, &Content::Bytes(file.as_bytes()))?;
    writer.finish(archive.comment())?;
    Ok(Step::Done(Outcome {
        media_type: MEDIA_TYPE.to_owned(),
        level: if signing.is_stamped {
            levels::XADES_B_T
        } else {
            levels::XADES_B_B
        }
        .to_owned(),
        signature_id: format!("{}#{}", place.file, place.id),
    }))
}

/// Longest signature file without value and time-stamp, in bytes; these have
/// their room beside it.
#[expect(clippy::cast_possible_truncation, reason = "it is a small constant")]
const MOST_DRAFTED: usize = (Limits::NEW_SIGNATURE_BYTES - 256 * 1024) as usize;

/// Identifiers of the needs.
const SIGNATURE: &str = "signature";
const TIMESTAMP: &str = "timestamp";

/// A request that can be carried out.
struct Signing<'a> {
    time: i64,
    seed: [u8; SEED_BYTES],
    is_stamped: bool,
    certificate: &'a [u8],
    issuers: &'a [Vec<u8>],
    algorithm: SignatureAlgorithm,
}

impl<'a> Signing<'a> {
    fn parse(request: &'a SignRequest) -> Result<Self, Refusal> {
        expect_no_params(&request.params)?;
        let is_stamped = match request.target_level.as_str() {
            "B-B" => false,
            "B-T" => true,
            other => {
                let detail = format!("The level {other:?} is not B-B or B-T.");
                return Err(bad_request(detail));
            }
        };
        if request.signature_algorithm.digest() == DigestAlgorithm::Sha1 {
            return Err(bad_request("SHA-1 is not accepted for new signatures."));
        }
        let Some((certificate, issuers)) = request.signer_chain.split_first() else {
            return Err(bad_request("The signer's certificate is missing."));
        };
        Ok(Self {
            time: request.time,
            seed: parse_seed(&request.seed)?,
            is_stamped,
            certificate,
            issuers,
            algorithm: request.signature_algorithm,
        })
    }
}

/// Where a new signature goes.
struct Place {
    /// The name of its file.
    file: String,
    /// Its `Id`.
    id: String,
}

impl Place {
    /// Behind the highest number that a signature file has, under a name that no
    /// member has, however it is capitalized.
    fn find<E: Environment>(container: &Container<'_, E>, seed: &[u8; SEED_BYTES]) -> Self {
        let names = container.archive.members();
        let taken: HashSet<String> = names
            .map(|member| member.name.to_ascii_lowercase())
            .collect();
        let numbers = container.signature_files.iter();
        let highest = numbers.filter_map(|name| number_of(name)).max();
        let mut number = highest.map_or(0, |highest| u64::from(highest) + 1);
        let named = |number| format!("META-INF/signatures{number}.xml");
        while taken.contains(&named(number).to_ascii_lowercase()) {
            number += 1;
        }
        let mut id = format!("S{number}-");
        for byte in &seed[..ID_BYTES] {
            let _ = write!(id, "{byte:02x}");
        }
        Self {
            file: named(number),
            id,
        }
    }
}

/// Bytes of the seed that go into an identifier.
const ID_BYTES: usize = 8;

/// The number at the end of the name of a signature file.
fn number_of(name: &str) -> Option<u32> {
    let stem = name.strip_suffix(".xml")?;
    let digits = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    stem[digits.len()..].parse().ok()
}

/// Nobody signs a part of a container, or what it does not hold.
fn require_coverage<E: Environment>(
    container: &Container<'_, E>,
    covers: &[String],
) -> Result<(), Refusal> {
    let requested: HashSet<&str> = covers.iter().map(String::as_str).collect();
    let held: HashSet<&str> = container
        .files
        .iter()
        .map(|file| file.name.as_str())
        .collect();
    let mut differing: Vec<&str> = requested.symmetric_difference(&held).copied().collect();
    if differing.is_empty() {
        return Ok(());
    }
    differing.sort_unstable();
    let detail = "A signature is over all files of the container, which are others than requested.";
    Err(about(refusal::BAD_REQUEST, detail, differing))
}

fn draft<E: Environment>(
    container: &Container<'_, E>,
    signing: &Signing<'_>,
    id: &str,
) -> Result<Draft, Refusal> {
    let algorithm = signing.algorithm.digest();
    let files = container.files.iter();
    let digests: Vec<Vec<u8>> = files
        .map(|file| container.digest_of(file, algorithm))
        .collect::<Result<_, _>>()?;
    let objects: Vec<DataObject<'_>> = container
        .files
        .iter()
        .zip(&digests)
        .map(|(file, digest)| DataObject {
            name: &file.name,
            media_type: &file.media_type,
            digest,
        })
        .collect();
    let request = SignatureRequest {
        id,
        time: signing.time,
        algorithm: signing.algorithm,
        certificate: signing.certificate,
        issuers: signing.issuers,
        objects: &objects,
    };
    Draft::new(container.environment, &request).map_err(|error| unusable(&error))
}

fn need(kind: NeedKind, id: &str, payload: &[u8], signing: &Signing<'_>) -> Step {
    Step::Needs(vec![Need {
        id: id.to_owned(),
        kind,
        payload: payload.to_vec().into(),
        digest_algorithm: Some(signing.algorithm.digest()),
        params: Vec::new(),
    }])
}
