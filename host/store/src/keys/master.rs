//! The key that all others hang from.

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

/// In which context a store's root secret is wrapped.
const ROOT: &[u8] = b"root";

/// The key that wraps all others, with those that did so before it. It lives in a file outside the
/// store and never in it.
///
/// What has to stay as it is when the key is replaced is derived from a secret that the store
/// keeps, wrapped: its root. The master key of an open [`Folder`](crate::Folder) knows it. Without
/// a store, and of one whose first key was made to be its root, that is the key itself.
pub struct MasterKey {
    ring: Arc<Ring>,
    /// What tokens, digests of personal values and the keys of the deployment's own secrets are
    /// derived from.
    root: Secret,
}

hex_bytes! {
    /// A keyed digest of a personal value, to look rows up by it.
    BlindIndex
}

hex_bytes! {
    /// The SHA-256 digest of a token: what is stored in the token's stead.
    TokenHash
}

hex_bytes! {
    /// HMAC-SHA-256 over the digest of a backup, under a key of its own.
    BackupProof
}

/// Makes the tokens of one purpose. Clones make the same.
#[derive(Clone)]
pub struct Tokens(Hmac<Sha256>);

/// A 256-bit token in base64url, 43 characters. Wiped when dropped, never shown by `Debug`.
#[derive(Clone)]
pub struct Token(Zeroizing<String>);

impl MasterKey {
    /// A key of these bytes.
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

    /// The same key, with others that may wrap something, or that will.
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

    /// Whether there are others.
    #[must_use]
    pub fn has_others(&self) -> bool {
        self.ring.keys().len() > 1
    }

    /// Reads the key from its file. Blocks on it.
    ///
    /// # Errors
    /// When the file is missing, malformed, or readable by others than its owner.
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

    /// Reads the key, and others beside it. Blocks on their files.
    ///
    /// # Errors
    /// As of [`load`](Self::load), for each of them.
    pub fn load_with(path: &Path, others: &[PathBuf]) -> Result<Self, KeyError> {
        Self::load(path)?.beside(others)
    }

    /// The same key, with others that are read from these files. Blocks on them.
    pub(crate) fn beside(self, others: &[PathBuf]) -> Result<Self, KeyError> {
        let others = others.iter().map(|path| Self::load(path));
        let others = others.collect::<Result<Vec<_>, KeyError>>()?;
        Ok(self.with_others(others))
    }

    /// Makes a new key and its file (mode 0600). Blocks on it.
    ///
    /// # Errors
    /// When there is such a file already, or it cannot be written.
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

    /// Makes a personal value searchable without storing it: HMAC-SHA-256 under a key of its own
    /// for each purpose.
    #[must_use]
    pub fn index(&self, purpose: &str, value: &str) -> BlindIndex {
        BlindIndex(hmac(&self.root, "index", purpose, &[value.as_bytes()]))
    }

    /// The token of an id's generation; always the same, so that it need not be stored.
    #[must_use]
    pub fn token(&self, purpose: &str, id: Uuid, generation: u32) -> Token {
        self.tokens(purpose).of(id, generation)
    }

    /// What makes the tokens of a purpose, for those who make many.
    #[must_use]
    pub fn tokens(&self, purpose: &str) -> Tokens {
        Tokens(keyed(&self.root, "token", purpose))
    }

    /// A key for the deployment's own secrets (not erasable).
    #[must_use]
    pub fn sealing_key(&self, purpose: &str) -> DataKey {
        DataKey::from_secret(aead::derive(&self.root, "sealing", purpose))
    }

    /// What a store keeps to recognise the configured key.
    pub(crate) fn check_value(&self) -> String {
        self.ring.first().check_value()
    }

    /// The same of the others.
    pub(crate) fn other_check_values(&self) -> Vec<String> {
        let others = self.ring.keys().iter().skip(1);
        others.map(WrappingKey::check_value).collect()
    }

    /// Where the key with this check value stands among all; the configured one is at 0.
    pub(crate) fn position_of(&self, check_value: &str) -> Option<usize> {
        let mut keys = self.ring.keys().iter();
        keys.position(|key| key.check_value() == check_value)
    }

    /// Has the key at this place wrap whatever is new, also for whoever has a clone of this one.
    pub(crate) fn activate(&self, position: usize) {
        self.ring.activate(position);
    }

    /// A root secret for a new store, wrapped by the configured key.
    pub(crate) fn new_root(&self) -> Result<Sealed, KeyError> {
        let secret = aead::random::<KEY_BYTES>()?;
        self.ring.first().of_root().seal(ROOT, secret.as_ref())
    }

    /// The root secret of a store that is under the key at this place, wrapped by the configured
    /// one instead.
    pub(crate) fn rewrapped_root(
        &self,
        position: usize,
        root: Option<&Sealed>,
    ) -> Result<Sealed, KeyError> {
        let secret = self.root_by(position, root)?;
        self.ring.first().of_root().seal(ROOT, secret.as_ref())
    }

    /// The same keys, for a store that is under the one at this place and has this root.
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

    /// A store without a root secret of its own has the key that it is under.
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

    /// Proves that whoever wrote a backup with this digest has the key.
    pub(crate) fn backup_proof(&self, digest: &Sha256Digest) -> BackupProof {
        BackupProof::of(self.ring.active(), digest)
    }

    pub(super) fn of_data_keys(&self) -> &LessSafeKey {
        self.ring.active().of_data_keys()
    }

    /// What data keys may be wrapped with, each with whether new ones are.
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
    /// The token of an id's generation, as of [`MasterKey::token`].
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
    /// A token of random bytes, for what has no id to derive it from.
    ///
    /// # Errors
    /// When the operating system gives no random bytes.
    pub fn random() -> Result<Self, KeyError> {
        let bytes = aead::random::<KEY_BYTES>()?;
        Ok(Self(Zeroizing::new(URL_SAFE_NO_PAD.encode(bytes.as_ref()))))
    }

    /// The token's text, a secret.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What to store in the token's stead.
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

    /// Whether this is the proof of `digest` by `master` or one of the others, in a time that does
    /// not tell how nearly.
    pub(crate) fn is_by(&self, master: &MasterKey, digest: &Sha256Digest) -> bool {
        let mut keys = master.ring.keys().iter();
        keys.any(|key| self.0.ct_eq(&Self::of(key, digest).0).into())
    }
}

impl TokenHash {
    /// Whether this is the hash of `token`, in a time that does not tell how nearly.
    #[must_use]
    pub fn is_of(&self, token: &str) -> bool {
        self.0.ct_eq(&hash_token(token).0).into()
    }
}

/// Hashes a token that somebody has presented. Tokens are random, so that no salt is needed.
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
