//! Rows of a demo's workspaces, each created unless it exists.

use parafa_platform::accounts::{
    ApiKeyRow, KEY_BY_HASH, KeyMode, Product, Role, USER_BY_EMAIL, UserRow, folded_email,
};
use parafa_store::keys::{KeyError, Token, hash_token};
use parafa_store::{StoreError, Table, Transaction};
use uuid::Uuid;

pub(super) const OWNER: &str = "owner@example.com";

/// Adds a row, unless its key exists. A store with losses may contain any part
/// of a workspace.
pub(super) async fn add<T: Table>(tx: &mut Transaction<'_>, row: &T) -> Result<(), StoreError> {
    match tx.get::<T>(&row.key()).await? {
        Some(_) => Ok(()),
        None => tx.put(row).await,
    }
}

/// Returns the workspace's user with this address, creating it if missing.
pub(super) async fn add_user(
    tx: &mut Transaction<'_>,
    tenant: Uuid,
    email: &str,
    role: Role,
) -> Result<UserRow, StoreError> {
    let known = (tenant, folded_email(email));
    if let Some(user) = tx.find(&USER_BY_EMAIL, &known).await? {
        return Ok(user);
    }
    let user = UserRow {
        id: tx.new_id()?,
        tenant,
        email: email.to_owned(),
        role: Some(role),
    };
    tx.insert(&user).await?;
    Ok(user)
}

/// Sets the text of a key of the user, unless it is set already.
pub(super) async fn add_key(
    tx: &mut Transaction<'_>,
    user: &UserRow,
    product: Product,
    mode: KeyMode,
    text: &str,
) -> Result<(), StoreError> {
    let hash = hash_token(text).to_string();
    let key = match tx.find(&KEY_BY_HASH, &hash).await? {
        Some(key) if key.user == user.id => return Ok(()),
        Some(key) => ApiKeyRow {
            user: user.id,
            ..key
        },
        None => ApiKeyRow {
            id: tx.new_id()?,
            tenant: user.tenant,
            user: user.id,
            product,
            mode,
            hash,
            created_at: tx.now(),
            revoked_at: None,
            name: None,
            expires_at: None,
            networks: Vec::new(),
        },
    };
    tx.put(&key).await
}

pub(super) fn new_key(product: Product, mode: KeyMode) -> Result<String, KeyError> {
    let prefix = product.key_prefix(mode);
    Ok(format!("{prefix}{}", Token::random()?.reveal()))
}
