use const_oid::ObjectIdentifier;
use const_oid::db::rfc5911;
use der::Tag;
use parafa_format_core::{DigestAlgorithm, Environment, Part, SignatureAlgorithm, Verdict, check};

use crate::algorithm::{decode_digest, decode_signature, has_plain_value};
use crate::asn1::{Element, Elements, context, primitive_context};
use crate::attributes::{
    Attributes, CONTENT_TYPE, MESSAGE_DIGEST, SIGNING_CERTIFICATE, SIGNING_CERTIFICATE_V2,
    SIGNING_TIME, TIMESTAMP_TOKEN,
};
use crate::signing_certificate::CertificateId;
use crate::time::seconds_since_epoch;
use crate::{Certificate, Error, SigningCertificate, ber, ecdsa};

/// A third-party SignedData with one signer (RFC 5652, 5). Reading checks only
/// the structure; the caller verifies the signature.
#[derive(Clone, Debug)]
pub struct SignedData {
    content_type: ObjectIdentifier,
    content: Option<Vec<u8>>,
    certificates: Vec<Vec<u8>>,
    /// DER-encoded SignerIdentifier.
    identifier: Vec<u8>,
    certificate_id: Option<CertificateId>,
    signer: Option<Vec<u8>>,
    signing_certificate: SigningCertificate,
    digest_algorithm: Option<DigestAlgorithm>,
    signature_algorithm: Option<SignatureAlgorithm>,
    signed_attributes: Option<SignedAttributesRead>,
    value: Vec<u8>,
    /// The value in the catalogue's form, if encoded otherwise.
    der_value: Option<Vec<u8>>,
    timestamps: Vec<Vec<u8>>,
}

#[derive(Clone, Debug)]
struct SignedAttributesRead {
    der: Vec<u8>,
    content_type: Option<ObjectIdentifier>,
    message_digest: Option<Vec<u8>>,
    signing_time: Option<i64>,
    has_signing_time: bool,
}

impl SignedData {
    /// Reads a ContentInfo with a SignedData. Zero bytes may follow it, as in
    /// reserved space; BER with indefinite or non-minimal lengths is accepted
    /// too.
    ///
    /// # Errors
    /// The bytes are not such a structure, do not have exactly one signer, or
    /// repeat a single-valued attribute.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        parse_content_info(bytes).or_else(|error| match ber::to_definite_lengths(bytes) {
            Ok((der, padding)) if !bytes.starts_with(&der) => {
                parse_content_info(&[&der, padding].concat())
            }
            _ => Err(error),
        })
    }

    /// Searches the signer's certificate in others, if it is not embedded (RFC
    /// 3161, 2.4.1, `certReq`).
    pub fn find_signer_in<'c>(&mut self, mut others: impl Iterator<Item = &'c Vec<u8>>) {
        if self.signer.is_none()
            && let Some(found) = others.find(|other| self.names_signer(other))
        {
            if self.certificate_id.is_some() {
                self.signing_certificate = SigningCertificate::Matches;
            }
            self.signer = Some(found.clone());
        }
    }

    /// Returns the type of the signed content: `id-data` in document
    /// signatures, `id-ct-TSTInfo` in time-stamp tokens.
    #[must_use]
    pub fn content_type(&self) -> ObjectIdentifier {
        self.content_type
    }

    /// Returns the encapsulated content; `None` if the signature is detached.
    #[must_use]
    pub fn content(&self) -> Option<&[u8]> {
        self.content.as_deref()
    }

    /// Returns the DER-encoded certificates, in order.
    #[must_use]
    pub fn certificates(&self) -> &[Vec<u8>] {
        &self.certificates
    }

    /// Returns the DER-encoded certificate that identifies the signer, if it is
    /// embedded or was found elsewhere.
    #[must_use]
    pub fn signer_certificate(&self) -> Option<&[u8]> {
        self.signer.as_deref()
    }

    /// Returns whether the signature names a certificate, embedded or not, as
    /// its signer's. The signing-certificate attribute decides, or without one
    /// the SignerIdentifier.
    #[must_use]
    pub fn names_signer(&self, certificate: &[u8]) -> bool {
        match &self.certificate_id {
            Some(id) => id.names(certificate),
            None => Element::parse("SignerIdentifier", &self.identifier)
                .and_then(SignerIdentifier::parse)
                .is_ok_and(|identifier| identifier.identifies(certificate)),
        }
    }

    /// Returns whether it is a signature by `signer` over its encapsulated
    /// content (RFC 5652, 5.4 and 5.6); `false` if it is detached. `None` if no
    /// defect is found, but an algorithm or the key is unknown.
    #[must_use]
    pub fn holds<E: Environment>(&self, environment: &E, signer: &Certificate<'_>) -> Option<bool> {
        let (Some(content), Some(attributes)) = (self.content(), self.signed_attributes()) else {
            return Some(false);
        };
        let digested = |algorithm, bytes| environment.digest(algorithm, &[Part::Bytes(bytes)]);
        let is_bound = self.names_signer(signer.as_der())
            && self.signed_content_type() == Some(self.content_type);
        let has_digest = self
            .digest_algorithm
            .map(|digest| self.message_digest() == Some(digested(digest, content).as_slice()));
        let is_signed = self.signature_algorithm.and_then(|algorithm| {
            let digest = environment.digest_to_verify(algorithm, attributes);
            let key = signer.subject_public_key_info();
            let value = self.catalogue_value();
            let verified = environment.verify_by_others(key, algorithm, &digest, value);
            verified.ok().map(|by| by.is_some())
        });
        let checks = [Some(is_bound), has_digest, is_signed];
        if checks.contains(&Some(false)) {
            Some(false)
        } else {
            checks.iter().all(Option::is_some).then_some(true)
        }
    }

    /// Returns the common name of the signer's certificate.
    #[must_use]
    pub fn signer_common_name(&self) -> Option<String> {
        Certificate::from_der(self.signer_certificate()?)
            .ok()?
            .common_name()
    }

    /// Returns how the ESS signing-certificate attribute (either version)
    /// relates to the signer's certificate.
    #[must_use]
    pub fn signing_certificate(&self) -> SigningCertificate {
        self.signing_certificate
    }

    /// Checks that the signer's certificate is present, and is the one that the
    /// signature names.
    #[must_use]
    pub fn check_certificate(&self) -> Verdict {
        match (self.signer_certificate(), self.signing_certificate) {
            (_, SigningCertificate::Differs) => Verdict::broken(check::OTHER_CERTIFICATE),
            (None, _) => Verdict::unknown(check::MISSING),
            (Some(_), SigningCertificate::Matches) => Verdict::Holds,
            (Some(_), SigningCertificate::Absent) => Verdict::unknown(check::UNNAMED),
        }
    }

    /// Returns the digest algorithm of the content; `None` if it is not in the
    /// catalogue.
    #[must_use]
    pub fn digest_algorithm(&self) -> Option<DigestAlgorithm> {
        self.digest_algorithm
    }

    /// Returns the signature algorithm; `None` if it is not in the catalogue.
    #[must_use]
    pub fn signature_algorithm(&self) -> Option<SignatureAlgorithm> {
        self.signature_algorithm
    }

    /// Returns the signed attributes, retagged as the signed SET OF; `None` if
    /// the content itself is signed.
    #[must_use]
    pub fn signed_attributes(&self) -> Option<&[u8]> {
        self.signed_attributes
            .as_ref()
            .map(|attributes| attributes.der.as_slice())
    }

    /// Returns the value of the content-type attribute.
    #[must_use]
    pub fn signed_content_type(&self) -> Option<ObjectIdentifier> {
        self.signed_attributes.as_ref()?.content_type
    }

    /// Returns the value of the message-digest attribute.
    #[must_use]
    pub fn message_digest(&self) -> Option<&[u8]> {
        self.signed_attributes.as_ref()?.message_digest.as_deref()
    }

    /// Returns the value of the signing-time attribute (RFC 5652, 11.3) in
    /// seconds since the Unix epoch; `None` if it is missing or unreadable.
    #[must_use]
    pub fn signing_time(&self) -> Option<i64> {
        self.signed_attributes.as_ref()?.signing_time
    }

    /// Returns whether there is a signing-time attribute, even an unreadable
    /// one.
    #[must_use]
    pub fn has_signing_time(&self) -> bool {
        self.signed_attributes
            .as_ref()
            .is_some_and(|attributes| attributes.has_signing_time)
    }

    /// Returns the signature value, as encoded.
    #[must_use]
    pub fn value(&self) -> &[u8] {
        &self.value
    }

    /// Returns the signature value in the catalogue's form: plain ECDSA values
    /// (BSI TR-03111, 5.2.1) become DER.
    #[must_use]
    pub fn catalogue_value(&self) -> &[u8] {
        self.der_value.as_deref().unwrap_or(&self.value)
    }

    /// Returns the DER-encoded signature time-stamp tokens.
    #[must_use]
    pub fn timestamps(&self) -> &[Vec<u8>] {
        &self.timestamps
    }
}

/// Reads DER that may be followed only by zero bytes.
fn parse_content_info(bytes: &[u8]) -> Result<SignedData, Error> {
    const WHAT: &str = "ContentInfo";

    let element = Elements::new(WHAT, bytes)?.any()?;
    let padding = bytes.strip_prefix(element.der).unwrap_or_default();
    if padding.iter().any(|byte| *byte != 0) {
        return Err(Error::unexpected("padding after the ContentInfo"));
    }
    let mut content_info = Element::sequence(WHAT, element.der)?;
    let content_type = content_info.expect(Tag::ObjectIdentifier)?.decode(WHAT)?;
    if content_type != rfc5911::ID_SIGNED_DATA {
        return Err(Error::NotSignedData(content_type));
    }
    let content = content_info.expect(context(0))?;
    parse_signed_data(Element::sequence("SignedData", content.value)?)
}

fn parse_signed_data(mut parts: Elements<'_>) -> Result<SignedData, Error> {
    parts.expect(Tag::Integer)?;
    parts.expect(Tag::Set)?;
    let mut encapsulated = parts
        .expect(Tag::Sequence)?
        .children("EncapsulatedContentInfo")?;
    let content_type = encapsulated
        .expect(Tag::ObjectIdentifier)?
        .decode("EncapsulatedContentInfo")?;
    let content = match encapsulated.optional(context(0))? {
        Some(content) => Some(read_content(content)?.to_vec()),
        None => None,
    };
    let certificates = match parts.optional(context(0))? {
        Some(set) => set.children("CertificateSet")?.remaining()?,
        None => Vec::new(),
    };
    let certificates: Vec<&[u8]> = certificates
        .into_iter()
        .filter(|choice| choice.tag == Tag::Sequence)
        .map(|choice| choice.der)
        .collect();
    parts.optional(context(1))?;
    let signer_infos = parts
        .expect(Tag::Set)?
        .children("SignerInfos")?
        .remaining()?;
    parts.finish()?;
    let [signer_info] = signer_infos.as_slice() else {
        return Err(Error::SignerCount(signer_infos.len()));
    };
    parse_signer_info(*signer_info, content_type, content, &certificates)
}

/// Returns the octets of the eContent: an OCTET STRING or, in PKCS #7 (RFC
/// 2315, 7), any type; in practice a SEQUENCE. Its tag is not signed.
fn read_content(content: Element<'_>) -> Result<&[u8], Error> {
    let content = Element::parse("eContent", content.value)?;
    match content.tag {
        Tag::OctetString | Tag::Sequence => Ok(content.value),
        _ => Err(Error::unexpected("eContent")),
    }
}

fn parse_signer_info(
    signer_info: Element<'_>,
    content_type: ObjectIdentifier,
    content: Option<Vec<u8>>,
    certificates: &[&[u8]],
) -> Result<SignedData, Error> {
    const WHAT: &str = "SignerInfo";

    let mut parts = Element::sequence(WHAT, signer_info.der)?;
    parts.expect(Tag::Integer)?;
    let identifier = parts.any()?;
    let digest_algorithm = decode_digest(parts.expect(Tag::Sequence)?)?;
    let signed = parts.optional(context(0))?;
    let algorithm = parts.expect(Tag::Sequence)?;
    let signature_algorithm = decode_signature(algorithm, digest_algorithm)?;
    let value = parts.expect(Tag::OctetString)?.value.to_vec();
    let der_value = has_plain_value(algorithm)?
        .then(|| ecdsa::to_der(&value, value.len() / 2))
        .flatten();
    let unsigned = parts.optional(context(1))?;
    parts.finish()?;

    let attributes = Attributes::parse(signed.map(|signed| signed.value).unwrap_or_default())?;
    let certificate_id = certificate_id(&attributes)?;
    let signer = find_signer(identifier, certificate_id.as_ref(), certificates)?;
    let signer = signer.and_then(|index| certificates.get(index));
    let signing_certificate = match (&certificate_id, signer) {
        (None, _) => SigningCertificate::Absent,
        (Some(id), Some(certificate)) if id.names(certificate) => SigningCertificate::Matches,
        (Some(_), _) => SigningCertificate::Differs,
    };
    let unsigned = Attributes::parse(unsigned.map(|unsigned| unsigned.value).unwrap_or_default())?;
    Ok(SignedData {
        content_type,
        content,
        certificates: certificates
            .iter()
            .map(|certificate| certificate.to_vec())
            .collect(),
        identifier: identifier.der.to_vec(),
        certificate_id,
        signer: signer.map(|certificate| certificate.to_vec()),
        signing_certificate,
        digest_algorithm,
        signature_algorithm,
        signed_attributes: signed
            .map(|signed| read_signed_attributes(signed, &attributes))
            .transpose()?,
        value,
        der_value,
        timestamps: unsigned
            .all(TIMESTAMP_TOKEN)
            .map(|token| token.der.to_vec())
            .collect(),
    })
}

fn read_signed_attributes(
    signed: Element<'_>,
    attributes: &Attributes<'_>,
) -> Result<SignedAttributesRead, Error> {
    let signing_time = attributes.single(SIGNING_TIME)?;
    let mut der = signed.der.to_vec();
    if let Some(identifier) = der.first_mut() {
        *identifier = Tag::Set.octet();
    }
    Ok(SignedAttributesRead {
        der,
        content_type: attributes
            .single(CONTENT_TYPE)?
            .map(|value| value.decode("content-type"))
            .transpose()?,
        message_digest: attributes
            .single(MESSAGE_DIGEST)?
            .map(|value| value.value.to_vec()),
        signing_time: signing_time
            .and_then(|value| seconds_since_epoch("signing-time", value).ok()),
        has_signing_time: signing_time.is_some(),
    })
}

fn certificate_id(attributes: &Attributes<'_>) -> Result<Option<CertificateId>, Error> {
    if let Some(value) = attributes.single(SIGNING_CERTIFICATE_V2)? {
        return CertificateId::parse_v2(value).map(Some);
    }
    attributes
        .single(SIGNING_CERTIFICATE)?
        .map(CertificateId::parse_v1)
        .transpose()
}

/// Finds the signer's certificate. Several certificates may match the
/// identifier. None matches if the writer encoded the issuer's name differently
/// from the certificate. In both cases the signing-certificate attribute
/// decides.
fn find_signer(
    identifier: Element<'_>,
    certificate_id: Option<&CertificateId>,
    certificates: &[&[u8]],
) -> Result<Option<usize>, Error> {
    let identifier = SignerIdentifier::parse(identifier)?;
    let named = certificate_id.and_then(|id| {
        certificates
            .iter()
            .position(|certificate| id.names(certificate))
    });
    let is_named_one_identified = named
        .and_then(|index| certificates.get(index))
        .is_some_and(|certificate| identifier.identifies(certificate));
    if is_named_one_identified {
        return Ok(named);
    }
    let identified = certificates
        .iter()
        .position(|certificate| identifier.identifies(certificate));
    Ok(identified.or(named))
}

/// SignerIdentifier (RFC 5652, 5.3).
enum SignerIdentifier<'a> {
    IssuerAndSerialNumber {
        issuer: &'a [u8],
        serial_number: &'a [u8],
    },
    SubjectKeyIdentifier(&'a [u8]),
}

impl<'a> SignerIdentifier<'a> {
    fn parse(identifier: Element<'a>) -> Result<Self, Error> {
        if identifier.tag == primitive_context(0) {
            return Ok(Self::SubjectKeyIdentifier(identifier.value));
        }
        let mut parts = identifier.children("IssuerAndSerialNumber")?;
        Ok(Self::IssuerAndSerialNumber {
            issuer: parts.expect(Tag::Sequence)?.der,
            serial_number: parts.expect(Tag::Integer)?.der,
        })
    }

    fn identifies(&self, certificate: &[u8]) -> bool {
        let Ok(certificate) = Certificate::from_der(certificate) else {
            return false;
        };
        match self {
            Self::IssuerAndSerialNumber {
                issuer,
                serial_number,
            } => certificate.issuer() == *issuer && certificate.serial_number() == *serial_number,
            Self::SubjectKeyIdentifier(identifier) => {
                certificate.subject_key_identifier() == Some(*identifier)
            }
        }
    }
}
