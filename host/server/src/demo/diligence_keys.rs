//! The demo's keys of the due-diligence API, of the workspace that examples use.

use parafa_diligence::DiligenceError;
use parafa_platform::PlatformError;
use parafa_platform::accounts::{
    ApiKeyRow, KEY_BY_HASH, KeyMode, Product, USER_BY_EMAIL, folded_email,
};
use parafa_platform::agreement::AgreementRow;
use parafa_platform::webhook_secret::{WebhookSecret, WebhookSecretRow};
use parafa_store::Transaction;
use parafa_store::keys::{KeyError, hash_token};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::workspace::{OWNER, new_key};
use crate::app::App;

/// The entity of the synthetic set that pays for the demo.
const ENTITY: &str = "999000009";

/// The keys of a workspace that has agreed to everything.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DiligenceKeys {
    tenant: Uuid,
    test: String,
    live: String,
    webhook_secret: String,
}

impl DiligenceKeys {
    /// New ones of a workspace.
    pub(super) fn new(tenant: Uuid) -> Result<Self, KeyError> {
        Ok(Self {
            tenant,
            test: new_key(Product::Diligence, KeyMode::Test)?,
            live: new_key(Product::Diligence, KeyMode::Live)?,
            webhook_secret: WebhookSecret::random()?.reveal().to_owned(),
        })
    }

    /// Makes them, unless they are there.
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
        let hash = hash_token(&self.test).to_string();
        if tx.find(&KEY_BY_HASH, &hash).await?.is_some() {
            return Ok(());
        }
        let owner = (self.tenant, folded_email(OWNER));
        let owner = tx.find(&USER_BY_EMAIL, &owner).await?;
        let owner = owner.ok_or(PlatformError::Inconsistent(
            "the demo workspace has no owner",
        ))?;
        let entity = ENTITY.parse();
        tx.put(&AgreementRow {
            tenant: self.tenant,
            terms: true,
            agreement: true,
            entity: entity.ok(),
        })
        .await?;
        tx.put(secret).await?;
        for (mode, text) in [(KeyMode::Test, &self.test), (KeyMode::Live, &self.live)] {
            tx.insert(&ApiKeyRow {
                id: tx.new_id()?,
                tenant: self.tenant,
                user: owner.id,
                product: Product::Diligence,
                mode,
                hash: hash_token(text).to_string(),
                created_at: tx.now(),
                revoked_at: None,
            })
            .await?;
        }
        Ok(())
    }
}
