use std::collections::HashMap;

use parafa_format_core::Environment;
use parafa_xml::{Document, Element, Limits};

use crate::fault::Fault;
use crate::file;
use crate::objects::{DataObjects, Piece};
use crate::reference::{Reference, Target};
use crate::signature::{Canonical, Signature};
use crate::verifier::Verifier;

/// Maximum total of canonicalized bytes for all signatures of a container. Each
/// canonical form counts its whole document, which it traverses.
const MAX_CANONICALIZED: usize = 256 * 1024 * 1024;

/// Digest input.
#[derive(Clone, Debug)]
pub(crate) enum Octets {
    /// A canonical form.
    Bytes(Vec<u8>),
    /// The bytes of a member.
    Member(String),
}

impl Octets {
    pub(crate) fn as_piece(&self) -> Piece<'_> {
        match self {
            Self::Bytes(bytes) => Piece::Bytes(bytes),
            Self::Member(name) => Piece::Member(name),
        }
    }
}

impl<E: Environment, O: DataObjects> Verifier<'_, E, O> {
    /// Returns the target of a reference after its transforms (XML Signature
    /// 1.1, 4.4.3.2). `default` is the canonicalization of elements without a
    /// stated one.
    pub(crate) fn octets(
        &self,
        signature: Signature<'_>,
        reference: &Reference<'_>,
        identified: &HashMap<&str, Element<'_>>,
        default: &Canonical<'_>,
    ) -> Result<Octets, Fault> {
        if let Some(unknown) = &reference.unknown_transform {
            return Err(unknown.clone());
        }
        match &reference.target {
            Target::Member(name) => Ok(Octets::Member(name.clone())),
            Target::Element { id, canonical } => {
                let element = identified.get(id);
                let element = element.filter(|found| file::is_within(**found, signature.0));
                let element = element.ok_or_else(|| Fault::Location(reference.uri.to_owned()))?;
                self.canonical(*element, canonical.as_ref().unwrap_or(default))
            }
            Target::Canonical(name, canonical) => self.in_document(name, |document| {
                let form = document.canonicalize(canonical.algorithm, &canonical.prefixes);
                form.map_err(|error| Fault::content(name, &error))
            }),
            Target::Part {
                member,
                id,
                canonical,
            } => self.in_document(member, |document| {
                let elements = document.root().descendants();
                let mut found = elements.filter(|element| element.attribute("ID") == Some(id));
                match (found.next(), found.next()) {
                    (Some(element), None) => canonical.apply(element),
                    _ => {
                        let reason = format!("{id:?} is not there exactly once");
                        Err(Fault::content(member, &reason))
                    }
                }
            }),
        }
    }

    /// Returns the canonical form of an element.
    pub(crate) fn canonical(
        &self,
        element: Element<'_>,
        canonical: &Canonical<'_>,
    ) -> Result<Octets, Fault> {
        self.spend(element.document())?;
        canonical.apply(element).map(Octets::Bytes)
    }

    /// Charges one canonicalization against the limit.
    fn spend(&self, document: &Document<'_>) -> Result<(), Fault> {
        let spent = self.canonicalized.get() + document.source().len();
        self.canonicalized.set(spent);
        if spent > MAX_CANONICALIZED {
            return Err(Fault::Unreadable("more than is canonicalized"));
        }
        Ok(())
    }

    fn in_document(
        &self,
        name: &str,
        form: impl FnOnce(&Document<'_>) -> Result<Vec<u8>, Fault>,
    ) -> Result<Octets, Fault> {
        let bytes = self.objects.read(name);
        let bytes = bytes.map_err(|reason| Fault::content(name, &reason))?;
        let document = Document::parse(&bytes, &Limits::default());
        let document = document.map_err(|error| Fault::content(name, &error))?;
        self.spend(&document)?;
        form(&document).map(Octets::Bytes)
    }
}
