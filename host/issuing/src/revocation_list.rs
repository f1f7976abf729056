use crate::credential::signed;
use crate::der::{integer, optional, sequence, sequence_of};
use crate::{Extension, IssuingError, Key, Time};

/// A CertificateList (RFC 5280, 5.1).
#[derive(Clone, Debug)]
pub struct RevocationList {
    /// The issuer's name, DER.
    pub issuer: Vec<u8>,
    /// Time of issue.
    pub this_update: Time,
    /// Time of the next list.
    pub next_update: Option<Time>,
    /// The serial numbers' octets, and since when.
    pub revoked: Vec<(Vec<u8>, Time)>,
    /// Extensions of the list.
    pub extensions: Vec<Extension>,
}

impl RevocationList {
    /// The list with a key's signature.
    ///
    /// # Errors
    ///
    /// When the key cannot be used.
    pub fn signed_by(&self, key: &Key) -> Result<Vec<u8>, IssuingError> {
        signed(key, &self.to_be_signed(&key.algorithm()))
    }

    /// The data to be signed with this AlgorithmIdentifier, in DER.
    #[must_use]
    pub fn to_be_signed(&self, algorithm: &[u8]) -> Vec<u8> {
        const VERSION_2: u8 = 1;

        let entry = |(serial, at): &(Vec<u8>, Time)| sequence(&[&integer(serial), &at.x509()]);
        let entries: Vec<_> = self.revoked.iter().map(entry).collect();
        let entries = match entries.is_empty() {
            true => Vec::new(),
            false => sequence_of(&entries),
        };
        let extensions: Vec<_> = self.extensions.iter().map(Extension::der).collect();
        let next_update = self.next_update.as_ref().map(Time::x509);
        sequence(&[
            &integer(&[VERSION_2]),
            algorithm,
            &self.issuer,
            &self.this_update.x509(),
            &next_update.unwrap_or_default(),
            &entries,
            &optional(0, &extensions),
        ])
    }
}
