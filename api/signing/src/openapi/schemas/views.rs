use super::Named;
use crate::openapi::schema::{Schema, optional, required};
use crate::vocabulary::{
    ArchiveLevel, CommentAuthor, CompletionMode, Delivery, Language, PartyRole, SignerStatus,
    SigningMethod, SigningOrder, SigningStatus,
};

pub(super) fn schemas() -> Vec<Named> {
    vec![
        ("Signing", signing()),
        ("Signer", signer()),
        ("SignedDocument", signed_document()),
        ("SigningList", signing_list()),
        ("ErasedSigning", erased_signing()),
        ("ErasureCount", erasure_count()),
        ("ArchivedSigning", archived_signing()),
        ("Batch", batch()),
        ("StoredFile", stored_file()),
        ("Comment", comment()),
        ("CommentList", comment_list()),
        (
            "SigningStatus",
            Schema::one_of::<SigningStatus>().described("Where a signing stands."),
        ),
        (
            "SignerStatus",
            Schema::one_of::<SignerStatus>().described("Where one party of a signing stands."),
        ),
        (
            "SigningMethod",
            Schema::one_of::<SigningMethod>().described("The eID means of a signature."),
        ),
        (
            "CompletionMode",
            Schema::one_of::<CompletionMode>().described(
                "qes_ceremony: people signed with their eID. sandbox_simulation: lifecycle only, no signature.",
            ),
        ),
    ]
}

fn signing() -> Schema {
    Schema::object([
        required("signingId", Schema::uuid()),
        required("status", Schema::named("SigningStatus")),
        required("title", Schema::string()),
        required("delivery", Schema::one_of::<Delivery>()),
        required("signingOrder", Schema::one_of::<SigningOrder>()),
        required(
            "softDeadlineAt",
            Schema::date_time()
                .nullable()
                .described("When the signing is wanted by. Nothing expires then."),
        ),
        required(
            "externalId",
            Schema::string()
                .nullable()
                .described("The caller's own reference."),
        ),
        required("createdAt", Schema::date_time()),
        required(
            "expiresAt",
            Schema::date_time()
                .nullable()
                .described("The hard deadline."),
        ),
        required("completedAt", Schema::date_time().nullable()),
        required("completionMode", Schema::named("CompletionMode").nullable()),
        required("erasedAt", Schema::date_time().nullable()),
        optional(
            "detail",
            Schema::string().described("One sentence, where the status needs it."),
        ),
        required("signers", Schema::array(Schema::named("Signer"))),
        optional("document", Schema::named("SignedDocument")),
    ])
}

fn signer() -> Schema {
    Schema::object([
        required("signerId", Schema::uuid()),
        required("role", Schema::one_of::<PartyRole>()),
        required(
            "email",
            Schema::email().nullable().described("Null once erased."),
        ),
        required("name", Schema::string().nullable()),
        required("language", Schema::one_of::<Language>()),
        required("status", Schema::named("SignerStatus")),
        optional(
            "ceremonyUrl",
            Schema::uri().described(
                "Only while this signer can still sign. It answers 404 until it is the signer's turn.",
            ),
        ),
        required("signedAt", Schema::date_time().nullable()),
        required("declinedAt", Schema::date_time().nullable()),
        optional("declineReason", Schema::string()),
        required(
            "methodsAllowed",
            Schema::array(Schema::named("SigningMethod"))
                .unique()
                .described("Empty for a viewer."),
        ),
        required("actualMethod", Schema::named("SigningMethod").nullable()),
        required(
            "identityLocked",
            Schema::boolean().described("Whether a personal code was given."),
        ),
        required(
            "identityMatched",
            Schema::boolean()
                .nullable()
                .described("True once a locked signer has completed the real ceremony."),
        ),
        required("simulatedAt", Schema::date_time().nullable()),
    ])
}

fn signed_document() -> Schema {
    Schema::object([
        required(
            "sha256",
            Schema::sha256().described("Digest of the bytes, in lower-case hexadecimal digits."),
        ),
        required("bytes", Schema::count().described("Size.")),
        required("mimeType", Schema::string()),
        optional(
            "sandbox",
            Schema::constant(true).described("Only on a sandbox simulation."),
        ),
        optional(
            "signed",
            Schema::constant(false).described("Only on a sandbox simulation."),
        ),
    ])
    .described("The newest signed output.")
}

fn signing_list() -> Schema {
    Schema::object([
        required("data", Schema::array(Schema::named("Signing"))),
        required("hasMore", Schema::boolean()),
        required(
            "nextCursor",
            Schema::uuid()
                .nullable()
                .described("startingAfter of the next page; null on the last one."),
        ),
    ])
}

fn erased_signing() -> Schema {
    Schema::object([
        required("signingId", Schema::uuid()),
        required("deleted", Schema::constant(true)),
        required(
            "changed",
            Schema::boolean().described("Whether it was erased now, and not before."),
        ),
    ])
}

fn erasure_count() -> Schema {
    Schema::object([
        required("purged", Schema::count()),
        required("failed", Schema::count().described("To be tried again.")),
    ])
}

fn archived_signing() -> Schema {
    Schema::object([
        required("signingId", Schema::uuid()),
        required("level", Schema::one_of::<ArchiveLevel>()),
        required(
            "upgraded",
            Schema::boolean().described("Whether it was raised now, and not before."),
        ),
        required("document", Schema::named("SignedDocument")),
    ])
}

fn batch() -> Schema {
    Schema::object([
        required("batchId", Schema::uuid()),
        required("title", Schema::string()),
        required("externalId", Schema::string().nullable()),
        required("createdAt", Schema::date_time()),
        required("signings", Schema::array(Schema::named("Signing"))),
    ])
}

fn stored_file() -> Schema {
    Schema::object([
        required("fileToken", Schema::uuid()),
        required("name", Schema::string()),
        required("mediaType", Schema::string()),
        required("sha256", Schema::sha256()),
        required("bytes", Schema::count().described("Size.")),
        required("createdAt", Schema::date_time()),
        required("expiresAt", Schema::date_time()),
        required(
            "usedCount",
            Schema::count().described("How many signings copied the bytes."),
        ),
    ])
}

fn comment() -> Schema {
    Schema::object([
        required("commentId", Schema::uuid()),
        required(
            "author",
            Schema::one_of::<CommentAuthor>()
                .described("service stands for the operator of the service."),
        ),
        required("authorLabel", Schema::string().nullable()),
        required("body", Schema::string()),
        required("createdAt", Schema::date_time()),
    ])
}

fn comment_list() -> Schema {
    Schema::object([
        required("signingId", Schema::uuid()),
        required(
            "comments",
            Schema::array(Schema::named("Comment")).described("Oldest first."),
        ),
    ])
}
