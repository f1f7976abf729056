use http::Method;

use super::{Answer, Body, Contract, Operation, Tag};
use crate::problem::ProblemKind;

/// What can be wrong with a document that is to be signed.
const OF_DOCUMENTS: &[ProblemKind] = &[
    ProblemKind::DocumentRefused,
    ProblemKind::FlattenRefused,
    ProblemKind::PaymentRequired,
    ProblemKind::ContainerUnsigned,
    ProblemKind::ContainerFinalized,
    ProblemKind::ContainerUnsound,
    ProblemKind::MdocNotAccepted,
    ProblemKind::QuotaExceeded,
];

impl Operation {
    /// In the order in which they are documented.
    pub(crate) const ALL: [Self; 21] = [
        Self::ListSignings,
        Self::CreateSigning,
        Self::ReadSigning,
        Self::UpdateDeadline,
        Self::EraseSigning,
        Self::CancelSigning,
        Self::DownloadDocument,
        Self::ArchiveSigning,
        Self::SimulateOutcome,
        Self::EraseEndedSignings,
        Self::AddSigner,
        Self::UpdateSigner,
        Self::RemoveSigner,
        Self::RemindSigner,
        Self::CreateBatch,
        Self::ReadBatch,
        Self::StoreFile,
        Self::ReadFile,
        Self::DeleteFile,
        Self::ListComments,
        Self::AddComment,
    ];

    pub(crate) fn contract(self) -> Contract {
        match self {
            Self::ListSignings => Contract {
                method: Method::GET,
                path: "/v1/signings",
                id: "listSignings",
                tag: Tag::Signings,
                summary: "List signings",
                description: "A page of the workspace's signings in the key's mode, newest first.",
                body: Body::None,
                answer: Answer::Json("SigningList"),
                refusals: &[],
            },
            Self::CreateSigning => Contract {
                method: Method::POST,
                path: "/v1/signings",
                id: "createSigning",
                tag: Tag::Signings,
                summary: "Create a signing",
                description: "Stores the document, opens one ceremony for each signer, and answers with their links, or mails them with delivery email. When it is refused nothing was created and nobody was invited.",
                body: Body::Required("CreateSigningRequest"),
                answer: Answer::Created("Signing"),
                refusals: OF_DOCUMENTS,
            },
            Self::ReadSigning => Contract {
                method: Method::GET,
                path: "/v1/signings/{signingId}",
                id: "readSigning",
                tag: Tag::Signings,
                summary: "Read a signing",
                description: "The current state of the signing and of each signer. An erased signing still answers, without its personal data.",
                body: Body::None,
                answer: Answer::Json("Signing"),
                refusals: &[],
            },
            Self::UpdateDeadline => Contract {
                method: Method::PATCH,
                path: "/v1/signings/{signingId}",
                id: "updateDeadline",
                tag: Tag::Signings,
                summary: "Move the hard deadline",
                description: "Sets the hard deadline of a pending signing, counted from now.",
                body: Body::Required("UpdateDeadlineRequest"),
                answer: Answer::Json("Signing"),
                refusals: &[ProblemKind::SigningEnded],
            },
            Self::EraseSigning => Contract {
                method: Method::DELETE,
                path: "/v1/signings/{signingId}",
                id: "eraseSigning",
                tag: Tag::Signings,
                summary: "Erase a signing",
                description: "Cancels the signing if it is live, then removes personal data, the uploaded document and every signed version. A de-identified record remains. Repeating it changes nothing.",
                body: Body::None,
                answer: Answer::Json("ErasedSigning"),
                refusals: &[],
            },
            Self::CancelSigning => Contract {
                method: Method::POST,
                path: "/v1/signings/{signingId}/cancel",
                id: "cancelSigning",
                tag: Tag::Signings,
                summary: "Cancel a signing",
                description: "Retracts every unused invitation. Signatures that were made stay valid, and the signed document can still be downloaded.",
                body: Body::Nothing,
                answer: Answer::Json("Signing"),
                refusals: &[ProblemKind::SigningEnded],
            },
            Self::DownloadDocument => Contract {
                method: Method::GET,
                path: "/v1/signings/{signingId}/document",
                id: "downloadDocument",
                tag: Tag::Signings,
                summary: "Download the signed document",
                description: "The newest signed output, from the first signature on. On a sandbox simulation the unsigned artifact, marked by X-Service-Sandbox.",
                body: Body::None,
                answer: Answer::Document,
                refusals: &[ProblemKind::NotYetSigned],
            },
            Self::ArchiveSigning => Contract {
                method: Method::POST,
                path: "/v1/signings/{signingId}/archive",
                id: "archiveSigning",
                tag: Tag::Signings,
                summary: "Raise the signed document to a long-term level",
                description: "Embeds certificate chains and fresh revocation evidence: PAdES-B-LT, or XAdES-LT in an ASiC-E container. The version before is kept. Output that is at that level already comes back unchanged.",
                body: Body::Nothing,
                answer: Answer::Json("ArchivedSigning"),
                refusals: &[
                    ProblemKind::NotYetSigned,
                    ProblemKind::SigningInProgress,
                    ProblemKind::ArchiveNotSupported,
                    ProblemKind::ArchiveIncomplete,
                    ProblemKind::QuotaExceeded,
                ],
            },
            Self::SimulateOutcome => Contract {
                method: Method::POST,
                path: "/v1/signings/{signingId}/simulate",
                id: "simulateOutcome",
                tag: Tag::Signings,
                summary: "Simulate an outcome",
                description: "Brings a pending sandbox signing to its end, without a signature. With test keys only.",
                body: Body::Required("SimulateRequest"),
                answer: Answer::Json("Signing"),
                refusals: &[
                    ProblemKind::SandboxOnly,
                    ProblemKind::SigningEnded,
                    ProblemKind::QuotaExceeded,
                ],
            },
            Self::EraseEndedSignings => Contract {
                method: Method::POST,
                path: "/v1/erasure",
                id: "eraseEndedSignings",
                tag: Tag::Signings,
                summary: "Erase ended signings",
                description: "Erases all signings of the key's workspace and mode that have ended, or those that ended before a time. Live signings and stored files are untouched.",
                body: Body::Optional("ErasureRequest"),
                answer: Answer::Json("ErasureCount"),
                refusals: &[],
            },
            Self::AddSigner => Contract {
                method: Method::POST,
                path: "/v1/signings/{signingId}/signers",
                id: "addSigner",
                tag: Tag::Signers,
                summary: "Add a party",
                description: "Adds a party to a pending signing. In a sequential signing the newcomer joins the end of the queue and waits.",
                body: Body::Required("SignerRequest"),
                answer: Answer::Created("Signer"),
                refusals: &[
                    ProblemKind::PaymentRequired,
                    ProblemKind::SigningEnded,
                    ProblemKind::SigningInProgress,
                    ProblemKind::TooManySigners,
                ],
            },
            Self::UpdateSigner => Contract {
                method: Method::PATCH,
                path: "/v1/signings/{signingId}/signers/{signerId}",
                id: "updateSigner",
                tag: Tag::Signers,
                summary: "Change a signer's methods",
                description: "Replaces the methods that a signer who has not finished may use.",
                body: Body::Required("UpdateSignerRequest"),
                answer: Answer::Json("Signer"),
                refusals: &[
                    ProblemKind::SigningEnded,
                    ProblemKind::SigningInProgress,
                    ProblemKind::SignerNotOpen,
                ],
            },
            Self::RemoveSigner => Contract {
                method: Method::DELETE,
                path: "/v1/signings/{signingId}/signers/{signerId}",
                id: "removeSigner",
                tag: Tag::Signers,
                summary: "Remove a party",
                description: "Retracts the party's link, then removes the party.",
                body: Body::None,
                answer: Answer::Empty,
                refusals: &[
                    ProblemKind::SigningEnded,
                    ProblemKind::SigningInProgress,
                    ProblemKind::SignerNotOpen,
                    ProblemKind::LastSigner,
                ],
            },
            Self::RemindSigner => Contract {
                method: Method::POST,
                path: "/v1/signings/{signingId}/signers/{signerId}/remind",
                id: "remindSigner",
                tag: Tag::Signers,
                summary: "Remind a signer",
                description: "Sends the invitation once more, at most once an hour.",
                body: Body::Nothing,
                answer: Answer::Json("Signer"),
                refusals: &[ProblemKind::NotRemindable, ProblemKind::ReminderTooSoon],
            },
            Self::CreateBatch => Contract {
                method: Method::POST,
                path: "/v1/batches",
                id: "createBatch",
                tag: Tag::Batches,
                summary: "Create a batch",
                description: "Creates one signing for each document, with the same parties and terms: all of them or none. Every document keeps its own ceremony and its own signatures.",
                body: Body::Required("CreateBatchRequest"),
                answer: Answer::Created("Batch"),
                refusals: OF_DOCUMENTS,
            },
            Self::ReadBatch => Contract {
                method: Method::GET,
                path: "/v1/batches/{batchId}",
                id: "readBatch",
                tag: Tag::Batches,
                summary: "Read a batch",
                description: "The batch and every signing in it.",
                body: Body::None,
                answer: Answer::Json("Batch"),
                refusals: &[],
            },
            Self::StoreFile => Contract {
                method: Method::POST,
                path: "/v1/files",
                id: "storeFile",
                tag: Tag::Files,
                summary: "Store a file",
                description: "Stores a document for use in several signings. It is looked at just as if it were posted with a signing.",
                body: Body::Required("StoreFileRequest"),
                answer: Answer::Created("StoredFile"),
                refusals: &[ProblemKind::DocumentRefused, ProblemKind::QuotaExceeded],
            },
            Self::ReadFile => Contract {
                method: Method::GET,
                path: "/v1/files/{fileToken}",
                id: "readFile",
                tag: Tag::Files,
                summary: "Read about a file",
                description: "What is stored, until when, and how often it was used.",
                body: Body::None,
                answer: Answer::Json("StoredFile"),
                refusals: &[],
            },
            Self::DeleteFile => Contract {
                method: Method::DELETE,
                path: "/v1/files/{fileToken}",
                id: "deleteFile",
                tag: Tag::Files,
                summary: "Delete a file",
                description: "Drops the bytes. Signings that used them have copies and are untouched.",
                body: Body::None,
                answer: Answer::Json("StoredFile"),
                refusals: &[],
            },
            Self::ListComments => Contract {
                method: Method::GET,
                path: "/v1/signings/{signingId}/comments",
                id: "listComments",
                tag: Tag::Comments,
                summary: "List comments",
                description: "All comments on a signing, oldest first.",
                body: Body::None,
                answer: Answer::Json("CommentList"),
                refusals: &[],
            },
            Self::AddComment => Contract {
                method: Method::POST,
                path: "/v1/signings/{signingId}/comments",
                id: "addComment",
                tag: Tag::Comments,
                summary: "Add a comment",
                description: "Adds a comment to a signing, whatever its status.",
                body: Body::Required("CommentRequest"),
                answer: Answer::Created("Comment"),
                refusals: &[],
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn operations_are_distinct() {
        let contracts = Operation::ALL.map(Operation::contract);
        let ids: HashSet<_> = contracts.iter().map(|contract| contract.id).collect();
        let calls: HashSet<_> = contracts
            .iter()
            .map(|contract| (contract.method.as_str(), contract.path))
            .collect();
        assert_eq!((ids.len(), calls.len()), (contracts.len(), contracts.len()));
    }

    #[test]
    fn bodies_come_with_the_methods_that_have_them() {
        for contract in Operation::ALL.map(Operation::contract) {
            let has_body = matches!(contract.method, Method::POST | Method::PATCH);
            assert_eq!(contract.body != Body::None, has_body, "{}", contract.id);
        }
    }
}
