//! What a server tells of its demo world.

use std::path::PathBuf;

use serde::Deserialize;
use url::Url;

/// `demo.json`.
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

/// The relying party of the authentication API and its key.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RelyingParty {
    pub(crate) key_id: String,
    pub(crate) key_secret: String,
    pub(crate) audience: String,
}

/// The keys of the due-diligence API.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiligenceKeys {
    pub(crate) tenant: String,
    pub(crate) test: String,
    pub(crate) live: String,
    pub(crate) webhook_secret: String,
}

/// The tenant of the signing API and its keys.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SigningTenant {
    pub(crate) test: String,
    pub(crate) live: String,
    pub(crate) viewer: String,
    pub(crate) webhook_secret: String,
}

/// The other side of every service.
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

/// Somebody who can sign, or cannot.
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
