//! How workspaces show themselves to signers.

use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

use parafa_api_http::decode::line_fault;
use parafa_platform::face::{DoneMail, FaceRow, LogoFacts, LogoRow, NoColour, Rgb};
use parafa_store::Sha256Digest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::logo::Logo;
use crate::tenants::{LONGEST_NAME, find_tenant};
use crate::{OperateError, OperatorCommands};

/// What takes a value off.
const NONE: &str = "none";

/// What is to be from now on.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Chosen<T> {
    /// This.
    To(T),
    /// Nothing.
    Nothing,
}

impl<T> Chosen<T> {
    fn into_option(self) -> Option<T> {
        match self {
            Self::To(value) => Some(value),
            Self::Nothing => None,
        }
    }
}

impl FromStr for Chosen<String> {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            NONE => Self::Nothing,
            text => Self::To(text.to_owned()),
        })
    }
}

impl FromStr for Chosen<Rgb> {
    type Err = NoColour;

    fn from_str(text: &str) -> Result<Self, NoColour> {
        Ok(match text {
            NONE => Self::Nothing,
            text => Self::To(text.parse()?),
        })
    }
}

impl FromStr for Chosen<PathBuf> {
    type Err = std::io::Error;

    /// The path means the same to a server, which may run elsewhere.
    fn from_str(text: &str) -> Result<Self, std::io::Error> {
        Ok(match text {
            NONE => Self::Nothing,
            path => Self::To(std::path::absolute(path)?),
        })
    }
}

/// What of a face is to change; what is not named stays.
#[derive(Clone, Debug, Deserialize, Serialize, clap::Args)]
pub struct FaceChange {
    /// The name in which the workspace asks; its registered name stands beside.
    #[arg(long, value_name = "TEXT|none")]
    pub(crate) name: Option<Chosen<String>>,
    /// A PNG or SVG file, which is drawn anew.
    #[arg(long, value_name = "FILE|none")]
    pub(crate) logo: Option<Chosen<PathBuf>>,
    /// The colour of buttons and links, such as '#14532d'; it is made darker or
    /// lighter where it could not be read.
    #[arg(long, value_name = "#RRGGBB|none")]
    pub(crate) accent: Option<Chosen<Rgb>>,
    /// What signers to whom links are mailed get once all have signed.
    #[arg(long, value_enum)]
    pub(crate) done_mail: Option<DoneMail>,
}

impl OperatorCommands {
    pub(crate) async fn set_face(
        &self,
        named: &str,
        change: FaceChange,
    ) -> Result<Value, OperateError> {
        let name = change.name.map(display_name).transpose()?;
        let tenant = self.tenant_named(named).await?.id;
        let logo = match change.logo {
            None => None,
            Some(Chosen::Nothing) => Some(None),
            Some(Chosen::To(path)) => Some(Some(new_logo(tenant, path).await?)),
        };
        let accent = change.accent.map(Chosen::into_option);
        let (name, logo) = (&name, &logo);
        let row = self
            .records
            .store
            .transact(|tx| {
                Box::pin(async move {
                    let tenant = find_tenant(tx, &tenant.to_string()).await?.id;
                    let row = tx.get::<FaceRow>(&tenant).await?;
                    let mut row = row.unwrap_or_else(|| FaceRow::none(tenant));
                    if let Some(name) = name {
                        row.display_name.clone_from(name);
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

    /// How a workspace shows itself.
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

/// Drawing takes a while, in which others go on.
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
    })
}
