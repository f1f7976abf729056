//! Plays the archiving host: queries issuers and responders and repeats the
//! call.

use std::sync::LazyLock;

use openssl::nid::Nid;
use openssl::x509::X509;
use parafa_format_core::{
    Answer, ArchiveRequest, ArchiveStep, Archived, DigestAlgorithm, MemoryBlob, MemorySink,
    NativeEnvironment, Need, Refusal, SignRequest, SignatureAlgorithm, carry_out,
};
use parafa_format_pdf::archive;

pub(crate) use crate::answering::{certificate, subject};
use crate::answering::{issuer_of, sound};
use crate::ceremony::{PKI, Person};
use crate::pki::{Holder, Role, ec_key, issue};

/// One hierarchy for all tests: the root of [`PKI`], below it the time-stamping
/// unit and an authority, and below that the people.
pub(crate) static HIERARCHY: LazyLock<Hierarchy> = LazyLock::new(Hierarchy::new);

/// Authorities, responders and people.
pub(crate) struct Hierarchy {
    /// Issuer of the people's certificates.
    pub(crate) authority: Holder,
    /// Responder of the authority; its revocation status need not be checked.
    pub(crate) responder: Holder,
    /// Responder of the root; its revocation status need not be checked.
    root_responder: Holder,
    /// Responder of the authority; its revocation status must be checked.
    pub(crate) checked_responder: Holder,
    /// A signer.
    pub(crate) ona: Person,
    /// Another signer.
    pub(crate) jonas: Person,
}

impl Hierarchy {
    fn new() -> Self {
        let key = || ec_key(Nid::X9_62_PRIME256V1);
        let authority = issue("Testing Issuing", key(), Some(&PKI.root), Role::Authority);
        let responder = |name, issuer, is_exempt| {
            let role = Role::Responder { is_exempt };
            issue(name, key(), Some(issuer), role)
        };
        let person = |name, curve, digest| Person {
            holder: issue(name, ec_key(curve), Some(&authority), Role::Signer),
            algorithm: SignatureAlgorithm::Ecdsa(digest),
        };
        Self {
            responder: responder("Testing Responder", &authority, true),
            root_responder: responder("Testing Root Responder", &PKI.root, true),
            checked_responder: responder("Testing Checked Responder", &authority, false),
            ona: person("Ona", Nid::X9_62_PRIME256V1, DigestAlgorithm::Sha256),
            jonas: person("Jonas", Nid::SECP384R1, DigestAlgorithm::Sha384),
            authority,
        }
    }

    /// Returns a person's request for a signature at level B-T. As usual, the
    /// chain lacks the root.
    pub(crate) fn request(&self, person: &Person) -> SignRequest {
        let chain = [&person.holder, &self.authority];
        SignRequest {
            signer_chain: chain
                .map(|holder| holder.certificate.to_der().unwrap())
                .to_vec(),
            ..person.request()
        }
    }

    /// Returns a document signed by several people in turn.
    pub(crate) fn signed(&self, document: &[u8], people: &[&Person]) -> Vec<u8> {
        people.iter().fold(document.to_vec(), |document, person| {
            let (signed, _) = person
                .carries_out(&document, &self.request(person))
                .unwrap();
            signed
        })
    }

    /// Returns the issuer of a certificate.
    pub(crate) fn issuer_of(&self, certificate: &X509) -> &Holder {
        issuer_of([&PKI.root, &self.authority], certificate)
    }

    pub(crate) fn answer(&self, need: &Need) -> Answer {
        sound(need, [&PKI.root, &self.authority], |issuer| {
            match issuer.certificate == self.authority.certificate {
                true => &self.responder,
                false => &self.root_responder,
            }
        })
    }
}

/// Returns a request to archive.
pub(crate) fn request() -> ArchiveRequest {
    ArchiveRequest {
        time: 1_795_242_999,
        seed: vec![9; 32],
        target_level: "B-LT".to_owned(),
        params: Vec::new(),
    }
}

/// Makes one call; returns the step and its output.
pub(crate) fn step(
    document: &[u8],
    request: &ArchiveRequest,
    answers: &[Answer],
) -> Result<(ArchiveStep, Vec<u8>), Refusal> {
    let mut out = MemorySink::default();
    let step = archive(
        &NativeEnvironment,
        &MemoryBlob(document.to_vec()),
        request,
        answers,
        &mut out,
    )?;
    Ok((step, out.0))
}

/// Makes all calls, answering needs with `answer`.
pub(crate) fn archived_with(
    document: &[u8],
    answer: impl FnMut(&Need) -> Answer,
) -> Result<(Vec<u8>, Archived), Refusal> {
    let (document, request) = (MemoryBlob(document.to_vec()), request());
    let call = |answers: &[Answer], out: &mut MemorySink| {
        archive(&NativeEnvironment, &document, &request, answers, out)
    };
    carry_out(6, call, answer)
}

/// Makes all calls with sound answers.
pub(crate) fn archived(document: &[u8]) -> Vec<u8> {
    let (archived, outcome) = archived_with(document, |need| HIERARCHY.answer(need)).unwrap();
    assert!(outcome.changed);
    assert_eq!(outcome.level, "PAdES-B-LT");
    archived
}

/// Returns the subjects of the refusal, one per missing item.
pub(crate) fn missing(document: &[u8], answer: impl FnMut(&Need) -> Answer) -> Vec<String> {
    let refusal = archived_with(document, answer).unwrap_err();
    assert_eq!(refusal.code, "archive-incomplete", "{refusal}");
    assert!(refusal.detail.ends_with('.'), "{refusal}");
    refusal.subjects
}
