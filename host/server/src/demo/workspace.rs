//! The workspaces of a demo: the keys are made first and written down, and
//! then the workspaces that they open.

use std::path::Path;

use parafa_platform::accounts::{
    ApiKeyRow, KEY_BY_HASH, KeyMode, Product, Role, TenantRow, TenantStatus, USER_BY_EMAIL,
    UserRow, folded_email,
};
use parafa_platform::billing::{BillingRow, Funding};
use parafa_platform::webhook_secret::{WebhookSecret, WebhookSecretRow};
use parafa_signing::SigningError;
use parafa_store::keys::{KeyError, Token, hash_token};
use parafa_store::{StoreError, Transaction};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::diligence_keys::DiligenceKeys;
use super::file::Workspaces;
use super::relying_party::RelyingParty;
use crate::app::App;

/// The workspace that examples use.
const SIGNING: &str = "Demo UAB";
/// Another one, which sees nothing of it.
const OTHER: &str = "Kita UAB";
pub(super) const OWNER: &str = "owner@example.com";
const VIEWER: &str = "viewer@example.com";

/// One workspace with the keys of its users.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Workspace {
    pub(super) tenant: Uuid,
    test: String,
    live: String,
    /// A live key that may only read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    viewer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    webhook_secret: Option<String>,
}

impl Workspaces {
    /// New ones, nowhere yet.
    pub(super) fn new() -> Result<Self, KeyError> {
        let signing = Workspace {
            viewer: Some(new_key(Product::Signing, KeyMode::Live)?),
            ..Workspace::new()?
        };
        Ok(Self {
            diligence: Some(DiligenceKeys::new(signing.tenant)?),
            other: Workspace::new()?,
            auth: Some(RelyingParty::new()?),
            signing,
        })
    }

    /// Makes those that are not there.
    pub(super) async fn make(&self, app: &App) -> anyhow::Result<()> {
        self.signing.make(app, SIGNING).await?;
        self.other.make(app, OTHER).await?;
        if let Some(diligence) = &self.diligence {
            diligence.make(app).await?;
        }
        match &self.auth {
            Some(auth) => auth.make(app).await,
            None => Ok(()),
        }
    }

    /// The keys, for a person who has started the demo; all else is in the file.
    pub(super) fn greeting(&self, file: &Path) -> String {
        let mut lines = vec![format!(
            "demo keys, addresses and personas: {}",
            file.display()
        )];
        for (name, workspace) in [(SIGNING, &self.signing), (OTHER, &self.other)] {
            lines.push(format!("{name}  test key  {}", workspace.test));
            lines.push(format!("{name}  live key  {}", workspace.live));
        }
        lines.join("\n")
    }
}

impl Workspace {
    fn new() -> Result<Self, KeyError> {
        Ok(Self {
            tenant: Uuid::now_v7(),
            test: new_key(Product::Signing, KeyMode::Test)?,
            live: new_key(Product::Signing, KeyMode::Live)?,
            viewer: None,
            webhook_secret: Some(WebhookSecret::random()?.reveal().to_owned()),
        })
    }

    async fn make(&self, app: &App, name: &str) -> Result<(), SigningError> {
        let secret = self.webhook_secret.clone().map(WebhookSecret::from_text);
        let secret = secret
            .map(|secret| {
                WebhookSecretRow::seal(
                    &app.records.master,
                    self.tenant,
                    Product::Signing,
                    &secret,
                    None,
                )
            })
            .transpose()?;
        let billing = &BillingRow {
            tenant: self.tenant,
            funding: Funding::Ok,
            ceiling: None,
            recovery_url: None,
            ladder: app.prices.clone(),
        };
        app.records
            .store
            .transact(|tx| {
                let secret = secret.clone();
                Box::pin(async move {
                    // Where a loss was accepted, any of it may be there and the rest not.
                    let has_tenant = tx.get::<TenantRow>(&self.tenant).await?.is_some();
                    if has_tenant && self.user(tx, OWNER).await?.is_some() {
                        return Ok(());
                    }
                    let tenant = TenantRow {
                        id: self.tenant,
                        name: name.to_owned(),
                        status: TenantStatus::Active,
                        created_at: tx.now(),
                    };
                    tx.put(&tenant).await?;
                    tx.put(billing).await?;
                    if let Some(secret) = &secret {
                        tx.put(secret).await?;
                    }
                    let owner = self.add_user(tx, OWNER, Role::Owner).await?;
                    self.add_key(tx, owner, KeyMode::Test, &self.test).await?;
                    self.add_key(tx, owner, KeyMode::Live, &self.live).await?;
                    if let Some(key) = &self.viewer {
                        let viewer = self.add_user(tx, VIEWER, Role::Viewer).await?;
                        self.add_key(tx, viewer, KeyMode::Live, key).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    async fn user(
        &self,
        tx: &mut Transaction<'_>,
        email: &str,
    ) -> Result<Option<UserRow>, StoreError> {
        tx.find(&USER_BY_EMAIL, &(self.tenant, folded_email(email)))
            .await
    }

    async fn add_user(
        &self,
        tx: &mut Transaction<'_>,
        email: &str,
        role: Role,
    ) -> Result<Uuid, StoreError> {
        if let Some(user) = self.user(tx, email).await? {
            return Ok(user.id);
        }
        let user = UserRow {
            id: tx.new_id()?,
            tenant: self.tenant,
            email: email.to_owned(),
            role: Some(role),
        };
        tx.insert(&user).await?;
        Ok(user.id)
    }

    async fn add_key(
        &self,
        tx: &mut Transaction<'_>,
        user: Uuid,
        mode: KeyMode,
        text: &str,
    ) -> Result<(), StoreError> {
        let hash = hash_token(text).to_string();
        if tx.find(&KEY_BY_HASH, &hash).await?.is_some() {
            return Ok(());
        }
        let key = ApiKeyRow {
            id: tx.new_id()?,
            tenant: self.tenant,
            user,
            product: Product::Signing,
            mode,
            hash,
            created_at: tx.now(),
            revoked_at: None,
        };
        tx.insert(&key).await
    }
}

pub(super) fn new_key(product: Product, mode: KeyMode) -> Result<String, KeyError> {
    let prefix = product.key_prefix(mode);
    Ok(format!("{prefix}{}", Token::random()?.reveal()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_told_the_keys_and_where_the_rest_is() {
        let workspaces = Workspaces::new().unwrap();

        let greeting = workspaces.greeting(Path::new("data/demo.json"));

        assert!(greeting.contains("data/demo.json"), "{greeting}");
        for workspace in [&workspaces.signing, &workspaces.other] {
            for key in [&workspace.test, &workspace.live] {
                assert!(greeting.contains(key.as_str()), "{key} is missing");
            }
        }
    }
}
