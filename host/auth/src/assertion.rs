//! Assertions of an authentication: JWTs (RFC 7519) signed by the service.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use josekit::jwk::alg::ec::{EcCurve, EcKeyPair};
use josekit::jwk::{Jwk, KeyPair};
use josekit::jws::{ES256, JwsHeader};
use josekit::jwt::{self, JwtPayload};
use parafa_api_auth::{KEYS_ARE_FRESH_FOR, views};
use parafa_domain::AuthenticationMethod;
use parafa_platform::{PlatformError, Records};
use parafa_store::clock::shifted;
use parafa_store::keys::KeyError;
use parafa_store::{MasterKey, Sealed, Transaction};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::authentications::Authentications;
use crate::error::AuthError;
use crate::records::{AssertionKeyPart, AssertionKeysRow, RequestRow};

/// Key of the only row of keys.
const ROW: &str = "assertion";
/// Purpose of the key that seals key pairs.
const PURPOSE: &str = "assertion-key";

/// Signature algorithm of assertions.
pub(crate) const ASSERTION_ALGORITHM: &str = "ES256";
/// All claims of assertions, required or optional.
pub(crate) const ASSERTION_CLAIMS: [&str; 16] = [
    "iss",
    "aud",
    "sub",
    "iat",
    "auth_time",
    "exp",
    "jti",
    "txn",
    "azp",
    "nonce",
    "rp_nonce",
    "amr",
    "eid_method",
    "given_name",
    "family_name",
    "acr",
];

/// Keys that sign assertions.
#[derive(Clone)]
pub struct AssertionKeys {
    records: Records,
    lifetime: SignedDuration,
    overlap: SignedDuration,
}

impl AssertionKeys {
    /// Creates the service for keys that sign for `lifetime`, and verify for
    /// `overlap` after that.
    #[must_use]
    pub fn new(records: Records, lifetime: SignedDuration, overlap: SignedDuration) -> Self {
        Self {
            records,
            lifetime,
            overlap,
        }
    }

    /// Returns the keys that verify assertions, the newest first. The first key is
    /// created on first use.
    ///
    /// # Errors
    /// When the store fails or no key can be created.
    pub async fn published(&self) -> Result<Vec<views::JsonWebKey>, AuthError> {
        let keys = self.current().await?.keys;
        Ok(keys.into_iter().map(|key| key.public).collect())
    }

    /// Replaces the signing key: the new key signs as soon as all caches of the
    /// published keys must have it. The previous key verifies for a while longer.
    /// Returns the new key's id.
    ///
    /// # Errors
    /// When the store fails or no key can be created.
    pub async fn rotate(&self) -> Result<String, AuthError> {
        let rotated = self.renew(true).await?;
        let newest = rotated.keys.into_iter().next();
        let newest = newest.ok_or(PlatformError::Inconsistent("there is no key"))?;
        Ok(newest.public.kid)
    }

    /// Revokes a key at once, by default the signing one; a new key then signs
    /// immediately, even before caches of the published keys have it. Returns
    /// `None` if no such key is published.
    ///
    /// # Errors
    /// When the store fails or no key can be created.
    pub async fn revoke(&self, kid: Option<&str>) -> Result<Option<RevokedKey>, AuthError> {
        let fresh = &NewKey::generate(&self.records.master)?;
        self.current().await?;
        self.records
            .transact(|tx| Box::pin(revoke_in(tx, fresh, kid)))
            .await
    }

    /// Returns the row, with at least one key that may sign now.
    async fn current(&self) -> Result<AssertionKeysRow, AuthError> {
        let stored = self.records.store.get(&ROW.to_owned()).await?;
        let now = self.records.store.now().await?;
        match stored.filter(|row| !self.is_over(row, now)) {
            Some(row) => Ok(row),
            None => self.renew(false).await,
        }
    }

    /// Returns whether the newest key must be replaced, or a retired key has been
    /// published long enough.
    fn is_over(&self, row: &AssertionKeysRow, now: Timestamp) -> bool {
        !self.is_current(row, now) || row.keys.iter().any(|key| !self.verifies(key, now))
    }

    fn is_current(&self, row: &AssertionKeysRow, now: Timestamp) -> bool {
        row.keys.first().is_some_and(|key| {
            key.retired_at.is_none() && now < shifted(key.created_at, self.lifetime)
        })
    }

    fn verifies(&self, key: &AssertionKeyPart, now: Timestamp) -> bool {
        let retired_at = key.retired_at;
        retired_at.is_none_or(|retired_at| now < shifted(retired_at, self.overlap))
    }

    /// Deletes expired keys, and adds one if the newest is not current, or if
    /// `anyway`.
    async fn renew(&self, anyway: bool) -> Result<AssertionKeysRow, AuthError> {
        let fresh = &NewKey::generate(&self.records.master)?;
        self.records
            .transact(|tx| Box::pin(self.renew_in(tx, fresh, anyway)))
            .await
    }

    async fn renew_in(
        &self,
        tx: &mut Transaction<'_>,
        fresh: &NewKey,
        anyway: bool,
    ) -> Result<AssertionKeysRow, AuthError> {
        let now = tx.now();
        let stored = tx.get::<AssertionKeysRow>(&ROW.to_owned()).await?;
        let mut row = stored.unwrap_or_else(|| AssertionKeysRow {
            name: ROW.to_owned(),
            keys: Vec::new(),
        });
        row.keys.retain(|key| self.verifies(key, now));
        if anyway || !self.is_current(&row, now) {
            for key in &mut row.keys {
                key.retired_at.get_or_insert(now);
            }
            row.keys.insert(0, fresh.part(now));
        }
        tx.put(&row).await?;
        Ok(row)
    }

    /// Signs `claims` with the current key.
    async fn sign(&self, claims: Map<String, Value>) -> Result<String, AuthError> {
        let row = self.current().await?;
        let key = signing(&row.keys, self.records.store.now().await?);
        let key = key.ok_or(PlatformError::Inconsistent("there is no key"))?;
        let pair: Map<String, Value> = self
            .records
            .master
            .sealing_key(PURPOSE)
            .open_json(key.public.kid.as_bytes(), &key.sealed)?;
        let encoded = Jwk::from_map(pair)
            .and_then(|pair| ES256.signer_from_jwk(&pair))
            .and_then(|signer| {
                let mut header = JwsHeader::new();
                header.set_token_type("JWT");
                header.set_key_id(&key.public.kid);
                jwt::encode_with_signer(&JwtPayload::from_map(claims)?, &header, &signer)
            });
        encoded.map_err(AuthError::Assertion)
    }
}

async fn revoke_in(
    tx: &mut Transaction<'_>,
    fresh: &NewKey,
    kid: Option<&str>,
) -> Result<Option<RevokedKey>, AuthError> {
    let now = tx.now();
    let stored = tx.get::<AssertionKeysRow>(&ROW.to_owned()).await?;
    let mut row = stored.ok_or(PlatformError::Inconsistent("there is no key"))?;
    let found = match kid {
        Some(kid) => row.keys.iter().find(|key| key.public.kid == kid),
        None => signing(&row.keys, now),
    };
    let Some(revoked) = found.map(|key| key.public.kid.clone()) else {
        return Ok(None);
    };
    let signs = signing(&row.keys, now).map(|key| key.public.kid.clone());
    row.keys.retain(|key| key.public.kid != revoked);
    // Verifiers keep their cached keys: a sound signing key is kept.
    if let Some(kid) = signs.filter(|kid| *kid != revoked) {
        tx.put(&row).await?;
        return Ok(Some(RevokedKey { revoked, kid }));
    }
    for key in &mut row.keys {
        key.retired_at.get_or_insert(now);
    }
    let new = AssertionKeyPart {
        signs_at_once: true,
        ..fresh.part(now)
    };
    let kid = new.public.kid.clone();
    row.keys.insert(0, new);
    tx.put(&row).await?;
    Ok(Some(RevokedKey { revoked, kid }))
}

/// Returns the signing key, of `keys` with the newest first: the newest in every
/// permitted cache of published keys, or the oldest while there is none.
fn signing(keys: &[AssertionKeyPart], now: Timestamp) -> Option<&AssertionKeyPart> {
    let fresh_for = SignedDuration::from_secs(KEYS_ARE_FRESH_FOR.into());
    let mut keys_by_age = keys.iter();
    let known =
        keys_by_age.find(|key| key.signs_at_once || shifted(key.created_at, fresh_for) <= now);
    known.or(keys.last())
}

/// A revoked key, and its replacement.
#[derive(Clone, Debug)]
pub struct RevokedKey {
    /// The revoked key's id.
    pub revoked: String,
    /// The id of the key that signs now.
    pub kid: String,
}

/// A key not in use yet.
struct NewKey {
    public: views::JsonWebKey,
    sealed: Sealed,
}

impl NewKey {
    fn generate(master: &MasterKey) -> Result<Self, AuthError> {
        let pair = EcKeyPair::generate(EcCurve::P256).map_err(AuthError::Assertion)?;
        let pair = pair.to_jwk_key_pair();
        let member = |name: &str| {
            let value = pair.parameter(name).and_then(Value::as_str);
            value.map(str::to_owned).ok_or(KeyError::Json)
        };
        let (x, y) = (member("x")?, member("y")?);
        let kid = thumbprint(&x, &y);
        let mut own = pair.as_ref().clone();
        own.insert("kid".to_owned(), kid.clone().into());
        let sealed = master
            .sealing_key(PURPOSE)
            .seal_json(kid.as_bytes(), &own)?;
        Ok(Self {
            public: views::JsonWebKey {
                kty: "EC".to_owned(),
                crv: "P-256".to_owned(),
                x,
                y,
                r#use: "sig".to_owned(),
                alg: ASSERTION_ALGORITHM.to_owned(),
                kid,
            },
            sealed,
        })
    }

    fn part(&self, now: Timestamp) -> AssertionKeyPart {
        AssertionKeyPart {
            public: self.public.clone(),
            sealed: self.sealed.clone(),
            created_at: now,
            retired_at: None,
            signs_at_once: false,
        }
    }
}

/// Returns the thumbprint of a P-256 key (RFC 7638, 3).
fn thumbprint(x: &str, y: &str) -> String {
    let members = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
    URL_SAFE_NO_PAD.encode(Sha256::digest(members))
}

impl Authentications {
    /// Makes the assertion that the person with this identifier has authenticated
    /// by this request.
    pub(crate) async fn assertion(
        &self,
        row: &RequestRow,
        identifier: &str,
        subject: &views::Subject,
    ) -> Result<String, AuthError> {
        let now = self.records.store.now().await?;
        let method = row.state.method();
        let claims = json!({
            "iss": self.settings.issuer,
            "aud": row.audience,
            "sub": identifier,
            "iat": now.as_second(),
            "auth_time": now.as_second(),
            "exp": shifted(now, self.settings.assertion_lifetime).as_second(),
            "jti": Uuid::now_v7(),
            "txn": row.id,
            "azp": row.provider,
            "nonce": row.nonce,
            "rp_nonce": row.open(&self.records.master)?.rp_nonce,
            "amr": amr(method),
            "eid_method": method.name(),
            "given_name": subject.given_name,
            "family_name": subject.sn,
            "acr": self.settings.acr,
        });
        let Value::Object(mut claims) = claims else {
            unreachable!("the claims are an object")
        };
        claims.retain(|_, value| !value.is_null());
        self.keys.sign(claims).await
    }
}

/// Returns the methods of authentication (RFC 8176, 2). Each uses a key in
/// certified hardware that a PIN unlocks; a card's key is in a smart card.
fn amr(method: AuthenticationMethod) -> &'static [&'static str] {
    match method {
        AuthenticationMethod::Physical | AuthenticationMethod::Nfc => &["sc", "hwk", "pin", "mfa"],
        AuthenticationMethod::SmartId | AuthenticationMethod::MobileId => &["hwk", "pin", "mfa"],
    }
}
