//! Evidence about signatures. Whom to trust is for others to decide.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use parafa_ades::{Budget, ChainLimits, Rules, ValidationMaterial};
use parafa_format_core::{
    DigestAlgorithm, Environment, Integrity, Part, SignatureAlgorithm, TimestampEvidence,
    TimestampKind, levels,
};
use parafa_pki::Certificate;
use parafa_xml::{Document, Element, Error};

use crate::coverage::{Covered, covers};
use crate::examined::{Examined, tokens};
use crate::fault::Fault;
use crate::file;
use crate::level;
use crate::material::Material;
use crate::names::{self, DSIG, XADES};
use crate::objects::{DataObjects, Piece};
use crate::octets::Octets;
use crate::reference::{Reference, Target};
use crate::signature::{Canonical, Signature, binary, only};
use crate::signer::{CertificateDigest, value_of};
use crate::stamps::Stamped;
use crate::time;
use crate::time_marks;

/// What is done for the chains of all signatures of a container: those of each
/// are followed by themselves.
pub(crate) const LIMITS: ChainLimits = ChainLimits {
    candidates: 5_000,
    signatures: 5_000,
    digested_bytes: 256 * 1024 * 1024,
};
/// Shortest RSA key that shows who signed, in bits.
const LEAST_RSA_BITS: usize = 2048;
/// Most references of one signature: one for every member, and some.
const MAX_REFERENCES: usize = 1100;

/// What is known of a signature.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Its `Id`; empty when it has none.
    pub id: String,
    /// SigningTime, seconds since the Unix epoch.
    pub claimed_time: Option<i64>,
    /// SignedInfo in its canonical form, which the value is a signature of.
    pub signed_info: Vec<u8>,
    /// The value (RSA: octets, ECDSA: DER).
    pub value: Vec<u8>,
    /// How it was signed; `None` when that is not known here.
    pub algorithm: Option<SignatureAlgorithm>,
    /// DER of the certificate that SigningCertificate names, if it is there.
    pub signer_certificate: Option<Vec<u8>>,
    /// DER of the certificates that come with it.
    pub certificates: Vec<Vec<u8>>,
    /// DER of the OCSP responses and CRLs that come with it.
    pub revocation: Vec<Vec<u8>>,
    /// Its time-stamps: over the value, over what is signed, and over all of it.
    pub timestamps: Vec<TimestampEvidence>,
    /// Whether it holds.
    pub integrity: Integrity,
    /// Why it does not.
    pub fault: Option<Fault>,
    /// What it is over, in the order of its references; empty unless it holds.
    pub covers: Vec<Covered>,
    /// The level that it has by what it holds, one of `levels`.
    pub level: &'static str,
    /// Whether an evidence record seals it, behind which nothing can be added.
    pub is_sealed: bool,
    /// What nobody signs beside, whether it holds or not: something that others
    /// can be made to fit, or that says more than is signed.
    pub weakness: Option<String>,
}

/// Digests of members, or why there are none.
type Digests = HashMap<(String, DigestAlgorithm), Result<Vec<u8>, String>>;

/// Elements by their identifiers, or why some are not unique.
pub(crate) type Identified<'d> = Result<HashMap<&'d str, Element<'d>>, Fault>;

/// Verifies signature files of one container.
#[derive(Debug)]
pub struct Verifier<'a, E, O> {
    environment: &'a E,
    pub(crate) objects: &'a O,
    /// What may still be done for the chains of all signatures.
    budget: Budget<'a, E>,
    /// Digests that were computed: several signatures are over one member.
    digests: RefCell<Digests>,
    /// Bytes of documents that were gone through for canonical forms.
    pub(crate) canonicalized: Cell<usize>,
}

impl<'a, E: Environment, O: DataObjects> Verifier<'a, E, O> {
    /// Verifies signatures over these members.
    pub fn new(environment: &'a E, objects: &'a O) -> Self {
        Self::within(environment, objects, &LIMITS)
    }

    /// Does so much for the chains of signatures.
    pub(crate) fn within(environment: &'a E, objects: &'a O, limits: &ChainLimits) -> Self {
        Self {
            environment,
            objects,
            budget: Budget::new(environment, limits),
            digests: RefCell::default(),
            canonicalized: Cell::default(),
        }
    }

    /// What is known of the signatures of a file, in its order; `None` when it
    /// is no signature file. When their chains take more work than is done, no
    /// level above T is looked for.
    #[must_use]
    pub fn verify(&self, document: &Document<'_>) -> Option<Vec<Verified>> {
        let examined = self.examine("", document)?;
        let verified = examined.into_iter().map(|examined| {
            let mut material = self.material();
            examined.add_to(&mut material);
            let level = examined.level_name(examined.position(&material, Rules::Held).level);
            let timestamps = examined.timestamps(self.environment, &material);
            Verified {
                level,
                timestamps,
                ..examined.verified
            }
        });
        Some(verified.collect())
    }

    /// Nothing yet, with what may still be done.
    pub(crate) fn material(&self) -> ValidationMaterial<'_, E> {
        ValidationMaterial::new(&self.budget)
    }

    /// Whether the chains of signatures took more work than is done.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.budget.is_exhausted()
    }

    /// What stands in the signatures of a file of a name, in its order; `None`
    /// when it is no signature file.
    pub(crate) fn examine<'d>(
        &self,
        file: &str,
        document: &'d Document<'d>,
    ) -> Option<Vec<Examined>> {
        let signatures = file::signatures(document)?;
        let identified: Identified<'_> = document.identified().map_err(|error| match error {
            Error::DuplicateId(id) => Fault::DuplicateId(id),
            _ => Fault::Unreadable("Id"),
        });
        let examined = signatures
            .into_iter()
            .map(|signature| self.examine_one(file, signature, &identified));
        Some(examined.collect())
    }

    fn examine_one<'d>(
        &self,
        file: &str,
        signature: Signature<'d>,
        identified: &Identified<'d>,
    ) -> Examined {
        let material = Material::read(signature);
        let certificates = material.all_certificates();
        let stated = self.stated(signature, &certificates);
        let references = signature
            .signed_info()
            .and_then(|signed_info| self.references(signed_info));
        let checked = identified.as_ref().map_err(Clone::clone).and_then(|found| {
            let references = references.as_ref().map_err(Clone::clone)?;
            self.check(signature, &stated, references, found)
        });
        let (covers, fault) = match checked {
            Ok(covers) => (covers, None),
            Err(fault) => (Vec::new(), Some(fault)),
        };
        let stamps = self.stamps(&Stamped {
            signature,
            references: references.as_deref().ok(),
            identified: identified.as_ref().ok(),
        });
        let id = signature.id().unwrap_or_default();
        Examined {
            name: format!("{file}#{id}"),
            is_baseline: level::is_baseline(signature, &covers),
            is_time_marked: time_marks::is_time_marked(signature),
            signature_tokens: tokens(&stamps, TimestampKind::Signature),
            verified: Verified {
                weakness: weakness(signature, &stated),
                id: id.to_owned(),
                claimed_time: claimed_time(signature),
                signed_info: stated.signed_info.unwrap_or_default(),
                value: stated.value.unwrap_or_default(),
                algorithm: stated.algorithm.ok(),
                signer_certificate: stated.signer,
                certificates,
                revocation: material.all_revocation(),
                timestamps: Vec::new(),
                integrity: fault.as_ref().map_or(Integrity::Intact, Fault::integrity),
                fault,
                covers,
                level: levels::UNKNOWN,
                is_sealed: material.is_sealed,
            },
            raw_value: stated.raw_value,
            stamps,
            material,
        }
    }

    /// What the signature is over, when all of it holds.
    fn check(
        &self,
        signature: Signature<'_>,
        stated: &Stated,
        references: &[Reference<'_>],
        identified: &HashMap<&str, Element<'_>>,
    ) -> Result<Vec<Covered>, Fault> {
        let id = signature.id().ok_or(Fault::NoId)?;
        let target = signature.qualifying_properties()?.attribute("Target");
        if target.and_then(|target| target.strip_prefix('#')) != Some(id) {
            return Err(Fault::Target);
        }
        check_signed_properties(signature, references, identified)?;
        let covers = covers(signature, references)?;
        self.check_value(stated)?;
        for reference in references {
            self.check_digest(signature, reference, identified)?;
        }
        Ok(covers)
    }

    fn references<'d>(&self, signed_info: Element<'d>) -> Result<Vec<Reference<'d>>, Fault> {
        let elements: Vec<_> = signed_info.children_named(DSIG, "Reference").collect();
        if elements.len() > MAX_REFERENCES {
            return Err(Fault::Unreadable("SignedInfo"));
        }
        let references = elements.into_iter();
        references
            .map(|element| Reference::read(element, self.objects))
            .collect()
    }

    fn check_value(&self, stated: &Stated) -> Result<(), Fault> {
        let algorithm = stated.algorithm.clone()?;
        let signed_info = stated.signed_info.clone()?;
        let certificate = stated.signer.as_ref().ok_or(Fault::NoSigner)?;
        let signer = Certificate::from_der(certificate)
            .map_err(|_| Fault::Unreadable("the certificate of the signer"))?;
        let value = stated.value.clone()?;
        let digest = self
            .environment
            .digest(algorithm.digest(), &[Part::Bytes(&signed_info)]);
        let key = signer.subject_public_key_info();
        match self.environment.verify(key, algorithm, &digest, &value) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Fault::Value),
            Err(reason) => Err(Fault::Key(reason)),
        }
    }

    fn check_digest(
        &self,
        signature: Signature<'_>,
        reference: &Reference<'_>,
        identified: &HashMap<&str, Element<'_>>,
    ) -> Result<(), Fault> {
        let algorithm = reference.digest_algorithm;
        let octets = self.octets(signature, reference, identified, &Canonical::DEFAULT)?;
        let digest = match &octets {
            Octets::Member(name) => self.member_digest(name, algorithm)?,
            Octets::Bytes(bytes) => self.environment.digest(algorithm, &[Part::Bytes(bytes)]),
        };
        if digest == reference.digest {
            Ok(())
        } else {
            Err(Fault::Digest(reference.uri.to_owned()))
        }
    }

    fn member_digest(&self, name: &str, algorithm: DigestAlgorithm) -> Result<Vec<u8>, Fault> {
        let mut digests = self.digests.borrow_mut();
        let digest = digests
            .entry((name.to_owned(), algorithm))
            .or_insert_with(|| self.objects.digest(&[Piece::Member(name)], algorithm));
        digest.clone().map_err(|reason| content(name, &reason))
    }

    fn stated(&self, signature: Signature<'_>, certificates: &[Vec<u8>]) -> Stated {
        let algorithm = signature.signed_info().and_then(signature_algorithm);
        let signed_info = signature.signed_info().and_then(|signed_info| {
            let method = only(signed_info, DSIG, "CanonicalizationMethod")?;
            match self.canonical(signed_info, &Canonical::read(method)?)? {
                Octets::Bytes(bytes) => Ok(bytes),
                Octets::Member(_) => Err(Fault::Unreadable("SignedInfo")),
            }
        });
        let digest = CertificateDigest::read(signature);
        let mut named = certificates.iter().filter(|certificate| {
            let digest = digest.as_ref();
            digest.is_ok_and(|digest| digest.names(self.environment, certificate))
        });
        let signer = named.next().cloned();
        let raw = signature
            .value()
            .and_then(|element| binary(element).ok_or(Fault::Unreadable("SignatureValue")));
        let value = raw.clone().and_then(|raw| {
            let certificate = signer.as_deref().map(Certificate::from_der);
            match (&algorithm, certificate) {
                (Ok(algorithm), Some(Ok(signer))) => value_of(&raw, *algorithm, &signer),
                _ => Ok(raw),
            }
        });
        Stated {
            algorithm,
            signed_info,
            signer,
            raw_value: raw.unwrap_or_default(),
            value,
        }
    }
}

/// What a signature states, whether it holds or not.
struct Stated {
    algorithm: Result<SignatureAlgorithm, Fault>,
    signed_info: Result<Vec<u8>, Fault>,
    signer: Option<Vec<u8>>,
    /// As it is written.
    raw_value: Vec<u8>,
    value: Result<Vec<u8>, Fault>,
}

fn signature_algorithm(signed_info: Element<'_>) -> Result<SignatureAlgorithm, Fault> {
    let method = only(signed_info, DSIG, "SignatureMethod")?;
    let uri = method.attribute("Algorithm").unwrap_or_default();
    names::signature_algorithm(uri).ok_or_else(|| Fault::Algorithm(uri.to_owned()))
}

/// SHA-1 and MD5, keys that are too short for what they are to show (ETSI TS 119
/// 312), and digests that stand in the signature without being signed.
fn weakness(signature: Signature<'_>, stated: &Stated) -> Option<String> {
    let signed_info = signature.signed_info().ok()?;
    let digests = signed_info
        .children_named(DSIG, "Reference")
        .flat_map(|reference| reference.children_named(DSIG, "DigestMethod"));
    let methods = signed_info.children_named(DSIG, "SignatureMethod");
    let mut algorithms = methods.chain(digests);
    let weak = algorithms.find_map(|method| {
        method
            .attribute("Algorithm")
            .filter(|uri| names::is_weak(uri))
    });
    // An RSA value is as long as the key's modulus.
    let bits = match stated.algorithm {
        Ok(SignatureAlgorithm::RsaPkcs1(_) | SignatureAlgorithm::RsaPss(_)) => {
            Some(stated.raw_value.len() * 8)
        }
        _ => None,
    };
    let short = bits.filter(|bits| *bits < LEAST_RSA_BITS);
    weak.map(|uri| format!("the algorithm {uri:?}"))
        .or_else(|| short.map(|bits| format!("an RSA key of {bits} bits")))
        .or_else(|| {
            let lists = signature.has_manifest();
            lists.then(|| "a ds:Manifest, a list of further digests".to_owned())
        })
}

fn claimed_time(signature: Signature<'_>) -> Option<i64> {
    let properties = signature.signed_signature_properties().ok()?;
    time::parse(&properties.only_child(XADES, "SigningTime")?.text())
}

/// One reference is to SignedProperties, says so, and leads to the element that
/// stands in the signature's own QualifyingProperties: what is shown of them is
/// what is signed (EN 319 132-1, 4.3.3).
fn check_signed_properties(
    signature: Signature<'_>,
    references: &[Reference<'_>],
    identified: &HashMap<&str, Element<'_>>,
) -> Result<(), Fault> {
    let own = signature.signed_properties()?;
    let leads_there = |reference: &Reference<'_>| match &reference.target {
        Target::Element { id, .. } => identified.get(id) == Some(&own),
        _ => false,
    };
    let mut all = references
        .iter()
        .filter(|reference| reference.says_signed_properties() || leads_there(reference));
    match (all.next(), all.next()) {
        (Some(one), None) if one.says_signed_properties() && leads_there(one) => Ok(()),
        _ => Err(Fault::SignedProperties),
    }
}

pub(crate) fn content(name: &str, reason: &impl ToString) -> Fault {
    Fault::Content {
        name: name.to_owned(),
        reason: reason.to_string(),
    }
}
