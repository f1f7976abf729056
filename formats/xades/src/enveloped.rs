//! The signature of a document in which it stands itself, as trusted lists have it
//! (ETSI TS 119 612, annex B).

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

/// Most references: one to the document, one to the properties, and some.
const MAX_REFERENCES: usize = 16;

/// What an enveloped signature that holds is found to say.
#[derive(Clone, Debug)]
pub struct Enveloped {
    /// The document without the signature, in its canonical form: the very bytes
    /// that were digested. Whoever reads these reads nothing that is not signed.
    pub signed: Vec<u8>,
    /// DER of the certificate that SigningCertificate names.
    pub signer_certificate: Vec<u8>,
    /// What makes it weaker than it looks.
    pub weakness: Option<String>,
}

/// Verifies the signature that is the only one among the children of the root and
/// is over all of the document but itself: by a reference to `""` or to the root's
/// own identifier, with the enveloped-signature transform and Exclusive XML
/// Canonicalization, and no other. `limits` hold for the document without it.
///
/// # Errors
/// Why it does not hold, or cannot be told to.
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

/// The one reference to the document, and those to parts of the signature.
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

/// The reference to the document in which the signature stands.
struct OfDocument<'d> {
    uri: &'d str,
    canonical: Canonical<'d>,
    digest_algorithm: DigestAlgorithm,
    digest: Vec<u8>,
}

impl<'d> OfDocument<'d> {
    /// `None`: it is a reference to something else.
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

    /// What is digested, if it has the digest that is said. Exclusive
    /// canonicalization takes nothing into an element from around it, so that the
    /// form of a document from whose text the signature was cut is that of the
    /// document without it.
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

/// A document is no container.
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
