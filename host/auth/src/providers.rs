//! Relying parties and their permissions.

use std::mem;

use jiff::{SignedDuration, Timestamp};
use parafa_api_http::decode::line_fault;
use parafa_domain::AuthenticationMethod;
use parafa_eid::card::SignatureEncoding;
use parafa_platform::Records;
use parafa_platform::accounts::{TenantRow, TenantStatus};
use parafa_store::clock::shifted;
use parafa_store::keys::{KeyError, Token, hash_token};
use parafa_store::{Guard, MAX_PAGE_ROWS, Page};
use url::{Host, Url};
use uuid::Uuid;

use crate::error::{AuthError, ProviderFault};
use crate::records::{ProviderRow, TokenGrant};

/// Prefix of the secret of a relying party's key.
const SECRET_PREFIX: &str = "aks_";
/// Longest name, in characters.
const LONGEST_NAME: usize = 200;
/// All encodings of signatures.
const ENCODINGS: [SignatureEncoding; 3] = [
    SignatureEncoding::P1363,
    SignatureEncoding::Der,
    SignatureEncoding::Raw,
];

/// A relying party to create.
#[derive(Clone, Debug)]
pub struct NewProvider {
    /// A name for operators.
    pub name: String,
    /// Its workspace, if it has one.
    pub tenant: Option<Uuid>,
    /// Allowed origins.
    pub audiences: Vec<String>,
    /// Allowed methods.
    pub methods: Vec<AuthenticationMethod>,
    /// Names of allowed encodings; empty for all.
    pub encodings: Vec<String>,
    /// Receives assertions.
    pub asserts: bool,
}

/// Changes of a relying party. An empty list leaves the stored one unchanged.
#[derive(Clone, Debug, Default)]
pub struct ProviderChange {
    /// Allowed origins.
    pub audiences: Vec<String>,
    /// Allowed methods.
    pub methods: Vec<AuthenticationMethod>,
    /// Names of allowed encodings.
    pub encodings: Vec<String>,
}

/// Service for relying parties.
#[derive(Clone)]
pub struct Providers {
    records: Records,
}

impl Providers {
    /// Creates the service on these records.
    #[must_use]
    pub fn new(records: Records) -> Self {
        Self { records }
    }

    /// Creates a relying party. Its key's secret is returned only here.
    ///
    /// # Errors
    /// [`ProviderFault`].
    pub async fn create(&self, new: NewProvider) -> Result<(ProviderRow, String), ProviderFault> {
        let secret = new_secret()?;
        let id = self.records.store.new_id().await?;
        let row = self.add(id, &secret, new).await?;
        Ok((row, secret))
    }

    /// Creates a relying party with an existing secret, unless it exists.
    ///
    /// # Errors
    /// [`ProviderFault`].
    pub async fn add(
        &self,
        id: Uuid,
        secret: &str,
        new: NewProvider,
    ) -> Result<ProviderRow, ProviderFault> {
        if let Some(fault) = line_fault(&new.name, LONGEST_NAME) {
            return Err(ProviderFault::Name(fault));
        }
        check_audiences(&new.audiences)?;
        let encodings = encodings(&new.encodings)?;
        let hash = hash_token(secret).to_string();
        self.records
            .transact(|tx| {
                let (new, encodings, hash) = (new.clone(), encodings.clone(), hash.clone());
                Box::pin(async move {
                    if let Some(known) = tx.get::<ProviderRow>(&id).await? {
                        return Ok(known);
                    }
                    let row = ProviderRow {
                        id,
                        name: new.name,
                        tenant: new.tenant,
                        audiences: new.audiences,
                        methods: new.methods,
                        encodings,
                        asserts: new.asserts,
                        secret_hash: hash,
                        previous_secret: None,
                        created_at: tx.now(),
                        revoked_at: None,
                    };
                    tx.insert(&row).await?;
                    Ok(row)
                })
            })
            .await
    }

    /// Returns all of them, the oldest first.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn list(&self) -> Result<Vec<ProviderRow>, ProviderFault> {
        let mut rows: Vec<ProviderRow> = Vec::new();
        let mut page = Page::oldest(MAX_PAGE_ROWS);
        loop {
            let this = page.clone();
            let read = self
                .records
                .read(|tx| {
                    Box::pin(async move { tx.page::<ProviderRow>(&this, Guard::none()).await })
                })
                .await?;
            page.after = read.rows.last().map(|row| row.id);
            rows.extend(read.rows);
            if !read.more {
                return Ok(rows);
            }
        }
    }

    /// Revokes a relying party's key, and its clients' tokens with it.
    ///
    /// # Errors
    /// [`ProviderFault`].
    pub async fn revoke(&self, id: Uuid) -> Result<ProviderRow, ProviderFault> {
        let revoke = |row: &mut ProviderRow, now| {
            row.revoked_at.get_or_insert(now);
            Ok(())
        };
        self.change(id, revoke).await
    }

    /// Changes a relying party's permissions. Open requests continue.
    ///
    /// # Errors
    /// [`ProviderFault`].
    pub async fn set(
        &self,
        id: Uuid,
        change: ProviderChange,
    ) -> Result<ProviderRow, ProviderFault> {
        check_audiences(&change.audiences)?;
        encodings(&change.encodings)?;
        let set = |row: &mut ProviderRow, _| {
            check_working(row)?;
            replace(&mut row.audiences, &change.audiences);
            replace(&mut row.methods, &change.methods);
            replace(&mut row.encodings, &change.encodings);
            Ok(())
        };
        self.change(id, set).await
    }

    /// Gives a relying party's key a new secret, returned only here. The previous
    /// one works for `overlap` longer; an earlier one does not.
    ///
    /// # Errors
    /// [`ProviderFault`].
    pub async fn rotate_secret(
        &self,
        id: Uuid,
        overlap: SignedDuration,
    ) -> Result<(ProviderRow, String), ProviderFault> {
        let secret = new_secret()?;
        let hash = hash_token(&secret).to_string();
        let rotate = |row: &mut ProviderRow, now| {
            check_working(row)?;
            let before = mem::replace(&mut row.secret_hash, hash.clone());
            row.previous_secret = overlap.is_positive().then(|| TokenGrant {
                hash: before,
                expires_at: shifted(now, overlap),
            });
            Ok(())
        };
        Ok((self.change(id, rotate).await?, secret))
    }

    async fn change(
        &self,
        id: Uuid,
        change: impl Fn(&mut ProviderRow, Timestamp) -> Result<(), ProviderFault> + Sync,
    ) -> Result<ProviderRow, ProviderFault> {
        let change = &change;
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let found = tx.get::<ProviderRow>(&id).await?;
                    let mut row = found.ok_or(ProviderFault::Unknown(id))?;
                    change(&mut row, tx.now())?;
                    tx.put(&row).await?;
                    Ok(row)
                })
            })
            .await
    }

    /// Returns the relying party of a key; `None` when the key is not active.
    ///
    /// # Errors
    /// [`AuthError::ForbiddenTenant`], or a store failure.
    pub(crate) async fn by_key(
        &self,
        id: &str,
        secret: &str,
    ) -> Result<Option<ProviderRow>, AuthError> {
        let Ok(id) = Uuid::try_parse(id) else {
            return Ok(None);
        };
        let provider = self.working(id).await?;
        let now = self.records.store.now().await?;
        let hash = hash_token(secret).to_string();
        let provider = provider.filter(|provider| {
            let previous = provider.previous_secret.as_ref();
            provider.secret_hash == hash
                || previous.is_some_and(|grant| grant.hash == hash && now < grant.expires_at)
        });
        match provider {
            Some(provider) => {
                self.check_tenant(&provider).await?;
                Ok(Some(provider))
            }
            None => Ok(None),
        }
    }

    /// Returns the relying party with this id, unless it is revoked.
    pub(crate) async fn working(&self, id: Uuid) -> Result<Option<ProviderRow>, AuthError> {
        let provider = self.records.store.get::<ProviderRow>(&id).await?;
        Ok(provider.filter(|provider| provider.revoked_at.is_none()))
    }

    /// Checks that its workspace is not suspended.
    pub(crate) async fn check_tenant(&self, provider: &ProviderRow) -> Result<(), AuthError> {
        let Some(tenant) = provider.tenant else {
            return Ok(());
        };
        let tenant = self.records.store.get::<TenantRow>(&tenant).await?;
        match tenant.is_some_and(|tenant| tenant.status == TenantStatus::Active) {
            true => Ok(()),
            false => Err(AuthError::ForbiddenTenant),
        }
    }
}

fn new_secret() -> Result<String, KeyError> {
    Ok(format!("{SECRET_PREFIX}{}", Token::random()?.reveal()))
}

fn check_working(row: &ProviderRow) -> Result<(), ProviderFault> {
    match row.revoked_at {
        Some(_) => Err(ProviderFault::Revoked(row.id)),
        None => Ok(()),
    }
}

fn check_audiences(audiences: &[String]) -> Result<(), ProviderFault> {
    match audiences.iter().find(|audience| !is_origin(audience)) {
        Some(audience) => Err(ProviderFault::Audience(audience.clone())),
        None => Ok(()),
    }
}

/// Replaces a list unless the new one is empty.
fn replace<T: Clone>(list: &mut Vec<T>, new: &[T]) {
    if !new.is_empty() {
        new.clone_into(list);
    }
}

fn encodings(named: &[String]) -> Result<Vec<String>, ProviderFault> {
    let names = ENCODINGS.map(|encoding| encoding.name().to_owned());
    if named.is_empty() {
        return Ok(names.to_vec());
    }
    match named.iter().find(|name| !names.contains(name)) {
        Some(unknown) => Err(ProviderFault::Encoding(unknown.clone())),
        None => Ok(named.to_vec()),
    }
}

/// Returns whether a text is an origin, exactly as browsers serialize it (RFC
/// 6454, 6.2). Without TLS any network attacker could be the audience; a pattern
/// of hosts is not an origin.
fn is_origin(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else {
        return false;
    };
    let is_own = match url.host() {
        Some(Host::Domain(name)) if !is_name(name) => return false,
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => return false,
    };
    let is_protected = url.scheme() == "https" || (url.scheme() == "http" && is_own);
    is_protected && url.origin().ascii_serialization() == text
}

/// Returns whether a host name is valid in DNS (RFC 1035, 2.3.1; an underscore is
/// usual). URLs allow more characters.
fn is_name(host: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    let host = host.strip_suffix('.').unwrap_or(host);
    host.split('.')
        .all(|label| !label.is_empty() && label.bytes().all(is_known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_written_as_browsers_do() {
        for origin in [
            "https://shop.example",
            "https://shop.example:8443",
            "http://localhost:3000",
            "http://127.0.0.1:3000",
            "https://xn--lt-bja.example",
            "https://a_b.example",
            "https://[::1]:8443",
        ] {
            assert!(is_origin(origin), "{origin}");
        }
        for other in [
            "",
            "shop.example",
            "https://shop.example/",
            "https://shop.example:443",
            "https://Shop.example",
            "https://shop.example/a",
            "https://u@shop.example",
            "http://shop.example",
            "null",
            "*",
            "https://*",
            "https://*.example",
            "https://shop.*",
            "https://.example",
            "https://shop..example",
            "https://shop!.example",
        ] {
            assert!(!is_origin(other), "{other}");
        }
    }
}
