//! Calls that meet a crash, a clock or another call.

use bytes::Bytes;
use http::Method;
use jiff::SignedDuration;
use parafa_api_http::{IdempotencyKey, IdempotentRequest, Reservation};
use parafa_api_signing::requests::{
    CreateBatch, CreateSigning, DocumentBytes, NewDocument, NewFile, NewSigner, Party, Source,
    Terms,
};
use parafa_api_signing::{Delivery, DocumentFamily, Language, SigningMethod, SigningOrder};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::reader::UnsealedCeremony;
use parafa_ceremony::records::{CeremonyRow, MailKind};
use parafa_domain::{CeremonyStatus, SignerStatus};
use parafa_platform::PlatformError;
use parafa_platform::accounts::Caller;
use parafa_platform::billing::{Amount, BillingRow, Funding, PaymentCause, UsageRow};
use parafa_platform::idempotency::Claim;
use parafa_platform::outbox::{NoticeKind, NoticeRow};
use parafa_signing::SigningError;
use parafa_signing::records::EventKind;
use parafa_store::faulty::{CrashPoint, FaultPlan};
use parafa_store::{Guard, Page};
use uuid::Uuid;

use super::deployment::{CALLER, Deployment, SIGN, Site};
use super::host::Host;

pub(super) const MINUTE: SignedDuration = SignedDuration::from_mins(1);
pub(super) const DAY: SignedDuration = SignedDuration::from_hours(24);

#[tokio::test]
async fn a_batch_that_is_refused_in_its_commit_leaves_neither_rows_nor_bytes_nor_keys() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let late = claim(&host, "k").await;
    site.pass(MINUTE);
    claim(&host, "k").await;

    let refused = host.app.signing.signings.create_batch(&late, batch()).await;

    assert!(matches!(
        refused,
        Err(SigningError::Ceremony(CeremonyError::Platform(
            PlatformError::ClaimLost
        )))
    ));
    assert_eq!(signings(&host).await.len(), 0);
    assert_eq!(deployment.byte_files().len(), 0);
    assert_eq!(deployment.data_keys(), 0);
}

#[tokio::test]
async fn a_crash_leaves_a_whole_batch_or_none() {
    let site = Site::start().await;
    let (mut whole, mut none) = (0, 0);
    for commit in 0.. {
        let mut is_through = true;
        for point in [CrashPoint::BeforeCommit, CrashPoint::BeforeAcknowledgement] {
            let deployment = Deployment::new(&site);
            let crash = FaultPlan {
                crash: Some((commit, point)),
                ..FaultPlan::default()
            };
            let Ok(host) = deployment.host(crash).await else {
                is_through = false;
                continue;
            };
            let created = host.post_batch(batch()).await;
            is_through &= created.is_ok();
            let heir = deployment.sound_host().await;
            let raised = signings(&heir).await;
            for row in &raised {
                let key = heir.app.records.data_key(row.data_key).await.unwrap();
                let bytes = heir
                    .app
                    .records
                    .files
                    .read(&key, row.versions[0].bytes_id)
                    .await;
                assert_eq!(bytes.unwrap(), pdf());
            }
            match raised.len() {
                0 => none += 1,
                3 => whole += 1,
                some => panic!("{some} of three signings: {point:?} of {commit}"),
            }
        }
        if is_through {
            break;
        }
    }
    assert!(none > 0 && whole > 2, "both ends are seen: {none}, {whole}");
}

#[tokio::test]
async fn a_claim_that_has_run_out_creates_nothing() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let late = claim(&host, "k").await;
    assert!(matches!(
        reserve(&host, "k").await,
        Reservation::InProgress {
            retry_after_seconds: 1..=5
        }
    ));
    let other_body = IdempotentRequest {
        body_sha256: [1; 32],
        ..keyed("k")
    };
    let idempotency = &host.app.idempotency;
    let reserved = idempotency.reserve(CALLER.key, &other_body).await.unwrap();
    assert_eq!(reserved, Reservation::Reused);
    site.pass(MINUTE);

    let in_time = claim(&host, "k").await;
    let refused = create_once(&host, &late).await;
    assert!(matches!(
        refused,
        Err(SigningError::Ceremony(CeremonyError::Platform(
            PlatformError::ClaimLost
        )))
    ));
    assert_eq!(deployment.byte_files().len(), 0);
    assert_eq!(deployment.data_keys(), 0);
    let created = create_once(&host, &in_time).await.unwrap();

    let Reservation::Answered(again) = reserve(&host, "k").await else {
        panic!("it was answered")
    };
    let (again, id) = (
        serde_json::to_string(&again).unwrap(),
        created.id().to_string(),
    );
    assert!(again.contains(&id), "{again}");
    assert_eq!(signings(&host).await.len(), 1);
    site.pass(DAY);
    host.run_all().await;
    assert_eq!(deployment.data_keys(), 1, "the signing's alone");
    claim(&host, "k").await;
}

#[tokio::test]
async fn a_clock_that_leaps_takes_no_claim_from_a_request_that_is_carried_out() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let held = claim(&host, "k").await;
    // The clock leaps.
    site.pass(DAY);
    host.run_all().await;

    create_once(&host, &held).await.unwrap();

    site.pass(DAY);
    host.run_all().await;
    assert_eq!(
        deployment.data_keys(),
        1,
        "the answer is dropped in its time"
    );
}

#[tokio::test]
async fn a_stored_file_lives_for_a_week() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let file = host.store_file(stored_pdf()).await.unwrap();
    let token = file.row.id;

    site.pass(DAY * 7 - MINUTE);
    host.run_all().await;
    assert!(
        host.app
            .signing
            .intake
            .read_file(&CALLER, token)
            .await
            .is_ok()
    );
    site.pass(MINUTE);

    let gone = host.app.signing.intake.read_file(&CALLER, token).await;
    assert!(matches!(
        gone,
        Err(SigningError::Ceremony(CeremonyError::NotFound))
    ));
    host.run_all().await;
    assert_eq!(deployment.byte_files().len(), 0);
    assert_eq!(deployment.data_keys(), 0);
}

#[tokio::test]
async fn cancelling_ends_the_running_attempt_and_its_signature_is_dropped() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let row = create(&host, SigningOrder::Parallel, Delivery::Link).await;
    let id = row.ceremony.id.uuid();
    host.start(row.ceremony.signers[0].id.uuid(), SIGN[0])
        .await
        .unwrap();
    host.run_due().await;

    let cancelled = host.cancel(id).await.unwrap();

    assert_eq!(cancelled.row.ceremony.status, CeremonyStatus::Cancelled);
    site.pass(MINUTE);
    host.run_all().await;
    let row = read(&host, id).await;
    assert_eq!(row.versions.len(), 1);
    assert_eq!(row.ceremony.turn, None);
    assert_eq!(usage(&host).await.len(), 0, "it is not billed");
}

#[tokio::test]
async fn who_can_sign_is_reminded_on_the_day_of_the_soft_deadline_in_both_deliveries() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let mut terms = terms(SigningOrder::Sequential, Delivery::Link);
    terms.soft_deadline_in_days = Some(2);
    terms.expires_in_days = 10;
    let opened = host.post(signing_request(terms)).await.unwrap();
    let first = opened.row.ceremony.signers[0].id.uuid();

    // Created at 11:00 in Vilnius; the reminder goes at 9:00 two days later.
    site.pass(DAY * 2 - SignedDuration::from_hours(2) - MINUTE);
    host.run_due().await;
    assert!(mails(&host, MailKind::Reminder).await.is_empty());
    site.pass(MINUTE);
    host.run_due().await;

    assert_eq!(mails(&host, MailKind::Reminder).await, [first]);
}

#[tokio::test]
async fn what_happens_is_noted_for_the_webhook_and_for_whose_turn_comes() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let row = create(&host, SigningOrder::Sequential, Delivery::Email).await;
    let id = row.ceremony.id.uuid();
    let [first, second] = [0, 1].map(|n| row.ceremony.signers[n].id.uuid());
    assert_eq!(mails(&host, MailKind::Invitation).await, [first]);

    sign(&site, &host, id, first, SIGN[0]).await;
    let invited = mails(&host, MailKind::Invitation).await;
    assert_eq!(invited, [first, second]);
    sign(&site, &host, id, second, SIGN[1]).await;

    assert_eq!(
        events(&host).await,
        [
            EventKind::SignerSigned,
            EventKind::SignerSigned,
            EventKind::Completed
        ]
    );
}

#[tokio::test]
async fn a_real_signature_is_billed_and_the_ceiling_stops_the_next_signing() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    bill(&host, Funding::Ok, Some(150)).await;
    let row = create(&host, SigningOrder::Parallel, Delivery::Link).await;
    let id = row.ceremony.id.uuid();
    let first = row.ceremony.signers[0].id.uuid();

    sign(&site, &host, id, first, SIGN[0]).await;

    let used = usage(&host).await;
    assert_eq!(used.len(), 1);
    assert_eq!(used[0].amount, Amount::from_cents(100));
    assert_eq!(used[0].reference, id.to_string());
    let files = deployment.byte_files();
    let refusals = [
        (Funding::Ok, PaymentCause::Ceiling(Amount::from_cents(150))),
        (Funding::NoRail, PaymentCause::NoRail),
        (Funding::Overdue, PaymentCause::Overdue),
    ];
    for (funding, expected) in refusals {
        bill(&host, funding, Some(150)).await;
        let refused = host
            .post(signing_request(terms(
                SigningOrder::Parallel,
                Delivery::Link,
            )))
            .await;
        assert_payment(refused.map(|_| ()), expected);
        let party = party("trecias@example.com");
        let refused = host.add_signer(id, party).await;
        assert_payment(refused.map(|_| ()), expected);
    }
    assert_eq!(deployment.byte_files(), files, "nothing was created");
    assert_eq!(read(&host, id).await.ceremony.signers.len(), 2);
}

fn assert_payment(refused: Result<(), SigningError>, expected: PaymentCause) {
    match refused {
        Err(SigningError::PaymentRequired {
            cause,
            recovery_url,
        }) => {
            assert_eq!(cause, expected);
            let url = recovery_url.map(|url| url.to_string());
            assert_eq!(url.as_deref(), Some("https://pay.example/"));
        }
        other => panic!("{other:?}"),
    }
}

pub(super) fn pdf() -> Bytes {
    Bytes::from(parafa_fixtures::plain(1))
}

pub(super) fn document(name: &str) -> NewDocument {
    NewDocument {
        pointer: "/document".to_owned(),
        name: name.to_owned(),
        family: DocumentFamily::Pdf,
        bytes: DocumentBytes::Content(pdf()),
        flatten: false,
    }
}

/// A file to be stored.
pub(super) fn stored_pdf() -> NewFile {
    NewFile {
        name: "a.pdf".to_owned(),
        family: DocumentFamily::Pdf,
        content: pdf(),
    }
}

/// A document to be signed on these terms.
pub(super) fn signing_request(terms: Terms) -> CreateSigning {
    CreateSigning {
        source: Source::Document(document("a.pdf")),
        terms,
    }
}

pub(super) fn party(email: &str) -> NewSigner {
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

pub(super) fn terms(order: SigningOrder, delivery: Delivery) -> Terms {
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

pub(super) fn batch() -> CreateBatch {
    CreateBatch {
        documents: vec![document("a.pdf"), document("b.pdf"), document("c.pdf")],
        terms: terms(SigningOrder::Parallel, Delivery::Email),
    }
}

pub(super) async fn create(host: &Host, order: SigningOrder, delivery: Delivery) -> CeremonyRow {
    let created = host.post(signing_request(terms(order, delivery))).await;
    created.unwrap().row
}

pub(super) async fn create_once(
    host: &Host,
    claimant: &Caller,
) -> Result<UnsealedCeremony, SigningError> {
    let request = signing_request(terms(SigningOrder::Parallel, Delivery::Link));
    let signings = &host.app.signing.signings;
    signings.create_signing(claimant, request).await
}

/// Who has claimed the request with this key.
pub(super) async fn claim(host: &Host, key: &str) -> Caller {
    match reserve(host, key).await {
        Reservation::Claimed(claim) => CALLER.claiming(claim),
        other => panic!("{other:?}"),
    }
}

pub(super) async fn reserve(host: &Host, key: &str) -> Reservation<Claim> {
    let idempotency = &host.app.idempotency;
    idempotency.reserve(CALLER.key, &keyed(key)).await.unwrap()
}

/// A request that carries this key.
pub(super) fn keyed(key: &str) -> IdempotentRequest {
    IdempotentRequest {
        key: IdempotencyKey::parse(key.as_bytes()).unwrap(),
        method: Method::POST,
        path: "/v1/signings".to_owned(),
        body_sha256: [0; 32],
    }
}

/// One signer signs.
pub(super) async fn sign(site: &Site, host: &Host, signing: Uuid, signer: Uuid, person: &str) {
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

pub(super) async fn read(host: &Host, id: Uuid) -> CeremonyRow {
    host.app
        .records
        .store
        .get::<CeremonyRow>(&id)
        .await
        .unwrap()
        .unwrap()
}

pub(super) async fn signings(host: &Host) -> Vec<CeremonyRow> {
    rows(host).await
}

async fn usage(host: &Host) -> Vec<UsageRow> {
    rows(host).await
}

pub(super) async fn mails(host: &Host, wanted: MailKind) -> Vec<Uuid> {
    let notices: Vec<NoticeRow> = rows(host).await;
    notices
        .into_iter()
        .filter(|notice| notice.kind == wanted.notice())
        .filter_map(|notice| notice.party)
        .collect()
}

async fn events(host: &Host) -> Vec<EventKind> {
    let notices: Vec<NoticeRow> = rows(host).await;
    notices
        .into_iter()
        .filter_map(|notice| match notice.kind {
            NoticeKind::Webhook(event) => EventKind::named(&event),
            NoticeKind::Mail(_) => None,
        })
        .collect()
}

pub(super) async fn rows<T: parafa_store::Table<Key: Send + Sync>>(host: &Host) -> Vec<T> {
    let page = &Page::oldest(1000);
    let read = host
        .app
        .records
        .store
        .read(|tx| Box::pin(async move { tx.page::<T>(page, Guard::none()).await }));
    read.await.unwrap().rows
}

async fn bill(host: &Host, funding: Funding, ceiling_cents: Option<u64>) {
    let row = &BillingRow {
        tenant: CALLER.tenant,
        funding,
        ceiling: ceiling_cents.map(Amount::from_cents),
        recovery_url: Some("https://pay.example/".parse().unwrap()),
        ladder: serde_json::from_str(r#"["1=1.00"]"#).unwrap(),
    };
    host.put(row).await;
}
