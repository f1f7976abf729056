//! One list: verified, and read from exactly the bytes that are signed.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use parafa_xades::verify_enveloped;
use parafa_xml::{Document, Element, Limits};

use crate::cryptography::HostCryptography;
use crate::error::ListError;
use crate::service::Service;

/// Most bytes of a list.
pub(crate) const MAX_BYTES: usize = 32 * 1024 * 1024;
/// The namespace of lists (TS 119 612, annex C).
pub(crate) const TSL: &str = "http://uri.etsi.org/02231/v2#";

/// Namespace of the additional information of pointers.
const POINTER_TYPES: &str = "http://uri.etsi.org/02231/v2/additionaltypes#";
/// The form of a list that machines read.
const LIST_MEDIA_TYPE: &str = "application/vnd.etsi.tsl+xml";
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// Limits on a list as it is written.
const WRITTEN: Limits = Limits {
    bytes: MAX_BYTES,
    depth: 64,
    markup: 500_000,
    attributes: 64,
    namespace_declarations: 10_000,
};
/// Limits on its canonical form, which declares namespaces where they are used.
const SIGNED: Limits = Limits {
    bytes: 2 * MAX_BYTES,
    namespace_declarations: 500_000,
    ..WRITTEN
};

/// Kind of a list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ListKind {
    /// Services of a territory.
    Services,
    /// Lists of territories.
    Lists,
}

/// A list with a valid signature. The right to sign it is checked elsewhere.
#[derive(Debug)]
pub(crate) struct TrustedList {
    /// DER of the signer's certificate.
    pub(crate) signer: Vec<u8>,
    pub(crate) territory: String,
    pub(crate) sequence: u64,
    pub(crate) issued: Timestamp,
    /// `None` if the list is closed.
    pub(crate) next_update: Option<Timestamp>,
    pub(crate) pointers: Vec<Pointer>,
    pub(crate) services: Vec<Service>,
}

/// A pointer to another list, with its signers.
#[derive(Debug)]
pub(crate) struct Pointer {
    pub(crate) territory: String,
    /// DER of the certificates; any of these may have signed it.
    pub(crate) signers: Vec<Vec<u8>>,
}

impl ListKind {
    fn uri(self) -> &'static str {
        match self {
            Self::Services => "http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUgeneric",
            Self::Lists => "http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUlistofthelists",
        }
    }
}

impl TrustedList {
    /// Reads a list of a kind and verifies its signature.
    ///
    /// # Errors
    /// The reason why it is not acceptable.
    pub(crate) fn read(bytes: &[u8], kind: ListKind) -> Result<Self, ListError> {
        let document = Document::parse(bytes, &WRITTEN)?;
        let enveloped = verify_enveloped(&HostCryptography, &document, &WRITTEN)?;
        drop(document);
        if let Some(weakness) = enveloped.weakness {
            return Err(ListError::Weak(weakness));
        }
        let signed = Document::parse(&enveloped.signed, &SIGNED)?;
        let root = signed.root();
        if !root.is(TSL, "TrustServiceStatusList") {
            return Err(ListError::NotAList(TSL));
        }
        let scheme = child(root, "SchemeInformation")?;
        let version = text(scheme, "TSLVersionIdentifier")?;
        if !["5", "6"].contains(&version.as_str()) {
            return Err(ListError::Version(version));
        }
        let found = text(scheme, "TSLType")?;
        if found != kind.uri() {
            let wanted = kind.uri();
            return Err(ListError::Kind { found, wanted });
        }
        let sequence = text(scheme, "TSLSequenceNumber")?;
        let sequence = sequence
            .parse()
            .map_err(|_| fault("TSLSequenceNumber", format!("is {sequence:?}, no number")))?;
        Ok(Self {
            signer: enveloped.signer_certificate,
            territory: territory(scheme)?,
            sequence,
            issued: time(scheme, "ListIssueDateTime")?,
            next_update: next_update(scheme)?,
            pointers: pointers(scheme)?,
            services: services(root)?,
        })
    }
}

fn next_update(scheme: Element<'_>) -> Result<Option<Timestamp>, ListError> {
    let next = child(scheme, "NextUpdate")?;
    match next.children().next() {
        None => Ok(None),
        Some(_) => time(next, "dateTime").map(Some),
    }
}

fn territory(scheme: Element<'_>) -> Result<String, ListError> {
    const NAME: &str = "SchemeTerritory";

    let territory = text(scheme, NAME)?;
    if territory.len() == 2 && territory.bytes().all(|byte| byte.is_ascii_uppercase()) {
        Ok(territory)
    } else {
        Err(fault(NAME, format!("is {territory:?}, not two letters")))
    }
}

/// The pointers to lists that machines read.
fn pointers(scheme: Element<'_>) -> Result<Vec<Pointer>, ListError> {
    let lists = scheme.children_named(TSL, "PointersToOtherTSL");
    let mut pointers = Vec::new();
    for pointer in lists.flat_map(|list| list.children_named(TSL, "OtherTSLPointer")) {
        let about: Vec<Element<'_>> = pointer
            .children_named(TSL, "AdditionalInformation")
            .flat_map(|information| information.children_named(TSL, "OtherInformation"))
            .flat_map(Element::children)
            .collect();
        let said = |namespace: &str, name: &str| {
            let said = about.iter().find(|element| element.is(namespace, name));
            said.map(|element| element.text().trim().to_owned())
        };
        let is_list = said(POINTER_TYPES, "MimeType").as_deref() == Some(LIST_MEDIA_TYPE);
        let Some(territory) = said(TSL, "SchemeTerritory").filter(|_| is_list) else {
            continue;
        };
        let identities = pointer
            .children_named(TSL, "ServiceDigitalIdentities")
            .flat_map(|list| list.children_named(TSL, "ServiceDigitalIdentity"));
        let mut signers = Vec::new();
        for identity in identities {
            signers.extend(certificates(identity)?);
        }
        pointers.push(Pointer { territory, signers });
    }
    Ok(pointers)
}

fn services(root: Element<'_>) -> Result<Vec<Service>, ListError> {
    let providers = root
        .children_named(TSL, "TrustServiceProviderList")
        .flat_map(|list| list.children_named(TSL, "TrustServiceProvider"));
    let mut services = Vec::new();
    for provider in providers {
        let name = english(child(child(provider, "TSPInformation")?, "TSPName")?);
        let listed = provider
            .children_named(TSL, "TSPServices")
            .flat_map(|list| list.children_named(TSL, "TSPService"));
        for service in listed {
            services.extend(Service::read(&name, service)?);
        }
    }
    Ok(services)
}

/// DER of the certificates of a ServiceDigitalIdentity.
pub(crate) fn certificates(identity: Element<'_>) -> Result<Vec<Vec<u8>>, ListError> {
    const NAME: &str = "X509Certificate";

    let found = identity
        .children_named(TSL, "DigitalId")
        .flat_map(|id| id.children_named(TSL, NAME));
    let decoded = found.map(|element| {
        let mut text = element.text();
        text.retain(|c| !c.is_ascii_whitespace());
        BASE64_STANDARD
            .decode(text)
            .map_err(|_| fault(NAME, "is no base64"))
    });
    decoded.collect()
}

/// The English one of names, else the first.
pub(crate) fn english(names: Element<'_>) -> String {
    let is_english = |name: &Element<'_>| {
        let language = name.attribute_in(Some(XML), "lang");
        language.is_some_and(|language| language.eq_ignore_ascii_case("en"))
    };
    let all: Vec<Element<'_>> = names.children_named(TSL, "Name").collect();
    let name = all.iter().find(|name| is_english(name)).or(all.first());
    name.map(|name| name.text().trim().to_owned())
        .unwrap_or_default()
}

/// The only child of a name.
pub(crate) fn child<'d>(parent: Element<'d>, name: &'static str) -> Result<Element<'d>, ListError> {
    parent
        .only_child(TSL, name)
        .ok_or_else(|| fault(name, "is not there exactly once"))
}

/// The text of the only child of a name.
pub(crate) fn text(parent: Element<'_>, name: &'static str) -> Result<String, ListError> {
    Ok(child(parent, name)?.text().trim().to_owned())
}

/// The time in the only child of a name.
pub(crate) fn time(parent: Element<'_>, name: &'static str) -> Result<Timestamp, ListError> {
    let text = text(parent, name)?;
    text.parse()
        .map_err(|_| fault(name, format!("is {text:?}, no time with a zone")))
}

fn fault(element: &'static str, reason: impl Into<String>) -> ListError {
    ListError::Element {
        element,
        reason: reason.into(),
    }
}
