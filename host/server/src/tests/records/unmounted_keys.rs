//! Data keys whose folder is not mounted: requests that need them fail, and
//! nothing is lost.

use axum::body::{Body, to_bytes};
use http::{Request, StatusCode};
use parafa_api_signing::requests::ListQuery;
use parafa_api_signing::{Delivery, ProblemKind, SigningApi, SigningOrder};
use parafa_domain::CeremonyStatus;
use parafa_signing::records::FileRow;
use tower::ServiceExt;

use crate::operator;
use crate::tests::support::{
    CALLER, DAY, Deployment, Host, Site, batch, create, read, signing_request, signings,
    stored_pdf, terms,
};

#[tokio::test]
async fn a_list_is_unavailable_rather_than_one_of_signings_without_their_data() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let raised = host.post_batch(batch()).await;
    let raised = raised.unwrap().row.id;
    let api = host.app.signing_api();
    let everything = || ListQuery {
        status: None,
        limit: 10,
        starting_after: None,
    };
    let keys = deployment.unmount_keys();

    let list = api.list_signings(&CALLER, everything()).await;

    assert_eq!(list.unwrap_err().kind(), ProblemKind::Unavailable);
    assert!(
        host.app
            .signing
            .signings
            .read_batch(&CALLER, raised)
            .await
            .is_err()
    );
    keys.restore();
    let list = api.list_signings(&CALLER, everything()).await.unwrap();
    let list = serde_json::to_value(&list).unwrap();
    let titles: Vec<_> = list["data"].as_array().unwrap().iter().collect();
    assert_eq!(titles.len(), 3);
    assert!(titles.iter().all(|signing| signing["title"] == "Sutartis"));
}

#[tokio::test]
async fn nothing_is_created_erased_or_expired_before_the_keys_are_mounted() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    let row = create(&host, SigningOrder::Parallel, Delivery::Link).await;
    let id = row.ceremony.id.uuid();
    let ended = create(&host, SigningOrder::Parallel, Delivery::Link).await;
    let ended = ended.ceremony.id.uuid();
    host.cancel(ended).await.unwrap();
    let stored = host.store_file(stored_pdf()).await.unwrap();
    let stored = stored.row.id;
    let files = deployment.byte_files();
    let keys = deployment.unmount_keys();

    let created = host
        .post(signing_request(terms(
            SigningOrder::Parallel,
            Delivery::Link,
        )))
        .await;
    assert!(created.is_err());
    for id in [id, ended] {
        assert!(host.erase(id).await.is_err());
    }
    assert!(
        host.app
            .signing
            .intake
            .delete_file(&CALLER, stored)
            .await
            .is_err()
    );
    site.pass(DAY * 30);
    host.run_due().await;

    assert_eq!(signings(&host).await.len(), 2);
    assert!(deployment.byte_files().is_superset(&files));
    let row = read(&host, ended).await;
    assert_eq!(row.erased_at, None);
    assert!(
        host.app
            .records
            .store
            .get::<FileRow>(&stored)
            .await
            .unwrap()
            .is_some()
    );
    let row = read(&host, id).await;
    assert_eq!(row.ceremony.status, CeremonyStatus::Pending);
    keys.restore();
    site.pass(DAY);
    host.run_due().await;
    let row = read(&host, id).await;
    assert_eq!(row.ceremony.status, CeremonyStatus::Expired);
    assert!(
        host.app
            .records
            .store
            .get::<FileRow>(&stored)
            .await
            .unwrap()
            .is_none()
    );
    for id in [id, ended] {
        assert!(host.erase(id).await.unwrap());
    }
    assert_eq!(deployment.data_keys(), 0);
}

#[tokio::test]
async fn readiness_tells_of_keys_that_are_not_mounted_but_not_of_one_that_is_lost() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    create(&host, SigningOrder::Parallel, Delivery::Link).await;
    assert_eq!(readiness(&host).await.0, StatusCode::OK);

    for keys in [Deployment::unmount_keys, Deployment::hide_keys] {
        let keys = keys(&deployment);
        let (status, text) = readiness(&host).await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(text.starts_with("keys: "), "{text}");
        keys.restore();
    }

    deployment.lose_keys();
    assert_eq!(readiness(&host).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_server_that_accepts_a_loss_says_so_as_long_as_it_runs() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    create(&host, SigningOrder::Parallel, Delivery::Link).await;

    let (status, text) = readiness_of(&host, true).await;

    assert_eq!(status, StatusCode::OK);
    assert!(
        text.contains("warning: the server was started with --accept-loss"),
        "{text}"
    );
    assert_eq!(readiness(&host).await.1, "ok\n");
}

pub(super) async fn readiness(host: &Host) -> (StatusCode, String) {
    readiness_of(host, false).await
}

async fn readiness_of(host: &Host, accepts_loss: bool) -> (StatusCode, String) {
    let request = Request::get("/readyz").body(Body::empty()).unwrap();
    let router = operator::router(host.app.clone(), accepts_loss);
    let answer = router.oneshot(request).await;
    let answer = answer.unwrap();
    let status = answer.status();
    let text = to_bytes(answer.into_body(), 1024).await.unwrap();
    (status, String::from_utf8(text.to_vec()).unwrap())
}
