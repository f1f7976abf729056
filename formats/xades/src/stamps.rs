//! Time-stamps of a signature: over its value (EN 319 132-1, 5.3), over the
//! signed data objects (5.2.8), and over everything including validation
//! material (5.5.2).

use std::collections::HashMap;

use parafa_ades::{ValidationMaterial, maker_status, maker_status_without_imprint};
use parafa_format_core::{Environment, TimestampEvidence, TimestampKind, TimestampStatus};
use parafa_pki::TimestampToken;
use parafa_xml::Element;

use crate::fault::Fault;
use crate::material::{BEFORE_ALL, with_places};
use crate::names::{DSIG, XADES, XADES_141};
use crate::objects::DataObjects;
use crate::octets::Octets;
use crate::reference::Reference;
use crate::signature::{Canonical, Signature, binary};
use crate::verifier::Verifier;

/// Maximum number of time-stamps per signature.
const MAX_TIMESTAMPS: usize = 32;

/// A time-stamp of a signature.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    pub(crate) kind: TimestampKind,
    /// Place of its property.
    pub(crate) place: usize,
    der: Vec<u8>,
    /// `None` if it cannot be read.
    pub(crate) token: Option<TimestampToken>,
    /// The imprint matches; `None` if unknown.
    has_imprint: Option<bool>,
}

/// Digest input of a time-stamp.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Scope {
    Value,
    AllDataObjects,
    IndividualDataObjects,
    Archive,
    /// Of an unsupported version.
    Unknown,
}

impl Stamp {
    /// Returns the token if it is of this kind and its imprint matches.
    pub(crate) fn stamps(&self, kind: TimestampKind) -> Option<&TimestampToken> {
        let token = self.token.as_ref()?;
        (self.kind == kind && self.has_imprint == Some(true)).then_some(token)
    }

    pub(crate) fn evidence<E: Environment>(
        &self,
        material: &ValidationMaterial<'_, E>,
    ) -> TimestampEvidence {
        let status = match (&self.token, self.has_imprint) {
            (None, _) => TimestampStatus::Malformed,
            (Some(token), None) => maker_status_without_imprint(material, token),
            (Some(_), Some(false)) => TimestampStatus::ImprintMismatch,
            (Some(token), Some(true)) => maker_status(material, token),
        };
        TimestampEvidence {
            kind: self.kind,
            token: self.der.clone(),
            time: self.token.as_ref().map(TimestampToken::time),
            status,
        }
    }
}

/// A signature whose time-stamps are read.
pub(crate) struct Stamped<'s, 'd> {
    pub(crate) signature: Signature<'d>,
    pub(crate) references: Option<&'s [Reference<'d>]>,
    pub(crate) identified: Option<&'s HashMap<&'d str, Element<'d>>>,
}

impl<E: Environment, O: DataObjects> Verifier<'_, E, O> {
    pub(crate) fn stamps(&self, stamped: &Stamped<'_, '_>) -> Vec<Stamp> {
        let signature = stamped.signature;
        let signed = signature.signed_properties().ok().into_iter();
        let signed = signed
            .flat_map(|properties| properties.children_named(XADES, "SignedDataObjectProperties"))
            .flat_map(Element::children)
            .map(|property| (BEFORE_ALL, property));
        let stamps = signed
            .chain(with_places(signature))
            .filter_map(|(place, property)| {
                let (kind, scope) = kind_of(property)?;
                Some(self.stamp(stamped, (place, property), kind, scope))
            });
        stamps.take(MAX_TIMESTAMPS).collect()
    }

    fn stamp(
        &self,
        stamped: &Stamped<'_, '_>,
        (place, property): (usize, Element<'_>),
        kind: TimestampKind,
        scope: Scope,
    ) -> Stamp {
        let tokens: Vec<Vec<u8>> = property
            .children_named(XADES, "EncapsulatedTimeStamp")
            .map(|token| binary(token).unwrap_or_default())
            .collect();
        // Exactly one token is accepted (EN 319 132-1, 5.3): of several,
        // readers may use different ones.
        let token = match tokens.as_slice() {
            [one] => TimestampToken::parse(one).ok(),
            _ => None,
        };
        let has_imprint = token.as_ref().and_then(|token| {
            let algorithm = token.imprint_algorithm()?;
            let octets = self
                .stamped_octets(stamped, (place, property), scope)
                .ok()?;
            let pieces: Vec<_> = octets.iter().map(Octets::as_piece).collect();
            let digest = self.objects.digest(&pieces, algorithm).ok()?;
            Some(digest == token.imprint())
        });
        Stamp {
            kind,
            place,
            der: tokens.into_iter().next().unwrap_or_default(),
            token,
            has_imprint,
        }
    }

    fn stamped_octets(
        &self,
        stamped: &Stamped<'_, '_>,
        (place, property): (usize, Element<'_>),
        scope: Scope,
    ) -> Result<Vec<Octets>, Fault> {
        const UNKNOWN: Fault = Fault::Unreadable("time-stamp");

        let canonical = method(property)?;
        let signature = stamped.signature;
        if scope == Scope::Value {
            return Ok(vec![self.canonical(signature.value()?, &canonical)?]);
        }
        let (Some(references), Some(identified)) = (stamped.references, stamped.identified) else {
            return Err(UNKNOWN);
        };
        let data =
            |reference: &Reference<'_>| self.octets(signature, reference, identified, &canonical);
        match scope {
            Scope::AllDataObjects => {
                let mut objects = references.iter();
                let objects = objects.by_ref();
                objects
                    .filter(|reference| !reference.says_signed_properties())
                    .map(data)
                    .collect()
            }
            Scope::IndividualDataObjects => {
                let included = property.children_named(XADES, "Include").map(|include| {
                    let uri = include.attribute("URI").unwrap_or_default();
                    let id = uri.strip_prefix('#').ok_or(UNKNOWN)?;
                    let mut references = references.iter();
                    let one = references.find(|reference| reference.id == Some(id));
                    data(one.ok_or(UNKNOWN)?)
                });
                included.collect()
            }
            Scope::Archive if property.children_named(XADES, "Include").next().is_none() => {
                let mut octets: Vec<Octets> =
                    references.iter().map(data).collect::<Result<_, _>>()?;
                for element in archived(signature, place)? {
                    octets.push(self.canonical(element, &canonical)?);
                }
                Ok(octets)
            }
            Scope::Value | Scope::Archive | Scope::Unknown => Err(UNKNOWN),
        }
    }
}

/// Returns the unsigned elements covered by an archive time-stamp at a place,
/// in digest order (EN 319 132-1, 5.5.2.2).
fn archived(signature: Signature<'_>, place: usize) -> Result<Vec<Element<'_>>, Fault> {
    let properties = signature.qualifying_properties()?;
    let mut archived = vec![signature.signed_info()?, signature.value()?];
    archived.extend(signature.0.children_named(DSIG, "KeyInfo"));
    let before = with_places(signature).into_iter();
    archived.extend(
        before
            .take_while(|(before, _)| *before < place)
            .map(|(_, property)| property),
    );
    let objects = signature.0.children_named(DSIG, "Object");
    archived.extend(objects.filter(|object| properties.parent() != Some(*object)));
    Ok(archived)
}

fn kind_of(property: Element<'_>) -> Option<(TimestampKind, Scope)> {
    let (kind, scope) = match property.local_name() {
        "SignatureTimeStamp" => (TimestampKind::Signature, Scope::Value),
        "AllDataObjectsTimeStamp" => (TimestampKind::Content, Scope::AllDataObjects),
        "IndividualDataObjectsTimeStamp" => (TimestampKind::Content, Scope::IndividualDataObjects),
        "ArchiveTimeStamp" if property.namespace() == XADES_141 => {
            return Some((TimestampKind::Archive, Scope::Archive));
        }
        "ArchiveTimeStamp" => (TimestampKind::Archive, Scope::Unknown),
        _ => return None,
    };
    (property.namespace() == XADES).then_some((kind, scope))
}

fn method(property: Element<'_>) -> Result<Canonical<'_>, Fault> {
    match property
        .children_named(DSIG, "CanonicalizationMethod")
        .next()
    {
        Some(method) => Canonical::read(method),
        None => Ok(Canonical::DEFAULT),
    }
}
