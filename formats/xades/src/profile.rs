use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use der::Tag;
use parafa_pki::Certificate;
use parafa_pki::asn1::{context, encode, sequence};
use parafa_xml::{Canonicalization, XmlWriter};

use crate::names::{ASIC, DSIG, OPEN_DOCUMENT, XADES};

/// Profile of a signature.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Profile {
    /// A baseline signature (ETSI EN 319 132-1, 6) in a signature file of ASiC
    /// (EN 319 162-1, 4.4.3.2). It uses exclusive canonicalization, so that the
    /// context of a signature is not signed.
    Baseline,
    /// A signature of ETSI TS 101 903 in a signature file of OpenDocument, like
    /// those of ADOC-V1.0 software. It uses Canonical XML 1.0, the older
    /// SigningCertificate, an implied policy and no data object formats.
    Adoc,
}

impl Profile {
    pub(crate) fn canonicalization(self) -> Canonicalization {
        match self {
            Self::Baseline => Canonicalization::EXCLUSIVE,
            Self::Adoc => Canonicalization::INCLUSIVE,
        }
    }

    /// Writes the root of the file.
    pub(crate) fn root(self, writer: &mut XmlWriter, inner: impl FnOnce(&mut XmlWriter)) {
        let (name, namespace) = match self {
            Self::Baseline => ("asic:XAdESSignatures", ("xmlns:asic", ASIC)),
            Self::Adoc => ("document-signatures", ("xmlns", OPEN_DOCUMENT)),
        };
        let namespaces = [namespace, ("xmlns:ds", DSIG), ("xmlns:xades", XADES)];
        writer.element(name, &namespaces, inner);
    }

    /// Writes the property that names the signer's certificate, and the policy
    /// if one is stated. `digest` writes the digest of the certificate.
    pub(crate) fn signing_certificate(
        self,
        writer: &mut XmlWriter,
        certificate: &Certificate<'_>,
        digest: impl FnOnce(&mut XmlWriter),
    ) {
        let name = match self {
            Self::Baseline => "xades:SigningCertificateV2",
            Self::Adoc => "xades:SigningCertificate",
        };
        writer.element(name, &[], |writer| {
            writer.element("xades:Cert", &[], |writer| {
                writer.element("xades:CertDigest", &[], digest);
                match self {
                    Self::Baseline => {
                        let issuer = BASE64_STANDARD.encode(issuer_serial(certificate));
                        writer.text("xades:IssuerSerialV2", &[], &issuer);
                    }
                    Self::Adoc => writer.element("xades:IssuerSerial", &[], |writer| {
                        let issuer = certificate.issuer_text().unwrap_or_default();
                        let number = certificate.serial_number_decimal();
                        writer.text("ds:X509IssuerName", &[], &issuer);
                        writer.text("ds:X509SerialNumber", &[], &number);
                    }),
                }
            });
        });
        if self == Self::Adoc {
            writer.element("xades:SignaturePolicyIdentifier", &[], |writer| {
                writer.empty("xades:SignaturePolicyImplied", &[]);
            });
        }
    }
}

/// Returns the DER-encoded IssuerSerial (RFC 5035, 5) for IssuerSerialV2.
fn issuer_serial(certificate: &Certificate<'_>) -> Vec<u8> {
    const DIRECTORY_NAME: u8 = 4;

    let name = encode(context(DIRECTORY_NAME), certificate.issuer());
    let names = sequence([&name]);
    encode(
        Tag::Sequence,
        &[&names, certificate.serial_number()].concat(),
    )
}
