//! Workspaces, their users and keys.

use parafa_store::keys::{Token, hash_token};
use uuid::Uuid;

use crate::app::App;
use crate::error::WorkflowError;
use crate::records::{
    ApiKeyRow, KEY_BY_HASH, KeyMode, Product, Role, TenantRow, TenantStatus, UserRow,
};

/// On whose behalf the API is called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller {
    pub(crate) tenant: Uuid,
    pub(crate) mode: KeyMode,
    pub(crate) role: Role,
}

impl App {
    /// Makes a workspace.
    pub(crate) async fn create_tenant(&self, name: &str) -> Result<TenantRow, WorkflowError> {
        let name = name.to_owned();
        self.store
            .transact(|tx| {
                let name = name.clone();
                Box::pin(async move {
                    let tenant = TenantRow {
                        id: tx.new_id()?,
                        name,
                        status: TenantStatus::Active,
                        created_at: tx.now(),
                    };
                    tx.insert(&tenant).await?;
                    Ok(tenant)
                })
            })
            .await
    }

    /// Adds a user to a workspace.
    pub(crate) async fn add_user(
        &self,
        tenant: Uuid,
        email: &str,
        role: Role,
    ) -> Result<UserRow, WorkflowError> {
        let email = email.to_owned();
        self.store
            .transact(|tx| {
                let email = email.clone();
                Box::pin(async move {
                    tx.get::<TenantRow>(&tenant)
                        .await?
                        .ok_or(WorkflowError::NotFound)?;
                    let user = UserRow {
                        id: tx.new_id()?,
                        tenant,
                        email,
                        role: Some(role),
                    };
                    tx.insert(&user).await?;
                    Ok(user)
                })
            })
            .await
    }

    /// Issues a key that acts as a user; its text is shown this once only.
    pub(crate) async fn issue_key(
        &self,
        user: &UserRow,
        product: Product,
        mode: KeyMode,
    ) -> Result<String, WorkflowError> {
        let text = format!("{}{}", key_prefix(product, mode), Token::random()?.reveal());
        let (user, tenant, hash) = (user.id, user.tenant, hash_token(&text).to_string());
        self.store
            .transact(|tx| {
                let hash = hash.clone();
                Box::pin(async move {
                    let key = ApiKeyRow {
                        id: tx.new_id()?,
                        tenant,
                        user,
                        product,
                        mode,
                        hash,
                        created_at: tx.now(),
                        revoked_at: None,
                    };
                    tx.insert(&key).await?;
                    Ok::<_, WorkflowError>(())
                })
            })
            .await?;
        Ok(text)
    }

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
                        tenant: key.tenant,
                        mode: key.mode,
                        role,
                    }))
                })
            })
            .await
    }
}

fn key_prefix(product: Product, mode: KeyMode) -> &'static str {
    match (product, mode) {
        (Product::Signing, KeyMode::Live) => "tsk_live_",
        (Product::Signing, KeyMode::Test) => "tsk_test_",
    }
}
