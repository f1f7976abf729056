use std::collections::HashMap;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use parafa_api_http::decode::line_fault;
use parafa_api_signing::views::date_time;
use parafa_platform::accounts::{
    ApiKeyRow, KEYS_OF_TENANT, KeyMode, Product, USERS_OF_TENANT, UserRow,
};
use parafa_platform::keys::KeyUseRow;
use parafa_platform::networks;
use parafa_platform::webhook_secret::{RetiredSecret, WebhookSecret, WebhookSecretRow};
use parafa_store::Transaction;
use parafa_store::keys::{Token, hash_token};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::part::all_of;
use crate::tenants::find_tenant;
use crate::users::find_user;
use crate::{KeyCommand, KeyTerms, OperateError, OperatorCommands};

/// Longest name of a key, in characters.
const LONGEST_NAME: usize = 100;
/// Time during which a replaced secret keeps signing.
const ROTATION: SignedDuration = SignedDuration::from_hours(24);

/// A key just issued. Both texts are shown only once.
pub(crate) struct IssuedKey {
    pub id: Uuid,
    pub text: String,
    /// The workspace's webhook secret, with its first key.
    pub webhook_secret: Option<WebhookSecret>,
}

impl OperatorCommands {
    pub(crate) async fn key(&self, command: KeyCommand) -> Result<Value, OperateError> {
        match command {
            KeyCommand::Issue {
                tenant,
                user,
                product,
                mode,
                terms,
            } => {
                let issued = self.issue_key(&tenant, &user, (product, mode), &terms);
                let issued = issued.await?;
                let mut value = json!({"id": issued.id, "key": issued.text});
                if let Some(secret) = issued.webhook_secret {
                    value["webhookSecret"] = secret.reveal().into();
                }
                Ok(value)
            }
            KeyCommand::List { tenant } => self.list_keys(&tenant).await,
            KeyCommand::Revoke { id } => self.revoke_key(id).await,
        }
    }

    /// Issues a key that acts as a user. With the first key of a product, also
    /// creates the workspace's webhook secret.
    pub(crate) async fn issue_key(
        &self,
        tenant: &str,
        email: &str,
        (product, mode): (Product, KeyMode),
        terms: &KeyTerms,
    ) -> Result<IssuedKey, OperateError> {
        check(terms)?;
        let text = format!("{}{}", product.key_prefix(mode), Token::random()?.reveal());
        let hash = hash_token(&text).to_string();
        let (id, webhook_secret) = self
            .records
            .transact(|tx| {
                let hash = hash.clone();
                Box::pin(async move {
                    let tenant = find_tenant(tx, tenant).await?;
                    let user = find_user(tx, tenant.id, email).await?;
                    if user.role.is_none() {
                        return Err(OperateError::UserRevoked(email.to_owned()));
                    }
                    if let Some(end) = terms.expires.filter(|end| *end <= tx.now()) {
                        return Err(OperateError::KeyEnded(end));
                    }
                    let key = ApiKeyRow {
                        id: tx.new_id()?,
                        tenant: tenant.id,
                        user: user.id,
                        product,
                        mode,
                        hash,
                        created_at: tx.now(),
                        revoked_at: None,
                        name: terms.name.clone(),
                        expires_at: terms.expires,
                        networks: terms.networks.clone(),
                    };
                    tx.insert(&key).await?;
                    let secret = self.first_secret(tx, tenant.id, product).await?;
                    Ok((key.id, secret))
                })
            })
            .await?;
        Ok(IssuedKey {
            id,
            text,
            webhook_secret,
        })
    }

    async fn list_keys(&self, tenant: &str) -> Result<Value, OperateError> {
        let tenant = self.tenant_named(tenant).await?;
        let keys = all_of(&self.records.store, &KEYS_OF_TENANT, tenant.id).await?;
        let users = all_of(&self.records.store, &USERS_OF_TENANT, tenant.id).await?;
        let email = |key: &ApiKeyRow| {
            let user = users.iter().find(|user| user.id == key.user);
            user.map(|user| user.email.as_str())
        };
        let used = &self.last_uses(&keys).await?;
        let shown = |key: &ApiKeyRow| shown(key, email(key), used.get(&key.id).copied());
        Ok(keys.iter().map(shown).collect())
    }

    /// Returns the day on which each key was last used.
    async fn last_uses(&self, keys: &[ApiKeyRow]) -> Result<HashMap<Uuid, Date>, OperateError> {
        let read = self.records.store.read(|tx| {
            Box::pin(async move {
                let mut used = HashMap::new();
                for key in keys {
                    if let Some(last) = tx.get::<KeyUseRow>(&key.id).await? {
                        used.insert(key.id, last.day);
                    }
                }
                Ok::<_, OperateError>(used)
            })
        });
        read.await
    }

    async fn revoke_key(&self, id: Uuid) -> Result<Value, OperateError> {
        let (key, user) = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let found = tx.get::<ApiKeyRow>(&id).await?;
                    let mut key = found.ok_or(OperateError::UnknownKey(id))?;
                    key.revoked_at.get_or_insert(tx.now());
                    tx.put(&key).await?;
                    let user = tx.get::<UserRow>(&key.user).await?;
                    Ok::<_, OperateError>((key, user))
                })
            })
            .await?;
        let email = user.as_ref().map(|user| user.email.as_str());
        let used = self.last_uses(std::slice::from_ref(&key)).await?;
        Ok(shown(&key, email, used.get(&id).copied()))
    }

    async fn first_secret(
        &self,
        tx: &mut Transaction<'_>,
        tenant: Uuid,
        product: Product,
    ) -> Result<Option<WebhookSecret>, OperateError> {
        if tx
            .get::<WebhookSecretRow>(&(tenant, product.number()))
            .await?
            .is_some()
        {
            return Ok(None);
        }
        let secret = WebhookSecret::random()?;
        let row = WebhookSecretRow::seal(&self.records.master, tenant, product, &secret, None)?;
        tx.put(&row).await?;
        Ok(Some(secret))
    }

    /// Replaces the webhook secret. The old one keeps signing until the end of
    /// the rotation.
    pub(crate) async fn replace_secret(
        &self,
        tx: &mut Transaction<'_>,
        tenant: Uuid,
        product: Product,
    ) -> Result<WebhookSecret, OperateError> {
        let row = tx
            .get::<WebhookSecretRow>(&(tenant, product.number()))
            .await?
            .ok_or(OperateError::NoSecret(product.name()))?;
        let until: Timestamp = tx.now().checked_add(ROTATION).unwrap_or(Timestamp::MAX);
        let retired = RetiredSecret {
            sealed: row.current,
            until,
        };
        let secret = WebhookSecret::random()?;
        let row = WebhookSecretRow::seal(
            &self.records.master,
            tenant,
            product,
            &secret,
            Some(retired),
        )?;
        tx.put(&row).await?;
        Ok(secret)
    }
}

/// Refuses invalid terms of a key.
fn check(terms: &KeyTerms) -> Result<(), OperateError> {
    let fault = terms
        .name
        .as_deref()
        .and_then(|name| line_fault(name, LONGEST_NAME));
    if let Some(fault) = fault {
        return Err(OperateError::KeyName(fault));
    }
    if terms.networks.len() > networks::MOST {
        return Err(OperateError::ManyNetworks {
            most: networks::MOST,
        });
    }
    Ok(())
}

fn shown(key: &ApiKeyRow, email: Option<&str>, last_used: Option<Date>) -> Value {
    json!({
        "id": key.id,
        "name": key.name,
        "user": key.user,
        "email": email,
        "product": key.product,
        "mode": key.mode,
        "createdAt": date_time(key.created_at),
        "expiresAt": key.expires_at.map(date_time),
        "revokedAt": key.revoked_at.map(date_time),
        "networks": key.networks,
        "lastUsedOn": last_used,
    })
}
