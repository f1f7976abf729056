use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use der::Tag;
use parafa_pki::Certificate;
use parafa_pki::asn1::{context, encode, sequence};
use parafa_xml::{Canonicalization, XmlWriter};

use crate::names::{ASIC, DSIG, OPEN_DOCUMENT, XADES};

/// How a signature is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Profile {
    /// A baseline signature (ETSI EN 319 132-1, 6) in a signature file of ASiC
    /// (EN 319 162-1, 4.4.3.2). It is canonicalized exclusively, so that nothing
    /// around a signature is part of what is signed.
    Baseline,
    /// A signature of ETSI TS 101 903 in a signature file of OpenDocument, as
    /// writers of ADOC-V1.0 make them: with Canonical XML 1.0, the older
    /// SigningCertificate, an implied policy and no formats of data objects.
    Adoc,
}

impl Profile {
    pub(crate) fn canonicalization(self) -> Canonicalization {
        match self {
            Self::Baseline => Canonicalization::EXCLUSIVE,
            Self::Adoc => Canonicalization::INCLUSIVE,
        }
    }

    /// The root of the file.
    pub(crate) fn root(self, writer: &mut XmlWriter, inner: impl FnOnce(&mut XmlWriter)) {
        let (name, namespace) = match self {
            Self::Baseline => ("asic:XAdESSignatures", ("xmlns:asic", ASIC)),
            Self::Adoc => ("document-signatures", ("xmlns", OPEN_DOCUMENT)),
        };
        let namespaces = [namespace, ("xmlns:ds", DSIG), ("xmlns:xades", XADES)];
        writer.element(name, &namespaces, inner);
    }

    /// The property that names the signer's certificate, and the policy where
    /// one is stated. `digest` writes the digest of the certificate.
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

/// DER of the IssuerSerial (RFC 5035, 5) that IssuerSerialV2 holds.
fn issuer_serial(certificate: &Certificate<'_>) -> Vec<u8> {
    const DIRECTORY_NAME: u8 = 4;

    let name = encode(context(DIRECTORY_NAME), certificate.issuer());
    let names = sequence([&name]);
    encode(
        Tag::Sequence,
        &[&names, certificate.serial_number()].concat(),
    )
}
