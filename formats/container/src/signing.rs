//! Creation of one signature, by needs and answers.
//!
//! A signature file is a pure function of the container and the request, so
//! every call makes it anew. The first call asks for a signature over its
//! SignedInfo, the second for a time-stamp over the signature value, the last
//! one writes it.

use std::collections::HashSet;

use parafa_format_core::{
    Answer, Environment, Need, NeedKind, Part as HashedPart, Refusal, SEED_BYTES, SignRequest,
    SignatureAlgorithm, Step, expect_no_params, parse_seed, refusal,
};
use parafa_pki::answers::{require_timestamp, require_value, unusable};
use parafa_xades::{DataObject, Draft, Profile, SignatureRequest};

use crate::container::{Container, SignedElement};
use crate::limits::Limits;
use crate::refusals::{about, bad_request};

/// Maximum length of a signature file without value and time-stamp, which have
/// their own reserve, in bytes.
#[expect(clippy::cast_possible_truncation, reason = "it is a small constant")]
const MOST_DRAFTED: usize = (Limits::NEW_SIGNATURE_BYTES - 256 * 1024) as usize;

/// Identifiers of the needs.
const SIGNATURE: &str = "signature";
const TIMESTAMP: &str = "timestamp";

/// A validated request.
#[derive(Clone, Debug)]
pub struct Signing<'a> {
    /// Signing time in seconds since the Unix epoch.
    pub time: i64,
    /// Source of identifiers.
    pub seed: [u8; SEED_BYTES],
    /// The signature gets a time-stamp.
    pub is_stamped: bool,
    /// DER-encoded signer certificate.
    pub certificate: &'a [u8],
    /// DER-encoded issuer certificates.
    pub issuers: &'a [Vec<u8>],
    /// Signature algorithm of the device.
    pub algorithm: SignatureAlgorithm,
}

impl<'a> Signing<'a> {
    /// Parses a request for level B-B or B-T.
    ///
    /// # Errors
    /// `bad-request` when it cannot be carried out.
    pub fn parse(request: &'a SignRequest) -> Result<Self, Refusal> {
        expect_no_params(&request.params)?;
        let is_stamped = match request.target_level.as_str() {
            "B-B" => false,
            "B-T" => true,
            other => {
                let detail = format!("The level {other:?} is not B-B or B-T.");
                return Err(bad_request(detail));
            }
        };
        if !request.signature_algorithm.is_for_making() {
            let algorithm = request.signature_algorithm;
            return Err(bad_request(format!(
                "{algorithm} is not accepted for new signatures."
            )));
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

    /// Drafts a signature over all files and elements of a container and over
    /// `more`, without its value.
    ///
    /// # Errors
    /// The error of digesting an object; `bad-request` when the request cannot
    /// be carried out; `document-too-long` when the signature would be.
    pub fn draft<E: Environment>(
        &self,
        container: &Container<'_, E>,
        profile: Profile,
        id: &str,
        more: &[SignedElement],
    ) -> Result<Draft, Refusal> {
        let environment = container.environment;
        let algorithm = self.algorithm.digest();
        let files = container.files();
        let of_files = files
            .iter()
            .map(|file| container.digest_of(file, algorithm))
            .collect::<Result<Vec<_>, _>>()?;
        let elements: Vec<_> = container.elements().iter().chain(more).collect();
        let of_elements: Vec<_> = elements
            .iter()
            .map(|element| environment.digest(algorithm, &[HashedPart::Bytes(&element.octets)]))
            .collect();
        let files = files
            .iter()
            .zip(&of_files)
            .map(|(file, digest)| DataObject {
                name: &file.name,
                part: None,
                media_type: &file.media_type,
                digest,
            });
        let elements = elements.iter().zip(&of_elements);
        let elements = elements.map(|(element, digest)| DataObject {
            name: &element.member,
            part: Some(&element.id),
            media_type: "",
            digest,
        });
        let objects: Vec<DataObject<'_>> = files.chain(elements).collect();
        let request = SignatureRequest {
            profile,
            id,
            time: self.time,
            algorithm: self.algorithm,
            certificate: self.certificate,
            issuers: self.issuers,
            objects: &objects,
        };
        let draft = Draft::new(environment, &request).map_err(|error| unusable(&error))?;
        if draft.file_bytes() > MOST_DRAFTED {
            let detail = "The signature would be longer than signatures of containers may be.";
            return Err(Refusal::new(refusal::DOCUMENT_TOO_LONG, detail));
        }
        Ok(draft)
    }

    /// Returns the signature file of a draft, or the next need: a `signature`,
    /// then a `timestamp` if required.
    ///
    /// # Errors
    /// `bad-request` when an answer cannot be used.
    pub fn signature_file<E: Environment>(
        &self,
        environment: &E,
        draft: &Draft,
        answers: &[Answer],
    ) -> Result<Step<String>, Refusal> {
        let hash = self.algorithm.digest();
        let Some(value) = Answer::find(answers, SIGNATURE)? else {
            let signed = draft.to_be_signed().to_vec();
            return Ok(Need::new(NeedKind::Signature, SIGNATURE, signed, hash).into());
        };
        require_value(
            environment,
            self.certificate,
            self.algorithm,
            draft.to_be_signed(),
            value,
        )?;
        let file = draft.with_value(value).map_err(|error| unusable(&error))?;
        if !self.is_stamped {
            return Ok(Step::Done(file));
        }
        let stamped = draft
            .to_be_stamped(&file)
            .map_err(|error| unusable(&error))?;
        let Some(token) = Answer::find(answers, TIMESTAMP)? else {
            return Ok(Need::new(NeedKind::Timestamp, TIMESTAMP, stamped, hash).into());
        };
        require_timestamp(token, &stamped)?;
        let file = draft.with_timestamp(&file, token);
        Ok(Step::Done(file.map_err(|error| unusable(&error))?))
    }
}

/// Returns the number at the end of a signature file name.
#[must_use]
pub fn number_of(name: &str) -> Option<u32> {
    let stem = name.strip_suffix(".xml")?;
    let digits = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    stem[digits.len()..].parse().ok()
}

/// Requires that exactly the whole container is to be signed.
///
/// # Errors
/// `bad-request`, naming the difference.
pub fn require_coverage<E: Environment>(
    container: &Container<'_, E>,
    covers: &[String],
) -> Result<(), Refusal> {
    let requested: HashSet<String> = covers.iter().cloned().collect();
    let held: HashSet<String> = container.member_ids().collect();
    let mut differing: Vec<&String> = requested.symmetric_difference(&held).collect();
    if differing.is_empty() {
        return Ok(());
    }
    differing.sort_unstable();
    let detail = "A signature is over all files of the container, which are others than requested.";
    Err(about(refusal::BAD_REQUEST, detail, differing))
}
