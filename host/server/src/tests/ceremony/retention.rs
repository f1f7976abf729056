//! Automatic erasure of signings, and holds that prevent it.

use jiff::{SignedDuration, Timestamp};
use parafa_api_signing::{SigningApi, SigningOrder};
use parafa_operator::{Chosen, OperateError, OperatorCommand, TenantCommand};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::tests::support::{CALLER, Host, Site, name_workspace, read};

const DAY: SignedDuration = SignedDuration::from_hours(24);

#[tokio::test]
async fn a_signing_is_erased_by_itself_so_many_days_after_its_end() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let [ended, open] = [created(&host, &site).await, created(&host, &site).await];
    host.cancel(ended).await.unwrap();
    assert_eq!(erases_at(&host, ended).await, None, "nobody says how long");

    let set = keep(&host, Some(30)).await;

    assert_eq!(set["days"], 30);
    let row = read(&host, ended).await;
    let due = row.ceremony.ended_at.unwrap() + DAY * 30;
    assert_eq!(erases_at(&host, ended).await, Some(due));
    assert_eq!(erases_at(&host, open).await, None, "it goes on");
    host.run_all().await;
    pass(&host, &site, 29).await;
    assert!(!is_erased(&host, ended).await);
    pass(&host, &site, 2).await;
    assert!(is_erased(&host, ended).await);
    assert!(!is_erased(&host, open).await, "it ended later");
    assert_eq!(erases_at(&host, ended).await, None, "it is done");
    assert!(read(&host, ended).await.pending_deletion.is_none());
    pass(&host, &site, 35).await;
    assert!(is_erased(&host, open).await);
}

#[tokio::test]
async fn what_is_held_stays_until_it_is_released() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let [held, other] = [created(&host, &site).await, created(&host, &site).await];
    for signing in [held, other] {
        host.cancel(signing).await.unwrap();
    }
    keep(&host, Some(1)).await;

    let shown = hold(&host, Some(held)).await.unwrap();

    assert_eq!(shown["heldSignings"][0]["signingId"], json!(held));
    assert_eq!(erases_at(&host, held).await, None);
    pass(&host, &site, 2).await;
    assert!(is_erased(&host, other).await);
    assert!(!is_erased(&host, held).await);
    hold(&host, None).await.unwrap();
    release(&host, Some(held)).await.unwrap();
    pass(&host, &site, 2).await;
    assert!(
        !is_erased(&host, held).await,
        "all of the workspace is held"
    );
    release(&host, None).await.unwrap();
    pass(&host, &site, 1).await;
    assert!(is_erased(&host, held).await);
    let refused = release(&host, None).await.unwrap_err();
    assert!(refused.is_refusal() && refused.to_string().contains("not on hold"));
    let refused = hold(&host, Some(held)).await.unwrap_err();
    assert!(refused.to_string().contains("erased"), "{refused}");
}

#[tokio::test]
async fn nothing_is_erased_once_the_workspace_keeps_signings_for_ever() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let signing = created(&host, &site).await;
    host.cancel(signing).await.unwrap();
    keep(&host, Some(1)).await;
    host.run_all().await;

    let set = keep(&host, None).await;

    assert_eq!(set["days"], Value::Null);
    pass(&host, &site, 400).await;
    assert!(!is_erased(&host, signing).await);
}

async fn created(host: &Host, site: &Site) -> Uuid {
    let row = host.create(site.posted(), SigningOrder::Parallel).await;
    row.unwrap().ceremony.id.uuid()
}

async fn pass(host: &Host, site: &Site, days: i32) {
    site.pass(DAY * days);
    host.run_all().await;
}

async fn is_erased(host: &Host, signing: Uuid) -> bool {
    read(host, signing).await.erased_at.is_some()
}

async fn erases_at(host: &Host, signing: Uuid) -> Option<Timestamp> {
    let api = host.app.signing_api();
    let shown = api.read_signing(&CALLER, signing.into()).await;
    shown.unwrap().erases_at
}

async fn keep(host: &Host, days: Option<u16>) -> Value {
    name_workspace(host).await;
    let tenant = CALLER.tenant.to_string();
    let days = days.map_or(Chosen::Nothing, Chosen::To);
    let set = TenantCommand::SetRetention { tenant, days };
    host.carry_out(OperatorCommand::Tenant(set)).await.unwrap()
}

async fn hold(host: &Host, signing: Option<Uuid>) -> Result<Value, OperateError> {
    let tenant = CALLER.tenant.to_string();
    let hold = TenantCommand::Hold { tenant, signing };
    host.carry_out(OperatorCommand::Tenant(hold)).await
}

async fn release(host: &Host, signing: Option<Uuid>) -> Result<Value, OperateError> {
    let tenant = CALLER.tenant.to_string();
    let release = TenantCommand::Release { tenant, signing };
    host.carry_out(OperatorCommand::Tenant(release)).await
}
