//! Authentication on whole hosts: requests, cards, phones and links.

mod certificate_policies;
mod device_links;
mod prompt_limits;
mod requests;

use std::time::Duration;

use parafa_api_auth::requests::{CreateAuthentication, NewMethod};
use parafa_api_auth::{AuthenticationStatus, views};
use parafa_auth::providers::NewProvider;
use parafa_auth::records::ProviderRow;
use parafa_demo::Service;
use parafa_domain::AuthenticationMethod;
use uuid::Uuid;

use crate::tests::support::{Host, MOST_RUNS, SIGN, SIGNS_BY_MOBILE_ID, Site, TICK};

const AUDIENCE: &str = "https://shop.example";

pub(super) async fn provider(host: &Host) -> ProviderRow {
    let new = NewProvider {
        name: "Parduotuvė".to_owned(),
        tenant: None,
        audiences: vec![AUDIENCE.to_owned()],
        methods: AuthenticationMethod::ALL.to_vec(),
        encodings: Vec::new(),
        asserts: true,
    };
    let providers = &host.app.authentications.providers;
    providers.create(new).await.unwrap().0
}

pub(super) async fn request(host: &Host, provider: &ProviderRow, method: NewMethod) -> Uuid {
    let asked = CreateAuthentication {
        audience: AUDIENCE.to_owned(),
        method,
        return_url: None,
        nonce: None,
    };
    let created = host.app.authentications.create(provider, asked, None).await;
    created.unwrap().request_id.0
}

pub(super) fn by_card() -> NewMethod {
    NewMethod::Physical {
        personal_code: None,
    }
}

/// Returns both methods whose devices a service contacts.
pub(super) fn by_phone() -> [(Service, NewMethod); 2] {
    let (phone_number, personal_code) = SIGNS_BY_MOBILE_ID;
    [
        (
            Service::SmartId,
            NewMethod::SmartId {
                personal_code: Some(SIGN[0].to_owned()),
            },
        ),
        (
            Service::MobileId,
            NewMethod::MobileId {
                personal_code: personal_code.to_owned(),
                phone_number: phone_number.to_owned(),
            },
        ),
    ]
}

/// Runs the host's jobs until a request has ended.
pub(super) async fn end(site: &Site, host: &Host, request: Uuid) -> views::Authentication {
    for _ in 0..MOST_RUNS {
        let read = host.app.authentications.read(request, Duration::ZERO).await;
        let read = read.unwrap();
        if read.status != AuthenticationStatus::Pending
            && read.status != AuthenticationStatus::InProgress
        {
            return read;
        }
        host.run_due().await;
        site.pass(TICK);
    }
    panic!("the request does not end");
}
