//! Ends of orders whose subjects are asked.

use jiff::{SignedDuration, Timestamp};
use parafa_api_http::{Problem, ProblemType, Reservation};
use parafa_attorney::KeyStorage;
use parafa_ceremony::records::{CeremonyRow, MailKind};
use parafa_demo::{Fault, Service};
use parafa_domain::{KycRefusal, KycStatus};
use parafa_identification::records::OrderRow;
use parafa_identification::{IdentificationError, OrderDelivery, OrderForm, Registers};
use parafa_platform::accounts::Caller;
use parafa_register_data::{Query, RegisterData, Role, RoleHolders};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{Conduct, LIVE, Office, REQUEST, TEST, WatchedKey, form};
use crate::tests::support::{PostOffice, SIGN, Site, keyed, name_workspace};

#[tokio::test]
async fn a_holder_of_the_role_is_identified_by_their_signature() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let ordered = office.ordered(&LIVE).await;
    assert_eq!(ordered.status, KycStatus::AwaitingSubject);
    assert!(ordered.ceremony_url.unwrap().contains("/c/"));
    let orders = &office.host.app.diligence.identifications;
    let early = orders.artifact(&LIVE, ordered.id).await;
    assert!(matches!(
        early,
        Err(IdentificationError::ArtifactNotReady(_))
    ));

    let ordered = office.ordered(&LIVE).await;
    office.sign(&ordered, SIGN[0]).await;
    let delivered = office.end(&LIVE, &ordered).await;

    assert_eq!(delivered.status, KycStatus::Delivered, "{delivered:?}");
    assert_eq!(delivered.ceremony_url, None);
    let package = delivered.delivered.unwrap();
    let container = orders.artifact(&LIVE, ordered.id).await.unwrap();
    assert_eq!(container.len() as u64, package.artifact.bytes);
    let plugin = site.plugins.by_id("asice").unwrap();
    let members = plugin.members(container.clone()).await.unwrap();
    let names: Vec<_> = members.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "dossier.pdf",
            "payload.json",
            "payload.jades.json",
            "attestation.pdf",
            "register/1-jar.json",
            "register/2-jar.json",
            "register/manifest.json",
        ]
    );
    let evidence = plugin.verify(container.clone()).await.unwrap();
    let levels: Vec<_> = evidence.signatures.iter().map(|one| &one.level).collect();
    assert_eq!(levels, ["XAdES-B-LT"]);
    let payload = members.iter().find(|member| member.name == "payload.json");
    let payload = plugin.extract(container, &payload.unwrap().id).await;
    let payload: serde_json::Value = serde_json::from_slice(&payload.unwrap()).unwrap();
    assert_eq!(payload["matchLevel"], "personal_code");
    assert_eq!(payload["subject"]["personalCode"], SIGN[0]);
    assert_eq!(payload["orderId"], ordered.id.to_string());
    assert_eq!(payload["purpose"], "AML_KYC");
    assert!(payload.get("sandbox").is_none());
    let manifest = office.member(&LIVE, &ordered, "register/manifest.json");
    let manifest: serde_json::Value = serde_json::from_slice(&manifest.await).unwrap();
    for time in [
        &payload["orderedAt"],
        &payload["verifiedAt"],
        &payload["signature"]["timestampedAt"],
        &payload["certificate"]["notBefore"],
        &payload["certificate"]["notAfter"],
        &manifest["files"][0]["retrievedAt"],
        &manifest["files"][1]["retrievedAt"],
    ] {
        let told = time.as_str().unwrap();
        let exact: Timestamp = told.parse().unwrap();
        assert_eq!(told, format!("{exact:.3}"));
    }
}

#[tokio::test]
async fn somebody_else_is_a_mismatch_of_which_nothing_is_kept() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let ordered = office.ordered(&LIVE).await;

    office.sign(&ordered, SIGN[1]).await;
    let ended = office.end(&LIVE, &ordered).await;

    assert_eq!(ended.status, KycStatus::IdentityMismatch);
    assert_eq!(ended.refusal, None, "nothing is said of what differs");
    assert_free(&office, &ordered.id, "kyc.identity_mismatch").await;
    site.pass(SignedDuration::from_hours(25));
    office.host.run_all().await;
    assert!(office.deployment.byte_files().is_empty());
}

#[tokio::test]
async fn an_order_expires_with_its_ceremony_after_fourteen_days() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let ordered = office.ordered(&LIVE).await;

    site.pass(SignedDuration::from_hours(14 * 24 - 1));
    assert_eq!(
        office.now(&LIVE, &ordered).await.status,
        KycStatus::AwaitingSubject
    );
    site.pass(SignedDuration::from_hours(1));
    let shown = office.now(&LIVE, &ordered).await;
    assert_eq!(shown.status, KycStatus::Expired, "before its job has run");
    assert_eq!(shown.ceremony_url, None);
    office.host.run_all().await;

    assert_free(&office, &ordered.id, "kyc.expired").await;
}

#[tokio::test]
async fn whoever_gave_the_role_up_meanwhile_is_not_taken_for_somebody_else() {
    let site = Site::with_attorney().await;
    for conduct in [Conduct::NobodyHolds, Conduct::AnotherHolds] {
        let office = Office::open(&site).await;
        let ordered = office.ordered(&LIVE).await;
        office.world.conduct(conduct);

        office.sign(&ordered, SIGN[0]).await;
        let ended = office.end(&LIVE, &ordered).await;

        assert_eq!(ended.status, KycStatus::Refused, "{conduct:?}");
        assert_eq!(ended.refusal, Some(KycRefusal::RoleNoLongerHeld));
        assert_free(&office, &ordered.id, "kyc.refused").await;
    }
}

#[tokio::test]
async fn however_many_hold_a_role_whoever_gave_it_up_is_known() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    office.world.conduct(Conduct::CrowdHolds);
    let ordered = office.ordered(&LIVE).await;
    office.world.conduct(Conduct::AnotherHolds);

    office.sign(&ordered, SIGN[0]).await;
    let ended = office.end(&LIVE, &ordered).await;

    assert_eq!(ended.refusal, Some(KycRefusal::RoleNoLongerHeld));
    site.pass(SignedDuration::from_hours(25));
    office.host.run_all().await;
    assert!(office.deployment.byte_files().is_empty());
}

#[tokio::test]
async fn a_register_that_comes_back_only_delays_and_one_that_does_not_fails_the_order() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let [delayed, failed] = [office.ordered(&LIVE).await, office.ordered(&LIVE).await];
    office.world.conduct(Conduct::Down);
    office.sign(&delayed, SIGN[0]).await;
    let is_verifying = |status| status == KycStatus::Verifying;
    office.until(&LIVE, &delayed, is_verifying).await;
    office.host.run_all().await;
    office.world.conduct(Conduct::Answers);

    let ended = office.end(&LIVE, &delayed).await;
    assert_eq!(ended.status, KycStatus::Delivered);
    assert_eq!(office.ledger().await.len(), 1);

    office.sign(&failed, SIGN[0]).await;
    office.until(&LIVE, &failed, is_verifying).await;
    office.world.conduct(Conduct::Down);
    let ended = office.end_in_hours(&LIVE, &failed).await;
    assert_eq!(ended.status, KycStatus::Failed);
    assert_eq!(office.ledger().await.len(), 1, "a failure costs nothing");
    assert_eq!(office.told(&failed).await, ["kyc.failed"]);
}

#[tokio::test]
async fn an_order_waits_for_keys_that_are_away_however_long_that_is() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let ordered = office.ordered(&LIVE).await;
    office.sign(&ordered, SIGN[0]).await;
    let is_verifying = |status| status == KycStatus::Verifying;
    office.until(&LIVE, &ordered, is_verifying).await;
    let keys = office.deployment.unmount_keys();

    let waits = office.end_in_hours(&LIVE, &ordered).await;
    assert_eq!(waits.status, KycStatus::Verifying);
    keys.restore();

    let ended = office.end(&LIVE, &ordered).await;
    assert_eq!(ended.status, KycStatus::Delivered);
}

#[tokio::test]
async fn an_order_whose_evidence_cannot_be_signed_fails_and_costs_nothing() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let without_time_stamps = |site: &Site| {
        let refusal = Fault::Status { status: 503 };
        site.faults(Service::Tsa).until_cleared(refusal);
    };
    let without_plugin = |site: &Site| {
        let plugin = site.plugins.by_id("jades").unwrap();
        site.plugins.disable(plugin.digest());
    };
    for spoil in [without_time_stamps, without_plugin] {
        let ordered = office.ordered(&LIVE).await;
        office.sign(&ordered, SIGN[0]).await;
        let is_verifying = |status| status == KycStatus::Verifying;
        office.until(&LIVE, &ordered, is_verifying).await;
        spoil(&site);

        let ended = office.end_in_hours(&LIVE, &ordered).await;

        assert_eq!(ended.status, KycStatus::Failed);
        assert_free(&office, &ordered.id, "kyc.failed").await;
        site.faults(Service::Tsa).clear();
    }
}

#[tokio::test]
async fn an_order_whose_evidence_cannot_be_kept_fails_and_nothing_is_signed_for_it() {
    let site = Site::with_attorney().await;
    let mut office = Office::open(&site).await;
    let key = WatchedKey::of(&site, KeyStorage::Memory);
    office.host = key.in_place_of_the_key_of(&office.host);
    let ordered = office.ordered(&TEST).await;
    office.complete(&ordered).await;
    let data_key = office.row(&ordered).await.data_key;
    office.deployment.lose_key(data_key);

    let ended = office.end_in_hours(&TEST, &ordered).await;

    assert_eq!(ended.status, KycStatus::Failed);
    assert_eq!(key.signatures(), 0);
    drop(office);
}

#[tokio::test]
async fn evidence_has_the_registers_record_of_the_subject_and_of_nobody_else() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let board = OrderForm {
        entity: "999000017".parse().unwrap(),
        ..form()
    };
    let query = Query::RoleHolders {
        entity: board.entity.clone(),
        role: board.role,
    };
    let held = office.world.ask(LIVE.mode, &query).await.unwrap();
    let RegisterData::RoleHolders(held) = held.data else {
        panic!("another answer")
    };
    assert!(held.holders.len() > 1);
    let ordered = office.order(&TEST, board).await.unwrap();
    office.complete(&ordered).await;
    office.end(&TEST, &ordered).await;

    let enclosed = office.member(&TEST, &ordered, "register/1-jar.json").await;
    let enclosed_digest = hex::encode(Sha256::digest(&enclosed));
    let enclosed: RoleHolders = serde_json::from_slice(&enclosed).unwrap();
    assert_eq!(enclosed.holders.len(), 1);
    assert!(held.holders.contains(&enclosed.holders[0]), "as it came");
    let manifest = office.member(&TEST, &ordered, "register/manifest.json");
    let manifest: serde_json::Value = serde_json::from_slice(&manifest.await).unwrap();
    assert_eq!(manifest["files"][0]["sha256"], enclosed_digest);
    let are_excerpts = [0, 1].map(|file| manifest["files"][file]["excerpt"] == true);
    assert_eq!(are_excerpts, [true, false]);
    drop(office);
}

#[tokio::test]
async fn a_name_in_letters_that_no_font_has_keeps_nobody_from_an_order() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    office.world.conduct(Conduct::NamesAbroad);

    let ordered = office.ordered(&LIVE).await;
    office.sign(&ordered, SIGN[0]).await;
    let delivered = office.end(&LIVE, &ordered).await;

    assert_eq!(delivered.status, KycStatus::Delivered);
    let payload = office.member(&LIVE, &ordered, "payload.json").await;
    let payload: serde_json::Value = serde_json::from_slice(&payload).unwrap();
    assert_eq!(payload["entityName"], "王小明, UAB");
    drop(office);
}

#[tokio::test]
async fn without_a_holder_or_a_register_nothing_is_created() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let unheld = OrderForm {
        role: Role::Liquidator,
        ..form()
    };
    let unknown = OrderForm {
        entity: "999000191".parse().unwrap(),
        ..form()
    };

    for form in [unheld, unknown] {
        let refused = office.order(&LIVE, form).await;
        assert!(matches!(
            refused,
            Err(IdentificationError::RoleNotHeld { .. })
        ));
    }
    office.world.conduct(Conduct::Down);
    let refused = office.order(&LIVE, form()).await;
    assert!(matches!(
        refused,
        Err(IdentificationError::RegisterUnavailable(_))
    ));

    assert_eq!(office.deployment.data_keys(), 0);
    assert!(office.deployment.byte_files().is_empty());
    assert_eq!(office.ledger().await.len(), 0);
}

#[tokio::test]
async fn a_repeated_order_is_answered_as_before() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let app = &office.host.app;
    let request = keyed("k");
    let Reservation::Claimed(claim) = app.idempotency.reserve(LIVE.key, &request).await.unwrap()
    else {
        panic!("it is the first of its key")
    };
    let orders = &app.diligence.identifications;
    let ordered = orders.create(&LIVE.claiming(claim), form(), REQUEST).await;
    let id = ordered.unwrap().id.to_string();

    let again = app.idempotency.reserve(LIVE.key, &request).await.unwrap();

    let Reservation::Answered(again) = again else {
        panic!("it was answered")
    };
    let again = serde_json::to_string(&again).unwrap();
    assert!(again.contains(&id), "{again}");
}

#[tokio::test]
async fn a_link_is_mailed_where_that_is_asked_for() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let mailed = OrderForm {
        delivery: OrderDelivery::Email("ona@example.com".to_owned()),
        ..form()
    };

    let ordered = office.order(&LIVE, mailed).await.unwrap();

    let store = &office.host.app.records.store;
    let row = store.get::<OrderRow>(&ordered.id).await.unwrap().unwrap();
    let letters = super::told(&office.host, row.ceremony).await;
    assert_eq!(letters, [MailKind::Invitation.name()]);

    let mut post = PostOffice::open().await;
    post.accept_all();
    let host = post.writing(&office.host);
    name_workspace(&host).await;
    host.run_all().await;
    let letter = post.letter().await;
    // The subject's language is unknown.
    for part in [
        "Dokumentas: dossier.pdf",
        "Document: dossier.pdf",
        "asks you to confirm your identity by signing:",
        "?lang=3Dlt",
        "?lang=3Den",
    ] {
        assert!(letter.contains(part), "{part} is not in {letter}");
    }
}

#[tokio::test]
async fn an_order_is_seen_by_its_workspace_and_mode_alone() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let ordered = office.ordered(&LIVE).await;
    let another = Caller {
        tenant: Uuid::from_u128(99),
        ..LIVE
    };

    for caller in [another, super::TEST] {
        let orders = &office.host.app.diligence.identifications;
        let seen = orders.order(&caller, ordered.id).await;
        assert!(matches!(seen, Err(IdentificationError::NotFound)));
        let fetched = orders.artifact(&caller, ordered.id).await;
        assert!(matches!(fetched, Err(IdentificationError::NotFound)));
    }
}

#[tokio::test]
async fn a_day_after_the_end_the_ceremony_is_gone_and_the_evidence_is_not() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let ordered = office.ordered(&LIVE).await;
    office.sign(&ordered, SIGN[0]).await;
    office.end(&LIVE, &ordered).await;

    site.pass(SignedDuration::from_hours(25));
    office.host.run_all().await;

    let store = &office.host.app.records.store;
    let row = store.get::<OrderRow>(&ordered.id).await.unwrap().unwrap();
    assert!(row.private.is_none());
    let ceremony = store.get::<CeremonyRow>(&row.ceremony).await.unwrap();
    assert!(ceremony.unwrap().erased_at.is_some());
    let orders = &office.host.app.diligence.identifications;
    assert!(orders.artifact(&LIVE, ordered.id).await.is_ok());
    assert_eq!(office.deployment.byte_files().len(), 1);
}

/// Asserts that the order cost nothing, left no evidence, and sent its final
/// event.
async fn assert_free(office: &Office<'_>, order: &Uuid, event: &str) {
    assert!(office.ledger().await.is_empty());
    assert_eq!(super::told(&office.host, *order).await, [event]);
    let orders = &office.host.app.diligence.identifications;
    let fetched = orders.artifact(&LIVE, *order).await;
    let problem = Problem::from(fetched.unwrap_err());
    assert_eq!(problem.kind(), ProblemType::NOT_FOUND);
    let detail = problem.detail();
    assert!(detail.ends_with("; it has no package."), "{detail}");
}
