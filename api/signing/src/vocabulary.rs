//! The enumerated values of the contract, by the names that go over the wire.

pub use parafa_api_ceremony::{Language, SignerStatus, SigningMethod};
use parafa_api_http::wire_enums;

wire_enums! {
    /// The status of a signing.
    SigningStatus {
        /// At least one signer can still sign.
        Pending = "pending",
        /// Every signer signed.
        Completed = "completed",
        /// Somebody declined and nobody else can still sign.
        Declined = "declined",
        /// The hard deadline came first.
        Expired = "expired",
        /// The caller retracted it.
        Cancelled = "cancelled",
        /// The document could not be prepared or finished.
        Failed = "failed",
    }

    /// The way in which a signing was completed.
    CompletionMode {
        /// People signed with their eID.
        QesCeremony = "qes_ceremony",
        /// Lifecycle only, no signature.
        SandboxSimulation = "sandbox_simulation",
    }

    /// Delivery of ceremony links to the signers.
    Delivery {
        /// The caller hands them on.
        Link = "link",
        /// The service mails them.
        Email = "email",
    }

    /// The order in which signers sign.
    SigningOrder {
        /// In any order.
        Parallel = "parallel",
        /// One at a time, in the order posted.
        Sequential = "sequential",
    }

    /// The role of a party of a signing.
    PartyRole {
        /// Signs.
        Signer = "signer",
        /// Is recorded only.
        Viewer = "viewer",
    }

    /// The format of a new container.
    ContainerFormat {
        /// ASiC-E of PDF files.
        Asice = "asice",
        /// ADOC-V1.0 of PDF and XLSX files.
        Adoc = "adoc",
    }

    /// The simulated outcome of a sandbox signing.
    SimulatedOutcome {
        /// Every open signer counts as done.
        Complete = "complete",
        /// One signer declines.
        Decline = "decline",
        /// The hard deadline passes.
        Expire = "expire",
    }

    /// The long-term level of an archived document.
    ArchiveLevel {
        /// ETSI EN 319 142-1, baseline LT.
        PadesBaselineLt = "PAdES-B-LT",
        /// ETSI EN 319 132-1, baseline LT.
        XadesLt = "XAdES-LT",
    }

    /// The form of the evidence of a signing.
    EvidenceFormat {
        /// All of it, with what the hashes of the audit trail are recomputed from.
        Json = "json",
        /// An unsigned PDF of it, without the details of the events.
        Pdf = "pdf",
    }

    /// The events of webhooks.
    SigningEventKind {
        /// A signer signed.
        SignerSigned = "signing.signer_signed",
        /// A signer declined.
        SignerDeclined = "signing.signer_declined",
        /// Every signer signed.
        Completed = "signing.completed",
        /// Somebody declined and nobody else can still sign.
        Declined = "signing.declined",
        /// The caller retracted the signing.
        Cancelled = "signing.cancelled",
        /// The hard deadline came first.
        Expired = "signing.expired",
        /// The signing could not be prepared or finished.
        Failed = "signing.failed",
    }

    /// Author of a comment.
    CommentAuthor {
        /// The caller.
        Client = "client",
        /// The service, or its operator.
        Service = "service",
    }
}

/// Family of formats of a file extension. For a container, its own mimetype member decides.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum DocumentFamily {
    /// `.pdf`.
    Pdf,
    /// `.asice`, `.sce`, `.bdoc`.
    Asice,
    /// `.adoc`, `.bedoc`, `.cedoc`, `.gedoc`, `.ggedoc`.
    Adoc,
    /// `.mdoc`, which allows only a first signature.
    Mdoc,
    /// An extension that the operator has a plugin for.
    Further,
}

impl DocumentFamily {
    /// The extensions, in lower case, in the order in which they are explained
    /// to a caller.
    pub const EXTENSIONS: [(&'static str, Self); 10] = [
        ("pdf", Self::Pdf),
        ("asice", Self::Asice),
        ("sce", Self::Asice),
        ("bdoc", Self::Asice),
        ("adoc", Self::Adoc),
        ("bedoc", Self::Adoc),
        ("cedoc", Self::Adoc),
        ("gedoc", Self::Adoc),
        ("ggedoc", Self::Adoc),
        ("mdoc", Self::Mdoc),
    ];

    /// Extensions of accepted documents: an MDOC is never accepted.
    pub fn offered() -> impl Iterator<Item = &'static str> {
        let offered = Self::EXTENSIONS.iter();
        offered
            .filter(|(_, family)| *family != Self::Mdoc)
            .map(|(extension, _)| *extension)
    }

    /// Family of `file_name`'s extension, in either case.
    #[must_use]
    pub fn of(file_name: &str) -> Option<Self> {
        let extension = file_extension(file_name)?;
        Self::EXTENSIONS
            .iter()
            .find(|(known, _)| *known == extension)
            .map(|(_, family)| *family)
    }
}

/// The part after the last full stop of a name that has something before it, in lower case.
#[must_use]
pub fn file_extension(file_name: &str) -> Option<String> {
    let (stem, extension) = file_name.rsplit_once('.')?;
    (!stem.is_empty() && !extension.is_empty()).then(|| extension.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_tells_the_family_in_either_case() {
        assert_eq!(
            DocumentFamily::of("Sutartis.PDF"),
            Some(DocumentFamily::Pdf)
        );
        assert_eq!(DocumentFamily::of("a.b.sce"), Some(DocumentFamily::Asice));
        assert_eq!(DocumentFamily::of("a.ggedoc"), Some(DocumentFamily::Adoc));
        assert_eq!(DocumentFamily::of("a.mdoc"), Some(DocumentFamily::Mdoc));
    }

    #[test]
    fn a_name_without_a_known_extension_has_no_family() {
        for name in ["a", "a.", ".pdf", "a.docx", "pdf", "a.pdf "] {
            assert_eq!(DocumentFamily::of(name), None, "{name}");
        }
    }
}
