use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use der::Tag;
use parafa_format_core::{DigestAlgorithm, Environment, Part, SignatureAlgorithm};
use parafa_pki::Certificate;
use parafa_pki::asn1::{context, encode, sequence};
use parafa_xml::{Canonicalization, Document, Limits};
use quick_xml::Writer;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};

use crate::ecdsa;
use crate::file;
use crate::location::reference_to;
use crate::names::{self, ASIC, DSIG, SIGNED_PROPERTIES_TYPE, XADES};
use crate::signature::Signature;
use crate::time;
use crate::unsigned::{inserted, with_properties};

/// How everything that is signed is canonicalized: exclusively, so that nothing
/// around a signature is part of what is signed.
const CANONICALIZATION: Canonicalization = Canonicalization::EXCLUSIVE;

/// What a new signature of a container is to be.
#[derive(Clone, Copy, Debug)]
pub struct SignatureRequest<'a> {
    /// Its `Id`, which those of its parts begin with; an XML name without
    /// colons.
    pub id: &'a str,
    /// Signing time, seconds since the Unix epoch.
    pub time: i64,
    /// How the device will sign.
    pub algorithm: SignatureAlgorithm,
    /// DER of the signer's certificate.
    pub certificate: &'a [u8],
    /// What it is to be over.
    pub objects: &'a [DataObject<'a>],
}

/// A member that is signed.
#[derive(Clone, Copy, Debug)]
pub struct DataObject<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its media type, as the manifest has it.
    pub media_type: &'a str,
    /// Digest of its bytes by the algorithm of the signature.
    pub digest: &'a [u8],
}

/// Why a signature cannot be made.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum DraftError {
    /// XML Signature has no identifier for it, or it is too weak to sign with.
    #[error("{0} is not signed with")]
    Algorithm(SignatureAlgorithm),
    /// The certificate is none, or its key is not of the algorithm.
    #[error("the certificate of the signer cannot be used")]
    Certificate,
    /// There is no such time.
    #[error("the signing time {0} cannot be written")]
    Time(i64),
    /// The value is not one of the algorithm.
    #[error("the signature value is not one of the key's algorithm")]
    Value,
    /// What was written cannot be read.
    #[error("the signature cannot be read back: {0}")]
    Unreadable(String),
}

/// A signature without its value: text that does not change any more, but for
/// the value and what is not signed.
#[derive(Clone, Debug)]
pub struct Draft {
    text: String,
    signed_info: Vec<u8>,
    /// Where the value goes.
    value_at: usize,
    /// Bytes of r and of s, when the value is one of ECDSA.
    field_bytes: Option<usize>,
}

impl Draft {
    /// Writes a signature file (ETSI EN 319 162-1, 4.4.3.2) with a signature of
    /// level B-B (EN 319 132-1, 6).
    ///
    /// # Errors
    /// The request cannot be carried out.
    pub fn new<E: Environment>(
        environment: &E,
        request: &SignatureRequest<'_>,
    ) -> Result<Self, DraftError> {
        let parts = Parts::new(environment, request)?;
        // The digest of the properties is that of their canonical form, for
        // which they have to stand where they will.
        let unsigned = parts.file("");
        let properties = canonical(&unsigned, |signature| signature.signed_properties().ok())?;
        let digest = environment.digest(parts.digest, &[Part::Bytes(&properties)]);
        let text = parts.file(&BASE64_STANDARD.encode(digest));
        let signed_info = canonical(&text, |signature| signature.signed_info().ok())?;
        let value_at = with_signature(&text, |signature| {
            Some(signature.value().ok()?.range().end - "</ds:SignatureValue>".len())
        })?;
        Ok(Self {
            text,
            signed_info,
            value_at,
            field_bytes: parts.field_bytes,
        })
    }

    /// SignedInfo in its canonical form: what the device signs, not hashed.
    #[must_use]
    pub fn to_be_signed(&self) -> &[u8] {
        &self.signed_info
    }

    /// Bytes of the file as long as it has no value.
    #[must_use]
    pub fn file_bytes(&self) -> usize {
        self.text.len()
    }

    /// The file with the value, as the catalogue has it (RSA: octets, ECDSA:
    /// DER): level B-B.
    ///
    /// # Errors
    /// An ECDSA value is no DER of two numbers of the curve.
    pub fn with_value(&self, value: &[u8]) -> Result<String, DraftError> {
        let raw = match self.field_bytes {
            Some(field_bytes) => ecdsa::to_raw(value, field_bytes).ok_or(DraftError::Value)?,
            None => value.to_vec(),
        };
        let mut text = self.text.clone();
        text.insert_str(self.value_at, &BASE64_STANDARD.encode(raw));
        Ok(text)
    }

    /// What a signature time-stamp has to be over, in a file that
    /// [`Self::with_value`] gave.
    ///
    /// # Errors
    /// The text is not such a file.
    pub fn to_be_stamped(&self, file: &str) -> Result<Vec<u8>, DraftError> {
        canonical(file, |signature| signature.value().ok())
    }

    /// Adds a signature time-stamp, the DER of an RFC 3161 token: level B-T.
    ///
    /// # Errors
    /// The text is not a file that [`Self::with_value`] gave.
    pub fn with_timestamp(&self, file: &str, token: &[u8]) -> Result<String, DraftError> {
        let property = format!(
            "<xades:SignatureTimeStamp xmlns:xades=\"{XADES}\" xmlns:ds=\"{DSIG}\">\
             <ds:CanonicalizationMethod Algorithm=\"{}\"/>\
             <xades:EncapsulatedTimeStamp>{}</xades:EncapsulatedTimeStamp>\
             </xades:SignatureTimeStamp>",
            CANONICALIZATION.uri(),
            BASE64_STANDARD.encode(token)
        );
        with_signature(file, |signature| {
            let insertion = with_properties(signature, &property)?;
            Some(inserted(file, vec![insertion]))
        })
    }
}

/// What a signature is written from.
struct Parts<'a> {
    request: &'a SignatureRequest<'a>,
    digest: DigestAlgorithm,
    signature_uri: &'static str,
    signing_time: String,
    certificate_digest: String,
    issuer_serial: String,
    field_bytes: Option<usize>,
}

impl<'a> Parts<'a> {
    fn new<E: Environment>(
        environment: &E,
        request: &'a SignatureRequest<'a>,
    ) -> Result<Self, DraftError> {
        let algorithm = request.algorithm;
        let digest = algorithm.digest();
        let signature_uri = names::signature_uri(algorithm)
            .filter(|_| digest != DigestAlgorithm::Sha1)
            .ok_or(DraftError::Algorithm(algorithm))?;
        let certificate = Certificate::from_der(request.certificate);
        let certificate = certificate.map_err(|_| DraftError::Certificate)?;
        let curve = ecdsa::field_bytes(certificate.subject_public_key_info());
        let is_ecdsa = matches!(algorithm, SignatureAlgorithm::Ecdsa(_));
        if is_ecdsa != curve.is_some() {
            return Err(DraftError::Certificate);
        }
        let hashed = environment.digest(digest, &[Part::Bytes(request.certificate)]);
        Ok(Self {
            request,
            digest,
            signature_uri,
            signing_time: time::write(request.time).ok_or(DraftError::Time(request.time))?,
            certificate_digest: BASE64_STANDARD.encode(hashed),
            issuer_serial: BASE64_STANDARD.encode(issuer_serial(&certificate)),
            field_bytes: curve,
        })
    }

    /// The file, with the digest of SignedProperties and without a value.
    fn file(&self, properties_digest: &str) -> String {
        let mut writer = XmlWriter(Writer::new(Vec::new()));
        let namespaces = [
            ("xmlns:asic", ASIC),
            ("xmlns:ds", DSIG),
            ("xmlns:xades", XADES),
        ];
        writer.element("asic:XAdESSignatures", &namespaces, |writer| {
            self.signature(writer, properties_digest);
        });
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}",
            writer.into_text()
        )
    }

    fn signature(&self, writer: &mut XmlWriter, properties_digest: &str) {
        let id = self.request.id;
        writer.element("ds:Signature", &[("Id", id)], |writer| {
            self.signed_info(writer, properties_digest);
            writer.text("ds:SignatureValue", &[("Id", &format!("{id}-value"))], "");
            writer.element("ds:KeyInfo", &[], |writer| {
                writer.element("ds:X509Data", &[], |writer| {
                    let certificate = BASE64_STANDARD.encode(self.request.certificate);
                    writer.text("ds:X509Certificate", &[], &certificate);
                });
            });
            writer.element("ds:Object", &[], |writer| {
                let target = format!("#{id}");
                writer.element(
                    "xades:QualifyingProperties",
                    &[("Target", &target)],
                    |writer| {
                        self.signed_properties(writer);
                    },
                );
            });
        });
    }

    fn signed_info(&self, writer: &mut XmlWriter, properties_digest: &str) {
        let id = self.request.id;
        let algorithm = CANONICALIZATION.uri();
        writer.element("ds:SignedInfo", &[], |writer| {
            writer.empty("ds:CanonicalizationMethod", &[("Algorithm", algorithm)]);
            writer.empty("ds:SignatureMethod", &[("Algorithm", self.signature_uri)]);
            for (number, object) in self.request.objects.iter().enumerate() {
                let reference = format!("{id}-reference-{number}");
                let uri = reference_to(object.name);
                writer.element(
                    "ds:Reference",
                    &[("Id", &reference), ("URI", &uri)],
                    |writer| {
                        self.digest(writer, &BASE64_STANDARD.encode(object.digest));
                    },
                );
            }
            let uri = format!("#{id}-properties");
            let attributes = [("Type", SIGNED_PROPERTIES_TYPE), ("URI", &uri)];
            writer.element("ds:Reference", &attributes, |writer| {
                writer.element("ds:Transforms", &[], |writer| {
                    writer.empty("ds:Transform", &[("Algorithm", algorithm)]);
                });
                self.digest(writer, properties_digest);
            });
        });
    }

    fn signed_properties(&self, writer: &mut XmlWriter) {
        let id = self.request.id;
        let properties = format!("{id}-properties");
        writer.element("xades:SignedProperties", &[("Id", &properties)], |writer| {
            writer.element("xades:SignedSignatureProperties", &[], |writer| {
                writer.text("xades:SigningTime", &[], &self.signing_time);
                writer.element("xades:SigningCertificateV2", &[], |writer| {
                    writer.element("xades:Cert", &[], |writer| {
                        writer.element("xades:CertDigest", &[], |writer| {
                            self.digest(writer, &self.certificate_digest);
                        });
                        writer.text("xades:IssuerSerialV2", &[], &self.issuer_serial);
                    });
                });
            });
            writer.element("xades:SignedDataObjectProperties", &[], |writer| {
                for (number, object) in self.request.objects.iter().enumerate() {
                    let reference = format!("#{id}-reference-{number}");
                    let attributes = [("ObjectReference", reference.as_str())];
                    writer.element("xades:DataObjectFormat", &attributes, |writer| {
                        writer.text("xades:MimeType", &[], object.media_type);
                    });
                }
            });
        });
    }

    fn digest(&self, writer: &mut XmlWriter, value: &str) {
        let algorithm = names::digest_uri(self.digest);
        writer.empty("ds:DigestMethod", &[("Algorithm", algorithm)]);
        writer.text("ds:DigestValue", &[], value);
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

/// Writes to memory, which does not fail.
struct XmlWriter(Writer<Vec<u8>>);

impl XmlWriter {
    fn element(&mut self, name: &str, attributes: &[(&str, &str)], inner: impl FnOnce(&mut Self)) {
        let start = BytesStart::new(name).with_attributes(attributes.iter().copied());
        self.event(Event::Start(start));
        inner(self);
        self.event(Event::End(BytesEnd::new(name)));
    }

    fn text(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.element(name, attributes, |writer| {
            writer.event(Event::Text(BytesText::new(text)));
        });
    }

    fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.element(name, attributes, |_| {});
    }

    fn event(&mut self, event: Event<'_>) {
        self.0.write_event(event).expect("memory takes all bytes");
    }

    fn into_text(self) -> String {
        String::from_utf8(self.0.into_inner()).expect("what was written is text")
    }
}

fn canonical(
    file: &str,
    element: impl for<'d> FnOnce(Signature<'d>) -> Option<parafa_xml::Element<'d>>,
) -> Result<Vec<u8>, DraftError> {
    with_signature(file, |signature| {
        element(signature)?.canonicalize(CANONICALIZATION, &[]).ok()
    })
}

/// What is found of the one signature of a file.
fn with_signature<T>(
    file: &str,
    find: impl FnOnce(Signature<'_>) -> Option<T>,
) -> Result<T, DraftError> {
    let unreadable = |reason: String| DraftError::Unreadable(reason);
    let document = Document::parse(file.as_bytes(), &Limits::default());
    let document = document.map_err(|error| unreadable(error.to_string()))?;
    let signatures = file::signatures(&document).unwrap_or_default();
    let [signature] = signatures.as_slice() else {
        return Err(unreadable("it is not one signature".into()));
    };
    find(*signature).ok_or_else(|| unreadable("an element is missing".into()))
}
