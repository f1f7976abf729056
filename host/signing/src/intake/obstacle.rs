//! Obstacles to signing a document.

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

/// Obstacle to signing a document.
pub(super) enum Obstacle {
    /// Its token is not one of this caller's.
    UnknownFile,
    /// Its name is an MDOC's.
    NamedMdoc,
    /// A plugin refused it.
    Refused(Refusal),
    /// No installed plugin has this capability for its format.
    NotInstalled(&'static str),
    /// The plugin for documents with this extension may be disabled at the
    /// moment.
    OutOfUse(String),
    /// No installed plugin flattens it.
    CannotFlatten,
    /// A plugin failed on it.
    Failed(Fault),
}

/// JSON pointers into a request about one file.
pub(super) struct Pointers {
    name: String,
    /// Pointer to its bytes, or their token.
    bytes: String,
    /// Pointer to the flatten option, or to the bytes where there is no such
    /// option.
    flatten: String,
}

impl Obstacle {
    /// Returns whether the document is sound, and can take no signature.
    pub(super) fn is_unprocessable(&self) -> bool {
        match self {
            Self::NamedMdoc => true,
            Self::Refused(refusal) => UNPROCESSABLE.contains(&&*refusal.code),
            _ => false,
        }
    }

    /// Returns the request's fault because of it.
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

    /// Returns the pointer to the refused part of the request, with the refusal.
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

    /// Returns the error, if the request is not at fault.
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

/// Pointers of a stored file, which is the whole request.
impl From<&NewFile> for Pointers {
    fn from(_: &NewFile) -> Self {
        Self {
            name: NewFile::NAME_POINTER.to_owned(),
            bytes: NewFile::CONTENT_POINTER.to_owned(),
            flatten: NewFile::CONTENT_POINTER.to_owned(),
        }
    }
}

/// Returns the error for documents with a disabled plugin.
pub(crate) fn out_of_use(extension: &str) -> CeremonyError {
    CeremonyError::OutOfUse {
        format: format!(".{extension}"),
        done: "taken",
    }
}

/// Returns a refusal for want of a plugin, which a retry does not change.
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
