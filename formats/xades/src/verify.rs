//! Evidence about signatures. Trust is decided elsewhere.

use std::collections::HashMap;

use parafa_ades::Rules;
use parafa_format_core::{
    DigestAlgorithm, Environment, Integrity, Part, SignatureAlgorithm, TimestampKind, Verdict,
    check, levels,
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
use crate::schema;
use crate::signature::{Canonical, Signature, binary, only};
use crate::signer::{CertificateDigest, value_of};
use crate::stamps::Stamped;
use crate::time;
use crate::time_marks;
use crate::verifier::{Identified, Verified, Verifier};
use crate::weakness::weakness;

/// Maximum number of references per signature: one for every member, and some
/// more.
const MAX_REFERENCES: usize = 1100;

impl<E: Environment, O: DataObjects> Verifier<'_, E, O> {
    /// Verifies the signatures of a file, in order; `None` if it is no
    /// signature file. If their chains exceed the work limits, levels above T
    /// are not determined.
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

    /// Examines the signatures of a file with this name, in order; `None` if it
    /// is no signature file.
    pub(crate) fn examine<'d>(
        &self,
        file: &str,
        document: &'d Document<'d>,
    ) -> Option<Vec<Examined>> {
        let signatures = file::signatures(document)?;
        let identified = identified(document).and_then(|found| {
            schema::check_file(document)?;
            Ok(found)
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
        let checked = checked.unwrap_or_else(|fault| Checked {
            fault: Some(fault),
            ..Checked::default()
        });
        let stamps = self.stamps(&Stamped {
            signature,
            references: references.as_deref().ok(),
            identified: identified.as_ref().ok(),
        });
        let id = signature.id().unwrap_or_default();
        Examined {
            name: format!("{file}#{id}"),
            is_baseline: level::is_baseline(signature, &checked.covers),
            is_time_marked: time_marks::is_time_marked(signature),
            signature_tokens: tokens(&stamps, TimestampKind::Signature),
            verified: Verified {
                weakness: weakness(signature, stated.signer.as_ref().ok()),
                id: id.to_owned(),
                claimed_time: claimed_time(signature),
                signed_info: stated.signed_info.unwrap_or_default(),
                value: stated.value.unwrap_or_default(),
                algorithm: checked.algorithm.or(stated.algorithm.ok()),
                certificate: named(&stated.signer),
                signer_certificate: stated.signer.ok(),
                certificates,
                revocation: material.all_revocation(),
                timestamps: Vec::new(),
                integrity: {
                    let fault = checked.fault.as_ref();
                    fault.map_or(Integrity::Intact, Fault::integrity)
                },
                fault: checked.fault,
                covers: checked.covers,
                digests: checked.digests,
                unchecked: checked.unchecked,
                is_value_wrong: checked.is_value_wrong,
                level: levels::UNKNOWN,
                is_sealed: material.is_sealed,
            },
            raw_value: stated.raw_value,
            stamps,
            material,
        }
    }

    /// Checks the signature and its references. Everything that can be checked
    /// is checked; a proven defect takes precedence over an unknown.
    fn check(
        &self,
        signature: Signature<'_>,
        stated: &Stated,
        references: &[Reference<'_>],
        identified: &HashMap<&str, Element<'_>>,
    ) -> Result<Checked, Fault> {
        check_target(signature)?;
        check_signed_properties(signature, references, identified)?;
        let mut outside = covers(signature, references)?.into_iter();
        let mut checked = Checked::default();
        match self.check_value(stated) {
            // Objects that cannot be digested are reported first: in any case
            // it is unknown whether the signature covers these files.
            Err(Fault::Value) if references.iter().any(Reference::is_to_unknown_digest) => {
                checked.is_value_wrong = true;
            }
            value => checked.algorithm = checked.known(value)?,
        }
        let mut wrong = None;
        for reference in references {
            let covered = match reference.target {
                Target::Element { .. } => None,
                _ => outside.next(),
            };
            let digest = self.check_digest(signature, reference, identified);
            let verdict = match &digest {
                Ok(()) => Verdict::Holds,
                Err(fault) => fault.integrity().into(),
            };
            checked
                .digests
                .extend(covered.clone().map(|covered| (covered, verdict)));
            match digest {
                Ok(()) => checked.covers.extend(covered),
                Err(fault) if fault.is_proof() => {
                    wrong.get_or_insert(fault);
                }
                Err(unknown) => {
                    checked.fault.get_or_insert(unknown);
                    checked.unchecked.extend(covered);
                }
            }
        }
        if let Some(fault) = wrong {
            return Ok(Checked {
                fault: Some(fault),
                digests: checked.digests,
                ..Checked::default()
            });
        }
        schema::check(signature)?;
        Ok(checked)
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

    /// Returns the algorithm with which the value signs SignedInfo.
    pub(crate) fn check_value(&self, stated: &Stated) -> Result<SignatureAlgorithm, Fault> {
        let faults = [
            stated.signed_info.as_ref().err(),
            stated.signer.as_ref().err(),
            stated.value.as_ref().err(),
            stated.algorithm.as_ref().err(),
        ];
        let mut proofs = faults.into_iter().flatten();
        if let Some(proof) = proofs.find(|fault| fault.is_proof()) {
            return Err(proof.clone());
        }
        let algorithm = stated.algorithm.clone()?;
        let signed_info = stated.signed_info.clone()?;
        let certificate = stated.signer.clone()?;
        let signer = Certificate::from_der(&certificate).map_err(|_| UNREADABLE_SIGNER)?;
        let value = stated.value.clone()?;
        let environment = self.environment;
        let digest = environment.digest_to_verify(algorithm, &signed_info);
        let key = signer.subject_public_key_info();
        match environment.verify_by_others(key, algorithm, &digest, &value) {
            Ok(Some(algorithm)) => Ok(algorithm),
            Ok(None) => Err(Fault::Value),
            Err(reason) => Err(Fault::Key(reason)),
        }
    }

    /// Checks the digest of a reference.
    pub(crate) fn check_digest(
        &self,
        signature: Signature<'_>,
        reference: &Reference<'_>,
        identified: &HashMap<&str, Element<'_>>,
    ) -> Result<(), Fault> {
        let octets = self.octets(signature, reference, identified, &Canonical::DEFAULT)?;
        let algorithm = reference.digest_algorithm.clone()?;
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
        digest
            .clone()
            .map_err(|reason| Fault::content(name, &reason))
    }

    pub(crate) fn stated(&self, signature: Signature<'_>, certificates: &[Vec<u8>]) -> Stated {
        let algorithm = signature.signed_info().and_then(signature_algorithm);
        let signed_info = signature.signed_info().and_then(|signed_info| {
            let method = only(signed_info, DSIG, "CanonicalizationMethod")?;
            match self.canonical(signed_info, &Canonical::read(method)?)? {
                Octets::Bytes(bytes) => Ok(bytes),
                Octets::Member(_) => Err(Fault::Unreadable("SignedInfo")),
            }
        });
        let signer = self.signer(signature, certificates);
        let raw = signature.value().and_then(|element| {
            let value = binary(element).filter(|value| !value.is_empty());
            value.ok_or(Fault::Unreadable("SignatureValue"))
        });
        let value = raw.clone().and_then(|raw| {
            let certificate = signer.as_deref().map(Certificate::from_der);
            match (&algorithm, certificate) {
                (Ok(algorithm), Ok(Ok(signer))) => value_of(&raw, *algorithm, &signer),
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

    /// Returns the certificate that the signature names. A signature without
    /// certificates has no signer, even if it names one.
    fn signer(&self, signature: Signature<'_>, certificates: &[Vec<u8>]) -> Result<Vec<u8>, Fault> {
        let digest = CertificateDigest::read(signature).map_err(|fault| match fault {
            unknown @ Fault::Algorithm(_) if !certificates.is_empty() => unknown,
            _ => Fault::NoSigner,
        })?;
        let mut certificates = certificates.iter();
        let named = certificates.find(|der| digest.names(self.environment, der));
        let named = named.ok_or(Fault::NoSigner)?;
        Certificate::from_der(named).map_err(|_| UNREADABLE_SIGNER)?;
        Ok(named.clone())
    }
}

/// Returns the verdict whether the certificate that the signature names was found.
fn named(signer: &Result<Vec<u8>, Fault>) -> Verdict {
    match signer {
        Ok(_) => Verdict::Holds,
        Err(Fault::NoSigner) => Verdict::unknown(check::MISSING),
        Err(fault) => fault.integrity().into(),
    }
}

const UNREADABLE_SIGNER: Fault = Fault::Unreadable("the certificate of the signer");

/// Checked properties of a signature.
#[derive(Default)]
struct Checked {
    covers: Vec<Covered>,
    unchecked: Vec<Covered>,
    digests: Vec<(Covered, Verdict)>,
    is_value_wrong: bool,
    /// Algorithm of the value; `None` if unknown.
    algorithm: Option<SignatureAlgorithm>,
    /// The defect or the unknown.
    fault: Option<Fault>,
}

impl Checked {
    /// Returns the finding; `None` if unknown. The first unknown is kept.
    fn known<T>(&mut self, found: Result<T, Fault>) -> Result<Option<T>, Fault> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(fault) if fault.is_proof() => Err(fault),
            Err(unknown) => {
                self.fault.get_or_insert(unknown);
                Ok(None)
            }
        }
    }
}

/// Statements of a signature, valid or not.
pub(crate) struct Stated {
    algorithm: Result<SignatureAlgorithm, Fault>,
    signed_info: Result<Vec<u8>, Fault>,
    pub(crate) signer: Result<Vec<u8>, Fault>,
    /// The value, as written.
    raw_value: Vec<u8>,
    value: Result<Vec<u8>, Fault>,
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

/// Returns elements by identifier.
pub(crate) fn identified<'d>(document: &'d Document<'d>) -> Identified<'d> {
    document.identified().map_err(|error| match error {
        Error::DuplicateId(id) => Fault::DuplicateId(id),
        _ => Fault::Unreadable("Id"),
    })
}

/// Checks that the qualifying properties belong to this signature.
pub(crate) fn check_target(signature: Signature<'_>) -> Result<(), Fault> {
    let id = signature.id().ok_or(Fault::NoId)?;
    let target = signature.qualifying_properties()?.attribute("Target");
    if target.and_then(|target| target.strip_prefix('#')) == Some(id) {
        Ok(())
    } else {
        Err(Fault::Target)
    }
}

/// Checks the reference to SignedProperties. Exactly one must have this type,
/// and it must lead to the signature's own QualifyingProperties. Then the
/// reported properties are the signed ones (EN 319 132-1, 4.3.3).
pub(crate) fn check_signed_properties(
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
