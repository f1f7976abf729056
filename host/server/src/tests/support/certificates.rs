//! Certificates that the world's authorities issue in tests, and that none of
//! its services has.

use openssl::ec::{EcGroup, EcKey};
use openssl::nid::Nid;
use openssl::pkey::{HasPublic, PKey, PKeyRef};
use openssl::x509::X509;
use parafa_issuing::der::encoded;
use parafa_issuing::oids::rfc4519::{COMMON_NAME, COUNTRY_NAME, SERIAL_NUMBER};
use parafa_issuing::{
    Credential, Extension, Key, KeyUsages, ObjectIdentifier, Profile, QC_COMPLIANCE, QC_SSCD, name,
    statement,
};

use super::deployment::Site;

/// Policy of qualified Smart-ID certificates.
pub(crate) const SMART_ID: &str = "1.3.6.1.4.1.10015.17.2";
/// Policy of Mobile-ID certificates.
pub(crate) const MOBILE_ID: &str = "1.3.6.1.4.1.10015.18.1";

/// Extended key usage of Smart-ID certificates for authentication.
const SMART_ID_AUTHENTICATION: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.3.6.1.4.1.62306.5.7.0");

/// Content of a certificate. It names no source of revocation status.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Certified<'c> {
    /// The issuing authority.
    pub(crate) by: &'c str,
    pub(crate) key_use: KeyUse,
    pub(crate) policies: &'c [&'c str],
    /// True if it declares itself qualified.
    pub(crate) is_qualified: bool,
}

/// Purpose of the key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum KeyUse {
    Authentication,
    Signing,
}

impl Certified<'_> {
    /// Issues the certificate of a person's key, DER-encoded.
    pub(crate) fn issue<K: HasPublic>(
        self,
        site: &Site,
        serial_number: &str,
        key: &PKeyRef<K>,
    ) -> Vec<u8> {
        let file = |folder| site.world_file(&format!("{folder}/authority/{}.pem", self.by));
        let certificate = X509::from_pem(&file("certificates")).unwrap();
        let issuer_key = Key::from_pem(&file("keys")).unwrap();
        let issuer = Credential::new(issuer_key, &certificate.to_der().unwrap()).unwrap();
        let profile = Profile {
            subject: name(&[
                (COUNTRY_NAME, "LT"),
                (COMMON_NAME, "X"),
                (SERIAL_NUMBER, serial_number),
            ]),
            serial: vec![47, 11],
            validity: ["20260101000000Z".into(), "20280101000000Z".into()],
            extensions: self.extensions(),
        };
        let public_key = key.public_key_to_der().unwrap();
        encoded(&profile.issued_by(&issuer, &public_key).unwrap())
    }

    /// Issues a certificate on a curve that no supported card uses.
    pub(crate) fn on_another_curve(site: &Site, key_use: KeyUse) -> Vec<u8> {
        let curve = EcGroup::from_curve_name(Nid::SECP256K1).unwrap();
        let key = PKey::from_ec_key(EcKey::generate(&curve).unwrap()).unwrap();
        let certified = Certified {
            by: "card-ca",
            key_use,
            policies: &[],
            is_qualified: true,
        };
        certified.issue(site, "48706189911", &key)
    }

    fn extensions(&self) -> Vec<Extension> {
        let mut extensions = vec![Extension::key_usage(match self.key_use {
            KeyUse::Authentication => KeyUsages::DigitalSignature,
            KeyUse::Signing => KeyUsages::NonRepudiation,
        })];
        if self.key_use == KeyUse::Authentication && self.policies.contains(&SMART_ID) {
            extensions.push(Extension::purposes(&[SMART_ID_AUTHENTICATION]));
        }
        if !self.policies.is_empty() {
            let policies = self.policies.iter().copied();
            let policies: Vec<_> = policies.map(ObjectIdentifier::new_unwrap).collect();
            extensions.push(Extension::policies(&policies));
        }
        if self.is_qualified {
            let statements = [QC_COMPLIANCE, QC_SSCD].map(|id| statement(id, &[]));
            extensions.push(Extension::qualified(&statements));
        }
        extensions
    }
}
