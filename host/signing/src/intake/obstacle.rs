//! Why documents cannot be signed.

use parafa_api_signing::requests::{ContainerFile, NewDocument, NewFile};
use parafa_ceremony::CeremonyError;
use parafa_plugin_host::{CallError, Fault, Refusal, refusal};

use crate::error::{IntakeFault, RefusedDocument};

/// Refusals of documents that are sound but can take no signature.
const UNPROCESSABLE: [&str; 5] = [
    refusal::CONTAINER_FINALIZED,
    refusal::CONTAINER_UNSIGNED,
    refusal::CONTAINER_UNSOUND,
    refusal::MDOC_NOT_ACCEPTED,
    refusal::UNSUPPORTED_CONTAINER,
];

/// Why a document cannot be signed.
pub(super) enum Obstacle {
    /// Its token names nothing that this caller has.
    UnknownFile,
    /// Its name says that it is an MDOC.
    NamedMdoc,
    /// It is refused.
    Refused(Refusal),
    /// No plugin that is installed does that with documents of its format.
    NotInstalled(&'static str),
    /// The plugin that takes documents with this extension may be out of use at
    /// the moment.
    OutOfUse(String),
    /// None flattens them.
    CannotFlatten,
    /// The plugin failed on it.
    Failed(Fault),
}

/// Places in a request that are about one file, as JSON Pointers.
pub(super) struct Pointers {
    name: String,
    /// Of its bytes, or their token.
    bytes: String,
    /// Of the wish to flatten it; where the bytes stand, if it cannot be wished.
    flatten: String,
}

impl Obstacle {
    /// Whether the document is sound, and can take no signature.
    pub(super) fn is_unprocessable(&self) -> bool {
        match self {
            Self::NamedMdoc => true,
            Self::Refused(refusal) => UNPROCESSABLE.contains(&&*refusal.code),
            _ => false,
        }
    }

    /// What is wrong with the request because of it.
    pub(super) fn fault(&self, at: &Pointers) -> Option<IntakeFault> {
        if let Self::UnknownFile = self {
            let pointer = at.bytes.clone();
            return Some(IntakeFault::UnknownFile { pointer });
        }
        let (pointer, refusal) = self.refusal(at)?;
        Some(IntakeFault::Refused(RefusedDocument {
            pointer,
            flatten_pointer: at.flatten.clone(),
            refusal,
        }))
    }

    /// Where what is refused because of it stands in the request, and why it is.
    pub(super) fn refusal(&self, at: &Pointers) -> Option<(String, Refusal)> {
        let (pointer, refusal) = match self {
            Self::NamedMdoc => (&at.name, mdoc_refusal()),
            Self::Refused(refusal) => (&at.bytes, refusal.clone()),
            Self::NotInstalled(what) => (&at.name, not_installed(what)),
            Self::CannotFlatten => {
                let refusal = Refusal {
                    code: refusal::FLATTEN_REFUSED.into(),
                    ..not_installed("flattens documents of this format")
                };
                (&at.bytes, refusal)
            }
            Self::UnknownFile | Self::OutOfUse(_) | Self::Failed(_) => return None,
        };
        Some((pointer.clone(), refusal))
    }

    /// The error of what is not the request's fault.
    pub(super) fn error(self) -> Option<CeremonyError> {
        match self {
            Self::OutOfUse(extension) => Some(out_of_use(&extension)),
            Self::Failed(fault) => Some(CeremonyError::Plugin(Box::new(fault))),
            _ => None,
        }
    }
}

impl From<CallError> for Obstacle {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Refused(refusal) => Self::Refused(refusal),
            CallError::Fault(fault) => Self::Failed(fault),
        }
    }
}

impl From<&NewDocument> for Pointers {
    fn from(document: &NewDocument) -> Self {
        Self {
            name: document.name_pointer(),
            bytes: document.content_pointer(),
            flatten: document.flatten_pointer(),
        }
    }
}

impl From<&ContainerFile> for Pointers {
    fn from(file: &ContainerFile) -> Self {
        Self {
            name: file.name_pointer(),
            bytes: file.content_pointer(),
            flatten: file.content_pointer(),
        }
    }
}

/// A file that is stored is the whole request.
impl From<&NewFile> for Pointers {
    fn from(_: &NewFile) -> Self {
        Self {
            name: NewFile::NAME_POINTER.to_owned(),
            bytes: NewFile::CONTENT_POINTER.to_owned(),
            flatten: NewFile::CONTENT_POINTER.to_owned(),
        }
    }
}

/// What is told of documents whose plugin is out of use.
pub(crate) fn out_of_use(extension: &str) -> CeremonyError {
    CeremonyError::OutOfUse {
        format: format!(".{extension}"),
        done: "taken",
    }
}

/// A refusal for want of a plugin, which asking again does not change.
pub(crate) fn not_installed(what: &str) -> Refusal {
    Refusal::new(
        "format-not-installed",
        format!("No installed plugin {what}; GET /v1/capabilities lists their operations."),
    )
}

fn mdoc_refusal() -> Refusal {
    Refusal::new(
        refusal::MDOC_NOT_ACCEPTED,
        "An MDOC takes a first signature only.",
    )
}
