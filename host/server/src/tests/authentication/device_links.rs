//! Authentications by device link, on hosts that come and go.

use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::routing::get;
use parafa_api_auth::requests::{AppReturn, CreateAuthentication, NewMethod};
use parafa_api_auth::{AuthenticationStatus, views};
use parafa_auth::records::ProviderRow;
use parafa_auth::{AuthError, Authentications};
use parafa_demo::{Fault, Service};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::{by_card, end, provider, request};
use crate::tests::support::{Certified, Deployment, Host, KeyUse, Site, TICK};

const RETURN_URL: &str = "https://shop.example/login?step=2";

/// Browser that the app returns to.
struct Browser {
    base: String,
    returns: mpsc::UnboundedReceiver<(Uuid, AppReturn)>,
}

impl Browser {
    async fn open() -> Self {
        let (told, returns) = mpsc::unbounded_channel();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new()
            .route("/auth/return/{request}", get(returned))
            .with_state(told);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { base, returns }
    }

    /// Returns the authentications of a host whose pages this browser opens.
    fn at(&self, host: &Host) -> Authentications {
        let mut authentications = (*host.app.authentications).clone();
        authentications.settings.issuer = self.base.clone();
        authentications
    }
}

async fn returned(
    State(told): State<mpsc::UnboundedSender<(Uuid, AppReturn)>>,
    Path(request): Path<Uuid>,
    Query(returned): Query<AppReturn>,
) {
    told.send((request, returned)).unwrap();
}

async fn opened(
    authentications: &Authentications,
    provider: &ProviderRow,
) -> Result<(Uuid, views::DeviceLink), AuthError> {
    let asked = CreateAuthentication {
        audience: provider.audiences[0].clone(),
        method: NewMethod::SmartId {
            personal_code: None,
        },
        return_url: Some(RETURN_URL.to_owned()),
        nonce: None,
    };
    let created = authentications.create(provider, asked, None).await?;
    assert_eq!(created.status, AuthenticationStatus::Pending);
    assert_eq!(created.verification_code, None);
    Ok((created.request_id.0, created.device_link.unwrap()))
}

async fn read(host: &Host, id: Uuid) -> views::Authentication {
    let read = host.app.authentications.read(id, Duration::ZERO).await;
    read.unwrap()
}

fn error(ended: &views::Authentication) -> serde_json::Value {
    serde_json::to_value(ended).unwrap()["error"]["code"].clone()
}

/// Runs jobs until the device has answered; then no link is shown any more.
async fn answered(site: &Site, host: &Host, id: Uuid) {
    while read(host, id).await.device_link.is_some() {
        host.run_due().await;
        site.pass(TICK);
    }
    assert_eq!(read(host, id).await.status, AuthenticationStatus::Pending);
}

#[tokio::test]
async fn a_code_to_scan_goes_on_each_second_and_on_another_host() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let host = deployment.sound_host().await;
    let (id, first) = opened(&host.app.authentications, &provider(&host).await)
        .await
        .unwrap();
    assert!(first.qr.contains("&elapsedSeconds=0&"), "{}", first.qr);
    let other = deployment.sound_host().await;
    drop(host);
    for second in 1..4 {
        site.pass(TICK);
        let link = read(&other, id).await.device_link.unwrap();
        assert!(
            link.qr.contains(&format!("&elapsedSeconds={second}&")),
            "{}",
            link.qr
        );
        assert_eq!(link.same_device, first.same_device);
    }

    site.follow(&read(&other, id).await.device_link.unwrap().qr)
        .await;

    let ended = end(&site, &other, id).await;
    assert_eq!(ended.status, AuthenticationStatus::Completed);
    assert!(ended.device_link.is_none() && ended.return_code.is_none());
}

#[tokio::test]
async fn an_answer_on_the_same_device_counts_once_the_app_has_come_back_to_whatever_host() {
    let site = Site::start().await;
    let mut browser = Browser::open().await;
    let deployment = Deployment::new(&site);
    let host = deployment.sound_host().await;
    let provider = provider(&host).await;
    let (id, link) = opened(&browser.at(&host), &provider).await.unwrap();
    site.follow(&link.same_device.unwrap()).await;
    let (to, genuine) = browser.returns.recv().await.unwrap();
    assert_eq!(to, id);
    answered(&site, &host, id).await;

    let other = deployment.sound_host().await;
    drop(host);
    let authentications = &other.app.authentications;
    for made_up in [
        AppReturn::default(),
        AppReturn {
            value: "made-up".to_owned(),
            ..genuine.clone()
        },
        AppReturn {
            session_secret_digest: "made-up".to_owned(),
            ..genuine.clone()
        },
    ] {
        let leads_to = authentications.return_from_app(id, &made_up).await;
        assert_eq!(leads_to.unwrap(), None);
    }
    other.run_due().await;
    assert_eq!(read(&other, id).await.status, AuthenticationStatus::Pending);

    let leads_to = authentications.return_from_app(id, &genuine).await;
    let ended = end(&site, &other, id).await;

    assert_eq!(ended.status, AuthenticationStatus::Completed);
    let code = ended.return_code.unwrap();
    let address = format!("{RETURN_URL}&requestId={id}&returnCode={code}");
    assert_eq!(leads_to.unwrap(), Some(address.clone()));
    let again = authentications.return_from_app(id, &genuine).await;
    assert_eq!(again.unwrap(), Some(address), "phones repeat it");
}

#[tokio::test]
async fn an_app_that_comes_back_first_or_with_another_verifier_is_heard_as_it_is() {
    let site = Site::start().await;
    let mut browser = Browser::open().await;
    let host = Deployment::new(&site).sound_host().await;
    let provider = provider(&host).await;
    for (verifier, expected) in [
        (None, serde_json::Value::Null),
        (Some("another"), "provider_unavailable".into()),
        (Some(""), "provider_unavailable".into()),
    ] {
        let (id, link) = opened(&browser.at(&host), &provider).await.unwrap();
        site.follow(&link.same_device.unwrap()).await;
        let (_, mut returned) = browser.returns.recv().await.unwrap();
        if let Some(verifier) = verifier {
            returned.user_challenge_verifier = verifier.to_owned();
        }
        let heard = host.app.authentications.return_from_app(id, &returned);
        assert!(heard.await.unwrap().is_some());

        let ended = end(&site, &host, id).await;

        assert_eq!(error(&ended), expected, "{verifier:?}");
    }
}

#[tokio::test]
async fn an_app_that_never_comes_back_logs_nobody_in() {
    let site = Site::start().await;
    let mut browser = Browser::open().await;
    let host = Deployment::new(&site).sound_host().await;
    let (id, link) = opened(&browser.at(&host), &provider(&host).await)
        .await
        .unwrap();
    site.follow(&link.same_device.unwrap()).await;
    let (_, late) = browser.returns.recv().await.unwrap();
    answered(&site, &host, id).await;

    site.pass(jiff::SignedDuration::from_mins(5));
    host.run_all().await;
    let heard = host.app.authentications.return_from_app(id, &late).await;
    heard.unwrap();
    host.run_all().await;

    assert_eq!(read(&host, id).await.status, AuthenticationStatus::Expired);
}

#[tokio::test]
async fn a_broker_says_on_whose_behalf_each_person_is_asked() {
    let mut site = Site::start().await;
    site.config.smart_id.as_mut().unwrap().broker = true;
    let host = Deployment::new(&site).sound_host().await;
    let provider = provider(&host).await;
    let (scanned, link) = opened(&host.app.authentications, &provider).await.unwrap();
    site.follow(&link.qr).await;
    let method = NewMethod::SmartId {
        personal_code: Some(crate::tests::support::SIGN[0].to_owned()),
    };
    let notified = request(&host, &provider, method).await;

    for id in [scanned, notified] {
        let ended = end(&site, &host, id).await;
        assert_eq!(ended.status, AuthenticationStatus::Completed);
    }
}

#[tokio::test]
async fn a_link_that_the_provider_does_not_open_is_no_request() {
    let site = Site::start().await;
    let host = Deployment::new(&site).sound_host().await;
    let provider = provider(&host).await;
    site.faults(Service::SmartId)
        .until_cleared(Fault::Status { status: 503 });

    let refused = opened(&host.app.authentications, &provider).await;

    assert!(matches!(refused, Err(AuthError::ProviderDown(_))));
    assert_eq!(host.run_due().await, 0, "nothing is left to do");
}

#[tokio::test]
async fn a_key_on_a_curve_that_is_not_verified_is_refused_with_its_certificate() {
    let site = Site::start().await;
    let host = Deployment::new(&site).sound_host().await;
    let id = request(&host, &provider(&host).await, by_card()).await;
    let der = Certified::on_another_curve(&site, KeyUse::Authentication);

    let refused = host.app.authentications.receive_certificate(id, &der).await;

    assert!(matches!(refused, Err(AuthError::UnsupportedAlgorithm(_))));
    assert_eq!(read(&host, id).await.status, AuthenticationStatus::Pending);
}
