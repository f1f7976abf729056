//! Operators' commands on records that no caller could create.

use parafa_api_signing::{Delivery, SigningOrder};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::records::{CeremonyRow, MailKind};
use parafa_operator::{
    AuditCommand, KeyCommand, OperatorCommand, Part, Reply, Socket, TenantCommand, UsageCommand,
};
use parafa_platform::accounts::{ApiKeyRow, KeyMode, Product, TenantRow, TenantStatus};
use parafa_platform::billing::{Amount, UsageItem, UsageRow};
use parafa_signing::SigningError;
use parafa_signing::listing::Listing;
use parafa_store::Table;
use parafa_store::audit::Event;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::tests::support::{CALLER, Host, Site, create, mails};

#[tokio::test]
async fn a_changed_event_breaks_the_audit_trail_of_its_signing_alone() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let mut made = Vec::new();
    for _ in 0..2 {
        let row = host.create(site.posted(), SigningOrder::Parallel).await;
        made.push(row.unwrap().ceremony.id.uuid());
    }
    let changed = (made[0], 1);
    let event = host.app.records.store.get::<Event>(&changed).await.unwrap();
    let mut event = event.unwrap();
    event.name = "signing.invented".to_owned();
    put(&host, &[event]).await;

    let part = ask(&host, audit(None)).await;

    assert_eq!(
        part.rows,
        [
            json!({"signingId": made[0], "brokenAt": 1}),
            json!({"signingId": made[1], "brokenAt": null}),
        ]
    );
}

#[tokio::test]
async fn commands_are_put_off_while_the_server_starts_and_carried_out_from_then_on() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let folder = tempfile::tempdir().unwrap();
    let asked = || {
        let data = folder.path().to_owned();
        let list = OperatorCommand::Tenant(TenantCommand::List);
        let asked = tokio::task::spawn_blocking(move || parafa_operator::ask(&data, &list));
        async move { asked.await.unwrap().unwrap() }
    };

    let starting = Socket::bind(folder.path()).unwrap().put_off();
    for _ in 0..2 {
        let Some(Reply::Refused(sentence)) = asked().await else {
            panic!("nothing can be done yet");
        };
        assert!(sentence.starts_with("the server is starting"), "{sentence}");
    }
    let socket = starting.end().await.unwrap();
    let waiting = asked();
    let stop = CancellationToken::new();
    let serving = tokio::spawn(socket.serve(host.app.operator_commands(), stop.clone()));
    for asked in [waiting, asked()] {
        assert!(matches!(asked.await, Some(Reply::Done(_))));
    }
    stop.cancel();
    serving.await.unwrap();

    assert!(asked().await.is_none(), "no server is there any more");
}

#[tokio::test]
async fn long_lists_are_complete() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let tenant = CALLER.tenant;
    let at = host.parts.clock.now();
    let workspace = TenantRow {
        id: tenant,
        name: "Ilga UAB".to_owned(),
        status: TenantStatus::Active,
        created_at: at,
        adoc_category: None,
    };
    put(&host, &[workspace]).await;
    let usage: Vec<UsageRow> = (0..1200)
        .map(|number| UsageRow {
            tenant,
            id: Uuid::from_u128(number),
            at,
            item: UsageItem::Signature,
            reference: Uuid::from_u128(number).to_string(),
            amount: Amount::from_cents(1),
            form: None,
        })
        .collect();
    put(&host, &usage).await;
    let keys: Vec<ApiKeyRow> = (0..1200)
        .map(|number| ApiKeyRow {
            id: Uuid::from_u128(number),
            tenant,
            user: tenant,
            product: Product::Signing,
            mode: KeyMode::Test,
            hash: number.to_string(),
            created_at: at,
            revoked_at: None,
            name: None,
            expires_at: None,
            networks: Vec::new(),
        })
        .collect();
    put(&host, &keys).await;

    let mut exported = Vec::new();
    let mut after = None;
    loop {
        let part = ask(&host, export(after)).await;
        exported.extend(part.rows);
        after = part.after;
        if after.is_none() {
            break;
        }
    }
    let list = KeyCommand::List {
        tenant: "Ilga UAB".to_owned(),
    };
    let listed = carry_out(&host, OperatorCommand::Key(list)).await;

    let references = exported.iter().map(|row| row["ref"].clone());
    assert!(references.eq(usage.iter().map(|row| json!(row.reference))));
    assert_eq!(listed.as_array().unwrap().len(), keys.len());
}

#[tokio::test]
async fn what_another_products_record_is_signed_for_is_no_signing_of_its_callers() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let row = host.create(site.posted(), SigningOrder::Parallel).await;
    let id = row.as_ref().unwrap().ceremony.id.uuid();
    let mut stored = serde_json::to_value(row.unwrap()).unwrap();
    stored["owner"] = json!({ "product": "diligence", "subject": Uuid::from_u128(77) });
    put(
        &host,
        &[serde_json::from_value::<CeremonyRow>(stored).unwrap()],
    )
    .await;

    let read = host.app.reader.read(&CALLER, id).await;
    assert!(matches!(read, Err(CeremonyError::NotFound)));
    let erased = host.erase(id).await;
    assert!(matches!(erased, Err(CeremonyError::NotFound)));
    let listing = Listing {
        status: None,
        limit: 10,
        after: None,
    };
    let listed = host
        .app
        .signing
        .signings
        .list_signings(&CALLER, listing)
        .await;
    assert!(listed.unwrap().signings.is_empty());
}

#[tokio::test]
async fn an_audit_of_contents_counts_a_key_once_that_several_rows_name() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    create(&host, SigningOrder::Parallel, Delivery::Email).await;
    assert!(!mails(&host, MailKind::Invitation).await.is_empty());

    let contents = OperatorCommand::Audit(AuditCommand::Contents);
    let found = carry_out(&host, contents).await;

    let expected = json!({"documents": 1, "keys": deployment.data_keys(), "missing": []});
    assert_eq!(found, expected);
}

fn audit(after: Option<Uuid>) -> OperatorCommand {
    OperatorCommand::Audit(AuditCommand::Verify { after })
}

fn export(after: Option<Uuid>) -> OperatorCommand {
    OperatorCommand::Usage(UsageCommand::Export {
        tenant: Some("Ilga UAB".to_owned()),
        only: None,
        since: None,
        month: None,
        format: None,
        after,
    })
}

async fn carry_out(host: &Host, command: OperatorCommand) -> Value {
    host.carry_out(command).await.unwrap()
}

async fn ask(host: &Host, command: OperatorCommand) -> Part {
    serde_json::from_value(carry_out(host, command).await).unwrap()
}

async fn put<T: Table>(host: &Host, rows: &[T]) {
    for chunk in rows.chunks(200) {
        let stored = host.app.records.store.transact(|tx| {
            Box::pin(async move {
                for row in chunk {
                    tx.put(row).await?;
                }
                Ok::<_, SigningError>(())
            })
        });
        stored.await.unwrap();
    }
}
