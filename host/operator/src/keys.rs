use jiff::{SignedDuration, Timestamp};
use parafa_api_signing::views::date_time;
use parafa_platform::accounts::{
    ApiKeyRow, KEYS_OF_TENANT, KeyMode, Product, USERS_OF_TENANT, UserRow,
};
use parafa_platform::webhook_secret::{RetiredSecret, WebhookSecret, WebhookSecretRow};
use parafa_store::Transaction;
use parafa_store::keys::{Token, hash_token};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::part::all_of;
use crate::tenants::find_tenant;
use crate::users::find_user;
use crate::{KeyCommand, OperateError, OperatorCommands};

/// How long a secret that was replaced still signs along.
const ROTATION: SignedDuration = SignedDuration::from_hours(24);

/// A key just issued. Both texts are shown this once only.
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
            } => {
                let issued = self.issue_key(&tenant, &user, product, mode).await?;
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

    /// Issues a key that acts as a user, and with the first key of a product
    /// the workspace's webhook secret.
    pub(crate) async fn issue_key(
        &self,
        tenant: &str,
        email: &str,
        product: Product,
        mode: KeyMode,
    ) -> Result<IssuedKey, OperateError> {
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
                    let key = ApiKeyRow {
                        id: tx.new_id()?,
                        tenant: tenant.id,
                        user: user.id,
                        product,
                        mode,
                        hash,
                        created_at: tx.now(),
                        revoked_at: None,
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
        Ok(keys.iter().map(|key| shown(key, email(key))).collect())
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
        Ok(shown(&key, email))
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

    /// Puts a new webhook secret in the place of the one there is, which signs
    /// along until the end of the rotation.
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

fn shown(key: &ApiKeyRow, email: Option<&str>) -> Value {
    json!({
        "id": key.id,
        "user": key.user,
        "email": email,
        "product": key.product,
        "mode": key.mode,
        "createdAt": date_time(key.created_at),
        "revokedAt": key.revoked_at.map(date_time),
    })
}
