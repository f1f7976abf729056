use email_address::EmailAddress;
use parafa_platform::accounts::{Role, USER_BY_EMAIL, UserRow, folded_email};
use parafa_store::Transaction;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::tenants::find_tenant;
use crate::{OperateError, OperatorCommands, UserCommand};

impl OperatorCommands {
    pub(crate) async fn user(&self, command: UserCommand) -> Result<Value, OperateError> {
        let user = match command {
            UserCommand::Add {
                tenant,
                email,
                role,
            } => self.add_user(&tenant, &email, role).await?,
            UserCommand::SetRole {
                tenant,
                email,
                role,
            } => self.set_role(&tenant, &email, Some(role)).await?,
            UserCommand::Revoke { tenant, email } => self.set_role(&tenant, &email, None).await?,
        };
        Ok(json!({
            "id": user.id,
            "tenant": user.tenant,
            "email": user.email,
            "role": user.role,
        }))
    }

    /// Adds a user to a workspace.
    pub async fn add_user(
        &self,
        tenant: &str,
        email: &str,
        role: Role,
    ) -> Result<UserRow, OperateError> {
        if !EmailAddress::is_valid(email) {
            return Err(OperateError::Email(email.to_owned()));
        }
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let tenant = find_tenant(tx, tenant).await?;
                    let key = (tenant.id, folded_email(email));
                    if tx.find(&USER_BY_EMAIL, &key).await?.is_some() {
                        return Err(OperateError::UserExists(email.to_owned()));
                    }
                    let user = UserRow {
                        id: tx.new_id()?,
                        tenant: tenant.id,
                        email: email.to_owned(),
                        role: Some(role),
                    };
                    tx.insert(&user).await?;
                    Ok(user)
                })
            })
            .await
    }

    async fn set_role(
        &self,
        tenant: &str,
        email: &str,
        role: Option<Role>,
    ) -> Result<UserRow, OperateError> {
        self.records
            .transact(|tx| {
                Box::pin(async move {
                    let tenant = find_tenant(tx, tenant).await?;
                    let mut user = find_user(tx, tenant.id, email).await?;
                    user.role = role;
                    tx.put(&user).await?;
                    Ok(user)
                })
            })
            .await
    }
}

/// Returns the user of a workspace with this address.
pub(crate) async fn find_user(
    tx: &mut Transaction<'_>,
    tenant: Uuid,
    email: &str,
) -> Result<UserRow, OperateError> {
    let found = tx
        .find(&USER_BY_EMAIL, &(tenant, folded_email(email)))
        .await?;
    found.ok_or_else(|| OperateError::UnknownUser(email.to_owned()))
}
