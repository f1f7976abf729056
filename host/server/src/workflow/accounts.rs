//! Who calls.

use parafa_store::keys::hash_token;
use uuid::Uuid;

use crate::app::App;
use crate::error::WorkflowError;
use crate::records::{KEY_BY_HASH, KeyMode, Product, Role, TenantRow, TenantStatus, UserRow};

/// On whose behalf the API is called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller {
    /// The key that the call was made with.
    pub(crate) key: Uuid,
    pub(crate) tenant: Uuid,
    pub(crate) mode: KeyMode,
    pub(crate) role: Role,
}

impl App {
    /// Whom a key stands for; none when it, its user or its workspace does not
    /// work (any more), or when it is a key for something else.
    pub(crate) async fn caller(
        &self,
        key: &str,
        product: Product,
    ) -> Result<Option<Caller>, WorkflowError> {
        let hash = hash_token(key).to_string();
        self.store
            .read(|tx| {
                Box::pin(async move {
                    let Some(key) = tx.find(&KEY_BY_HASH, &hash).await? else {
                        return Ok(None);
                    };
                    if key.revoked_at.is_some() || key.product != product {
                        return Ok(None);
                    }
                    let role = tx
                        .get::<UserRow>(&key.user)
                        .await?
                        .and_then(|user| user.role);
                    let tenant = tx.get::<TenantRow>(&key.tenant).await?;
                    let active = tenant.is_some_and(|tenant| tenant.status == TenantStatus::Active);
                    Ok(role.filter(|_| active).map(|role| Caller {
                        key: key.id,
                        tenant: key.tenant,
                        mode: key.mode,
                        role,
                    }))
                })
            })
            .await
    }
}
