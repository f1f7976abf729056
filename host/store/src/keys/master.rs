//! The master key, from which all others depend.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aws_lc_rs::aead::LessSafeKey;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::aead::{self, Secret};
use super::ring::{Ring, WrappingKey};
use super::{DataKey, KEY_BYTES, KeyError, Sealed};
use crate::files;
use crate::hex_bytes::{Sha256Digest, hex_bytes};

/// Context in which a store's root secret is wrapped.
const ROOT: &[u8] = b"root";

/// The key that wraps all others, with its predecessors. It is in a file outside the store and
/// never in it.
///
/// Values that must survive a replacement of the key are derived from the store's root secret,
/// which the store keeps, wrapped. The master key of an open [`Folder`](crate::Folder) has it.
/// Without a store, and for a store whose first key was made its root, the root is the key itself.
pub struct MasterKey {
    ring: Arc<Ring>,
    /// Root of tokens, of digests of personal values and of the keys of the deployment's own
    /// secrets.
    root: Secret,
}

hex_bytes! {
    /// A keyed digest of a personal value, by which rows are looked up.
    BlindIndex
}

hex_bytes! {
    /// SHA-256 digest of a token, stored in its stead.
    TokenHash
}

hex_bytes! {
    /// HMAC-SHA-256 over the digest of a backup, under a separate key.
    BackupProof
}

/// Generator of the tokens of one purpose. Clones generate the same.
#[derive(Clone)]
pub struct Tokens(Hmac<Sha256>);

/// A 256-bit token in base64url, 43 characters. Wiped when dropped, never shown by `Debug`.
#[derive(Clone)]
pub struct Token(Zeroizing<String>);

impl MasterKey {
    /// Creates a key of these bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; KEY_BYTES]) -> Self {
        Self::of(Zeroizing::new(bytes))
    }

    fn of(secret: Secret) -> Self {
        Self {
            ring: Arc::new(Ring::of(secret.clone(), [])),
            root: secret,
        }
    }

    /// Returns the same key, with others that may wrap data or will.
    #[must_use]
    pub fn with_others(self, others: impl IntoIterator<Item = Self>) -> Self {
        let others = others.into_iter();
        let others = others.map(|other| other.ring.first().secret().clone());
        let ring = Ring::of(self.ring.first().secret().clone(), others);
        Self {
            ring: Arc::new(ring),
            root: self.root,
        }
    }

    /// Returns whether there are other keys.
    #[must_use]
    pub fn has_others(&self) -> bool {
        self.ring.keys().len() > 1
    }

    /// Reads the key from its file. Blocks.
    ///
    /// # Errors
    /// A file that is missing, malformed, or readable by others than its owner.
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        let named = || path.display().to_string();
        let failed = |source: io::Error| KeyError::Io {
            action: "read",
            path: named(),
            source,
        };
        let metadata = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(KeyError::MasterMissing { path: named() });
            }
            found => found.map_err(failed)?,
        };
        let mode = metadata.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(KeyError::MasterExposed {
                path: named(),
                mode,
            });
        }
        let text = Zeroizing::new(fs::read(path).map_err(failed)?);
        let mut key = Secret::default();
        hex::decode_to_slice(text.trim_ascii(), key.as_mut())
            .map_err(|_| KeyError::MasterMalformed { path: named() })?;
        Ok(Self::of(key))
    }

    /// Reads the key and others. Blocks.
    ///
    /// # Errors
    /// As in [`load`](Self::load), for each of them.
    pub fn load_with(path: &Path, others: &[PathBuf]) -> Result<Self, KeyError> {
        Self::load(path)?.beside(others)
    }

    /// Returns the same key, with others read from these files. Blocks.
    pub(crate) fn beside(self, others: &[PathBuf]) -> Result<Self, KeyError> {
        let others = others.iter().map(|path| Self::load(path));
        let others = others.collect::<Result<Vec<_>, KeyError>>()?;
        Ok(self.with_others(others))
    }

    /// Creates a key and its file (mode 0600). Blocks.
    ///
    /// # Errors
    /// A file that already exists, or cannot be written.
    pub fn create(path: &Path) -> Result<Self, KeyError> {
        let key = aead::random::<KEY_BYTES>()?;
        let text = Zeroizing::new(format!("{}\n", *Zeroizing::new(hex::encode(key.as_ref()))));
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(".new");
        files::write_new(temporary.as_ref(), path, text.as_bytes()).map_err(|source| {
            KeyError::Io {
                action: "write",
                path: path.display().to_string(),
                source,
            }
        })?;
        Ok(Self::of(key))
    }

    /// Makes a personal value searchable without storing it: HMAC-SHA-256 under a separate key for
    /// each purpose.
    #[must_use]
    pub fn index(&self, purpose: &str, value: &str) -> BlindIndex {
        BlindIndex(hmac(&self.root, "index", purpose, &[value.as_bytes()]))
    }

    /// Returns the token of an id's generation; always the same, so that it need not be stored.
    #[must_use]
    pub fn token(&self, purpose: &str, id: Uuid, generation: u32) -> Token {
        self.tokens(purpose).of(id, generation)
    }

    /// Returns the token generator of a purpose, for callers that need many.
    #[must_use]
    pub fn tokens(&self, purpose: &str) -> Tokens {
        Tokens(keyed(&self.root, "token", purpose))
    }

    /// Derives a key for the deployment's own secrets, which are not erasable.
    #[must_use]
    pub fn sealing_key(&self, purpose: &str) -> DataKey {
        DataKey::from_secret(aead::derive(&self.root, "sealing", purpose))
    }

    /// Returns the value by which a store recognises the configured key.
    pub(crate) fn check_value(&self) -> String {
        self.ring.first().check_value()
    }

    /// Returns the check values of the other keys.
    pub(crate) fn other_check_values(&self) -> Vec<String> {
        let others = self.ring.keys().iter().skip(1);
        others.map(WrappingKey::check_value).collect()
    }

    /// Returns the position of the key with this check value; the configured one is at 0.
    pub(crate) fn position_of(&self, check_value: &str) -> Option<usize> {
        let mut keys = self.ring.keys().iter();
        keys.position(|key| key.check_value() == check_value)
    }

    /// Makes the key at this position wrap new keys, also for clones of this one.
    pub(crate) fn activate(&self, position: usize) {
        self.ring.activate(position);
    }

    /// Creates a root secret for a new store, wrapped by the configured key.
    pub(crate) fn new_root(&self) -> Result<Sealed, KeyError> {
        let secret = aead::random::<KEY_BYTES>()?;
        self.ring.first().of_root().seal(ROOT, secret.as_ref())
    }

    /// Returns the root secret of a store under the key at this position, wrapped by the
    /// configured one instead.
    pub(crate) fn rewrapped_root(
        &self,
        position: usize,
        root: Option<&Sealed>,
    ) -> Result<Sealed, KeyError> {
        let secret = self.root_by(position, root)?;
        self.ring.first().of_root().seal(ROOT, secret.as_ref())
    }

    /// Returns the same keys, for a store under the one at this position with this root.
    pub(crate) fn with_root(
        &self,
        position: usize,
        root: Option<&Sealed>,
    ) -> Result<Self, KeyError> {
        Ok(Self {
            ring: self.ring.clone(),
            root: self.root_by(position, root)?,
        })
    }

    /// Returns the root secret; a store without one has its key as root.
    fn root_by(&self, position: usize, root: Option<&Sealed>) -> Result<Secret, KeyError> {
        let key = &self.ring.keys()[position];
        let Some(root) = root else {
            return Ok(key.secret().clone());
        };
        let opened = key.of_root().open(ROOT, root)?;
        let mut secret = Secret::default();
        if opened.len() != secret.len() {
            return Err(KeyError::Unsealable);
        }
        secret.copy_from_slice(&opened);
        Ok(secret)
    }

    /// Proves that the writer of a backup with this digest has the key.
    pub(crate) fn backup_proof(&self, digest: &Sha256Digest) -> BackupProof {
        BackupProof::of(self.ring.active(), digest)
    }

    pub(super) fn of_data_keys(&self) -> &LessSafeKey {
        self.ring.active().of_data_keys()
    }

    /// Returns the ciphers that may wrap data keys, each with whether it wraps new ones.
    pub(super) fn all_of_data_keys(&self) -> impl Iterator<Item = (&LessSafeKey, bool)> {
        let keys = self.ring.in_order();
        keys.map(|(key, is_active)| (key.of_data_keys(), is_active))
    }
}

fn hmac(secret: &Secret, purpose: &str, context: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = keyed(secret, purpose, context);
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

fn keyed(secret: &Secret, purpose: &str, context: &str) -> Hmac<Sha256> {
    let key = aead::derive(secret, purpose, context);
    Hmac::<Sha256>::new_from_slice(key.as_ref()).expect("HMAC takes keys of any length")
}

impl Tokens {
    /// Returns the token of an id's generation; see [`MasterKey::token`].
    #[must_use]
    pub fn of(&self, id: Uuid, generation: u32) -> Token {
        let mac = self.0.clone().chain_update(id.as_bytes());
        let mac = mac.chain_update(generation.to_be_bytes()).finalize();
        Token(Zeroizing::new(URL_SAFE_NO_PAD.encode(mac.into_bytes())))
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKey(..)")
    }
}

impl Token {
    /// Creates a random token, for a subject without an id to derive it from.
    ///
    /// # Errors
    /// Random bytes that are unavailable.
    pub fn random() -> Result<Self, KeyError> {
        let bytes = aead::random::<KEY_BYTES>()?;
        Ok(Self(Zeroizing::new(URL_SAFE_NO_PAD.encode(bytes.as_ref()))))
    }

    /// Returns the token's text, a secret.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the hash to store in the token's stead.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        hash_token(&self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

impl BackupProof {
    fn of(key: &WrappingKey, digest: &Sha256Digest) -> Self {
        Self(hmac(key.secret(), "backup", "", &[digest.as_bytes()]))
    }

    /// Returns whether this is the proof of `digest` by `master` or one of the others, in constant
    /// time.
    pub(crate) fn is_by(&self, master: &MasterKey, digest: &Sha256Digest) -> bool {
        let mut keys = master.ring.keys().iter();
        keys.any(|key| self.0.ct_eq(&Self::of(key, digest).0).into())
    }
}

impl TokenHash {
    /// Returns whether this is the hash of `token`, in constant time.
    #[must_use]
    pub fn is_of(&self, token: &str) -> bool {
        self.0.ct_eq(&hash_token(token).0).into()
    }
}

/// Hashes a presented token. Tokens are random, so no salt is needed.
#[must_use]
pub fn hash_token(token: &str) -> TokenHash {
    TokenHash(Sha256::digest(token.as_bytes()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_created_key_is_loaded_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("master.key");
        let created = MasterKey::create(&path).expect("created");

        let loaded = MasterKey::load(&path).expect("loaded");
        assert_eq!(created.check_value(), loaded.check_value());
        assert!(MasterKey::create(&path).is_err());
    }

    #[test]
    fn a_key_that_others_may_read_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("master.key");
        MasterKey::create(&path).expect("created");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("changed");

        assert!(matches!(
            MasterKey::load(&path),
            Err(KeyError::MasterExposed { mode: 0o640, .. })
        ));
    }

    #[test]
    fn a_file_that_holds_no_key_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("master.key");
        files::write_new(&folder.path().join("new"), &path, b"secret").expect("written");

        assert!(matches!(
            MasterKey::load(&path),
            Err(KeyError::MasterMalformed { .. })
        ));
    }

    #[test]
    fn tokens_differ_by_purpose_id_and_generation() {
        let master = MasterKey::from_bytes([1; KEY_BYTES]);
        let (a, b) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let token = master.token("ceremony", a, 0);

        assert_eq!(token.reveal(), master.token("ceremony", a, 0).reveal());
        assert_ne!(token.reveal(), master.token("ceremony", a, 1).reveal());
        assert_ne!(token.reveal(), master.token("ceremony", b, 0).reveal());
        assert_ne!(token.reveal(), master.token("pairing", a, 0).reveal());
        assert_eq!(token.reveal().len(), 43);
    }

    #[test]
    fn tokens_and_wrapped_keys_stay_what_they_were() {
        const TOKEN: &str = "62EAnYBMILVq7mT6Yot797Gd3ZtkJAoSC3VtnJ9ksac";
        const WRAPPED: &str = "01000102030405060708090a0bd63867eb5e3908d28d785e427df26590c079ee409cc334809253f6da4967fad741371cd76cc12f24fda5390f4409160f";
        let master = MasterKey::from_bytes([1; KEY_BYTES]);
        let (signer, data_key) = (Uuid::from_u128(1), Uuid::from_u128(7));

        let tokens = master.tokens("ceremony");
        for _ in 0..2 {
            assert_eq!(tokens.of(signer, 0).reveal(), TOKEN);
            let wrapped = hex::decode(WRAPPED).expect("hexadecimal digits");
            let opened = aead::open(master.of_data_keys(), data_key.as_bytes(), wrapped);
            assert_eq!(opened.expect("unwrapped"), [2; KEY_BYTES]);
        }
    }

    #[test]
    fn a_key_that_was_the_root_stays_it_under_the_next_ones() {
        let first = || MasterKey::from_bytes([1; KEY_BYTES]);
        let second = || MasterKey::from_bytes([2; KEY_BYTES]);
        let third = MasterKey::from_bytes([3; KEY_BYTES]);
        let token = |master: &MasterKey| master.token("ceremony", Uuid::nil(), 0).hash();

        let under_second = second().with_others([first()]);
        let root = under_second.rewrapped_root(1, None).expect("wrapped");
        let under_third = third.with_others([second()]);
        let root = under_third.rewrapped_root(1, Some(&root)).expect("wrapped");

        let keyed = under_third.with_root(0, Some(&root)).expect("opened");
        assert_eq!(token(&keyed), token(&first()));
        assert!(under_second.with_root(0, Some(&root)).is_err());
    }

    #[test]
    fn a_token_is_recognised_by_its_hash() {
        let token = Token::random().expect("random bytes");

        assert!(token.hash().is_of(token.reveal()));
        assert!(!token.hash().is_of("another"));
    }

    #[test]
    fn no_secret_is_shown_when_debugging() {
        let master = MasterKey::from_bytes([0xab; KEY_BYTES]);
        let token = master.token("ceremony", Uuid::nil(), 0);
        let shown = format!("{master:?} {token:?} {:?}", master.sealing_key("webhook"));

        assert_eq!(shown, "MasterKey(..) Token(..) DataKey(..)");
    }
}
