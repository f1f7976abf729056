//! Orders of test keys.

use parafa_api_diligence::kyc::problems;
use parafa_api_http::Problem;
use parafa_ceremony::CeremonyError;
use parafa_domain::{KycRefusal, KycStatus};
use parafa_identification::{IdentificationError, OrderForm, SimulatedOutcome};
use parafa_operator::{DeliveryCommand, OperatorCommand, Part};
use parafa_platform::accounts::{TenantRow, TenantStatus};
use parafa_platform::billing::Amount;
use parafa_register_data::Role;
use parafa_store::Clock;

use super::{LIVE, Office, TEST, form};
use crate::tests::support::{SIGN, Site};

#[tokio::test]
async fn an_order_of_the_sandbox_ends_as_it_is_told_to() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let endings = [
        (SimulatedOutcome::Complete, KycStatus::Delivered),
        (SimulatedOutcome::Mismatch, KycStatus::IdentityMismatch),
        (SimulatedOutcome::Decline, KycStatus::Refused),
        (SimulatedOutcome::Expire, KycStatus::Expired),
        (SimulatedOutcome::Fail, KycStatus::Failed),
    ];

    for (how, status) in endings {
        let ordered = office.ordered(&TEST).await;
        let orders = &office.host.app.diligence.identifications;
        orders.simulate(&TEST, ordered.id, how).await.unwrap();
        let ended = office.end(&TEST, &ordered).await;
        assert_eq!(ended.status, status);
        assert_eq!(office.told(&ordered).await.len(), 1, "{how:?}");
        let again = orders.simulate(&TEST, ordered.id, how).await;
        assert!(matches!(again, Err(IdentificationError::OrderEnded(_))));
    }

    assert!(office.ledger().await.is_empty());
}

#[tokio::test]
async fn a_delivery_about_an_order_is_listed_by_the_orders_id() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let ordered = office.ordered(&TEST).await;
    let orders = &office.host.app.diligence.identifications;
    let decline = SimulatedOutcome::Decline;
    orders.simulate(&TEST, ordered.id, decline).await.unwrap();
    let store = &office.host.app.records.store;
    let workspace = &TenantRow {
        id: TEST.tenant,
        name: "Tvarka UAB".to_owned(),
        status: TenantStatus::Active,
        created_at: site.clock.now(),
        adoc_category: None,
    };
    let stored = store.transact(|tx| Box::pin(async move { tx.put(workspace).await }));
    stored.await.unwrap();

    let list = OperatorCommand::Delivery(DeliveryCommand::List {
        tenant: TEST.tenant.to_string(),
        after: None,
    });
    let listed = office.host.carry_out(list).await.unwrap();

    let listed = &serde_json::from_value::<Part>(listed).unwrap().rows[0];
    assert_eq!(listed["event"], "kyc.refused");
    assert_eq!(listed["orderId"], ordered.id.to_string());
    assert_eq!(listed.get("signingId"), None);
}

#[tokio::test]
async fn an_order_that_is_being_verified_is_not_said_to_have_ended() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let ordered = office.ordered(&TEST).await;
    let orders = &office.host.app.diligence.identifications;
    let [complete, expire] = [SimulatedOutcome::Complete, SimulatedOutcome::Expire];
    orders.simulate(&TEST, ordered.id, complete).await.unwrap();

    let early = orders.simulate(&TEST, ordered.id, expire).await;
    let early = Problem::from(early.unwrap_err());
    assert_eq!(early.kind(), problems::ORDER_NOT_ENDED);

    office.end(&TEST, &ordered).await;
    let late = orders.simulate(&TEST, ordered.id, expire).await;
    assert!(matches!(late, Err(IdentificationError::OrderEnded(_))));
    drop(office);
}

#[tokio::test]
async fn a_simulated_package_says_so_and_its_dossier_is_not_signed() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let ordered = office.ordered(&TEST).await;
    office.complete(&ordered).await;

    let delivered = office.end(&TEST, &ordered).await;

    assert!(delivered.sandbox);
    assert_eq!(delivered.delivered.unwrap().price, Amount::default());
    let orders = &office.host.app.diligence.identifications;
    let container = orders.artifact(&TEST, ordered.id).await.unwrap();
    let plugin = site.plugins.by_id("asice").unwrap();
    let members = plugin.members(container.clone()).await.unwrap();
    let member = async |name: &str| {
        let member = members.iter().find(|member| member.name == name);
        let member = plugin.extract(container.clone(), &member.unwrap().id);
        member.await.unwrap()
    };
    let payload: serde_json::Value = serde_json::from_slice(&member("payload.json").await).unwrap();
    assert_eq!(payload["sandbox"], true);
    assert!(payload["certificate"].is_null());
    let pdf = site.plugins.by_id("pdf").unwrap();
    let evidence = pdf.verify(member("dossier.pdf").await).await.unwrap();
    assert!(evidence.signatures.is_empty());
}

#[tokio::test]
async fn a_holder_with_a_foreign_identifier_is_out_of_scope_in_the_sandbox_too() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let foreign = OrderForm {
        entity: "999000145".parse().unwrap(),
        role: Role::Manager,
        ..form()
    };
    let ordered = office.order(&TEST, foreign).await.unwrap();
    office.complete(&ordered).await;

    let ended = office.end(&TEST, &ordered).await;

    assert_eq!(ended.refusal, Some(KycRefusal::OutOfScopeIdentifier));
}

#[tokio::test]
async fn nobodys_device_is_asked_for_the_sandbox_and_nothing_is_simulated_outside_of_it() {
    let site = Site::with_attorney().await;
    let office = Office::open(&site).await;
    let ordered = office.ordered(&TEST).await;
    let subject = office.subject(&ordered).await;
    let started = office.host.start(subject, SIGN[0]).await;
    assert!(matches!(started, Err(CeremonyError::SandboxNeverSigns)));

    let ordered = office.ordered(&LIVE).await;
    let orders = &office.host.app.diligence.identifications;
    let complete = SimulatedOutcome::Complete;
    let simulated = orders.simulate(&LIVE, ordered.id, complete).await;

    assert!(matches!(simulated, Err(IdentificationError::SandboxOnly)));
}
