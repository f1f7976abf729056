//! Workspaces of a demo. Keys are generated and written down first, then the
//! workspaces that they open are created.

use std::io;
use std::path::Path;

use anyhow::Context;
use parafa_platform::accounts::{KeyMode, Product, Role, TenantRow, TenantStatus};
use parafa_platform::billing::{BillingRow, Funding};
use parafa_platform::webhook_secret::{WebhookSecret, WebhookSecretRow};
use parafa_signing::SigningError;
use parafa_store::keys::KeyError;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::diligence_keys::DiligenceKeys;
use super::relying_party::RelyingParty;
use super::rows::{OWNER, add, add_key, add_user, new_key};
use crate::app::App;

/// Workspace of the examples.
const SIGNING: &str = "Demo UAB";
/// Another workspace, which cannot see the first.
const OTHER: &str = "Kita UAB";
const VIEWER: &str = "viewer@example.com";

/// Workspaces with their keys.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Workspaces {
    pub(super) signing: Workspace,
    pub(super) other: Workspace,
    /// Keys of the due-diligence API; missing in files of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) diligence: Option<DiligenceKeys>,
    /// Relying party; missing in files of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) auth: Option<RelyingParty>,
}

/// A workspace with the keys of its users.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Workspace {
    pub(super) tenant: Uuid,
    test: String,
    live: String,
    /// A live key with read access alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    viewer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    webhook_secret: Option<String>,
}

impl Workspaces {
    /// Generates new ones, not stored yet.
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

    /// Reads the workspaces that an earlier start wrote, in any world.
    pub(super) fn kept(path: &Path) -> anyhow::Result<Option<Self>> {
        let unreadable = || format!("{} cannot be read", path.display());
        match std::fs::read(path) {
            Ok(text) => {
                let mut kept: Self = serde_json::from_slice(&text).with_context(unreadable)?;
                if kept.diligence.is_none() {
                    kept.diligence = Some(DiligenceKeys::new(kept.signing.tenant)?);
                }
                if kept.auth.is_none() {
                    kept.auth = Some(RelyingParty::new()?);
                }
                Ok(Some(kept))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(unreadable),
        }
    }

    /// Creates the missing ones.
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

    /// Returns the keys, for a person who started the demo; everything else is
    /// in the file.
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
    /// Returns a key for production.
    pub(super) fn live(&self) -> &str {
        &self.live
    }

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
