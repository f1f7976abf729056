//! The operations of the API: one table feeds the routes and the OpenAPI
//! document.

use parafa_api_http::deliveries::{self, ABOUT_DELIVERIES, DeliveryPaths};
use parafa_api_http::{AnswerForm, Operation, Path, Representation, Tag};
use serde_json::json;

use crate::api::SigningApi;
use crate::ids::{BatchId, FileToken, SignerId, SigningId};
use crate::problem::ProblemKind::{
    self, ArchiveIncomplete, ArchiveNotSupported, ContainerFinalized, ContainerUnsigned,
    ContainerUnsound, DocumentRefused, FlattenRefused, LastSigner, MdocNotAccepted, NotRemindable,
    NotYetSigned, PaymentRequired, QuotaExceeded, ReminderTooSoon, SandboxOnly, SignerNotOpen,
    SigningEnded, SigningInProgress, TooManySigners, UnsupportedContainer,
};
use crate::requests::{
    BulkErasure, CreateBatch, CreateSigning, EvidenceQuery, ListQuery, NewComment, NewFile,
    NewSigner, Simulation, UpdateDeadline, UpdateSigner,
};
use crate::views::SigningEvidence;
use crate::vocabulary::EvidenceFormat;

/// The media type of evidence for people (RFC 8118).
const PDF: &str = "application/pdf";

const EVIDENCE_FORMS: &[AnswerForm] = &[AnswerForm {
    media_type: PDF,
    schema: || json!({"type": "string", "format": "binary"}),
}];

const CAPABILITIES: Path<()> = Path::new("/v1/capabilities");
const SIGNINGS: Path<()> = Path::new("/v1/signings");
const SIGNING: Path<SigningId> = Path::new("/v1/signings/{signingId}");
const ERASURE: Path<()> = Path::new("/v1/erasure");
const CANCEL: Path<SigningId> = Path::new("/v1/signings/{signingId}/cancel");
const DOCUMENT: Path<SigningId> = Path::new("/v1/signings/{signingId}/document");
const ARCHIVE: Path<SigningId> = Path::new("/v1/signings/{signingId}/archive");
const EVIDENCE: Path<SigningId> = Path::new("/v1/signings/{signingId}/evidence");
const SIMULATE: Path<SigningId> = Path::new("/v1/signings/{signingId}/simulate");
const SIGNERS: Path<SigningId> = Path::new("/v1/signings/{signingId}/signers");
const SIGNER: Path<(SigningId, SignerId)> =
    Path::new("/v1/signings/{signingId}/signers/{signerId}");
const REMIND: Path<(SigningId, SignerId)> =
    Path::new("/v1/signings/{signingId}/signers/{signerId}/remind");
const BATCHES: Path<()> = Path::new("/v1/batches");
const BATCH: Path<BatchId> = Path::new("/v1/batches/{batchId}");
const FILES: Path<()> = Path::new("/v1/files");
const FILE: Path<FileToken> = Path::new("/v1/files/{fileToken}");
const COMMENTS: Path<SigningId> = Path::new("/v1/signings/{signingId}/comments");
const DELIVERIES: DeliveryPaths = DeliveryPaths {
    all: Path::new("/v1/deliveries"),
    one: Path::new("/v1/deliveries/{deliveryId}"),
    resend: Path::new("/v1/deliveries/{deliveryId}/resend"),
};

/// Tags of operations and of webhooks.
pub(crate) const TAGS: &[Tag] = &[
    ABOUT_SIGNINGS,
    ABOUT_SIGNERS,
    ABOUT_BATCHES,
    ABOUT_FILES,
    ABOUT_COMMENTS,
    ABOUT_DELIVERIES,
    ABOUT_SERVICE,
    EVENTS,
];
const ABOUT_SIGNINGS: Tag = Tag {
    name: "Signings",
    description: "Create signings of documents, follow and change them.",
};
const ABOUT_SIGNERS: Tag = Tag {
    name: "Signers",
    description: "The parties of a signing.",
};
const ABOUT_BATCHES: Tag = Tag {
    name: "Batches",
    description: "Several documents for one set of parties, each signed on its own.",
};
const ABOUT_FILES: Tag = Tag {
    name: "Files",
    description: "Documents that are stored once and used in several signings.",
};
const ABOUT_COMMENTS: Tag = Tag {
    name: "Comments",
    description: "The caller's own audit trail; signers never see it.",
};
const ABOUT_SERVICE: Tag = Tag {
    name: "Service",
    description: "The formats, methods and containers that are available here.",
};
pub(crate) const EVENTS: Tag = Tag {
    name: "Events",
    description: "The events that the service posts to webhooks.",
};

/// Refusals of documents to be signed.
const OF_DOCUMENTS: &[ProblemKind] = &[
    DocumentRefused,
    FlattenRefused,
    PaymentRequired,
    ContainerUnsigned,
    ContainerFinalized,
    ContainerUnsound,
    UnsupportedContainer,
    MdocNotAccepted,
    QuotaExceeded,
];

/// All operations, in documentation order.
pub(crate) fn all<A: SigningApi>() -> Vec<Operation<A>> {
    [
        signings(),
        signers(),
        batches(),
        files(),
        comments(),
        deliveries::operations(DELIVERIES),
        service(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn signings<A: SigningApi>() -> Vec<Operation<A>> {
    vec![
        Operation::<A>::get(SIGNINGS, "listSignings")
            .says(
                ABOUT_SIGNINGS.name,
                "List signings",
                "A page of the workspace's signings in the key's mode, newest first.",
            )
            .query::<ListQuery>()
            .answers(async |call| call.api.list_signings(&call.caller, call.request).await),
        Operation::<A>::post(SIGNINGS, "createSigning")
            .says(
                ABOUT_SIGNINGS.name,
                "Create a signing",
                "Stores the document, opens one ceremony for each signer, and answers with their links, or mails them with delivery email. If it is refused, nothing is created and nobody is invited.",
            )
            .refuses(OF_DOCUMENTS)
            .body::<CreateSigning>()
            .creates(async |call| call.api.create_signing(&call.caller, call.request).await),
        Operation::<A>::get(SIGNING, "readSigning")
            .says(
                ABOUT_SIGNINGS.name,
                "Read a signing",
                "The current state of the signing and of each signer. An erased signing can still be read, without its personal data.",
            )
            .even_erased()
            .answers(async |call| call.api.read_signing(&call.caller, call.path).await),
        Operation::<A>::patch(SIGNING, "updateDeadline")
            .says(
                ABOUT_SIGNINGS.name,
                "Move the hard deadline",
                "Sets the hard deadline of a pending signing, counted from now.",
            )
            .refuses(&[SigningEnded])
            .body::<UpdateDeadline>()
            .answers(async |call| call.api.update_deadline(&call.caller, call.path, call.request).await),
        Operation::<A>::delete(SIGNING, "eraseSigning")
            .says(
                ABOUT_SIGNINGS.name,
                "Erase a signing",
                "Cancels the signing if it is live, then removes personal data, the uploaded document and every signed version. A de-identified record remains. Repeating it changes nothing.",
            )
            .even_erased()
            .answers(async |call| call.api.erase_signing(&call.caller, call.path).await),
        Operation::<A>::post(CANCEL, "cancelSigning")
            .says(
                ABOUT_SIGNINGS.name,
                "Cancel a signing",
                "Retracts every unused invitation. Signatures that were made stay valid, and the signed document can still be downloaded.",
            )
            .refuses(&[SigningEnded])
            .answers(async |call| call.api.cancel_signing(&call.caller, call.path).await),
        Operation::<A>::get(DOCUMENT, "downloadDocument")
            .says(
                ABOUT_SIGNINGS.name,
                "Download the signed document",
                "The newest signed output, from the first signature on. On a sandbox simulation the unsigned artifact, marked by X-Service-Sandbox.",
            )
            .refuses(&[NotYetSigned])
            .downloads(async |call| {
                let document = call.api.download_document(&call.caller, call.path).await?;
                Ok(document.into())
            }),
        Operation::<A>::post(ARCHIVE, "archiveSigning")
            .says(
                ABOUT_SIGNINGS.name,
                "Raise the signed document to a long-term level",
                "Embeds certificate chains and fresh revocation evidence: PAdES-B-LT, or XAdES-LT in an ASiC-E container. The previous version is kept. Output that is already at that level is returned unchanged.",
            )
            .refuses(&[ NotYetSigned, SigningInProgress, ArchiveNotSupported, ArchiveIncomplete, QuotaExceeded, ])
            .answers(async |call| call.api.archive_signing(&call.caller, call.path).await),
        Operation::<A>::get(EVIDENCE, "readEvidence")
            .says(
                ABOUT_SIGNINGS.name,
                "Read the evidence of a signing",
                "The signers with methods and times; the digests of all versions, certificates and plugins; and the audit trail, with the hashes to recompute it and its seal.",
            )
            .query::<EvidenceQuery>()
            .answers_also_in::<SigningEvidence, _, _>(EVIDENCE_FORMS, async |call| {
                match call.request.format {
                    EvidenceFormat::Json => {
                        let evidence = call.api.read_evidence(&call.caller, call.path).await?;
                        Ok(Representation::of(&evidence))
                    }
                    EvidenceFormat::Pdf => Ok(Representation {
                        media_type: PDF.into(),
                        content: call.api.print_evidence(&call.caller, call.path).await?,
                        file_name: Some(format!("evidence-{}.pdf", call.path)),
                    }),
                }
            }),
        Operation::<A>::post(SIMULATE, "simulateOutcome")
            .says(
                ABOUT_SIGNINGS.name,
                "Simulate an outcome",
                "Ends a pending sandbox signing without a signature. With test keys only.",
            )
            .refuses(&[ DocumentRefused, SandboxOnly, SigningEnded, QuotaExceeded, ])
            .for_callers(A::only_in_the_sandbox)
            .body::<Simulation>()
            .answers(async |call| call.api.simulate_outcome(&call.caller, call.path, call.request).await),
        Operation::<A>::post(ERASURE, "eraseEndedSignings")
            .says(
                ABOUT_SIGNINGS.name,
                "Erase ended signings",
                "Erases all signings of the key's workspace and mode that have ended, or those that ended before a time. Live signings and stored files are untouched.",
            )
            .maybe_body::<BulkErasure>()
            .answers(async |call| call.api.erase_ended_signings(&call.caller, call.request).await),
    ]
}

fn signers<A: SigningApi>() -> Vec<Operation<A>> {
    vec![
        Operation::<A>::post(SIGNERS, "addSigner")
            .says(
                ABOUT_SIGNERS.name,
                "Add a party",
                "Adds a party to a pending signing. In a sequential signing the newcomer joins the end of the queue and waits.",
            )
            .refuses(&[ PaymentRequired, SigningEnded, SigningInProgress, TooManySigners, ])
            .body::<NewSigner>()
            .creates(async |call| call.api.add_signer(&call.caller, call.path, call.request).await),
        Operation::<A>::patch(SIGNER, "updateSigner")
            .says(
                ABOUT_SIGNERS.name,
                "Change a signer's methods",
                "Replaces the methods that a signer who has not finished may use.",
            )
            .refuses(&[ SigningEnded, SigningInProgress, SignerNotOpen, ])
            .body::<UpdateSigner>()
            .answers(async |call| call.api.update_signer(&call.caller, call.path.0, call.path.1, call.request).await),
        Operation::<A>::delete(SIGNER, "removeSigner")
            .says(
                ABOUT_SIGNERS.name,
                "Remove a party",
                "Retracts the party's link, then removes the party.",
            )
            .refuses(&[ SigningEnded, SigningInProgress, SignerNotOpen, LastSigner, ])
            .does(async |call| call.api.remove_signer(&call.caller, call.path.0, call.path.1).await),
        Operation::<A>::post(REMIND, "remindSigner")
            .says(
                ABOUT_SIGNERS.name,
                "Remind a signer",
                "Sends the invitation once more, at most once an hour.",
            )
            .refuses(&[NotRemindable, ReminderTooSoon])
            .answers(async |call| call.api.remind_signer(&call.caller, call.path.0, call.path.1).await),
    ]
}

fn batches<A: SigningApi>() -> Vec<Operation<A>> {
    vec![
        Operation::<A>::post(BATCHES, "createBatch")
            .says(
                ABOUT_BATCHES.name,
                "Create a batch",
                "Creates one signing for each document, with the same parties and terms: all of them or none. Every document keeps its own ceremony and its own signatures. A mailed signer gets one email with all links that open together. In a sequential batch, the email waits up to ten minutes for links that are still to open.",
            )
            .refuses(OF_DOCUMENTS)
            .for_batches()
            .body::<CreateBatch>()
            .creates(async |call| call.api.create_batch(&call.caller, call.request).await),
        Operation::<A>::get(BATCH, "readBatch")
            .says(
                ABOUT_BATCHES.name,
                "Read a batch",
                "The batch and every signing in it.",
            )
            .answers(async |call| call.api.read_batch(&call.caller, call.path).await),
    ]
}

fn files<A: SigningApi>() -> Vec<Operation<A>> {
    vec![
        Operation::<A>::post(FILES, "storeFile")
            .says(
                ABOUT_FILES.name,
                "Store a file",
                "Stores a document for use in several signings. It is checked like a document that is posted with a signing.",
            )
            .refuses(&[DocumentRefused, QuotaExceeded])
            .body::<NewFile>()
            .creates(async |call| call.api.store_file(&call.caller, call.request).await),
        Operation::<A>::get(FILE, "readFile")
            .says(
                ABOUT_FILES.name,
                "Read about a file",
                "The metadata of a stored file, its expiry, and how often it was used.",
            )
            .answers(async |call| call.api.read_file(&call.caller, call.path).await),
        Operation::<A>::delete(FILE, "deleteFile")
            .says(
                ABOUT_FILES.name,
                "Delete a file",
                "Deletes the bytes. Signings that used them have copies and are unchanged.",
            )
            .answers(async |call| call.api.delete_file(&call.caller, call.path).await),
    ]
}

fn comments<A: SigningApi>() -> Vec<Operation<A>> {
    vec![
        Operation::<A>::get(COMMENTS, "listComments")
            .says(
                ABOUT_COMMENTS.name,
                "List comments",
                "All comments on a signing, oldest first. The service itself comments on a \
                 document that came with signatures that are not intact, with scripts, or with \
                 actions that start programs.",
            )
            .even_erased()
            .answers(async |call| call.api.list_comments(&call.caller, call.path).await),
        Operation::<A>::post(COMMENTS, "addComment")
            .says(
                ABOUT_COMMENTS.name,
                "Add a comment",
                "Adds a comment to a signing, whatever its status.",
            )
            .body::<NewComment>()
            .creates(async |call| {
                call.api
                    .add_comment(&call.caller, call.path, call.request)
                    .await
            }),
    ]
}

fn service<A: SigningApi>() -> Vec<Operation<A>> {
    vec![
        Operation::<A>::get(CAPABILITIES, "readCapabilities")
            .says(
                ABOUT_SERVICE.name,
                "Read the capabilities",
                "The formats, methods and containers that are available here. Anything else is refused, however often it is requested. Keys of the due-diligence API may call this too.",
            )
            .by_any_key()
            .answers(async |call| Ok(call.api.capabilities())),
    ]
}
