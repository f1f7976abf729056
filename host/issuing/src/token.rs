use const_oid::ObjectIdentifier;
use const_oid::db::rfc5911::{
    ID_AA_SIGNING_CERTIFICATE_V_2, ID_CONTENT_TYPE, ID_MESSAGE_DIGEST, ID_SIGNED_DATA,
};
use const_oid::db::rfc5912::ID_SHA_256;
use sha2::{Digest, Sha256};

use crate::der::{algorithm, context, encoded, implicit, integer, octets, oid, sequence, set};
use crate::{Certificate, Credential, IssuingError, Time};

/// `id-ct-TSTInfo` (RFC 3161, 2.4.2).
const TST_INFO: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.1.4");

/// Content of a time-stamp: TSTInfo of RFC 3161, 2.4.2.
#[derive(Clone, Debug)]
pub struct TimestampInfo {
    /// Under which policy.
    pub policy: ObjectIdentifier,
    /// MessageImprint, DER; see [`imprint`].
    pub imprint: Vec<u8>,
    /// The octets of the token's serial number.
    pub serial: Vec<u8>,
    /// Time of the time-stamp.
    pub gen_time: Time,
    /// Accuracy in seconds.
    pub accuracy: Option<u8>,
    /// The request's nonce in DER; empty if it has none.
    pub nonce: Vec<u8>,
}

/// The MessageImprint for this SHA-256 digest.
#[must_use]
pub fn imprint(digest: &[u8]) -> Vec<u8> {
    sequence(&[&algorithm(ID_SHA_256), &octets(digest)])
}

impl TimestampInfo {
    /// TSTInfo, DER; [`timestamp_token`] makes a token of it.
    #[must_use]
    pub fn der(&self) -> Vec<u8> {
        const VERSION: u8 = 1;

        let accuracy = self
            .accuracy
            .map(|seconds| sequence(&[&integer(&[seconds])]));
        sequence(&[
            &integer(&[VERSION]),
            &oid(self.policy),
            &self.imprint,
            &integer(&self.serial),
            &self.gen_time.generalized(),
            &accuracy.unwrap_or_default(),
            &self.nonce,
        ])
    }
}

/// The token around any TSTInfo: a CMS SignedData (RFC 5652, 5) of the stamper,
/// with these certificates. `names_issuer` says whether the signing-certificate
/// attribute (RFC 5035, 4) has `issuerSerial`, too.
///
/// # Errors
///
/// When the stamper's key cannot be used.
pub fn timestamp_token(
    stamper: &Credential,
    info: &[u8],
    certificates: &[Certificate],
    names_issuer: bool,
) -> Result<Vec<u8>, IssuingError> {
    const SIGNER_VERSION: u8 = 1;
    const VERSION: u8 = 3;

    let certificate = &stamper.certificate.tbs_certificate;
    let (issuer, serial) = (
        encoded(&certificate.issuer),
        encoded(&certificate.serial_number),
    );
    let issuer_serial = match names_issuer {
        true => sequence(&[&sequence(&[&context(4, &[&issuer])]), &serial]),
        false => Vec::new(),
    };
    let hash = octets(&Sha256::digest(stamper.der()));
    let certificate_id = sequence(&[&hash, &issuer_serial]);
    let attributes = set(vec![
        attribute(ID_CONTENT_TYPE, &oid(TST_INFO)),
        attribute(ID_MESSAGE_DIGEST, &octets(&Sha256::digest(info))),
        attribute(
            ID_AA_SIGNING_CERTIFICATE_V_2,
            &sequence(&[&sequence(&[&certificate_id])]),
        ),
    ]);
    let signature = stamper.key.sign(&attributes)?;
    let signer = sequence(&[
        &integer(&[SIGNER_VERSION]),
        &sequence(&[&issuer, &serial]),
        &algorithm(ID_SHA_256),
        &implicit(0, &attributes),
        &stamper.key.algorithm(),
        &octets(&signature),
    ]);
    let certificates = match certificates.is_empty() {
        true => Vec::new(),
        false => implicit(0, &set(certificates.iter().map(encoded).collect())),
    };
    let signed_data = sequence(&[
        &integer(&[VERSION]),
        &set(vec![algorithm(ID_SHA_256)]),
        &sequence(&[&oid(TST_INFO), &context(0, &[&octets(info)])]),
        &certificates,
        &set(vec![signer]),
    ]);
    Ok(sequence(&[
        &oid(ID_SIGNED_DATA),
        &context(0, &[&signed_data]),
    ]))
}

fn attribute(id: ObjectIdentifier, value: &[u8]) -> Vec<u8> {
    sequence(&[&oid(id), &set(vec![value.to_vec()])])
}
