use std::fs;
use std::path::Path;

use parafa_issuing::{Credential, Extension, Key, KeyKind, KeyUsages, Profile};

/// A throw-away authority, and a signer with a P-256 key.
pub(crate) struct Pki {
    authority: Credential,
    signer: Credential,
}

impl Pki {
    pub(crate) fn new() -> Self {
        let key = || Key::generate(KeyKind::P256).expect("a key");
        let authority = Profile::named("Bench CA")
            .with(Extension::authority(None))
            .with(Extension::key_usage(KeyUsages::KeyCertSign));
        let authority = Credential::self_signed(&authority, key()).expect("a certificate");
        let usage = Extension::key_usage(KeyUsages::NonRepudiation);
        let signer = Profile::named("Bench Signer").with(usage);
        Self {
            signer: authority.issue(&signer, key()).expect("a certificate"),
            authority,
        }
    }

    /// Returns the certificates in DER, the signer's first.
    pub(crate) fn chain(&self) -> Vec<Vec<u8>> {
        vec![self.signer.der(), self.authority.der()]
    }

    /// Signs bytes like the device.
    pub(crate) fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        self.signer.key.sign(bytes).expect("a signature")
    }

    /// Writes the files that pyHanko's script reads.
    pub(crate) fn write(&self, folder: &Path) {
        let pem = |credential: &Credential| credential.x509().to_pem().expect("PEM");
        fs::write(folder.join("signer.pem"), pem(&self.signer)).expect("a file");
        fs::write(folder.join("issuer.pem"), pem(&self.authority)).expect("a file");
        let key = self.signer.key.to_pem().expect("PEM");
        fs::write(folder.join("key.pem"), key).expect("a file");
    }
}
