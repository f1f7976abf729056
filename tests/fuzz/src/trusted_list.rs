//! Trusted lists (ETSI TS 119 612).

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use parafa_fixtures::enveloped::EnvelopedSignature;
use parafa_trusted_list::read_list;
use sha2::{Digest, Sha256};

use crate::authority::WORLD;
use crate::target::Target;

/// The reader of trusted lists.
///
/// The input is taken as a list, then as the contents of one that is signed correctly: services
/// behind the signature are read too. A list names its signer and a territory.
pub const TRUSTED_LIST: Target = Target {
    name: "trusted_list",
    run,
    seeds,
};

const OPEN: &str = "<TrustServiceStatusList xmlns=\"http://uri.etsi.org/02231/v2#\" Id=\"TSL\">";
const CLOSE: &str = "</TrustServiceStatusList>";

fn run(input: &[u8]) {
    if let Ok((list, _)) = read_list(input) {
        assert_eq!(list.territory.len(), 2);
        assert_eq!(list.signer.len(), 64);
    }
    let Ok(contents) = std::str::from_utf8(input) else {
        return;
    };
    if let Ok((list, _)) = read_list(signed(contents).as_bytes()) {
        let signer = Sha256::digest(&WORLD.signer.certificate);
        let signer: String = signer.iter().map(|byte| format!("{byte:02X}")).collect();
        assert_eq!(list.signer, signer);
        assert_eq!(list.territory.len(), 2);
    }
}

fn signed(contents: &str) -> String {
    let document = [OPEN, contents, CLOSE].concat();
    let signature = EnvelopedSignature::over(&document).by(&WORLD.signer.credential);
    [OPEN, contents, &signature, CLOSE].concat()
}

fn seeds() -> Vec<Vec<u8>> {
    let open = contents("<dateTime>2026-12-24T00:00:00Z</dateTime>");
    let whole = signed(&open);
    read_list(whole.as_bytes()).expect("a sound list");
    [open, contents(""), whole].map(String::into_bytes).into()
}

/// The contents of a list with a pointer, and a service that was withdrawn for a time.
fn contents(next_update: &str) -> String {
    let certificate = BASE64_STANDARD.encode(&WORLD.issuer.certificate);
    let identity =
        format!("<DigitalId><X509Certificate>{certificate}</X509Certificate></DigitalId>");
    let standing = |status: &str, since: &str, identity: &str| {
        format!(
            "<ServiceTypeIdentifier>http://uri.etsi.org/TrstSvc/Svctype/CA/QC</ServiceTypeIdentifier>\
             <ServiceName><Name xml:lang=\"en\">Service</Name></ServiceName>\
             <ServiceDigitalIdentity>{identity}</ServiceDigitalIdentity>\
             <ServiceStatus>http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/{status}</ServiceStatus>\
             <StatusStartingTime>{since}</StatusStartingTime>\
             <ServiceInformationExtensions><Extension Critical=\"true\"><AdditionalServiceInformation>\
             <URI xml:lang=\"en\">http://uri.etsi.org/TrstSvc/TrustedList/SvcInfoExt/ForeSignatures</URI>\
             </AdditionalServiceInformation></Extension></ServiceInformationExtensions>"
        )
    };
    let now = standing("granted", "2024-01-01T00:00:00Z", &identity);
    let before = standing(
        "withdrawn",
        "2023-01-01T00:00:00Z",
        "<DigitalId><X509SubjectName>CN=Service</X509SubjectName></DigitalId>",
    );
    format!(
        "<SchemeInformation><TSLVersionIdentifier>6</TSLVersionIdentifier>\
         <TSLSequenceNumber>66</TSLSequenceNumber>\
         <TSLType>http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUgeneric</TSLType>\
         <SchemeTerritory>LT</SchemeTerritory><PointersToOtherTSL><OtherTSLPointer>\
         <ServiceDigitalIdentities><ServiceDigitalIdentity>{identity}</ServiceDigitalIdentity>\
         </ServiceDigitalIdentities><TSLLocation>https://tsl.example.com/</TSLLocation>\
         <AdditionalInformation><OtherInformation><SchemeTerritory>EU</SchemeTerritory>\
         </OtherInformation><OtherInformation>\
         <MimeType xmlns=\"http://uri.etsi.org/02231/v2/additionaltypes#\">\
         application/vnd.etsi.tsl+xml</MimeType></OtherInformation></AdditionalInformation>\
         </OtherTSLPointer></PointersToOtherTSL>\
         <ListIssueDateTime>2026-11-01T00:00:00Z</ListIssueDateTime>\
         <NextUpdate>{next_update}</NextUpdate></SchemeInformation>\
         <TrustServiceProviderList><TrustServiceProvider><TSPInformation>\
         <TSPName><Name xml:lang=\"en\">Provider &amp; Co</Name></TSPName></TSPInformation>\
         <TSPServices><TSPService><ServiceInformation>{now}</ServiceInformation>\
         <ServiceHistory><ServiceHistoryInstance>{before}</ServiceHistoryInstance></ServiceHistory>\
         </TSPService></TSPServices></TrustServiceProvider></TrustServiceProviderList>"
    )
}
