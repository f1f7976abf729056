//! The gateway to the synthetic register, with the host's own client.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use parafa_demo::{Fault, REGISTER_TOKEN, Service, World};
use parafa_outbound::{AddressPolicy, HostPort, OutboundClient, Reach, ServerTrust};
use parafa_register_data::{Query, RegisterData, synthetic::personas};
use parafa_registers::{
    Credential, Gateway, GatewayConfig, RegisterSource, SourceError, Unavailable,
};
use reqwest::{Client, StatusCode};
use serde_json::Value;
use url::Url;

use crate::support::{fresh_world, world};

fn gateway(world: &World) -> Gateway {
    let url = Url::parse(&world.addresses().register).unwrap();
    let listed = HostPort::of(&url).into_iter().collect();
    let policy = AddressPolicy::new(listed, Reach::ListedOnly);
    let port = OutboundClient::new(policy, &ServerTrust::default()).unwrap();
    let mut config = GatewayConfig::new(url);
    config.credential = Credential::Bearer(REGISTER_TOKEN.to_owned().into());
    config.timeout = Duration::from_secs(2);
    Gateway::new(config, Arc::new(port), Arc::new(Timestamp::now))
}

fn profile(code: &str) -> Query {
    Query::CompanyProfile(code.parse().unwrap())
}

#[test]
fn the_personas_of_the_register_are_those_of_the_world() {
    for persona in personas::ALL {
        let found = world()
            .personas()
            .iter()
            .find(|found| found.id == persona.id);
        let found = found.unwrap_or_else(|| panic!("{}", persona.id));
        let name = format!("{} {}", persona.given_name, persona.surname);
        assert_eq!(
            (&*found.name, &*found.country, &*found.personal_code),
            (&*name, persona.country, persona.personal_code)
        );
    }
    assert_eq!(world().personas()[0].id, personas::FIRST.id);
}

#[tokio::test]
async fn the_hosts_client_reads_what_the_gateway_answers() {
    let gateway = gateway(world());
    let answer = gateway.answer(&profile("999000009")).await.unwrap();
    assert!(matches!(answer.data, RegisterData::CompanyProfile(_)));
    let crowd = Query::Participants("999000120".parse().unwrap());
    assert!(gateway.answer(&crowd).await.is_ok());
    let thing = Query::PropertyExtract("4400-9990-0001".parse().unwrap());
    assert!(gateway.answer(&thing).await.is_ok());
    let unknown = gateway.answer(&profile("999000191")).await;
    let seizures = Query::Seizures("999000088".parse().unwrap());
    let none = gateway.answer(&seizures).await;
    for (answer, is_unknown) in [(unknown, true), (none, false)] {
        let Err(SourceError::NoData(absent)) = answer else {
            panic!("{answer:?}")
        };
        assert_eq!(absent.data.subject_is_unknown, is_unknown);
    }
    for code in ["999000152", "999000162", "999000177"] {
        let answer = gateway.answer(&profile(code)).await;
        assert!(matches!(answer, Err(SourceError::Unavailable(_))), "{code}");
    }
    let seizures = Query::Seizures("999000184".parse().unwrap());
    let reason = gateway.answer(&seizures).await;
    assert!(matches!(
        reason,
        Err(SourceError::Unavailable(Unavailable::Status(503)))
    ));
    assert!(gateway.answer(&profile("999000184")).await.is_ok());
}

#[tokio::test]
async fn what_the_protocol_does_not_have_is_refused() {
    let base = &world().addresses().register;
    let http = Client::builder().no_proxy().build().unwrap();
    let ask = async |path: &str, token: &str, accept: &str| {
        let request = http.get(format!("{base}/v1/{path}"));
        let request = request.bearer_auth(token).header("accept", accept);
        let answer = request.send().await.unwrap();
        let status = answer.status();
        (status, answer.json::<Value>().await.unwrap_or_default())
    };
    let json = "application/json";
    for (path, token, accept, status) in [
        ("jar/company-profile/999000009", "another", json, 401),
        (
            "jar/company-profile/999000009",
            REGISTER_TOKEN,
            "text/html",
            406,
        ),
        ("jar/company-profile/999000008", REGISTER_TOKEN, json, 400),
        (
            "jar/company-profile/999000009?x=1",
            REGISTER_TOKEN,
            json,
            400,
        ),
        ("jar/role-holders/999000009", REGISTER_TOKEN, json, 400),
        (
            "jar/role-holders/999000009?role=owner",
            REGISTER_TOKEN,
            json,
            400,
        ),
        ("ntr/company-profile/999000009", REGISTER_TOKEN, json, 404),
        ("jar/everything/999000009", REGISTER_TOKEN, json, 404),
    ] {
        let (given, problem) = ask(path, token, accept).await;
        assert_eq!(given.as_u16(), status, "{path}");
        let kind = problem["type"].as_str().unwrap();
        assert!(!kind.ends_with("no-data"), "{path}: {kind}");
    }
    let posted = http.post(format!("{base}/v1/jar/company-profile/999000009"));
    let posted = posted.bearer_auth(REGISTER_TOKEN).send().await.unwrap();
    assert_eq!(posted.status(), StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn faults_are_planned_as_of_every_service() {
    type IsSeen = fn(&Unavailable) -> bool;

    let world = fresh_world().await;
    let gateway = gateway(&world);
    let faults = world.faults(Service::Register);
    let seen: [(Fault, IsSeen); 3] = [
        (Fault::Garbage, |why| matches!(why, Unavailable::MediaType)),
        (Fault::Half, |why| matches!(why, Unavailable::NoAnswer(_))),
        (Fault::Endless, |why| {
            matches!(why, Unavailable::TooLong { .. })
        }),
    ];
    for (fault, is_seen) in seen {
        faults.until_cleared(fault);
        let answer = gateway.answer(&profile("999000009")).await;
        let Err(SourceError::Unavailable(why)) = answer else {
            panic!("{fault:?}: {answer:?}")
        };
        assert!(is_seen(&why), "{fault:?}: {why:?}");
        faults.clear();
    }
    assert!(gateway.answer(&profile("999000009")).await.is_ok());
    world.shutdown().await;
}
