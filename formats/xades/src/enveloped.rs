//! Enveloped signatures: a signature inside the document it signs, as in
//! trusted lists (ETSI TS 119 612, annex B).

use parafa_format_core::{DigestAlgorithm, Environment, Part};
use parafa_xml::{Canonicalization, Document, Element, Limits};

use crate::fault::Fault;
use crate::names::{self, DSIG};
use crate::objects::{DataObjects, Piece};
use crate::reference::{Reference, transforms};
use crate::schema;
use crate::signature::{Canonical, Signature, binary, only};
use crate::verifier::Verifier;
use crate::verify::{check_signed_properties, check_target, identified};
use crate::weakness::weakness;

/// Maximum number of references: one to the document, one to the properties,
/// and some more.
const MAX_REFERENCES: usize = 16;

/// A valid enveloped signature.
#[derive(Clone, Debug)]
pub struct Enveloped {
    /// The canonical form of the document without the signature: the very bytes
    /// that were digested. Reading only these avoids unsigned data.
    pub signed: Vec<u8>,
    /// DER-encoded certificate named by SigningCertificate.
    pub signer_certificate: Vec<u8>,
    /// Reason for a weak signature.
    pub weakness: Option<String>,
}

/// Verifies the only signature among the children of the root. It must cover
/// all of the document except itself: by a reference to `""` or to the root's
/// identifier, with exactly the enveloped-signature transform and Exclusive XML
/// Canonicalization. `limits` apply to the document without it.
///
/// # Errors
/// The reason why the signature is invalid or cannot be verified.
pub fn verify_enveloped<E: Environment>(
    environment: &E,
    document: &Document<'_>,
    limits: &Limits,
) -> Result<Enveloped, Fault> {
    let verifier = Verifier::new(environment, &NoMembers);
    let signature = Signature(only(document.root(), DSIG, "Signature")?);
    let identified = identified(document)?;
    check_target(signature)?;
    let (of_document, others) = references(document.root(), signature)?;
    check_signed_properties(signature, &others, &identified)?;
    let stated = verifier.stated(signature, &signature.key_info_certificates());
    verifier.check_value(&stated)?;
    for reference in &others {
        verifier.check_digest(signature, reference, &identified)?;
    }
    schema::check(signature)?;
    let signed = of_document.check(environment, signature, limits)?;
    Ok(Enveloped {
        signed,
        weakness: weakness(signature, stated.signer.as_ref().ok()),
        signer_certificate: stated.signer?,
    })
}

/// Returns the only reference to the document, and those to parts of the
/// signature.
fn references<'d>(
    root: Element<'d>,
    signature: Signature<'d>,
) -> Result<(OfDocument<'d>, Vec<Reference<'d>>), Fault> {
    let signed_info = signature.signed_info()?;
    let elements: Vec<_> = signed_info.children_named(DSIG, "Reference").collect();
    if elements.len() > MAX_REFERENCES {
        return Err(Fault::Unreadable("SignedInfo"));
    }
    let mut of_document = None;
    let mut others = Vec::new();
    for element in elements {
        match OfDocument::read(root, element)? {
            None => others.push(Reference::read(element, &NoMembers)?),
            Some(found) if of_document.is_none() => of_document = Some(found),
            Some(found) => return Err(Fault::RepeatedReference(found.uri.to_owned())),
        }
    }
    Ok((of_document.ok_or(Fault::SignsNothing)?, others))
}

/// The reference to the enveloping document.
struct OfDocument<'d> {
    uri: &'d str,
    canonical: Canonical<'d>,
    digest_algorithm: DigestAlgorithm,
    digest: Vec<u8>,
}

impl<'d> OfDocument<'d> {
    /// Returns `None` for a reference to another target.
    fn read(root: Element<'d>, reference: Element<'d>) -> Result<Option<Self>, Fault> {
        let uri = reference
            .attribute("URI")
            .ok_or(Fault::Unreadable("Reference"))?;
        let is_to_root = uri
            .strip_prefix('#')
            .is_some_and(|id| root.attribute("Id") == Some(id));
        if !uri.is_empty() && !is_to_root {
            return Ok(None);
        }
        let unsupported = || Fault::Transforms(uri.to_owned());
        let transforms = transforms(reference)?;
        let [enveloped, last] = transforms.as_slice() else {
            return Err(unsupported());
        };
        let is_enveloped = enveloped.attribute("Algorithm") == Some(names::ENVELOPED);
        let canonical = Canonical::read(*last)?;
        if !is_enveloped || canonical.algorithm != Canonicalization::EXCLUSIVE {
            return Err(unsupported());
        }
        let method = only(reference, DSIG, "DigestMethod")?;
        let algorithm = method.attribute("Algorithm").unwrap_or_default();
        let digest = only(reference, DSIG, "DigestValue")?;
        Ok(Some(Self {
            uri,
            canonical,
            digest_algorithm: names::digest_algorithm(algorithm)
                .ok_or_else(|| Fault::Algorithm(algorithm.to_owned()))?,
            digest: binary(digest).ok_or(Fault::Unreadable("DigestValue"))?,
        }))
    }

    /// Returns the digested bytes, if their digest matches. Exclusive
    /// canonicalization takes nothing from the context of an element. So the
    /// canonical form after cutting the signature from the text equals that of
    /// the document without it.
    fn check<E: Environment>(
        &self,
        environment: &E,
        signature: Signature<'_>,
        limits: &Limits,
    ) -> Result<Vec<u8>, Fault> {
        let source = signature.0.document().source();
        let range = signature.0.range();
        let text = [&source[..range.start], &source[range.end..]].concat();
        let rest = Document::parse(text.as_bytes(), limits);
        let rest = rest.map_err(|error| Fault::content(self.uri, &error))?;
        let Canonical {
            algorithm,
            prefixes,
        } = &self.canonical;
        let form = if self.uri.is_empty() {
            rest.canonicalize(*algorithm, prefixes)
        } else {
            rest.root().canonicalize(*algorithm, prefixes)
        };
        let form = form.map_err(|error| Fault::content(self.uri, &error))?;
        let digest = environment.digest(self.digest_algorithm, &[Part::Bytes(&form)]);
        if digest == self.digest {
            Ok(form)
        } else {
            Err(Fault::Digest(self.uri.to_owned()))
        }
    }
}

/// A document is no container and has no members.
struct NoMembers;

impl NoMembers {
    const REASON: &str = "there are no members";
}

impl DataObjects for NoMembers {
    fn contains(&self, _: &str) -> bool {
        false
    }

    fn digest(&self, _: &[Piece<'_>], _: DigestAlgorithm) -> Result<Vec<u8>, String> {
        Err(Self::REASON.into())
    }

    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Err(Self::REASON.into())
    }
}
