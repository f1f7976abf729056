//! An authority with its signer, responder and time-stamper. Keys are fixed and
//! signatures deterministic (RFC 6979), so every run meets the same bytes.

use std::sync::LazyLock;

use parafa_issuing::der::integer;
use parafa_issuing::oids::rfc4519::COMMON_NAME;
use parafa_issuing::oids::rfc5280::{ID_KP_OCSP_SIGNING, ID_KP_TIME_STAMPING};
use parafa_issuing::{
    Credential, Extension, Key, KeyUsages, ObjectIdentifier, OcspResponse, Profile, QC_COMPLIANCE,
    QC_SSCD, ResponderId, SingleResponse, Status, Time, TimestampInfo, cert_id, imprint, name,
    ocsp_response, statement, timestamp_token,
};

/// `baseline-ts-policy` (EN 319 421, 5.2).
const POLICY: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.2023.1.1");
const USABLE: &str = "the key can be used";

/// Where the responder of the signer's certificate answers.
pub(crate) const OCSP_URL: &str = "http://ocsp.example.com/";

/// A key with its certificate.
pub(crate) struct Identity {
    pub(crate) credential: Credential,
    /// DER of the certificate.
    pub(crate) certificate: Vec<u8>,
}

/// Everybody there is.
pub(crate) struct World {
    pub(crate) issuer: Identity,
    pub(crate) signer: Identity,
    pub(crate) responder: Identity,
    pub(crate) stamper: Identity,
}

/// The one world of this process.
pub(crate) static WORLD: LazyLock<World> = LazyLock::new(World::new);

impl World {
    fn new() -> Self {
        let issuer = Identity::issue(
            1,
            "Issuing",
            None,
            vec![
                Extension::authority(None),
                Extension::key_usage(KeyUsages::KeyCertSign | KeyUsages::CRLSign),
            ],
        );
        let below =
            |number, name, extensions| Identity::issue(number, name, Some(&issuer), extensions);
        Self {
            signer: below(
                2,
                "Signer",
                vec![
                    Extension::key_usage(KeyUsages::NonRepudiation),
                    Extension::access(OCSP_URL, None),
                    Extension::qualified(&[QC_COMPLIANCE, QC_SSCD].map(|id| statement(id, &[]))),
                ],
            ),
            responder: below(
                3,
                "Responder",
                vec![Extension::purposes(&[ID_KP_OCSP_SIGNING])],
            ),
            stamper: below(
                4,
                "Stamper",
                vec![Extension::only_purpose(ID_KP_TIME_STAMPING)],
            ),
            issuer,
        }
    }

    /// Returns `responder`'s answer on a certificate.
    pub(crate) fn response<'a>(
        &'a self,
        responder: &'a Identity,
        about: &Identity,
        status: Status,
        at: [&str; 2],
    ) -> OcspResponse<'a> {
        let serial = &about.credential.certificate.tbs_certificate.serial_number;
        let [produced_at, this_update] = at.map(Time::from);
        OcspResponse {
            responder: &responder.credential,
            id: ResponderId::Key,
            certificates: std::slice::from_ref(&responder.credential.certificate),
            produced_at,
            responses: vec![SingleResponse {
                cert_id: cert_id(&self.issuer.credential.certificate, serial.as_bytes()),
                status,
                this_update,
                next_update: None,
                extensions: Vec::new(),
            }],
            extensions: Vec::new(),
        }
    }

    /// An OCSPResponse around a tbsResponseData, signed by the responder.
    pub(crate) fn ocsp_response(&self, data: &[u8]) -> Vec<u8> {
        let responder = &self.responder.credential;
        let certificate = responder.certificate.clone();
        ocsp_response(responder, data, &[certificate]).expect(USABLE)
    }

    /// A TimeStampToken around a TSTInfo, signed by the time-stamper.
    pub(crate) fn timestamp_token(&self, info: &[u8]) -> Vec<u8> {
        let stamper = &self.stamper.credential;
        let certificate = stamper.certificate.clone();
        timestamp_token(stamper, info, &[certificate], false).expect(USABLE)
    }
}

/// A TSTInfo over a SHA-256 digest; `nonce` are the octets of its INTEGER.
pub(crate) fn timestamp_info(digest: &[u8; 32], gen_time: &str, nonce: &[u8]) -> Vec<u8> {
    let info = TimestampInfo {
        policy: POLICY,
        imprint: imprint(digest),
        serial: vec![9],
        gen_time: gen_time.into(),
        accuracy: Some(1),
        nonce: integer(nonce),
    };
    info.der()
}

impl Identity {
    fn issue(
        number: u8,
        common_name: &str,
        issuer: Option<&Self>,
        extensions: Vec<Extension>,
    ) -> Self {
        let profile = Profile {
            subject: name(&[(COMMON_NAME, common_name)]),
            serial: vec![number],
            validity: ["20200101000000Z".into(), "20400101000000Z".into()],
            extensions,
        };
        let key = Key::from_seed(&[number; 32]).expect("a small scalar is a key");
        let issued = match issuer {
            Some(issuer) => issuer.credential.issue(&profile, key),
            None => Credential::self_signed(&profile, key),
        };
        let credential = issued.expect(USABLE);
        Self {
            certificate: credential.der(),
            credential,
        }
    }

    /// ECDSA over SHA-256.
    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.credential.key.sign(message).expect(USABLE)
    }
}
