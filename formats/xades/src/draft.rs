use std::iter;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parafa_format_core::{DigestAlgorithm, Environment, Part, SignatureAlgorithm};
use parafa_pki::{Certificate, ecdsa};
use parafa_xml::{Canonicalization, Document, Limits, XmlWriter, inserted};

use crate::file;
use crate::location::reference_to;
use crate::names::{self, DSIG, SIGNED_PROPERTIES_TYPE, XADES, XPATH};
use crate::profile::Profile;
use crate::signature::Signature;
use crate::time;
use crate::unsigned::with_properties;

/// Parameters of a new signature of a container.
#[derive(Clone, Copy, Debug)]
pub struct SignatureRequest<'a> {
    /// Profile of the signature.
    pub profile: Profile,
    /// `Id` and prefix of the identifiers of its parts; an XML name without
    /// colons.
    pub id: &'a str,
    /// Signing time in seconds since the Unix epoch.
    pub time: i64,
    /// Signature algorithm of the device.
    pub algorithm: SignatureAlgorithm,
    /// DER-encoded signer certificate.
    pub certificate: &'a [u8],
    /// DER-encoded issuer certificates, included for building a path to an
    /// anchor.
    pub issuers: &'a [Vec<u8>],
    /// Data objects to sign.
    pub objects: &'a [DataObject<'a>],
}

/// A member to sign, or an element of one.
#[derive(Clone, Copy, Debug)]
pub struct DataObject<'a> {
    /// Name of the member.
    pub name: &'a str,
    /// `ID` of the only element to sign, in Canonical XML 1.0; `None` for the
    /// whole member as it is.
    pub part: Option<&'a str>,
    /// Media type, as in the manifest; not every profile signs it.
    pub media_type: &'a str,
    /// Digest of the data object, with the digest algorithm of the signature.
    pub digest: &'a [u8],
}

/// Error of creating a signature.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum DraftError {
    /// The algorithm has no identifier in XML Signature, or is too weak.
    #[error("{0} is not signed with")]
    Algorithm(SignatureAlgorithm),
    /// The certificate is invalid, or its key does not match the algorithm.
    #[error("the certificate of the signer cannot be used")]
    Certificate,
    /// The time cannot be represented.
    #[error("the signing time {0} cannot be written")]
    Time(i64),
    /// The value does not match the algorithm.
    #[error("the signature value is not one of the key's algorithm")]
    Value,
    /// The written text cannot be read.
    #[error("the signature cannot be read back: {0}")]
    Unreadable(String),
}

/// A signature without its value. The text is final except for the value and
/// the unsigned properties.
#[derive(Clone, Debug)]
pub struct Draft {
    profile: Profile,
    text: String,
    signed_info: Vec<u8>,
    /// Offset of the value.
    value_at: usize,
    /// Length of r and of s in bytes, for ECDSA.
    field_bytes: Option<usize>,
}

impl Draft {
    /// Writes a signature file with one signature of the profile.
    ///
    /// # Errors
    /// An error if the request cannot be carried out.
    pub fn new<E: Environment>(
        environment: &E,
        request: &SignatureRequest<'_>,
    ) -> Result<Self, DraftError> {
        let parts = Parts::new(environment, request)?;
        // The digest covers the canonical form of the properties, which depends
        // on their position.
        let unsigned = parts.file("");
        let properties = canonical(&unsigned, parts.canonicalization(), |signature| {
            signature.signed_properties().ok()
        })?;
        let digest = environment.digest(parts.digest, &[Part::Bytes(&properties)]);
        let text = parts.file(&BASE64_STANDARD.encode(digest));
        let signed_info = canonical(&text, parts.canonicalization(), |signature| {
            signature.signed_info().ok()
        })?;
        let value_at = with_signature(&text, |signature| {
            Some(signature.value().ok()?.range().end - "</ds:SignatureValue>".len())
        })?;
        Ok(Self {
            profile: request.profile,
            text,
            signed_info,
            value_at,
            field_bytes: parts.field_bytes,
        })
    }

    /// Returns SignedInfo in its canonical form: the unhashed input of the
    /// device.
    #[must_use]
    pub fn to_be_signed(&self) -> &[u8] {
        &self.signed_info
    }

    /// Returns the length of the file without its value, in bytes.
    #[must_use]
    pub fn file_bytes(&self) -> usize {
        self.text.len()
    }

    /// Returns the file with the value in the catalogue's form (RSA: octets,
    /// ECDSA: DER): level B-B.
    ///
    /// # Errors
    /// An error if an ECDSA value is not DER with two numbers of the curve.
    pub fn with_value(&self, value: &[u8]) -> Result<String, DraftError> {
        let raw = match self.field_bytes {
            Some(field_bytes) => ecdsa::to_raw(value, field_bytes).ok_or(DraftError::Value)?,
            None => value.to_vec(),
        };
        let mut text = self.text.clone();
        text.insert_str(self.value_at, &BASE64_STANDARD.encode(raw));
        Ok(text)
    }

    /// Returns the input of a signature time-stamp, for a file from
    /// [`Self::with_value`].
    ///
    /// # Errors
    /// An error if the text is not such a file.
    pub fn to_be_stamped(&self, file: &str) -> Result<Vec<u8>, DraftError> {
        canonical(file, self.profile.canonicalization(), |signature| {
            signature.value().ok()
        })
    }

    /// Adds a signature time-stamp, a DER-encoded RFC 3161 token: level B-T.
    ///
    /// # Errors
    /// An error if the text is not a file from [`Self::with_value`].
    pub fn with_timestamp(&self, file: &str, token: &[u8]) -> Result<String, DraftError> {
        let property = format!(
            "<xades:SignatureTimeStamp xmlns:xades=\"{XADES}\" xmlns:ds=\"{DSIG}\">\
             <ds:CanonicalizationMethod Algorithm=\"{}\"/>\
             <xades:EncapsulatedTimeStamp>{}</xades:EncapsulatedTimeStamp>\
             </xades:SignatureTimeStamp>",
            self.profile.canonicalization().uri(),
            BASE64_STANDARD.encode(token)
        );
        with_signature(file, |signature| {
            let insertion = with_properties(signature, &property)?;
            Some(inserted(file, vec![insertion]))
        })
    }
}

/// Inputs for writing a signature.
struct Parts<'a> {
    request: &'a SignatureRequest<'a>,
    digest: DigestAlgorithm,
    signature_uri: String,
    digest_uri: &'static str,
    signing_time: String,
    certificate_digest: String,
    certificate: Certificate<'a>,
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
            .filter(|_| algorithm.is_for_making())
            .ok_or(DraftError::Algorithm(algorithm))?;
        let certificate = Certificate::from_der(request.certificate);
        let certificate = certificate.map_err(|_| DraftError::Certificate)?;
        let curve = ecdsa::field_bytes(certificate.subject_public_key_info());
        let is_ecdsa = matches!(algorithm, SignatureAlgorithm::Ecdsa(_));
        let has_names = request.profile == Profile::Baseline || certificate.issuer_text().is_some();
        if is_ecdsa != curve.is_some() || !has_names {
            return Err(DraftError::Certificate);
        }
        let hashed = environment.digest(digest, &[Part::Bytes(request.certificate)]);
        Ok(Self {
            request,
            digest,
            signature_uri,
            digest_uri: names::digest_uri(digest).ok_or(DraftError::Algorithm(algorithm))?,
            signing_time: time::write(request.time).ok_or(DraftError::Time(request.time))?,
            certificate_digest: BASE64_STANDARD.encode(hashed),
            certificate,
            field_bytes: curve,
        })
    }

    fn canonicalization(&self) -> Canonicalization {
        self.request.profile.canonicalization()
    }

    /// Returns the file with the digest of SignedProperties and without a
    /// value.
    fn file(&self, properties_digest: &str) -> String {
        XmlWriter::document(|writer| {
            self.request.profile.root(writer, |writer| {
                self.signature(writer, properties_digest);
            });
        })
    }

    fn signature(&self, writer: &mut XmlWriter, properties_digest: &str) {
        let id = self.request.id;
        writer.element("ds:Signature", &[("Id", id)], |writer| {
            self.signed_info(writer, properties_digest);
            writer.text("ds:SignatureValue", &[("Id", &format!("{id}-value"))], "");
            writer.element("ds:KeyInfo", &[], |writer| {
                writer.element("ds:X509Data", &[], |writer| {
                    let issuers = self.request.issuers.iter().map(Vec::as_slice);
                    for certificate in iter::once(self.request.certificate).chain(issuers) {
                        let certificate = BASE64_STANDARD.encode(certificate);
                        writer.text("ds:X509Certificate", &[], &certificate);
                    }
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
        let algorithm = self.canonicalization().uri();
        writer.element("ds:SignedInfo", &[], |writer| {
            writer.empty("ds:CanonicalizationMethod", &[("Algorithm", algorithm)]);
            writer.empty("ds:SignatureMethod", &[("Algorithm", &self.signature_uri)]);
            for (number, object) in self.request.objects.iter().enumerate() {
                let reference = format!("{id}-reference-{number}");
                let uri = reference_to(object.name);
                let attributes = [("Id", reference.as_str()), ("URI", &uri)];
                writer.element("ds:Reference", &attributes, |writer| {
                    if let Some(part) = object.part {
                        part_transforms(writer, part);
                    }
                    self.digest(writer, &BASE64_STANDARD.encode(object.digest));
                });
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
                let profile = self.request.profile;
                profile.signing_certificate(writer, &self.certificate, |writer| {
                    self.digest(writer, &self.certificate_digest);
                });
            });
            if self.request.profile == Profile::Baseline {
                self.data_object_formats(writer);
            }
        });
    }

    fn data_object_formats(&self, writer: &mut XmlWriter) {
        let id = self.request.id;
        writer.element("xades:SignedDataObjectProperties", &[], |writer| {
            for (number, object) in self.request.objects.iter().enumerate() {
                let reference = format!("#{id}-reference-{number}");
                let attributes = [("ObjectReference", reference.as_str())];
                writer.element("xades:DataObjectFormat", &attributes, |writer| {
                    writer.text("xades:MimeType", &[], object.media_type);
                });
            }
        });
    }

    fn digest(&self, writer: &mut XmlWriter, value: &str) {
        let algorithm = self.digest_uri;
        writer.empty("ds:DigestMethod", &[("Algorithm", algorithm)]);
        writer.text("ds:DigestValue", &[], value);
    }
}

/// Writes the transforms that select one element of a member: the XPath
/// expression by which ADOC signs metadata, and Canonical XML 1.0.
fn part_transforms(writer: &mut XmlWriter, id: &str) {
    writer.element("ds:Transforms", &[], |writer| {
        writer.element("ds:Transform", &[("Algorithm", XPATH)], |writer| {
            let expression = format!("ancestor-or-self::*[@ID='{id}']");
            writer.text("ds:XPath", &[], &expression);
        });
        let inclusive = Canonicalization::INCLUSIVE.uri();
        writer.empty("ds:Transform", &[("Algorithm", inclusive)]);
    });
}

fn canonical(
    file: &str,
    algorithm: Canonicalization,
    element: impl for<'d> FnOnce(Signature<'d>) -> Option<parafa_xml::Element<'d>>,
) -> Result<Vec<u8>, DraftError> {
    with_signature(file, |signature| {
        element(signature)?.canonicalize(algorithm, &[]).ok()
    })
}

/// Calls back with the only signature of a file.
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
