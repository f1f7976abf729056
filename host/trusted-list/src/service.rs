//! One service of a list, with its qualified periods.

use jiff::Timestamp;
use parafa_trust::Purpose;
use parafa_xades::names::XADES;
use parafa_xml::Element;

use crate::error::ListError;
use crate::list::{TSL, certificates, child, english, text, time};

/// Issues qualified certificates (TS 119 612, 5.5.1.1).
const ISSUES_CERTIFICATES: &str = "http://uri.etsi.org/TrstSvc/Svctype/CA/QC";
/// Makes qualified time-stamps.
const STAMPS_TIMES: &str = "http://uri.etsi.org/TrstSvc/Svctype/TSA/QTST";
/// Granted status (5.5.4). Lists from before Regulation (EU) 910/2014 use other statuses, which do
/// not count.
const GRANTED: &str = "http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/granted";
/// The certificates are for signatures, not only for seals or web sites (5.5.9.4).
const FOR_SIGNATURES: &str = "http://uri.etsi.org/TrstSvc/TrustedList/SvcInfoExt/ForeSignatures";
/// Namespace of the qualifications extension (5.5.9.2).
const QUALIFICATIONS: &str =
    "http://uri.etsi.org/TrstSvc/SvcInfoExt/eSigDir-1999-93-EC-TrustedList/#";

/// A service that issues certificates for signatures, or stamps times.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) provider: String,
    pub(crate) name: String,
    pub(crate) purpose: Purpose,
    /// DER of the certificates that it is known by.
    pub(crate) certificates: Vec<Vec<u8>>,
    /// OIDs of the policies by which the list distinguishes its certificates.
    pub(crate) policies: Vec<String>,
    /// Earlier standings, oldest first.
    past: Vec<Standing>,
    pub(crate) now: Standing,
}

/// A service's standing from a point in time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub(crate) since: Timestamp,
    /// Qualified for its purpose.
    is_granted: bool,
}

/// A time in which a service was qualified.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Period {
    pub(crate) from: Timestamp,
    /// Exclusive; `None` if it is still qualified.
    pub(crate) until: Option<Timestamp>,
}

impl Service {
    /// Reads a TSPService; `None` for another service type.
    pub(crate) fn read(provider: &str, element: Element<'_>) -> Result<Option<Self>, ListError> {
        let information = child(element, "ServiceInformation")?;
        let purpose = match text(information, "ServiceTypeIdentifier")?.as_str() {
            ISSUES_CERTIFICATES => Purpose::Signing,
            STAMPS_TIMES => Purpose::Timestamping,
            _ => return Ok(None),
        };
        let history = element
            .children_named(TSL, "ServiceHistory")
            .flat_map(|history| history.children_named(TSL, "ServiceHistoryInstance"));
        let past = history.map(|instance| Standing::read(instance, purpose));
        let mut past = past.collect::<Result<Vec<_>, _>>()?;
        past.sort_by_key(|standing| standing.since);
        Ok(Some(Self {
            provider: provider.to_owned(),
            name: english(child(information, "ServiceName")?),
            purpose,
            certificates: certificates(child(information, "ServiceDigitalIdentity")?)?,
            policies: policies(information),
            past,
            now: Standing::read(information, purpose)?,
        }))
    }

    /// Periods in which the service was qualified, oldest first. An earlier standing ends where the
    /// next one begins, and at the latest where the current one begins.
    pub(crate) fn periods(&self) -> Vec<Period> {
        let later = self.past.iter().skip(1).chain([&self.now]);
        let past = self.past.iter().zip(later).map(|(standing, next)| {
            let until = next.since.min(self.now.since);
            (standing, Some(until))
        });
        past.chain([(&self.now, None)])
            .filter(|(standing, until)| {
                standing.is_granted && until.is_none_or(|until| standing.since < until)
            })
            .map(|(standing, until)| Period {
                from: standing.since,
                until,
            })
            .collect()
    }
}

impl Standing {
    /// Reads a ServiceInformation or a ServiceHistoryInstance.
    fn read(element: Element<'_>, purpose: Purpose) -> Result<Self, ListError> {
        let kind = text(element, "ServiceTypeIdentifier")?;
        let is_for_it = match purpose {
            Purpose::Signing => kind == ISSUES_CERTIFICATES && is_for_signatures(element),
            Purpose::Timestamping => kind == STAMPS_TIMES,
            Purpose::Authentication => false,
        };
        Ok(Self {
            since: time(element, "StatusStartingTime")?,
            is_granted: is_for_it && text(element, "ServiceStatus")? == GRANTED,
        })
    }
}

fn is_for_signatures(element: Element<'_>) -> bool {
    let mut uris = extensions(element)
        .flat_map(|extension| extension.children_named(TSL, "AdditionalServiceInformation"))
        .flat_map(|information| information.children_named(TSL, "URI"));
    uris.any(|uri| uri.text().trim() == FOR_SIGNATURES)
}

/// The policies in the criteria of the qualifications.
fn policies(information: Element<'_>) -> Vec<String> {
    let identifiers = extensions(information)
        .flat_map(Element::descendants)
        .filter(|element| element.is(QUALIFICATIONS, "PolicyIdentifier"))
        .flat_map(|policy| policy.children_named(XADES, "Identifier"));
    let texts = identifiers.map(|identifier| {
        let text = identifier.text();
        let oid = text.trim();
        oid.strip_prefix("urn:oid:").unwrap_or(oid).to_owned()
    });
    texts.collect()
}

fn extensions(element: Element<'_>) -> impl Iterator<Item = Element<'_>> {
    element
        .children_named(TSL, "ServiceInformationExtensions")
        .flat_map(|extensions| extensions.children_named(TSL, "Extension"))
}
