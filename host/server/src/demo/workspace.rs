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
use parafa_store::{StoreError, Table, Transaction};
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
                    let tenant = TenantRow {
                        id: self.tenant,
                        name: name.to_owned(),
                        status: TenantStatus::Active,
                        created_at: tx.now(),
                        adoc_category: None,
                    };
                    add(tx, &tenant).await?;
                    add(tx, billing).await?;
                    if let Some(secret) = &secret {
                        add(tx, secret).await?;
                    }
                    let product = Product::Signing;
                    let owner = add_user(tx, self.tenant, OWNER, Role::Owner).await?;
                    add_key(tx, &owner, product, KeyMode::Test, &self.test).await?;
                    add_key(tx, &owner, product, KeyMode::Live, &self.live).await?;
                    if let Some(key) = &self.viewer {
                        let viewer = add_user(tx, self.tenant, VIEWER, Role::Viewer).await?;
                        add_key(tx, &viewer, product, KeyMode::Live, key).await?;
                    }
                    Ok(())
                })
            })
            .await
    }
}

/// Adds a row, unless there is one with its key. Of a store that has lost
/// something, any part of a workspace may be there and the rest not.
pub(super) async fn add<T: Table>(tx: &mut Transaction<'_>, row: &T) -> Result<(), StoreError> {
    match tx.get::<T>(&row.key()).await? {
        Some(_) => Ok(()),
        None => tx.put(row).await,
    }
}

/// Who has this address in the workspace, as it is or anew.
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

/// Makes this the text of a key of the user, unless it is.
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
        },
    };
    tx.put(&key).await
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
