use jiff::SignedDuration;
use parafa_api_signing::views::date_time;
use parafa_auth::assertion::RevokedKey;
use parafa_auth::providers::{NewProvider, ProviderChange};
use parafa_auth::records::ProviderRow;
use parafa_domain::AuthenticationMethod;
use serde_json::{Value, json};

use crate::command::ProviderMethod;
use crate::{OperateError, OperatorCommands, ProviderCommand};

impl OperatorCommands {
    pub(crate) async fn provider(&self, command: ProviderCommand) -> Result<Value, OperateError> {
        match command {
            ProviderCommand::Create {
                name,
                audiences,
                methods,
                encodings,
                tenant,
                no_assertion,
            } => {
                let tenant = match tenant {
                    Some(tenant) => Some(self.tenant_named(&tenant).await?.id),
                    None => None,
                };
                let new = NewProvider {
                    name,
                    tenant,
                    audiences,
                    methods: methods.into_iter().map(method).collect(),
                    encodings,
                    asserts: !no_assertion,
                };
                let (provider, secret) = self.providers.create(new).await?;
                Ok(json!({"keyId": provider.id, "keySecret": secret}))
            }
            ProviderCommand::List => {
                let providers = self.providers.list().await?;
                Ok(providers.iter().map(shown).collect())
            }
            ProviderCommand::Revoke { key_id } => Ok(shown(&self.providers.revoke(key_id).await?)),
            ProviderCommand::Set {
                key_id,
                audiences,
                methods,
                encodings,
            } => {
                let change = ProviderChange {
                    audiences,
                    methods: methods.into_iter().map(method).collect(),
                    encodings,
                };
                Ok(shown(&self.providers.set(key_id, change).await?))
            }
            ProviderCommand::RotateSecret {
                key_id,
                overlap_hours,
            } => {
                let overlap = SignedDuration::from_hours(overlap_hours.into());
                let rotated = self.providers.rotate_secret(key_id, overlap).await?;
                let (provider, secret) = rotated;
                let previous = provider.previous_secret;
                Ok(json!({
                    "keyId": provider.id,
                    "keySecret": secret,
                    "previousWorksUntil": previous.map(|grant| date_time(grant.expires_at)),
                }))
            }
            ProviderCommand::RevokeKey { kid } => {
                let revoked = self.assertion_keys.revoke(kid.as_deref()).await;
                let revoked = revoked.map_err(OperateError::AssertionKey)?;
                let unknown = || OperateError::UnknownAssertionKey(kid.unwrap_or_default());
                let RevokedKey { revoked, kid } = revoked.ok_or_else(unknown)?;
                Ok(json!({"revoked": revoked, "kid": kid}))
            }
            ProviderCommand::RotateKey => {
                let rotated = self.assertion_keys.rotate().await;
                let kid = rotated.map_err(OperateError::AssertionKey)?;
                Ok(json!({"kid": kid}))
            }
        }
    }
}

fn method(method: ProviderMethod) -> AuthenticationMethod {
    match method {
        ProviderMethod::Physical => AuthenticationMethod::Physical,
        ProviderMethod::Nfc => AuthenticationMethod::Nfc,
        ProviderMethod::SmartId => AuthenticationMethod::SmartId,
        ProviderMethod::MobileId => AuthenticationMethod::MobileId,
    }
}

fn shown(provider: &ProviderRow) -> Value {
    json!({
        "keyId": provider.id,
        "name": provider.name,
        "tenant": provider.tenant,
        "audiences": provider.audiences,
        "methods": provider.methods,
        "encodings": provider.encodings,
        "assertion": provider.asserts,
        "createdAt": date_time(provider.created_at),
        "revokedAt": provider.revoked_at.map(date_time),
    })
}
