//! Reading `trust.toml` and the files that it names.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use der::asn1::ObjectIdentifier;
use jiff::Timestamp;
use openssl::x509::X509;
use serde::Deserialize;
use url::Url;

use super::{AuthorityKind, Purpose, TrustEntry};
use crate::certificate::{Certificate, CertificateError};
use crate::ocsp::{CertIdHash, NonceMode, OcspSettings};

const MANIFEST: &str = "trust.toml";

/// A fault of the folder of trusted authorities.
#[derive(Debug, thiserror::Error)]
pub enum TrustConfigError {
    /// A file cannot be read.
    #[error("{} cannot be read", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// `trust.toml` is not of the documented form.
    #[error("{} is malformed", path.display())]
    Manifest {
        /// Path of the file.
        path: PathBuf,
        /// Position and cause.
        source: Box<toml::de::Error>,
    },
    /// A file does not contain exactly one PEM certificate.
    #[error("{file} holds {found} PEM certificates instead of one")]
    NotOneCertificate {
        /// The entry's file.
        file: String,
        /// Number of certificates in it.
        found: usize,
    },
    /// A file's certificate cannot be used.
    #[error("the certificate in {file} cannot be used")]
    Certificate {
        /// The entry's file.
        file: String,
        /// Cause.
        source: CertificateError,
    },
    /// A field of an entry has a value that it cannot have.
    #[error("the entry of {file}: {field} {reason}")]
    Field {
        /// The entry's file.
        file: String,
        /// The field's name.
        field: &'static str,
        /// The fault of its value.
        reason: String,
    },
}

pub(super) fn load(folder: &Path) -> Result<Vec<TrustEntry>, TrustConfigError> {
    let path = folder.join(MANIFEST);
    let text = fs::read_to_string(&path).map_err(|source| TrustConfigError::Read {
        path: path.clone(),
        source,
    })?;
    let manifest: Manifest =
        toml::from_str(&text).map_err(|source| TrustConfigError::Manifest {
            path,
            source: Box::new(source),
        })?;
    manifest
        .certificate
        .into_iter()
        .map(|entry| entry.read(folder))
        .collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    #[serde(default)]
    certificate: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    sha256: String,
    kind: AuthorityKind,
    purposes: Vec<Purpose>,
    #[serde(default)]
    methods: Vec<String>,
    qualified_from: Option<Timestamp>,
    qualified_until: Option<Timestamp>,
    #[serde(default)]
    policies: Vec<String>,
    #[serde(default)]
    ocsp: Ocsp,
    #[serde(default)]
    crl: Crl,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Crl {
    max_age_seconds: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Ocsp {
    url: Option<String>,
    nonce: NonceMode,
    certid_hash: CertIdHash,
    max_age_seconds: Option<u64>,
}

impl Entry {
    fn read(self, folder: &Path) -> Result<TrustEntry, TrustConfigError> {
        let certificate = self.certificate(folder)?;
        self.check_window()?;
        let policies = self.policies()?;
        if self.purposes.is_empty() {
            return Err(self.fault("purposes", "is empty".to_owned()));
        }
        let url = self.ocsp_url()?;
        Ok(TrustEntry {
            certificate,
            kind: self.kind,
            purposes: self.purposes,
            methods: self.methods,
            qualified_from: self.qualified_from,
            qualified_until: self.qualified_until,
            policies,
            ocsp: OcspSettings {
                url,
                nonce: self.ocsp.nonce,
                certid_hash: self.ocsp.certid_hash,
                max_age: self.ocsp.max_age_seconds.map(Duration::from_secs),
            },
            crl_max_age: self.crl.max_age_seconds.map(Duration::from_secs),
        })
    }

    fn certificate(&self, folder: &Path) -> Result<Certificate, TrustConfigError> {
        let relative = Path::new(&self.file);
        let stays_inside = relative
            .components()
            .all(|component| matches!(component, Component::Normal(_)));
        if self.file.is_empty() || !stays_inside {
            return Err(self.fault("file", "is not a path inside the folder".to_owned()));
        }
        let path = folder.join(relative);
        let pem = fs::read(&path).map_err(|source| TrustConfigError::Read { path, source })?;
        let unusable = |source| TrustConfigError::Certificate {
            file: self.file.clone(),
            source,
        };
        let found = X509::stack_from_pem(&pem).map_err(CertificateError::Key);
        let found = found.map_err(unusable)?;
        let [x509] = found.as_slice() else {
            return Err(TrustConfigError::NotOneCertificate {
                file: self.file.clone(),
                found: found.len(),
            });
        };
        let der = x509.to_der().map_err(CertificateError::Key);
        let certificate = der.and_then(|der| Certificate::from_der(&der));
        let certificate = certificate.map_err(unusable)?;
        self.check_certificate(&certificate)?;
        Ok(certificate)
    }

    fn check_certificate(&self, certificate: &Certificate) -> Result<(), TrustConfigError> {
        let configured = hex::decode(self.sha256.replace(':', ""));
        if configured.is_ok_and(|configured| configured == certificate.sha256()) {
            if certificate.is_authority() {
                return Ok(());
            }
            return Err(self.fault("file", "is no authority's certificate".to_owned()));
        }
        let found = hex::encode_upper(certificate.sha256());
        Err(self.fault(
            "sha256",
            format!("differs: the file's certificate has {found}"),
        ))
    }

    fn check_window(&self) -> Result<(), TrustConfigError> {
        match (self.qualified_from, self.qualified_until) {
            (Some(from), Some(until)) if until <= from => {
                Err(self.fault("qualified_until", format!("is not after {from}")))
            }
            _ => Ok(()),
        }
    }

    fn policies(&self) -> Result<Vec<ObjectIdentifier>, TrustConfigError> {
        let parse = |text: &String| {
            ObjectIdentifier::new(text)
                .map_err(|_| self.fault("policies", format!("names {text}, which is no OID")))
        };
        self.policies.iter().map(parse).collect()
    }

    fn ocsp_url(&self) -> Result<Option<Url>, TrustConfigError> {
        let Some(text) = &self.ocsp.url else {
            return Ok(None);
        };
        match Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(Some(url)),
            _ => Err(self.fault("ocsp.url", "is not an http or https address".to_owned())),
        }
    }

    fn fault(&self, field: &'static str, reason: String) -> TrustConfigError {
        TrustConfigError::Field {
            file: self.file.clone(),
            field,
            reason,
        }
    }
}
