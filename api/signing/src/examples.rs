//! Examples, made from the same views as answers.

use jiff::Timestamp;
use parafa_api_http::deliveries;
use parafa_api_http::{BaseUrl, Fault, Problem, ProblemType};
use serde::Serialize;
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use crate::ids::SignerId;
use crate::problem::ProblemKind;
use crate::views;
use crate::vocabulary::{
    ArchiveLevel, CommentAuthor, CompletionMode, Delivery, Language, PartyRole, SignerStatus,
    SigningEventKind, SigningMethod, SigningOrder, SigningStatus,
};

/// A PDF of one empty page, so that the example requests are valid.
const CONTENT: &str = "JVBERi0xLjcKJeLjz9MKMSAwIG9iago8PC9UeXBlL0NhdGFsb2cvUGFnZXMgMiAwIFI+PgplbmRvYmoKMiAwIG9iago8PC9UeXBlL1BhZ2VzL0tpZHNbMyAwIFJdL0NvdW50IDE+PgplbmRvYmoKMyAwIG9iago8PC9UeXBlL1BhZ2UvUGFyZW50IDIgMCBSL01lZGlhQm94WzAgMCA1OTUgODQyXS9SZXNvdXJjZXM8PD4+Pj4KZW5kb2JqCnhyZWYKMCA0CjAwMDAwMDAwMDAgNjU1MzUgZiAKMDAwMDAwMDAxNSAwMDAwMCBuIAowMDAwMDAwMDYwIDAwMDAwIG4gCjAwMDAwMDAxMTEgMDAwMDAgbiAKdHJhaWxlcgo8PC9TaXplIDQvUm9vdCAxIDAgUj4+CnN0YXJ0eHJlZgoxOTAKJSVFT0YK";

const SIGNING: Uuid = Uuid::from_u128(0x0190_b5a8_7c3e_7d7b_8f6e_2a1b_3c4d_5e6f);
const FIRST_SIGNER: Uuid = Uuid::from_u128(0x0190_b5a8_7c3e_7d7b_8f6e_2a1b_3c4d_5e70);
const SECOND_SIGNER: Uuid = Uuid::from_u128(0x0190_b5a8_7c3e_7d7b_8f6e_2a1b_3c4d_5e71);
const ADDED_SIGNER: Uuid = Uuid::from_u128(0x0190_b5a8_7c3e_7d7b_8f6e_2a1b_3c4d_5e72);
const BATCH: Uuid = Uuid::from_u128(0x0190_b5a9_12c0_7a11_9c55_0f2e_6a7b_8c9d);
const FILE: Uuid = Uuid::from_u128(0x0190_b5a7_0b1c_7e42_a0d3_5b6c_7d8e_9fa0);
const COMMENT: Uuid = Uuid::from_u128(0x0190_b5aa_33d4_7f03_8b21_1c2d_3e4f_5a6b);

/// The example of a request's or an answer's schema, in a call.
pub(crate) fn of(call: &str, schema: &str, base_url: &BaseUrl) -> Option<Value> {
    Some(match schema {
        "CreateSigningRequest" => create_signing(),
        "SignerRequest" => json!({"email": "petras@example.lt", "name": "Petras Petraitis"}),
        "UpdateDeadlineRequest" => json!({"expiresInDays": 7}),
        "SimulateRequest" => json!({
            "action": "decline",
            "signerEmail": "ona@example.lt",
            "reason": "Netinka sąlygos",
        }),
        "ErasureRequest" => json!({"before": "2026-01-01T00:00:00Z"}),
        "UpdateSignerRequest" => json!({"methods": ["smart_id", "mobile_id"]}),
        "CreateBatchRequest" => create_batch(),
        "StoreFileRequest" => json!({"name": "sutartis.pdf", "content": CONTENT}),
        "CommentRequest" => json!({"body": "Laukiame pirkėjo.", "authorLabel": "Pardavimai"}),
        "Capabilities" => value(&views::Capabilities {
            formats: vec![views::InstalledFormat {
                id: "pdf".to_owned(),
                extensions: vec!["pdf".to_owned()],
                operations: vec!["sign".to_owned(), "archive".to_owned()],
            }],
            methods: vec![SigningMethod::SmartId],
            containers: Vec::new(),
        }),
        "Signing" => value(&match call {
            "createSigning" => created(base_url),
            "updateDeadline" => views::Signing {
                expires_at: Some(time("2026-03-08T08:30:00Z")),
                ..created(base_url)
            },
            "cancelSigning" => cancelled(base_url),
            "simulateOutcome" => simulated(base_url),
            _ => signing(base_url),
        }),
        "Signer" => value(&match call {
            "addSigner" => added_signer(base_url),
            "updateSigner" => updated_signer(base_url),
            _ => second_signer(base_url),
        }),
        "SigningList" => value(&views::SigningList {
            data: vec![signing(base_url)],
            has_more: false,
            next_cursor: None,
        }),
        "ErasedSigning" => value(&views::ErasedSigning::new(SIGNING.into(), true)),
        "ErasureCount" => value(&views::ErasureCount {
            purged: 12,
            failed: 0,
        }),
        "ArchivedSigning" => value(&views::ArchivedSigning {
            signing_id: SIGNING.into(),
            level: ArchiveLevel::PadesBaselineLt,
            upgraded: true,
            document: document(),
        }),
        "SigningEvidence" => value(&evidence()),
        "Batch" => value(&views::Batch {
            batch_id: BATCH.into(),
            title: "Nuomos sutartis".to_owned(),
            external_id: Some("NS-2026-14".to_owned()),
            created_at: time("2026-03-01T08:00:00Z"),
            signings: vec![in_batch(base_url), in_batch(base_url)],
        }),
        "StoredFile" => value(&views::StoredFile {
            file_token: FILE.into(),
            name: "sutartis.pdf".to_owned(),
            media_type: "application/pdf".to_owned(),
            sha256: [0x5A; 32],
            bytes: 48_213,
            created_at: time("2026-03-01T07:55:00Z"),
            expires_at: time("2026-03-08T07:55:00Z"),
            used_count: u64::from(call != "storeFile"),
        }),
        "Comment" => value(&comment()),
        "CommentList" => value(&views::CommentList {
            signing_id: SIGNING.into(),
            comments: vec![comment()],
        }),
        _ => return deliveries::example(call, schema, SigningEventKind::Completed.as_str()),
    })
}

/// An occurrence of a problem.
pub(crate) fn problem(kind: ProblemType, base_url: &BaseUrl) -> Problem {
    match ProblemKind::named(kind.name) {
        Some(ProblemKind::ValidationFailed) => Problem::validation(vec![
            Fault::new("/signers/1/email", "must be an email address"),
            Fault::new("/title", "is required"),
        ]),
        Some(ProblemKind::FlattenRefused) => Problem::at(
            kind,
            "/document/flatten",
            "buyer.name: it has something to show and no appearance, so that each reader makes up its own (no-appearance)",
        ),
        Some(ProblemKind::DocumentRefused) => Problem::at(
            kind,
            "/document/content",
            "The document is encrypted. (encrypted)",
        ),
        Some(ProblemKind::PaymentRequired) => {
            let recovery_url = Url::parse(&base_url.join("/billing")).ok();
            Problem::payment_required(kind.meaning, recovery_url)
        }
        _ => Problem::of(kind),
    }
}

/// The example of an event.
pub(crate) fn event(kind: SigningEventKind) -> Value {
    let status = match kind {
        SigningEventKind::SignerSigned | SigningEventKind::SignerDeclined => SigningStatus::Pending,
        SigningEventKind::Completed => SigningStatus::Completed,
        SigningEventKind::Declined => SigningStatus::Declined,
        SigningEventKind::Cancelled => SigningStatus::Cancelled,
        SigningEventKind::Expired => SigningStatus::Expired,
        SigningEventKind::Failed => SigningStatus::Failed,
    };
    let signer = |id: Uuid, email: &str, status, decline_reason| views::EventSigner {
        signer_id: id.into(),
        email: email.to_owned(),
        status,
        decline_reason,
    };
    value(&views::SigningEvent {
        event: kind,
        signing_id: SIGNING.into(),
        status,
        external_id: Some("NS-2026-14".to_owned()),
        occurred_at: time("2026-03-01T09:12:45.120Z"),
        completion_mode: (kind == SigningEventKind::Completed)
            .then_some(CompletionMode::QesCeremony),
        signer: match kind {
            SigningEventKind::SignerSigned => Some(signer(
                FIRST_SIGNER,
                "jonas@example.lt",
                SignerStatus::Signed,
                None,
            )),
            SigningEventKind::SignerDeclined => Some(signer(
                SECOND_SIGNER,
                "ona@example.lt",
                SignerStatus::Declined,
                Some("Netinka sąlygos".to_owned()),
            )),
            _ => None,
        },
        document: matches!(
            kind,
            SigningEventKind::SignerSigned | SigningEventKind::Completed
        )
        .then(document),
    })
}

fn create_signing() -> Value {
    json!({
        "title": "Nuomos sutartis",
        "document": {"name": "sutartis.pdf", "content": CONTENT},
        "signers": [
            {"email": "jonas@example.lt", "name": "Jonas Jonaitis", "methods": ["smart_id"]},
            {"email": "ona@example.lt", "language": "en"},
        ],
        "delivery": "email",
        "webhookUrl": "https://hooks.example.com/signings",
        "externalId": "NS-2026-14",
        "expiresInDays": 14,
    })
}

fn create_batch() -> Value {
    json!({
        "title": "Nuomos sutartis",
        "documents": [
            {"name": "sutartis.pdf", "content": CONTENT},
            {"name": "priedas.pdf", "content": CONTENT},
        ],
        "signers": [{"email": "jonas@example.lt"}],
        "externalId": "NS-2026-14",
    })
}

/// A signing with one signature of two.
fn signing(base_url: &BaseUrl) -> views::Signing {
    views::Signing {
        signers: vec![first_signer(), second_signer(base_url)],
        document: Some(document()),
        ..created(base_url)
    }
}

/// The answer to `createSigning`.
fn created(base_url: &BaseUrl) -> views::Signing {
    views::Signing {
        signing_id: SIGNING.into(),
        status: SigningStatus::Pending,
        title: "Nuomos sutartis".to_owned(),
        delivery: Delivery::Email,
        signing_order: SigningOrder::Parallel,
        soft_deadline_at: None,
        external_id: Some("NS-2026-14".to_owned()),
        created_at: time("2026-03-01T08:00:00Z"),
        expires_at: Some(time("2026-03-15T08:00:00Z")),
        completed_at: None,
        completion_mode: None,
        erased_at: None,
        erases_at: None,
        detail: None,
        signers: vec![invited_signer(base_url), second_signer(base_url)],
        document: None,
    }
}

fn cancelled(base_url: &BaseUrl) -> views::Signing {
    let mut signing = created(base_url);
    signing.status = SigningStatus::Cancelled;
    for signer in &mut signing.signers {
        signer.status = SignerStatus::Cancelled;
        signer.ceremony_url = None;
    }
    signing
}

/// Declined by the second signer, as in the example of the request.
fn simulated(base_url: &BaseUrl) -> views::Signing {
    let mut signing = cancelled(base_url);
    signing.status = SigningStatus::Declined;
    if let Some(signer) = signing.signers.last_mut() {
        signer.status = SignerStatus::Declined;
        signer.declined_at = Some(time("2026-03-01T09:20:00Z"));
        signer.decline_reason = Some("Netinka sąlygos".to_owned());
    }
    signing
}

/// The answer to `createBatch`, with the one signer of its example.
fn in_batch(base_url: &BaseUrl) -> views::Signing {
    let signer = views::Signer {
        name: None,
        methods_allowed: SigningMethod::EVERY.to_vec(),
        ..invited_signer(base_url)
    };
    views::Signing {
        delivery: Delivery::Link,
        signers: vec![signer],
        ..created(base_url)
    }
}

fn first_signer() -> views::Signer {
    views::Signer {
        signer_id: FIRST_SIGNER.into(),
        email: Some("jonas@example.lt".to_owned()),
        name: Some("Jonas Jonaitis".to_owned()),
        language: Language::Lt,
        status: SignerStatus::Signed,
        signed_at: Some(time("2026-03-01T09:12:45.120Z")),
        methods_allowed: vec![SigningMethod::SmartId],
        actual_method: Some(SigningMethod::SmartId),
        ..party(FIRST_SIGNER.into())
    }
}

/// The signer before the signature.
fn invited_signer(base_url: &BaseUrl) -> views::Signer {
    views::Signer {
        status: SignerStatus::Pending,
        ceremony_url: Some(ceremony(base_url, 'J')),
        signed_at: None,
        actual_method: None,
        ..first_signer()
    }
}

fn updated_signer(base_url: &BaseUrl) -> views::Signer {
    views::Signer {
        methods_allowed: vec![SigningMethod::SmartId, SigningMethod::MobileId],
        ..invited_signer(base_url)
    }
}

fn added_signer(base_url: &BaseUrl) -> views::Signer {
    views::Signer {
        email: Some("petras@example.lt".to_owned()),
        name: Some("Petras Petraitis".to_owned()),
        language: Language::Lt,
        ceremony_url: Some(ceremony(base_url, 'P')),
        ..party(ADDED_SIGNER.into())
    }
}

fn ceremony(base_url: &BaseUrl, first: char) -> String {
    base_url.join(&format!(
        "/c/{first}3Jx2mFqvT8cS0bN5hW1yLkZr9uEo7dApGiVtX4Ks6M"
    ))
}

fn second_signer(base_url: &BaseUrl) -> views::Signer {
    views::Signer {
        email: Some("ona@example.lt".to_owned()),
        ceremony_url: Some(ceremony(base_url, 'q')),
        ..party(SECOND_SIGNER.into())
    }
}

fn party(signer_id: SignerId) -> views::Signer {
    views::Signer {
        signer_id,
        role: PartyRole::Signer,
        email: None,
        name: None,
        language: Language::En,
        status: SignerStatus::Pending,
        ceremony_url: None,
        signed_at: None,
        declined_at: None,
        decline_reason: None,
        methods_allowed: SigningMethod::EVERY.to_vec(),
        actual_method: None,
        identity_locked: false,
        identity_matched: None,
        simulated_at: None,
    }
}

fn document() -> views::SignedDocument {
    views::SignedDocument::signed(&[0x5A; 32], 61_440, "application/pdf")
}

/// Evidence of a signing with one signer, who has signed, in an hour in which one other chain
/// changed.
fn evidence() -> views::SigningEvidence {
    let signed_at = time("2026-03-01T09:12:45.120Z");
    let [created, signed, leaf] = ["c1", "51", "1e"].map(|digits| digits.repeat(32));
    let [posted, output] = ["3c", "5a"].map(|digits| digits.repeat(32));
    views::SigningEvidence {
        signing_id: SIGNING.into(),
        status: SigningStatus::Completed,
        created_at: time("2026-03-01T08:00:00Z"),
        completed_at: Some(signed_at),
        signers: vec![views::EvidenceSigner {
            signer_id: FIRST_SIGNER.into(),
            role: PartyRole::Signer,
            email: "jonas@example.lt".to_owned(),
            name: Some("Jonas Jonaitis".to_owned()),
            status: SignerStatus::Signed,
            actual_method: Some(SigningMethod::SmartId),
            signed_at: Some(signed_at),
        }],
        documents: vec![
            views::EvidenceDocument {
                sha256: posted.clone(),
                bytes: 48_213,
                mime_type: "application/pdf".to_owned(),
                created_at: time("2026-03-01T08:00:00Z"),
                made_by: None,
            },
            views::EvidenceDocument {
                sha256: output.clone(),
                bytes: 61_440,
                mime_type: "application/pdf".to_owned(),
                created_at: signed_at,
                made_by: Some(views::VersionMaker {
                    signer_id: Some(FIRST_SIGNER.into()),
                    certificate_sha256: Some("ce".repeat(32)),
                    time_stamped_at: Some(time("2026-03-01T09:12:44Z")),
                    level: "PAdES-B-T".to_owned(),
                    plugin: "pdf".to_owned(),
                    plugin_version: "1.0.0".to_owned(),
                    plugin_sha256: "9d".repeat(32),
                }),
            },
        ],
        audit: views::AuditTrail {
            chain: SIGNING,
            events: vec![
                views::AuditEvent {
                    sequence: 1,
                    at: time("2026-03-01T08:00:00.004Z"),
                    at_nanoseconds: "1772352000004217000".to_owned(),
                    name: "signing.created".to_owned(),
                    fields: [("document".to_owned(), posted)].into(),
                    hash: created,
                },
                views::AuditEvent {
                    sequence: 2,
                    at: time("2026-03-01T09:12:45.120Z"),
                    at_nanoseconds: "1772356365120386000".to_owned(),
                    name: "document.version".to_owned(),
                    fields: [
                        ("document".to_owned(), output),
                        ("signer".to_owned(), FIRST_SIGNER.to_string()),
                    ]
                    .into(),
                    hash: signed.clone(),
                },
            ],
            head: views::AuditHead {
                sequence: 2,
                hash: signed,
            },
            sealed: Some(views::AuditSeal {
                number: 4_711,
                hour: time("2026-03-01T09:00:00Z"),
                sealed_at: time("2026-03-01T10:10:00.250Z"),
                size: 2,
                index: 0,
                path: vec![leaf],
                root: "70".repeat(32),
                previous: "b4".repeat(32),
                hash: "5e".repeat(32),
            }),
        },
    }
}

fn comment() -> views::Comment {
    views::Comment {
        comment_id: COMMENT.into(),
        author: CommentAuthor::Client,
        author_label: Some("Pardavimai".to_owned()),
        body: "Laukiame pirkėjo.".to_owned(),
        created_at: time("2026-03-01T10:00:00Z"),
    }
}

fn value(view: &impl Serialize) -> Value {
    serde_json::to_value(view).expect("a view of strings, numbers and lists always serialises")
}

fn time(text: &'static str) -> Timestamp {
    text.parse().expect("the times of examples are times")
}
