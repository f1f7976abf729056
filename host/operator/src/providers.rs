use parafa_api_signing::views::date_time;
use parafa_auth::providers::NewProvider;
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
