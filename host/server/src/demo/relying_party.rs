//! Relying party of a demo, for authentications.

use parafa_auth::providers::NewProvider;
use parafa_domain::AuthenticationMethod;
use parafa_store::keys::{KeyError, Token};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::app::App;

const NAME: &str = "Demo parduotuvė";
/// Origin used in the examples.
const AUDIENCE: &str = "https://shop.example";
/// Origins of the example relying party, which has pages.
const EXAMPLE: [&str; 2] = ["http://localhost:8090", "http://127.0.0.1:8090"];

/// Relying party with its key.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RelyingParty {
    key_id: Uuid,
    key_secret: String,
    /// First of its origins.
    pub(super) audience: String,
}

impl RelyingParty {
    /// Generates a new one, not stored yet.
    pub(super) fn new() -> Result<Self, KeyError> {
        Ok(Self {
            key_id: Uuid::now_v7(),
            key_secret: format!("aks_{}", Token::random()?.reveal()),
            audience: AUDIENCE.to_owned(),
        })
    }

    /// Stores it, unless it exists.
    pub(super) async fn make(&self, app: &App) -> anyhow::Result<()> {
        let audiences = [self.audience.as_str()].into_iter().chain(EXAMPLE);
        let new = NewProvider {
            name: NAME.to_owned(),
            tenant: None,
            audiences: audiences.map(str::to_owned).collect(),
            methods: AuthenticationMethod::ALL.to_vec(),
            encodings: Vec::new(),
            asserts: true,
        };
        let providers = &app.authentications.providers;
        providers.add(self.key_id, &self.key_secret, new).await?;
        Ok(())
    }
}
