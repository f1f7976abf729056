//! Requests of callers and signers.

use bytes::Bytes;
use http::Method;
use jiff::SignedDuration;
use parafa_api_http::{IdempotencyKey, IdempotentRequest, Reservation};
use parafa_api_signing::requests::{
    CreateBatch, CreateSigning, DocumentBytes, NewDocument, NewFile, NewSigner, Party, Source,
    Terms,
};
use parafa_api_signing::{Delivery, DocumentFamily, Language, SigningMethod, SigningOrder};
use parafa_ceremony::reader::UnsealedCeremony;
use parafa_ceremony::records::CeremonyRow;
use parafa_domain::SignerStatus;
use parafa_platform::accounts::Caller;
use parafa_platform::idempotency::Claim;
use parafa_signing::SigningError;
use uuid::Uuid;

use super::deployment::{CALLER, Site};
use super::host::Host;
use super::records::read;

pub(crate) const MINUTE: SignedDuration = SignedDuration::from_mins(1);
pub(crate) const DAY: SignedDuration = SignedDuration::from_hours(24);

pub(crate) fn pdf() -> Bytes {
    Bytes::from(parafa_fixtures::plain(1))
}

pub(crate) fn document(name: &str) -> NewDocument {
    NewDocument {
        pointer: "/document".to_owned(),
        name: name.to_owned(),
        family: DocumentFamily::Pdf,
        bytes: DocumentBytes::Content(pdf()),
        flatten: false,
    }
}

pub(crate) fn stored_pdf() -> NewFile {
    NewFile {
        name: "a.pdf".to_owned(),
        family: DocumentFamily::Pdf,
        content: pdf(),
    }
}

/// Returns a request to sign a document on these terms.
pub(crate) fn signing_request(terms: Terms) -> CreateSigning {
    CreateSigning {
        source: Source::Document(document("a.pdf")),
        terms,
    }
}

pub(crate) fn party(email: &str) -> NewSigner {
    NewSigner {
        email: email.parse().unwrap(),
        name: None,
        language: Language::Lt,
        party: Party::Signer {
            personal_code: None,
            methods: vec![SigningMethod::SmartId],
        },
    }
}

pub(crate) fn terms(order: SigningOrder, delivery: Delivery) -> Terms {
    Terms {
        title: "Sutartis".to_owned(),
        delivery,
        signing_order: order,
        webhook_url: Some("https://hooks.example/events".parse().unwrap()),
        external_id: None,
        expires_in_days: 14,
        soft_deadline_in_days: None,
        signers: vec![party("pirmas@example.com"), party("antras@example.com")],
    }
}

pub(crate) fn batch() -> CreateBatch {
    CreateBatch {
        documents: vec![document("a.pdf"), document("b.pdf"), document("c.pdf")],
        terms: terms(SigningOrder::Parallel, Delivery::Email),
    }
}

pub(crate) async fn create(host: &Host, order: SigningOrder, delivery: Delivery) -> CeremonyRow {
    let created = host.post(signing_request(terms(order, delivery))).await;
    created.unwrap().row
}

pub(crate) async fn create_once(
    host: &Host,
    claimant: &Caller,
) -> Result<UnsealedCeremony, SigningError> {
    let request = signing_request(terms(SigningOrder::Parallel, Delivery::Link));
    let signings = &host.app.signing.signings;
    signings.create_signing(claimant, request).await
}

/// Claims the request with this key; returns the claiming caller.
pub(crate) async fn claim(host: &Host, key: &str) -> Caller {
    match reserve(host, key).await {
        Reservation::Claimed(claim) => CALLER.claiming(claim),
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn reserve(host: &Host, key: &str) -> Reservation<Claim> {
    let idempotency = &host.app.idempotency;
    idempotency.reserve(CALLER.key, &keyed(key)).await.unwrap()
}

/// Returns a request with this idempotency key.
pub(crate) fn keyed(key: &str) -> IdempotentRequest {
    IdempotentRequest {
        key: IdempotencyKey::parse(key.as_bytes()).unwrap(),
        method: Method::POST,
        path: "/v1/signings".to_owned(),
        body_sha256: [0; 32],
    }
}

pub(crate) async fn sign(site: &Site, host: &Host, signing: Uuid, signer: Uuid, person: &str) {
    host.start(signer, person).await.unwrap();
    for _ in 0..60 {
        host.run_due().await;
        let row = read(host, signing).await;
        let party = row.ceremony.signers.iter();
        let mut party = party.filter(|party| party.id.uuid() == signer);
        if party.any(|party| party.status == SignerStatus::Signed) {
            return;
        }
        site.pass(SignedDuration::from_secs(1));
    }
    panic!("the signature is not made");
}
