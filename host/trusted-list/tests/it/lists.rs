//! Lists written by hand in canonical form: the text is signed as it stands, so that no code under
//! test helps to make them.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parafa_fixtures::enveloped::EnvelopedSignature;
use parafa_issuing::{Credential, Extension, Key, KeyKind, Profile};

pub(crate) const OPEN: &str =
    "<TrustServiceStatusList xmlns=\"http://uri.etsi.org/02231/v2#\" Id=\"TSL\">";
pub(crate) const CLOSE: &str = "</TrustServiceStatusList>";
pub(crate) const GRANTED: &str = "granted";
pub(crate) const WITHDRAWN: &str = "withdrawn";
pub(crate) const ISSUES: &str = "CA/QC";
pub(crate) const STAMPS: &str = "TSA/QTST";

const XADES: &str = "http://uri.etsi.org/01903/v1.3.2#";
const LIST_TYPES: &str = "http://uri.etsi.org/02231/v2/additionaltypes#";
const QUALIFICATIONS: &str =
    "http://uri.etsi.org/TrstSvc/SvcInfoExt/eSigDir-1999-93-EC-TrustedList/#";

/// A self-signed certificate that is not an authority's.
pub(crate) fn person(name: &str) -> Credential {
    let key = Key::generate(KeyKind::P256).unwrap();
    Credential::self_signed(&Profile::named(name), key).unwrap()
}

/// A self-signed authority.
pub(crate) fn authority(name: &str) -> Credential {
    let profile = Profile::named(name).with(Extension::authority(None));
    let key = Key::generate(KeyKind::P256).unwrap();
    Credential::self_signed(&profile, key).unwrap()
}

/// A service of a list.
pub(crate) struct ServiceText<'a> {
    /// The end of its type.
    pub(crate) kind: &'static str,
    pub(crate) certificate: &'a Credential,
    /// The ends of statuses with their beginnings; the first one is that of now.
    pub(crate) statuses: &'a [(&'static str, &'static str)],
    /// Suffix of the purpose URI.
    pub(crate) is_for: &'static str,
}

impl<'a> ServiceText<'a> {
    /// A service that issues certificates for signatures, and has never been anything else.
    pub(crate) fn issues(
        certificate: &'a Credential,
        statuses: &'a [(&'static str, &'static str)],
    ) -> Self {
        Self {
            kind: ISSUES,
            certificate,
            statuses,
            is_for: "ForeSignatures",
        }
    }

    /// A time-stamping service.
    pub(crate) fn stamps(
        certificate: &'a Credential,
        statuses: &'a [(&'static str, &'static str)],
    ) -> Self {
        Self {
            kind: STAMPS,
            ..Self::issues(certificate, statuses)
        }
    }

    fn text(&self) -> String {
        let name = "<ServiceName><Name xml:lang=\"lt\">Paslauga</Name><Name xml:lang=\"en\">Service</Name></ServiceName>";
        let standing = |(status, since): &(&str, &str), identity: &str| {
            format!(
                "<ServiceTypeIdentifier>http://uri.etsi.org/TrstSvc/Svctype/{}</ServiceTypeIdentifier>{name}\
                 <ServiceDigitalIdentity>{identity}</ServiceDigitalIdentity>\
                 <ServiceStatus>http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/{status}</ServiceStatus>\
                 <StatusStartingTime>{since}</StatusStartingTime>{}",
                self.kind,
                self.extensions()
            )
        };
        let (now, history) = self.statuses.split_first().unwrap();
        let identity = format!(
            "<DigitalId><X509Certificate>{}</X509Certificate></DigitalId>\
             <DigitalId><X509SubjectName>CN=Service</X509SubjectName></DigitalId>",
            BASE64_STANDARD.encode(self.certificate.der())
        );
        let subject = "<DigitalId><X509SubjectName>CN=Service</X509SubjectName></DigitalId>";
        let mut text = format!(
            "<TSPService><ServiceInformation>{}</ServiceInformation><ServiceHistory>",
            standing(now, &identity)
        );
        for before in history {
            write!(
                text,
                "<ServiceHistoryInstance>{}</ServiceHistoryInstance>",
                standing(before, subject)
            )
            .unwrap();
        }
        text + "</ServiceHistory></TSPService>"
    }

    fn extensions(&self) -> String {
        format!(
            "<ServiceInformationExtensions><Extension Critical=\"true\"><AdditionalServiceInformation>\
             <URI xml:lang=\"en\">http://uri.etsi.org/TrstSvc/TrustedList/SvcInfoExt/{}</URI>\
             </AdditionalServiceInformation></Extension><Extension Critical=\"true\">\
             <q:Qualifications xmlns:q=\"{QUALIFICATIONS}\"><q:PolicyIdentifier>\
             <x:Identifier xmlns:x=\"{XADES}\" Qualifier=\"OIDAsURN\">urn:oid:1.2.3</x:Identifier>\
             </q:PolicyIdentifier></q:Qualifications></Extension></ServiceInformationExtensions>",
            self.is_for
        )
    }
}

/// A list before it is signed.
#[derive(Clone)]
pub(crate) struct ListText {
    pub(crate) version: u32,
    pub(crate) sequence: u64,
    pub(crate) kind: &'static str,
    pub(crate) territory: &'static str,
    /// `None`: the list is closed.
    pub(crate) next_update: Option<&'static str>,
    pub(crate) pointers: String,
    pub(crate) services: String,
}

impl ListText {
    /// A list of services.
    pub(crate) fn of(territory: &'static str, services: &[ServiceText<'_>]) -> Self {
        Self {
            version: 6,
            sequence: 66,
            kind: "EUgeneric",
            territory,
            next_update: Some("2026-09-01T00:00:00Z"),
            pointers: String::new(),
            services: services.iter().map(ServiceText::text).collect(),
        }
    }

    /// A list of lists, with the signer for each territory.
    pub(crate) fn of_lists(signers: &[(&str, &Credential)]) -> Self {
        let pointers = signers.iter().map(|(territory, signer)| {
            let certificate = BASE64_STANDARD.encode(signer.der());
            format!(
                "<OtherTSLPointer><ServiceDigitalIdentities><ServiceDigitalIdentity><DigitalId>\
                 <X509Certificate>{certificate}</X509Certificate></DigitalId></ServiceDigitalIdentity>\
                 </ServiceDigitalIdentities><TSLLocation>https://tsl.example.com/</TSLLocation>\
                 <AdditionalInformation><OtherInformation><SchemeTerritory>{territory}</SchemeTerritory>\
                 </OtherInformation><OtherInformation><MimeType xmlns=\"{LIST_TYPES}\">\
                 application/vnd.etsi.tsl+xml</MimeType></OtherInformation></AdditionalInformation>\
                 </OtherTSLPointer>"
            )
        });
        Self {
            kind: "EUlistofthelists",
            pointers: pointers.collect(),
            ..Self::of("EU", &[])
        }
    }

    /// Contents of the root element without the signature.
    pub(crate) fn body(&self) -> String {
        let next_update = self
            .next_update
            .map_or_else(String::new, |next| format!("<dateTime>{next}</dateTime>"));
        format!(
            "\n<SchemeInformation>\n<TSLVersionIdentifier>{}</TSLVersionIdentifier>\
             <TSLSequenceNumber>{}</TSLSequenceNumber>\
             <TSLType>http://uri.etsi.org/TrstSvc/TrustedList/TSLType/{}</TSLType>\
             <SchemeTerritory>{}</SchemeTerritory><PointersToOtherTSL>{}</PointersToOtherTSL>\
             <ListIssueDateTime>2026-03-01T00:00:00Z</ListIssueDateTime>\
             <NextUpdate>{next_update}</NextUpdate></SchemeInformation>\
             <TrustServiceProviderList><TrustServiceProvider><TSPInformation>\
             <TSPName><Name xml:lang=\"en\">Provider &amp; Co</Name></TSPName></TSPInformation>\
             <TSPServices>{}</TSPServices></TrustServiceProvider></TrustServiceProviderList>",
            self.version, self.sequence, self.kind, self.territory, self.pointers, self.services
        )
    }

    /// The list with the signature that the standard has.
    pub(crate) fn signed_by(&self, signer: &Credential) -> String {
        let body = self.body();
        let signature = EnvelopedSignature::over(&[OPEN, &body, CLOSE].concat()).by(signer);
        [OPEN, &body, &signature, CLOSE].concat()
    }
}
