//! Evidence about signatures. Whom to trust is for others to decide.

use std::cell::RefCell;
use std::collections::HashMap;

use parafa_format_core::{
    DigestAlgorithm, Environment, Integrity, Part, SignatureAlgorithm, TimestampEvidence,
};
use parafa_pki::Certificate;
use parafa_xml::{Document, Element, Error, Limits};

use crate::coverage::{Covered, covers};
use crate::fault::Fault;
use crate::file;
use crate::level;
use crate::material::Material;
use crate::names::{self, DSIG, XADES};
use crate::objects::DataObjects;
use crate::reference::{Reference, Target};
use crate::signature::{Canonical, Signature, binary, only};
use crate::signer::{CertificateDigest, value_of};
use crate::time;
use crate::timestamps;

/// Most references of one signature: one for every member, and some.
const MAX_REFERENCES: usize = 1100;
/// Most references of all signatures that take canonicalization, which looks at
/// a whole document each time.
const MAX_CANONICALIZED: usize = 200;

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
    /// Time-stamps over the value.
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
}

/// Digests of members, or why there are none.
type Digests = HashMap<(String, DigestAlgorithm), Result<Vec<u8>, String>>;

/// Verifies signature files of one container.
#[derive(Debug)]
pub struct Verifier<'a, E, O> {
    environment: &'a E,
    objects: &'a O,
    /// Digests that were computed: several signatures are over one member.
    digests: RefCell<Digests>,
    canonicalized: RefCell<usize>,
}

impl<'a, E: Environment, O: DataObjects> Verifier<'a, E, O> {
    /// Verifies signatures over these members.
    pub fn new(environment: &'a E, objects: &'a O) -> Self {
        Self {
            environment,
            objects,
            digests: RefCell::default(),
            canonicalized: RefCell::default(),
        }
    }

    /// What is known of the signatures of a file, in its order; `None` when it
    /// is no signature file.
    #[must_use]
    pub fn verify(&self, document: &Document<'_>) -> Option<Vec<Verified>> {
        let signatures = file::signatures(document)?;
        let identified = document.identified().map_err(|error| match error {
            Error::DuplicateId(id) => Fault::DuplicateId(id),
            _ => Fault::Unreadable("Id"),
        });
        let verified = signatures.into_iter().map(|signature| {
            let material = Material::read(signature);
            self.evidence(signature, &material, &identified)
        });
        Some(verified.collect())
    }

    fn evidence(
        &self,
        signature: Signature<'_>,
        material: &Material,
        identified: &Result<HashMap<&str, Element<'_>>, Fault>,
    ) -> Verified {
        let stated = Stated::read(signature, self.environment, material);
        let checked = identified
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|identified| self.check(signature, &stated, identified));
        let (covers, fault) = match checked {
            Ok(covers) => (covers, None),
            Err(fault) => (Vec::new(), Some(fault)),
        };
        let timestamps = timestamps::timestamps(self.environment, signature, material);
        let level = level::level(
            self.environment,
            &level::Findings {
                signature,
                covers: &covers,
                holds: fault.is_none(),
                signer: stated.signer.as_deref(),
                timestamps: &timestamps,
                material,
            },
        );
        Verified {
            id: signature.id().unwrap_or_default().to_owned(),
            claimed_time: claimed_time(signature),
            signed_info: stated.signed_info.unwrap_or_default(),
            value: stated.value.unwrap_or_default(),
            algorithm: stated.algorithm.ok(),
            signer_certificate: stated.signer,
            certificates: material.certificates.clone(),
            revocation: material.revocation.clone(),
            timestamps,
            integrity: fault.as_ref().map_or(Integrity::Intact, Fault::integrity),
            fault,
            covers,
            level,
            is_sealed: material.is_sealed,
        }
    }

    /// What the signature is over, when all of it holds.
    fn check(
        &self,
        signature: Signature<'_>,
        stated: &Stated,
        identified: &HashMap<&str, Element<'_>>,
    ) -> Result<Vec<Covered>, Fault> {
        let id = signature.id().ok_or(Fault::NoId)?;
        let target = signature.qualifying_properties()?.attribute("Target");
        if target.and_then(|target| target.strip_prefix('#')) != Some(id) {
            return Err(Fault::Target);
        }
        let references = self.references(signature.signed_info()?)?;
        check_signed_properties(signature, &references, identified)?;
        let covers = covers(signature, &references)?;
        self.check_value(stated)?;
        for reference in &references {
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
        let digest = match &reference.target {
            Target::Member(name) => self.member_digest(name, algorithm)?,
            Target::Element { id, canonical } => {
                let element = identified.get(id);
                let element = element.filter(|found| file::is_within(**found, signature.0));
                let element = element.ok_or_else(|| Fault::Location(reference.uri.to_owned()))?;
                self.canonical_digest(algorithm, || canonical.apply(*element))?
            }
            Target::Canonical(name, canonical) => self.canonical_digest(algorithm, || {
                self.in_document(name, |document| {
                    let form = document.canonicalize(canonical.algorithm, &canonical.prefixes);
                    form.map_err(|error| content(name, &error))
                })
            })?,
            Target::Part {
                member,
                id,
                canonical,
            } => self.canonical_digest(algorithm, || {
                self.in_document(member, |document| {
                    let elements = document.root().descendants();
                    let mut found = elements.filter(|element| element.attribute("ID") == Some(id));
                    match (found.next(), found.next()) {
                        (Some(element), None) => canonical.apply(element),
                        _ => Err(content(
                            member,
                            &format!("{id:?} is not there exactly once"),
                        )),
                    }
                })
            })?,
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
            .or_insert_with(|| self.objects.digest(name, algorithm));
        digest.clone().map_err(|reason| content(name, &reason))
    }

    fn canonical_digest(
        &self,
        algorithm: DigestAlgorithm,
        canonical: impl FnOnce() -> Result<Vec<u8>, Fault>,
    ) -> Result<Vec<u8>, Fault> {
        let mut count = self.canonicalized.borrow_mut();
        *count += 1;
        if *count > MAX_CANONICALIZED {
            return Err(Fault::Unreadable("more than is canonicalized"));
        }
        Ok(self
            .environment
            .digest(algorithm, &[Part::Bytes(&canonical()?)]))
    }

    fn in_document(
        &self,
        name: &str,
        form: impl FnOnce(&Document<'_>) -> Result<Vec<u8>, Fault>,
    ) -> Result<Vec<u8>, Fault> {
        let bytes = self.objects.read(name);
        let bytes = bytes.map_err(|reason| content(name, &reason))?;
        let document = Document::parse(&bytes, &Limits::default());
        form(&document.map_err(|error| content(name, &error))?)
    }
}

/// What a signature states, whether it holds or not.
struct Stated {
    algorithm: Result<SignatureAlgorithm, Fault>,
    signed_info: Result<Vec<u8>, Fault>,
    signer: Option<Vec<u8>>,
    value: Result<Vec<u8>, Fault>,
}

impl Stated {
    fn read<E: Environment>(
        signature: Signature<'_>,
        environment: &E,
        material: &Material,
    ) -> Self {
        let algorithm = signature.signed_info().and_then(signature_algorithm);
        let signed_info = signature.signed_info().and_then(|signed_info| {
            let method = only(signed_info, DSIG, "CanonicalizationMethod")?;
            Canonical::read(method)?.apply(signed_info)
        });
        let digest = CertificateDigest::read(signature);
        let candidates = material.certificates.iter();
        let mut named = candidates.filter(|certificate| {
            let digest = digest.as_ref();
            digest.is_ok_and(|digest| digest.names(environment, certificate))
        });
        let signer = named.next().cloned();
        let value = signature.value().and_then(|element| {
            let raw = binary(element).ok_or(Fault::Unreadable("SignatureValue"))?;
            let certificate = signer.as_deref().map(Certificate::from_der);
            match (&algorithm, certificate) {
                (Ok(algorithm), Some(Ok(signer))) => value_of(&raw, *algorithm, &signer),
                _ => Ok(raw),
            }
        });
        Self {
            algorithm,
            signed_info,
            signer,
            value,
        }
    }
}

fn signature_algorithm(signed_info: Element<'_>) -> Result<SignatureAlgorithm, Fault> {
    let method = only(signed_info, DSIG, "SignatureMethod")?;
    let uri = method.attribute("Algorithm").unwrap_or_default();
    names::signature_algorithm(uri).ok_or_else(|| Fault::Algorithm(uri.to_owned()))
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

fn content(name: &str, reason: &impl ToString) -> Fault {
    Fault::Content {
        name: name.to_owned(),
        reason: reason.to_string(),
    }
}
