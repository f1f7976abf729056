use std::fmt;
use std::str::FromStr;

use bytes::Bytes;
use parafa_plugin_host::{
    ArchivedDocument, CallError, Capability, ComposeRequest, DeriveRequest, Document, MadeDocument,
    Member, Parameter, Plugin, Progress, Report, SignatureEvidence, SignedDocument, SourceFile,
    TargetLevel,
};
use serde::Deserialize;

use crate::SoftwareSigner;

/// Media types by extension, of files that documents are composed of.
const MEDIA_TYPES: [(&str, &str); 4] = [
    ("json", "application/json"),
    ("pdf", "application/pdf"),
    ("txt", "text/plain"),
    ("xml", "application/xml"),
];
const ANY_MEDIA_TYPE: &str = "application/octet-stream";

/// An operation of a plugin on a document.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// Raises signatures to level B-LT or B-LTA.
    Archive,
    /// Makes a document of files.
    Compose,
    /// Extracts the document's members.
    Extract,
    /// Draws form fields into the page.
    Flatten,
    /// Reports on the document and whether it can be signed.
    Inspect,
    /// Lists the document's members.
    Members,
    /// Makes the sandbox's unsigned artifact.
    Rehearse,
    /// Adds a signature.
    Sign,
    /// Reports on the document's signatures.
    Verify,
}

/// Input of a plugin.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Input {
    /// File names given to `compose`, each with these bytes and the media type of its extension.
    pub names: Vec<String>,
    /// The document.
    pub document: Bytes,
    /// Files beside the document, by name, covered by its detached signatures.
    pub companions: Vec<(String, Bytes)>,
    /// Id of the member for `extract`; all of them if `None`.
    pub member: Option<String>,
    /// The parameters of `compose`.
    pub params: Vec<Parameter>,
}

/// Answer of a plugin.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Answered {
    /// Answer to `archive`.
    Archived(Box<ArchivedDocument>),
    /// Answer to `extract`: members with their bytes.
    Extracted(Vec<(Member, Bytes)>),
    /// Answer to `inspect`.
    Inspected(Report),
    /// Answer to `compose`, `flatten` or `rehearse`.
    Made(Box<Made>),
    /// Answer to `members`.
    Told(Vec<Member>),
    /// Answer to `sign`.
    Signed(Box<SignedDocument>),
    /// Answer to `verify`.
    Verified(Vec<SignatureEvidence>),
}

/// A document made without a signature.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Made {
    /// The document.
    pub document: MadeDocument,
    /// Report of the plugin's own `inspect` on it; `None` if it cannot inspect.
    pub report: Option<Report>,
    /// Members of the output of `compose`; empty if the plugin does not list them.
    pub members: Vec<Member>,
    /// True if it is the given document.
    pub unchanged: bool,
}

impl Answered {
    /// The document that came out, if any did; of several members the first
    /// one.
    #[must_use]
    pub fn document(&self) -> Option<&Bytes> {
        match self {
            Self::Archived(archived) => archived.bytes.as_ref(),
            Self::Made(made) => Some(&made.document.bytes),
            Self::Signed(signed) => Some(&signed.bytes),
            Self::Extracted(members) => members.first().map(|(_, bytes)| bytes),
            Self::Inspected(_) | Self::Told(_) | Self::Verified(_) => None,
        }
    }
}

/// No operation has this name.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "there is no operation {0:?}; there are archive, compose, extract, flatten, inspect, members, rehearse, sign and verify"
)]
pub struct UnknownOperation(String);

/// Performs an operation of a plugin on a document. `signer` signs at once, to `level`, and its
/// authorities answer the needs of an archive, which is raised to `level` and at least to B-LT.
///
/// # Errors
///
/// The plugin's refusal of the document, or its fault.
pub async fn perform(
    plugin: &Plugin,
    operation: Operation,
    input: &Input,
    signer: &SoftwareSigner,
    level: TargetLevel,
) -> Result<Answered, CallError> {
    let document = input.document();
    let derive = || DeriveRequest {
        time: signer.time(),
        seed: signer.seed(),
        params: Vec::new(),
    };
    let made = match operation {
        Operation::Archive => return archive(plugin, document, signer, level).await,
        Operation::Inspect => return Ok(Answered::Inspected(plugin.inspect(document).await?)),
        Operation::Sign => {
            return sign(plugin, document, signer, level)
                .await
                .map(Answered::Signed);
        }
        Operation::Verify => {
            let evidence = plugin.verify(document).await?;
            return Ok(Answered::Verified(evidence.signatures));
        }
        Operation::Members => return Ok(Answered::Told(plugin.members(document).await?)),
        Operation::Extract => {
            let member = input.member.as_deref();
            return Ok(Answered::Extracted(
                extract(plugin, document, member).await?,
            ));
        }
        Operation::Compose => compose(plugin, input, signer).await?,
        Operation::Flatten => plugin.flatten(document.clone(), &derive()).await?,
        Operation::Rehearse => plugin.rehearse(document.clone(), &derive()).await?,
    };
    let report = if plugin.capabilities().contains(&Capability::Inspect) {
        Some(plugin.inspect(made.bytes.clone()).await?)
    } else {
        None
    };
    let is_composed = operation == Operation::Compose;
    let members = if is_composed && plugin.capabilities().contains(&Capability::Contents) {
        plugin.members(made.bytes.clone()).await?
    } else {
        Vec::new()
    };
    if !is_composed {
        let report = report.iter().map(|report| &report.media_type);
        for is in report.chain([&made.media_type]) {
            check_media_type(plugin, operation, document.clone(), is).await?;
        }
    }
    Ok(Answered::Made(Box::new(Made {
        report,
        members,
        unchanged: made.bytes == document.bytes(),
        document: made,
    })))
}

/// Signs with a plugin.
pub(crate) async fn sign(
    plugin: &Plugin,
    document: impl Into<Document>,
    signer: &SoftwareSigner,
    level: TargetLevel,
) -> Result<Box<SignedDocument>, CallError> {
    let document = document.into();
    let request = signer.request(level);
    let progress = plugin
        .drive_sign(document.clone(), &request, Vec::new(), signer)
        .await?;
    let Progress::Done(signed) = progress else {
        unreachable!("a software signer puts nothing off")
    };
    let is = &signed.outcome.media_type;
    check_media_type(plugin, Operation::Sign, document, is).await?;
    Ok(signed)
}

/// Checks that a document made has its media type, if the plugin can report that.
async fn check_media_type(
    plugin: &Plugin,
    operation: Operation,
    document: Document,
    is: &str,
) -> Result<(), CallError> {
    if !plugin.capabilities().contains(&Capability::Inspect) {
        return Ok(());
    }
    match plugin.inspect(document).await {
        Ok(report) => {
            let was = &report.media_type;
            Ok(plugin.check_same_media_type(operation.capability(), was, is)?)
        }
        Err(CallError::Refused(_)) => Ok(()),
        Err(fault) => Err(fault),
    }
}

/// Extracts one member, or all of them.
async fn extract(
    plugin: &Plugin,
    document: Document,
    id: Option<&str>,
) -> Result<Vec<(Member, Bytes)>, CallError> {
    let members = plugin.members(document.clone()).await?;
    let is_wanted = |member: &Member| id.is_none_or(|id| member.id == id);
    let mut extracted = Vec::new();
    for member in members.into_iter().filter(is_wanted) {
        let bytes = plugin.extract(document.clone(), &member.id).await?;
        extracted.push((member, bytes));
    }
    if let Some(id) = id.filter(|_| extracted.is_empty()) {
        plugin.extract(document, id).await?;
    }
    Ok(extracted)
}

async fn archive(
    plugin: &Plugin,
    document: Document,
    signer: &SoftwareSigner,
    level: TargetLevel,
) -> Result<Answered, CallError> {
    let request = signer.archive_request(level.max(TargetLevel::BLt));
    let progress = plugin
        .drive_archive(document.clone(), &request, Vec::new(), signer)
        .await?;
    let Progress::Done(archived) = progress else {
        unreachable!("a software signer puts nothing off")
    };
    let is = &archived.outcome.media_type;
    check_media_type(plugin, Operation::Archive, document, is).await?;
    Ok(Answered::Archived(archived))
}

async fn compose(
    plugin: &Plugin,
    input: &Input,
    signer: &SoftwareSigner,
) -> Result<MadeDocument, CallError> {
    let files = input.names.iter();
    let files: Vec<_> = files.map(|name| file(name, &input.document)).collect();
    let request = ComposeRequest {
        time: signer.time(),
        seed: signer.seed(),
        media_type: plugin.media_types().first().cloned().unwrap_or_default(),
        params: input.params.clone(),
    };
    plugin.compose(&files, &request).await
}

impl Input {
    /// The document, with the files beside it.
    pub(crate) fn document(&self) -> Document {
        let document = Document::from(self.document.clone());
        if self.companions.is_empty() {
            return document;
        }
        let companions = self.companions.iter();
        document.with_companions(companions.map(|(name, bytes)| file(name, bytes)).collect())
    }
}

fn file(name: &str, content: &Bytes) -> SourceFile {
    SourceFile {
        name: name.to_owned(),
        media_type: media_type_of(name).to_owned(),
        content: content.clone().into(),
    }
}

fn media_type_of(name: &str) -> &'static str {
    let extension = name.rsplit('.').next().unwrap_or_default();
    MEDIA_TYPES
        .into_iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(extension))
        .map_or(ANY_MEDIA_TYPE, |(_, media_type)| media_type)
}

impl Operation {
    pub(crate) const ALL: [Self; 9] = [
        Self::Archive,
        Self::Compose,
        Self::Extract,
        Self::Flatten,
        Self::Inspect,
        Self::Members,
        Self::Rehearse,
        Self::Sign,
        Self::Verify,
    ];

    /// Its name, as in the contract.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Extract => "extract",
            Self::Members => "members",
            other => other.capability().world(),
        }
    }

    /// The target levels that the operation can be asked for.
    #[must_use]
    pub fn levels(self) -> &'static [TargetLevel] {
        match self {
            Self::Archive => &[TargetLevel::BLt, TargetLevel::BLta],
            Self::Sign => &[TargetLevel::BB, TargetLevel::BT],
            _ => &[],
        }
    }

    /// Returns true if the operation makes a document.
    #[must_use]
    pub fn makes_a_document(self) -> bool {
        !matches!(self, Self::Inspect | Self::Members | Self::Verify)
    }

    /// Capability that the operation requires.
    #[must_use]
    pub fn capability(self) -> Capability {
        match self {
            Self::Archive => Capability::Archive,
            Self::Compose => Capability::Compose,
            Self::Extract | Self::Members => Capability::Contents,
            Self::Flatten => Capability::Flatten,
            Self::Inspect => Capability::Inspect,
            Self::Rehearse => Capability::Rehearse,
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
