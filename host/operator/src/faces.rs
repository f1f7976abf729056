//! Branding of workspaces on the pages for signers.

use std::path::PathBuf;

use parafa_api_http::decode::{line_fault, mail_address};
use parafa_logo::Logo;
use parafa_platform::face::{FaceRow, LogoFacts, LogoRow};
use parafa_store::Sha256Digest;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::tenants::{LONGEST_NAME, find_tenant};
use crate::{Chosen, FaceChange, OperateError, OperatorCommands};

impl OperatorCommands {
    pub(crate) async fn set_face(
        &self,
        named: &str,
        change: FaceChange,
    ) -> Result<Value, OperateError> {
        let name = change.name.map(display_name).transpose()?;
        let contact = change.contact.map(contact_address).transpose()?;
        let tenant = self.tenant_named(named).await?.id;
        let logo = match change.logo {
            None => None,
            Some(Chosen::Nothing) => Some(None),
            Some(Chosen::To(path)) => Some(Some(new_logo(tenant, path).await?)),
        };
        let accent = change.accent.map(Chosen::into_option);
        let (name, logo, contact) = (&name, &logo, &contact);
        let row = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let tenant = find_tenant(tx, &tenant.to_string()).await?.id;
                    let row = tx.get::<FaceRow>(&tenant).await?;
                    let mut row = row.unwrap_or_else(|| FaceRow::none(tenant));
                    if let Some(name) = name {
                        row.display_name.clone_from(name);
                    }
                    if let Some(contact) = contact {
                        row.contact.clone_from(contact);
                    }
                    row.accent = accent.unwrap_or(row.accent);
                    row.done_mail = change.done_mail.unwrap_or(row.done_mail);
                    match logo {
                        None => {}
                        Some(None) => {
                            row.logo = None;
                            tx.delete::<LogoRow>(&tenant).await?;
                        }
                        Some(Some((facts, logo))) => {
                            row.logo = Some(facts.clone());
                            tx.put(logo).await?;
                        }
                    }
                    tx.put(&row).await?;
                    Ok::<_, OperateError>(row)
                })
            })
            .await?;
        Ok(shown(&row))
    }

    /// Returns the branding of a workspace.
    pub(crate) async fn shown_face(&self, tenant: Uuid) -> Result<Value, OperateError> {
        let row = self.records.store.get::<FaceRow>(&tenant).await?;
        Ok(shown(&row.unwrap_or_else(|| FaceRow::none(tenant))))
    }
}

fn display_name(name: Chosen<String>) -> Result<Option<String>, OperateError> {
    let Some(name) = name.into_option() else {
        return Ok(None);
    };
    let name = name.trim();
    match line_fault(name, LONGEST_NAME) {
        None => Ok(Some(name.to_owned())),
        Some(fault) => Err(OperateError::Name(fault)),
    }
}

fn contact_address(contact: Chosen<String>) -> Result<Option<String>, OperateError> {
    let Some(contact) = contact.into_option() else {
        return Ok(None);
    };
    match mail_address(&contact) {
        Some(_) => Ok(Some(contact)),
        None => Err(OperateError::Email(contact)),
    }
}

/// Reads a logo on a blocking thread, because drawing takes a while.
async fn new_logo(tenant: Uuid, path: PathBuf) -> Result<(LogoFacts, LogoRow), OperateError> {
    let drawn = tokio::task::spawn_blocking(move || Logo::read(&path)).await;
    let Logo { width, height, png } = drawn.map_err(OperateError::LogoLost)??;
    let facts = LogoFacts {
        width,
        height,
        sha256: Sha256Digest::of(&png).to_string(),
    };
    Ok((facts, LogoRow { tenant, png }))
}

fn shown(row: &FaceRow) -> Value {
    json!({
        "name": row.display_name,
        "logo": row.logo,
        "accent": row.accent,
        "doneMail": row.done_mail,
        "contact": row.contact,
    })
}
