use std::fmt;
use std::str::FromStr;

use bytes::Bytes;
use parafa_plugin_host::{
    CallError, Capability, Plugin, Progress, Report, SignatureEvidence, SignedDocument,
};
use serde::Deserialize;

use crate::SoftwareSigner;

/// What a plugin is asked to do with a document.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// Says what the document is and whether it may be signed.
    Inspect,
    /// Adds a signature.
    Sign,
    /// Gives evidence about the document's signatures.
    Verify,
}

/// What a plugin answered.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Answered {
    /// To `inspect`.
    Inspected(Report),
    /// To `sign`.
    Signed(Box<SignedDocument>),
    /// To `verify`.
    Verified(Vec<SignatureEvidence>),
}

/// No operation has this name.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("there is no operation {0:?}; there are inspect, sign and verify")]
pub struct UnknownOperation(String);

/// Has a plugin do something with a document; `signer` signs at once.
///
/// # Errors
///
/// The plugin's refusal of the document, or its fault.
pub async fn perform(
    plugin: &Plugin,
    operation: Operation,
    document: Bytes,
    signer: &SoftwareSigner,
) -> Result<Answered, CallError> {
    Ok(match operation {
        Operation::Inspect => Answered::Inspected(plugin.inspect(document).await?),
        Operation::Sign => Answered::Signed(sign(plugin, document, signer).await?),
        Operation::Verify => Answered::Verified(plugin.verify(document).await?),
    })
}

async fn sign(
    plugin: &Plugin,
    document: Bytes,
    signer: &SoftwareSigner,
) -> Result<Box<SignedDocument>, CallError> {
    match plugin
        .drive_sign(document, &signer.request(), Vec::new(), signer)
        .await?
    {
        Progress::Done(signed) => Ok(signed),
        Progress::Suspended(_) => unreachable!("a software signer puts nothing off"),
    }
}

impl Operation {
    const ALL: [Self; 3] = [Self::Inspect, Self::Sign, Self::Verify];

    /// Its name, as in the contract.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.capability().world()
    }

    /// What a plugin must be able to do for it.
    #[must_use]
    pub fn capability(self) -> Capability {
        match self {
            Self::Inspect => Capability::Inspect,
            Self::Sign => Capability::Sign,
            Self::Verify => Capability::Verify,
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Operation {
    type Err = UnknownOperation;

    fn from_str(name: &str) -> Result<Self, UnknownOperation> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.name() == name)
            .ok_or_else(|| UnknownOperation(name.to_owned()))
    }
}
