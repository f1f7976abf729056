use serde_json::{Value, json};

use super::Named;
use crate::openapi::schema::{Member, Schema, optional, required};
use crate::requests::limits;
use crate::vocabulary::{
    ContainerFormat, Delivery, DocumentFamily, Language, PartyRole, SigningMethod, SigningOrder,
    SimulatedOutcome,
};

/// Characters that a file name may not have, for a class of a pattern.
const NOT_IN_FILE_NAMES: &str = "/\\\\\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069";

/// What [`content`] looks like.
const BASE64: &str =
    "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$";

pub(super) fn schemas() -> Vec<Named> {
    vec![
        ("CreateSigningRequest", create_signing()),
        ("DocumentRequest", document()),
        ("ContainerRequest", container()),
        ("SignerRequest", signer()),
        ("UpdateDeadlineRequest", update_deadline()),
        ("SimulateRequest", simulate()),
        ("ErasureRequest", erasure()),
        ("UpdateSignerRequest", update_signer()),
        ("CreateBatchRequest", create_batch()),
        ("StoreFileRequest", store_file()),
        ("CommentRequest", comment()),
    ]
}

fn create_signing() -> Schema {
    let source = [
        optional("document", Schema::named("DocumentRequest")),
        optional("container", Schema::named("ContainerRequest")),
    ];
    Schema::object(source.into_iter().chain(terms())).with("oneOf", either("document", "container"))
}

fn create_batch() -> Schema {
    let documents = Schema::array(Schema::named("DocumentRequest")).items(&limits::DOCUMENTS);
    Schema::object(
        [required("documents", documents)]
            .into_iter()
            .chain(terms()),
    )
}

fn terms() -> [Member; 8] {
    let role_is_viewer = json!({"properties": {"role": {"const": "viewer"}}, "required": ["role"]});
    [
        required(
            "title",
            Schema::string()
                .max_length(limits::LONGEST_TITLE)
                .visible_line()
                .described("One line, shown to signers on the ceremony page and in their mail."),
        ),
        required(
            "signers",
            Schema::array(Schema::named("SignerRequest"))
                .items(&limits::SIGNERS)
                .with("contains", json!({"not": role_is_viewer}))
                .described(
                    "Each email once, whatever its letters' case; at least one party of role signer.",
                ),
        ),
        optional(
            "delivery",
            Schema::one_of::<Delivery>().default(Delivery::Link.as_str()),
        ),
        optional(
            "signingOrder",
            Schema::one_of::<SigningOrder>().default(SigningOrder::Parallel.as_str()),
        ),
        optional(
            "webhookUrl",
            Schema::uri().max_length(limits::LONGEST_URL).described(
                "A public https address for the events of the signing: a URI of RFC 3986, without credentials and fragment, whose port is not 0.",
            ),
        ),
        optional(
            "externalId",
            Schema::string()
                .max_length(limits::LONGEST_EXTERNAL_ID)
                .line()
                .described("The caller's own reference."),
        ),
        optional(
            "softDeadlineInDays",
            Schema::integer(&limits::SOFT_DEADLINE_IN_DAYS),
        ),
        optional("expiresInDays", expires_in_days().default(limits::DEFAULT_EXPIRES_IN_DAYS)),
    ]
}

fn document() -> Schema {
    let extensions = DocumentFamily::EXTENSIONS.map(|(extension, _)| extension);
    Schema::object([
        required(
            "name",
            file_name(&extensions)
                .described("The extension selects the family. .mdoc is answered with 422."),
        ),
        optional("content", content()),
        optional("fileToken", Schema::uuid()),
        optional(
            "flatten",
            Schema::boolean()
                .default(false)
                .described("Draws every form field into its page first. PDF only."),
        ),
    ])
    .with("oneOf", either("content", "fileToken"))
}

fn container() -> Schema {
    let file = |extensions: &[&str]| {
        Schema::object([
            required("name", file_name(extensions)),
            required("content", content()),
        ])
    };
    let files = |extensions: &[&str]| Schema::array(file(extensions)).items(&limits::FILES);
    Schema::object([
        required(
            "format",
            Schema::one_of::<ContainerFormat>()
                .described("asice takes .pdf files only; adoc takes .pdf and .xlsx."),
        ),
        required(
            "files",
            files(&["pdf", "xlsx"]).described(
                "The first one is the main document. Names are distinct; together at most 15 728 640 bytes.",
            ),
        ),
    ])
    .with("if", json!({"properties": {"format": {"const": "asice"}}}))
    .with("then", json!({"properties": {"files": Value::from(only_named(&["pdf"]))}}))
}

/// Files with these extensions, whatever else they have.
fn only_named(extensions: &[&str]) -> Schema {
    let name = Value::from(Schema::string().pattern(file_name_pattern(extensions)));
    Schema::array(Schema::any().with("properties", json!({"name": name})))
}

fn signer() -> Schema {
    Schema::object([
        required("email", Schema::email()),
        optional(
            "role",
            Schema::one_of::<PartyRole>()
                .default(PartyRole::Signer.as_str())
                .described("A viewer is recorded only."),
        ),
        optional(
            "name",
            Schema::string().max_length(limits::LONGEST_NAME).line(),
        ),
        optional(
            "language",
            Schema::one_of::<Language>()
                .default(Language::Lt.as_str())
                .described("Of this party's mail and ceremony page."),
        ),
        optional(
            "personalCode",
            Schema::string()
                .pattern(format!("^[0-9]{{{}}}$", limits::PERSONAL_CODE_DIGITS))
                .described("Only the person with this Lithuanian personal code can sign."),
        ),
        optional(
            "methods",
            methods().default(SigningMethod::EVERY.map(SigningMethod::as_str).to_vec()),
        ),
    ])
    .with(
        "if",
        json!({"properties": {"role": {"const": "viewer"}}, "required": ["role"]}),
    )
    .with(
        "then",
        json!({"properties": {"personalCode": false, "methods": false}}),
    )
}

fn update_deadline() -> Schema {
    Schema::object([required("expiresInDays", expires_in_days())])
}

fn simulate() -> Schema {
    Schema::object([
        required("action", Schema::one_of::<SimulatedOutcome>()),
        optional(
            "signerEmail",
            Schema::email().described("Who declines; the first open signer by default."),
        ),
        optional(
            "reason",
            Schema::string().max_length(limits::LONGEST_REASON).lines(),
        ),
    ])
}

fn erasure() -> Schema {
    Schema::object([optional(
        "before",
        Schema::date_time().described("Only signings that ended before."),
    )])
}

fn update_signer() -> Schema {
    Schema::object([required("methods", methods())])
}

fn store_file() -> Schema {
    let extensions = DocumentFamily::EXTENSIONS.map(|(extension, _)| extension);
    Schema::object([
        required("name", file_name(&extensions)),
        required("content", content()),
    ])
}

fn comment() -> Schema {
    Schema::object([
        required(
            "body",
            Schema::string()
                .max_length(limits::LONGEST_COMMENT)
                .visible_lines(),
        ),
        optional(
            "authorLabel",
            Schema::string()
                .max_length(limits::LONGEST_AUTHOR_LABEL)
                .line()
                .described("The caller's own name for the writer."),
        ),
    ])
}

fn expires_in_days() -> Schema {
    Schema::integer(&limits::EXPIRES_IN_DAYS).described("Days until the hard deadline.")
}

fn methods() -> Schema {
    Schema::array(Schema::named("SigningMethod"))
        .items(&limits::METHODS)
        .unique()
}

/// Base64 (RFC 4648, 4) of a document, whose last group has no bits too many.
fn content() -> Schema {
    Schema::string()
        .with("contentEncoding", "base64")
        .pattern(BASE64)
        .max_length(limits::LARGEST_DOCUMENT.div_ceil(3) * 4)
        .described("Standard base64 with padding; at most 15 728 640 bytes decoded.")
}

fn file_name(extensions: &[&str]) -> Schema {
    Schema::string()
        .max_length(limits::LONGEST_FILE_NAME)
        .pattern(file_name_pattern(extensions))
}

fn file_name_pattern(extensions: &[&str]) -> String {
    let alternatives: Vec<_> = extensions
        .iter()
        .map(|extension| in_either_case(extension))
        .collect();
    format!("^[^{NOT_IN_FILE_NAMES}]+\\.({})$", alternatives.join("|"))
}

fn in_either_case(text: &str) -> String {
    text.chars()
        .map(|c| format!("[{c}{}]", c.to_ascii_uppercase()))
        .collect()
}

/// Exactly one of two members.
fn either(first: &str, second: &str) -> Value {
    json!([{"required": [first]}, {"required": [second]}])
}
