//! Keys of the due-diligence API in a demo, for the workspace of the examples.

use parafa_diligence::DiligenceError;
use parafa_platform::PlatformError;
use parafa_platform::accounts::{KeyMode, Product, Role};
use parafa_platform::agreement::AgreementRow;
use parafa_platform::webhook_secret::{WebhookSecret, WebhookSecretRow};
use parafa_store::Transaction;
use parafa_store::keys::KeyError;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::rows::{OWNER, add, add_key, add_user, new_key};
use crate::app::App;

/// Synthetic entity that pays for the demo.
const ENTITY: &str = "999000009";

/// Keys of a workspace that has accepted all agreements.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DiligenceKeys {
    tenant: Uuid,
    test: String,
    live: String,
    webhook_secret: String,
}

impl DiligenceKeys {
    /// Generates the keys of a workspace.
    pub(super) fn new(tenant: Uuid) -> Result<Self, KeyError> {
        Ok(Self {
            tenant,
            test: new_key(Product::Diligence, KeyMode::Test)?,
            live: new_key(Product::Diligence, KeyMode::Live)?,
            webhook_secret: WebhookSecret::random()?.reveal().to_owned(),
        })
    }

    /// Stores them, unless they exist.
    pub(super) async fn make(&self, app: &App) -> Result<(), DiligenceError> {
        let secret = WebhookSecret::from_text(self.webhook_secret.clone());
        let (master, product) = (&app.records.master, Product::Diligence);
        let secret = WebhookSecretRow::seal(master, self.tenant, product, &secret, None);
        let secret = &secret.map_err(PlatformError::from)?;
        app.records
            .store
            .transact(|tx| Box::pin(self.make_in(tx, secret)))
            .await
    }

    async fn make_in(
        &self,
        tx: &mut Transaction<'_>,
        secret: &WebhookSecretRow,
    ) -> Result<(), DiligenceError> {
        let agreement = AgreementRow {
            tenant: self.tenant,
            terms: true,
            agreement: true,
            entity: ENTITY.parse().ok(),
        };
        add(tx, &agreement).await?;
        add(tx, secret).await?;
        let owner = add_user(tx, self.tenant, OWNER, Role::Owner).await?;
        for (mode, text) in [(KeyMode::Test, &self.test), (KeyMode::Live, &self.live)] {
            add_key(tx, &owner, Product::Diligence, mode, text).await?;
        }
        Ok(())
    }
}
