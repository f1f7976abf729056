//! Limits on prompts that relying parties may send to one person's phone.

use jiff::SignedDuration;
use parafa_api_auth::requests::{CreateAuthentication, NewMethod};
use parafa_auth::AuthError;
use parafa_auth::records::ProviderRow;
use parafa_demo::{Fault, Service};
use uuid::Uuid;

use super::{by_phone, end, provider};
use crate::tests::support::{Deployment, Host, Site};

const AUDIENCE: &str = "https://shop.example";
const MINUTE: SignedDuration = SignedDuration::from_mins(1);

fn smart_id() -> NewMethod {
    let [(_, method), _] = by_phone();
    method
}

async fn create(host: &Host, provider: &ProviderRow, method: NewMethod) -> Result<Uuid, AuthError> {
    let asked = CreateAuthentication {
        audience: AUDIENCE.to_owned(),
        method,
        nonce: None,
        return_url: None,
    };
    let created = host.app.authentications.create(provider, asked, None).await;
    created.map(|created| created.request_id.0)
}

#[track_caller]
fn retry_after(refused: Result<Uuid, AuthError>) -> i64 {
    match refused {
        Err(AuthError::TooManyRequests { retry_after }) => retry_after.into(),
        other => panic!("{other:?}"),
    }
}

/// Makes a phone ring, and cancels the request.
async fn ring_in_vain(site: &Site, host: &Host, provider: &ProviderRow) {
    let id = create(host, provider, smart_id()).await.unwrap();
    host.run_due().await;
    assert_eq!(site.rings().await.authentications, 1);
    host.app.authentications.cancel(id).await.unwrap();
    host.run_due().await;
}

#[tokio::test]
async fn a_request_that_reached_no_phone_does_not_count() {
    let site = Site::start().await;
    let host = Deployment::new(&site).sound_host().await;
    let provider = provider(&host).await;
    for (service, method) in by_phone() {
        for _ in 0..11 {
            let id = create(&host, &provider, method.clone()).await.unwrap();
            host.app.authentications.cancel(id).await.unwrap();
        }
        let down = Fault::Status { status: 503 };
        site.faults(service).until_cleared(down);
        for _ in 0..11 {
            let id = create(&host, &provider, method.clone()).await.unwrap();
            end(&site, &host, id).await;
        }
        site.faults(service).clear();

        assert_eq!(site.rings().await.authentications, 0, "{service:?}");
        let id = create(&host, &provider, method).await.unwrap();
        end(&site, &host, id).await;
        assert_eq!(site.rings().await.authentications, 1, "{service:?}");
    }
}

#[tokio::test]
async fn a_phone_that_the_service_cannot_reach_does_not_count() {
    let site = Site::start().await;
    let host = Deployment::new(&site).sound_host().await;
    let provider = provider(&host).await;
    let [_, (_, mobile_id)] = by_phone();
    site.mobile_id().replace("/result", "PHONE_ABSENT".into());
    for _ in 0..11 {
        let id = create(&host, &provider, mobile_id.clone()).await.unwrap();
        end(&site, &host, id).await;
    }
}

#[tokio::test]
async fn a_provider_has_ten_prompts_an_hour_for_a_person_and_is_told_when_they_are_over() {
    let site = Site::start().await;
    let host = Deployment::new(&site).sound_host().await;
    let provider = provider(&host).await;
    ring_in_vain(&site, &host, &provider).await;
    site.pass(10 * MINUTE);
    for _ in 1..10 {
        ring_in_vain(&site, &host, &provider).await;
    }

    let seconds = retry_after(create(&host, &provider, smart_id()).await);

    assert_eq!(seconds, 50 * 60 + 1);
    site.pass(SignedDuration::from_secs(seconds - 2));
    retry_after(create(&host, &provider, smart_id()).await);
    site.pass(SignedDuration::from_secs(2));
    let again = create(&host, &provider, smart_id()).await.unwrap();
    host.app.authentications.cancel(again).await.unwrap();
}

#[tokio::test]
async fn four_of_a_provider_wait_at_a_time_and_the_fifth_is_told_when_one_of_them_ends() {
    let site = Site::start().await;
    let host = Deployment::new(&site).sound_host().await;
    let provider = provider(&host).await;
    for _ in 0..4 {
        create(&host, &provider, smart_id()).await.unwrap();
        site.pass(MINUTE);
    }

    let seconds = retry_after(create(&host, &provider, smart_id()).await);

    assert_eq!(seconds, 60 + 1);
    site.pass(SignedDuration::from_secs(seconds));
    create(&host, &provider, smart_id()).await.unwrap();
}

#[tokio::test]
async fn one_provider_uses_up_its_own_allowance_and_three_a_person_s() {
    let site = Site::start().await;
    let host = Deployment::new(&site).sound_host().await;
    for _ in 0..3 {
        let greedy = provider(&host).await;
        for _ in 0..10 {
            ring_in_vain(&site, &host, &greedy).await;
        }
        retry_after(create(&host, &greedy, smart_id()).await);
    }

    let modest = provider(&host).await;
    let seconds = retry_after(create(&host, &modest, smart_id()).await);

    assert!(seconds > 3500, "{seconds}");
    let [_, (_, somebody_else)] = by_phone();
    create(&host, &modest, somebody_else).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_called_off_while_a_host_asks_counts_if_the_phone_rang() {
    let site = Site::start().await;
    let host = Deployment::new(&site).sound_host().await;
    let provider = provider(&host).await;
    let late = Fault::Delay { milliseconds: 100 };
    site.faults(Service::SmartId).until_cleared(late);
    for _ in 0..10 {
        let id = create(&host, &provider, smart_id()).await.unwrap();
        let asking = tokio::spawn({
            let host = host.clone();
            async move { host.run_due().await }
        });
        while site.rings().await.authentications == 0 {}
        host.app.authentications.cancel(id).await.unwrap();
        asking.await.unwrap();
    }

    retry_after(create(&host, &provider, smart_id()).await);
}
