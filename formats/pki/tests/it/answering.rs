//! Answers of hosts to archive steps: issuers' answers or stored data.

use openssl::nid::Nid;
use openssl::x509::X509;
use parafa_format_core::{Answer, NativeEnvironment, Need, NeedKind};
use parafa_pki::{Certificate, Issuer, RevocationData};

use crate::issuing::good_response;
use crate::pki::Holder;

/// Returns the certificate in a need.
pub(crate) fn certificate(need: &Need) -> X509 {
    X509::from_der(need.payload.as_bytes().unwrap()).unwrap()
}

/// Returns its common name.
pub(crate) fn subject(need: &Need) -> String {
    let certificate = certificate(need);
    let mut names = certificate.subject_name().entries_by_nid(Nid::COMMONNAME);
    names.next().unwrap().data().to_string().unwrap()
}

/// Returns the issuer of a certificate, among these.
pub(crate) fn issuer_of<'h>(issuers: [&'h Holder; 2], certificate: &X509) -> &'h Holder {
    let issued = |issuer: &&Holder| {
        let key = issuer.certificate.public_key().unwrap();
        certificate.verify(&key).unwrap()
    };
    let mut issuers = issuers.into_iter();
    issuers.find(issued).expect("somebody here issued it")
}

/// Returns a sound answer: the issuer's certificate, the root as an anchor, or
/// a response of the issuer's responder.
pub(crate) fn sound<'h>(
    need: &Need,
    issuers: [&'h Holder; 2],
    responder_of: impl Fn(&'h Holder) -> &'h Holder,
) -> Answer {
    let certificate = certificate(need);
    let issuer = issuer_of(issuers, &certificate);
    need.answer(match need.kind {
        NeedKind::Certificate if issuer.certificate == certificate => Err("anchor"),
        NeedKind::Certificate => Ok(issuer.certificate.to_der().unwrap()),
        NeedKind::Revocation => {
            let responder = responder_of(issuer);
            Ok(good_response(&certificate, issuer, responder))
        }
        other => panic!("{other:?} is not needed"),
    })
}

/// Returns the certificate among these that is named as another one's issuer.
pub(crate) fn issuer_among(certificates: &[Vec<u8>], certificate: &X509) -> Option<Vec<u8>> {
    let wanted = certificate.issuer_name().to_der().unwrap();
    let mut issuers = certificates.iter().filter(|der| {
        let issuer = X509::from_der(der).unwrap();
        issuer.subject_name().to_der().unwrap() == wanted
    });
    issuers.next().cloned()
}

/// Returns the revocation data among these that covers the certificate of a
/// need.
pub(crate) fn told_among(revocation: &[Vec<u8>], need: &Need) -> Option<Vec<u8>> {
    let issuer = need.issuer.as_ref()?;
    let issuer = Issuer::new(Certificate::from_der(issuer).unwrap());
    let certificate = Certificate::from_der(need.payload.as_bytes()?).unwrap();
    let mut told = revocation.iter().filter(|der| {
        let data = RevocationData::parse(der).unwrap();
        data.is_about(&NativeEnvironment, &certificate, &issuer)
    });
    told.next().cloned()
}
