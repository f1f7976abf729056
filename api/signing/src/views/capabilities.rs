use schemars::JsonSchema;
use serde::Serialize;

use crate::vocabulary::{ContainerFormat, SigningMethod};

/// The capabilities of this service. Anything else is refused until it is set up.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// The document formats that are accepted.
    pub formats: Vec<InstalledFormat>,
    /// The methods by which signers can sign.
    pub methods: Vec<SigningMethod>,
    /// The containers that can be composed from files.
    pub containers: Vec<ContainerFormat>,
}

/// A document format, and the plugin that handles it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InstalledFormat {
    /// The plugin's id.
    pub id: String,
    /// The file extensions of its documents, without a dot.
    pub extensions: Vec<String>,
    /// The plugin's operations, such as `sign` and `archive`.
    pub operations: Vec<String>,
}
