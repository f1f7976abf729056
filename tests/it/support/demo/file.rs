//! Content of a server's `demo.json`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use url::Url;

/// `demo.json`, parsed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DemoFile {
    pub(crate) base_url: Url,
    pub(crate) operator_url: Url,
    pub(crate) signing: SigningTenant,
    pub(crate) diligence: DiligenceKeys,
    pub(crate) auth: RelyingParty,
    pub(crate) world: World,
}

/// Relying party of the authentication API, with its key.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RelyingParty {
    pub(crate) key_id: String,
    pub(crate) key_secret: String,
    pub(crate) audience: String,
}

/// Keys of the due-diligence API.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiligenceKeys {
    pub(crate) tenant: String,
    pub(crate) test: String,
    pub(crate) live: String,
    pub(crate) webhook_secret: String,
}

/// Workspace of the signing API, with its keys.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SigningTenant {
    pub(crate) test: String,
    pub(crate) live: String,
    pub(crate) viewer: String,
    pub(crate) webhook_secret: String,
}

/// Addresses of the world's services.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct World {
    pub(crate) smart_id: String,
    pub(crate) cards: String,
    pub(crate) control: String,
    pub(crate) hooks: String,
    pub(crate) mail: String,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) personas: Vec<Persona>,
}

/// A fictional person, who can sign or not.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Persona {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) country: String,
    pub(crate) personal_code: String,
    pub(crate) document_number: Option<String>,
    pub(crate) phone_number: Option<String>,
    pub(crate) methods: Vec<String>,
    pub(crate) outcome: String,
}
