//! Secrets that sign the events of a workspace.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use parafa_store::keys::KeyError;
use parafa_store::{MasterKey, Sealed, plain_table};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::accounts::Product;

/// Prefix of a secret in the form of Standard Webhooks.
const PREFIX: &str = "whsec_";
/// Entropy of a secret, in bytes; Standard Webhooks requires 24 to 64.
const SECRET_BYTES: usize = 32;
const PURPOSE: &str = "webhook-secret";

/// A secret that signs the events of a workspace: `whsec_` and base64.
pub struct WebhookSecret(Zeroizing<String>);

impl WebhookSecret {
    /// Creates a random secret.
    pub fn random() -> Result<Self, KeyError> {
        let mut bytes = Zeroizing::new([0_u8; SECRET_BYTES]);
        getrandom::fill(bytes.as_mut()).map_err(|_| KeyError::Random)?;
        let text = format!("{PREFIX}{}", STANDARD.encode(bytes.as_ref()));
        Ok(Self(Zeroizing::new(text)))
    }

    /// Creates a secret from its text.
    pub fn from_text(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// Returns the text, for its owner's eyes.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the key that Standard Webhooks takes from the text: its decoded
    /// base64 part.
    pub fn key(&self) -> Zeroizing<Vec<u8>> {
        let encoded = self.0.strip_prefix(PREFIX).unwrap_or(&self.0);
        Zeroizing::new(STANDARD.decode(encoded).unwrap_or_default())
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("WebhookSecret(…)")
    }
}

/// A workspace's webhook secrets for one product, sealed under the master key.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct WebhookSecretRow {
    /// The workspace.
    pub tenant: Uuid,
    /// The API of the secrets.
    pub product: Product,
    /// The active secret, sealed.
    pub current: Sealed,
    /// The previous secret, while it still signs.
    pub retired: Option<RetiredSecret>,
}

/// A replaced secret that still signs for a while.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RetiredSecret {
    /// The secret, sealed.
    pub sealed: Sealed,
    /// End of its use.
    pub until: Timestamp,
}

impl WebhookSecretRow {
    /// Creates a row with `secret` as the current one.
    pub fn seal(
        master: &MasterKey,
        tenant: Uuid,
        product: Product,
        secret: &WebhookSecret,
        retired: Option<RetiredSecret>,
    ) -> Result<Self, KeyError> {
        let key = master.sealing_key(PURPOSE);
        let current = key.seal_json(&context(tenant, product), &secret.reveal())?;
        Ok(Self {
            tenant,
            product,
            current,
            retired,
        })
    }

    /// Opens the secrets that sign at `now`, the current one first.
    pub fn open(&self, master: &MasterKey, now: Timestamp) -> Result<Vec<WebhookSecret>, KeyError> {
        let key = master.sealing_key(PURPOSE);
        let context = context(self.tenant, self.product);
        let retired = self.retired.iter().filter(|retired| now < retired.until);
        std::iter::once(&self.current)
            .chain(retired.map(|retired| &retired.sealed))
            .map(|sealed| {
                let text = key.open_json::<String>(&context, sealed)?;
                Ok(WebhookSecret(Zeroizing::new(text)))
            })
            .collect()
    }
}

fn context(tenant: Uuid, product: Product) -> Vec<u8> {
    let mut context = tenant.as_bytes().to_vec();
    context.extend_from_slice(&product.number().to_be_bytes());
    context
}

plain_table!(WebhookSecretRow: "webhook_secrets" by (Uuid, u32), |row| (row.tenant, row.product.number()));
