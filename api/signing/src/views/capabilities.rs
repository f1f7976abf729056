use schemars::JsonSchema;
use serde::Serialize;

use crate::vocabulary::{ContainerFormat, SigningMethod};

/// What can be done here: what is neither listed nor set up later is refused
/// however often it is asked for.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// The formats of documents that are taken.
    pub formats: Vec<InstalledFormat>,
    /// What signers can sign with.
    pub methods: Vec<SigningMethod>,
    /// The containers that can be made of files.
    pub containers: Vec<ContainerFormat>,
}

/// A format of documents, and the plugin that knows it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InstalledFormat {
    /// The plugin's id.
    pub id: String,
    /// The extensions of its documents' names, without a dot.
    pub extensions: Vec<String>,
    /// What the plugin does with them, such as `sign` and `archive`.
    pub operations: Vec<String>,
}
