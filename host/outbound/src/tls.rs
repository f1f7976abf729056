//! Authentication of servers.

use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, SignatureScheme,
};
use rustls_platform_verifier::Verifier;
use sha2::{Digest, Sha256};

use crate::identity::ClientIdentity;

/// The SHA-256 digest of a server's SubjectPublicKeyInfo.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SpkiPin([u8; 32]);

/// Text that is not 64 hexadecimal digits.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0:?} is not a SHA-256 digest in hexadecimal")]
pub struct MalformedSpkiPin(String);

impl From<[u8; 32]> for SpkiPin {
    fn from(digest: [u8; 32]) -> Self {
        Self(digest)
    }
}

impl FromStr for SpkiPin {
    type Err = MalformedSpkiPin;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = || MalformedSpkiPin(text.to_owned());
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
            return Err(malformed());
        };
        let octets = pairs.iter().map(|pair| {
            let digits = pair.iter().all(u8::is_ascii_hexdigit);
            let pair = std::str::from_utf8(pair).ok().filter(|_| digits)?;
            u8::from_str_radix(pair, 16).ok()
        });
        let octets = octets.collect::<Option<Vec<u8>>>().ok_or_else(malformed)?;
        octets.try_into().map(Self).map_err(|_| malformed())
    }
}

/// Trust of a client beside the platform's roots.
#[derive(Clone, Debug, Default)]
pub struct ServerTrust {
    /// More roots, in DER.
    pub extra_roots: Vec<Vec<u8>>,
    /// If not empty, the server's own key must be one of these.
    pub pins: Vec<SpkiPin>,
}

/// Reason why a client cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum OutboundSetupError {
    /// A root certificate, or TLS itself, is unusable.
    #[error("TLS cannot be set up")]
    Tls(#[source] TlsError),
    /// The HTTP client cannot be made.
    #[error("the HTTP client cannot be set up")]
    Client(#[source] reqwest::Error),
}

pub(crate) fn client_config(
    trust: &ServerTrust,
    identity: Option<&ClientIdentity>,
) -> Result<ClientConfig, OutboundSetupError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = PinningVerifier::new(trust, Arc::clone(&provider))?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(OutboundSetupError::Tls)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let mut config = match identity {
        Some(identity) => builder.with_client_cert_resolver(identity.resolver()),
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Verifies as the platform does, then compares the server's key with the pins.
#[derive(Debug)]
struct PinningVerifier {
    /// `None` on a machine without roots: no server is trusted.
    platform: Option<Arc<Verifier>>,
    provider: Arc<CryptoProvider>,
    pins: Vec<SpkiPin>,
}

impl PinningVerifier {
    fn new(trust: &ServerTrust, provider: Arc<CryptoProvider>) -> Result<Self, OutboundSetupError> {
        /// Reading the roots takes longer than the rest of a client's setup.
        static PLATFORM_ALONE: OnceLock<Option<Arc<Verifier>>> = OnceLock::new();

        let platform = if trust.extra_roots.is_empty() {
            let platform = PLATFORM_ALONE.get_or_init(|| {
                Verifier::new(Arc::clone(&provider))
                    .inspect_err(
                        |error| tracing::warn!(%error, "no root certificates: https will not work until ca-certificates is installed"),
                    )
                    .map(Arc::new)
                    .ok()
            });
            platform.clone()
        } else {
            let roots = trust.extra_roots.iter().cloned().map(CertificateDer::from);
            let verifier = Verifier::new_with_extra_roots(roots, Arc::clone(&provider));
            Some(Arc::new(verifier.map_err(OutboundSetupError::Tls)?))
        };
        Ok(Self {
            platform,
            provider,
            pins: trust.pins.clone(),
        })
    }

    fn check_pin(&self, server: &CertificateDer<'_>) -> Result<(), TlsError> {
        if self.pins.is_empty() {
            return Ok(());
        }
        let spki = ParsedCertificate::try_from(server)?.subject_public_key_info();
        let digest = SpkiPin(Sha256::digest(spki.as_ref()).into());
        if self.pins.contains(&digest) {
            Ok(())
        } else {
            Err(CertificateError::ApplicationVerificationFailure.into())
        }
    }
}

impl ServerCertVerifier for PinningVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        let platform = self
            .platform
            .as_ref()
            .ok_or(CertificateError::UnknownIssuer)?;
        let verified = platform.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        )?;
        self.check_pin(end_entity)?;
        Ok(verified)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        rustls::crypto::verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        rustls::crypto::verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use openssl::x509::X509;
    use parafa_issuing::{Credential, Extension, Key, KeyKind, Profile};

    use super::*;

    struct Server {
        root: X509,
        leaf: X509,
    }

    impl Server {
        fn new() -> Self {
            let key = || Key::generate(KeyKind::P256).expect("a key");
            let root = Profile::named("Test Root").with(Extension::authority(None));
            let root = Credential::self_signed(&root, key()).expect("a certificate");
            let name = "rp.example.com";
            let leaf = Profile::named(name).with(Extension::host_name(name));
            let leaf = root.issue(&leaf, key()).expect("a certificate");
            Self {
                root: root.x509(),
                leaf: leaf.x509(),
            }
        }

        fn pin(&self) -> SpkiPin {
            let key = self.leaf.public_key().expect("a key");
            let spki = key.public_key_to_der().expect("DER");
            SpkiPin(Sha256::digest(spki).into())
        }

        /// Returns true if a client with these roots and pins accepts this server.
        fn is_believed(&self, roots: &[&X509], pins: Vec<SpkiPin>, name: &'static str) -> bool {
            let der = |x509: &X509| x509.to_der().expect("DER");
            let trust = ServerTrust {
                extra_roots: roots.iter().map(|root| der(root)).collect(),
                pins,
            };
            let provider = Arc::new(aws_lc_rs::default_provider());
            let verifier = PinningVerifier::new(&trust, provider).expect("a verifier");
            let leaf = CertificateDer::from(der(&self.leaf));
            let name = ServerName::try_from(name).expect("a name");
            verifier
                .verify_server_cert(&leaf, &[], &name, &[], UnixTime::now())
                .is_ok()
        }
    }

    #[test]
    fn an_extra_root_makes_its_servers_believed() {
        let (server, other) = (Server::new(), Server::new());
        assert!(server.is_believed(&[&server.root], Vec::new(), "rp.example.com"));
        assert!(!server.is_believed(&[&server.root], Vec::new(), "other.example.com"));
        assert!(!server.is_believed(&[&other.root], Vec::new(), "rp.example.com"));
    }

    #[test]
    fn a_pinned_server_must_have_a_pinned_key() {
        let (server, other) = (Server::new(), Server::new());
        let believed = |pins| server.is_believed(&[&server.root], pins, "rp.example.com");
        assert!(believed(vec![other.pin(), server.pin()]));
        assert!(!believed(vec![other.pin()]));
    }

    #[test]
    fn a_pin_does_not_replace_the_path() {
        let (server, other) = (Server::new(), Server::new());
        assert!(!server.is_believed(&[&other.root], vec![server.pin()], "rp.example.com"));
    }

    #[test]
    fn a_pin_is_64_hexadecimal_digits() {
        let text = "ab".repeat(32);
        assert_eq!(text.parse::<SpkiPin>(), Ok(SpkiPin([0xab; 32])));
        for wrong in [
            "",
            "ab",
            &"ab".repeat(33),
            &"zz".repeat(32),
            &"+1".repeat(32),
        ] {
            assert!(wrong.parse::<SpkiPin>().is_err(), "{wrong}");
        }
    }
}
