//! Authentication requests handled by two hosts, and services that misbehave.

use std::collections::HashMap;
use std::fs;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parafa_api_auth::requests::CompletionRequest;
use parafa_api_auth::{AuthenticationStatus, views};
use parafa_auth::AuthError;
use parafa_demo::Fault;
use parafa_domain::{AuthenticationFailure, AuthenticationMethod, CannotAuthenticate};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{by_card, by_phone, end, provider, request};
use crate::tests::support::{Deployment, Host, Site};

const PEOPLE: [&str; 2] = ["card-p384", "card-p256"];
/// Number of random runs with two clients.
const RUNS: usize = 1000;

/// Next step of a client.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Submits this person's certificate.
    Certificate(usize),
    /// Completes with the last received data, correctly or not.
    Complete { good: bool },
}

/// Answer to a client.
type Outcome = Result<String, AuthError>;

/// A client: its host, and the last data it received.
struct Client<'h> {
    host: &'h Host,
    cards: &'h Cards<'h>,
    given: Option<(usize, views::DataToBeSigned)>,
    outcomes: Vec<Outcome>,
}

/// Cards of the world, with their certificates cached.
struct Cards<'s> {
    site: &'s Site,
    certificates: HashMap<usize, Vec<u8>>,
}

impl<'s> Cards<'s> {
    async fn of(site: &'s Site) -> Self {
        let mut certificates = HashMap::new();
        for (person, id) in PEOPLE.iter().enumerate() {
            let answer = site.card(&format!("/{id}/authentication"), None).await;
            let der = STANDARD.decode(answer["certificate"].as_str().unwrap());
            certificates.insert(person, der.unwrap());
        }
        Self { site, certificates }
    }

    async fn sign(&self, person: usize, bytes: &[u8]) -> Vec<u8> {
        let path = format!("/{}/authentication/sign", PEOPLE[person]);
        let body = format!(
            r#"{{"sha256":"{}"}}"#,
            STANDARD.encode(Sha256::digest(bytes))
        );
        let answer = self.site.card(&path, Some(&body)).await;
        STANDARD
            .decode(answer["signature"].as_str().unwrap())
            .unwrap()
    }
}

impl Client<'_> {
    async fn act(&mut self, request: Uuid, act: Act) {
        let authentications = &self.host.app.authentications;
        match act {
            Act::Certificate(person) => {
                let der = &self.cards.certificates[&person];
                match authentications.receive_certificate(request, der).await {
                    Ok(given) => self.given = Some((person, given)),
                    Err(error) => self.outcomes.push(Err(error)),
                }
            }
            Act::Complete { good } => {
                let Some((person, given)) = &self.given else {
                    return;
                };
                let dtbs = STANDARD.decode(&given.dtbs).unwrap();
                let signed: &[u8] = if good { &dtbs } else { b"something else" };
                let completion = CompletionRequest {
                    signature: self.cards.sign(*person, signed).await,
                    algorithm: "ES256".to_owned(),
                    encoding: "P1363".to_owned(),
                    operation_token: given.operation_token.clone(),
                };
                for _ in 0..2 {
                    let completed = authentications.complete(request, completion.clone()).await;
                    let told = completed.map(|answer| serde_json::to_string(&answer).unwrap());
                    self.outcomes.push(told);
                }
            }
        }
    }
}

/// Generates scripts for two clients of at most three steps each; most steps
/// are regular.
fn scripts() -> impl Strategy<Value = [Vec<Act>; 2]> {
    let act = proptest::prop_oneof![
        4 => proptest::strategy::Just(Act::Certificate(0)),
        1 => proptest::strategy::Just(Act::Certificate(1)),
        4 => proptest::strategy::Just(Act::Complete { good: true }),
        1 => proptest::strategy::Just(Act::Complete { good: false }),
    ];
    let script = || proptest::collection::vec(act.clone(), 2..4);
    [script(), script()]
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_first_of_two_clients_decides_and_everybody_is_told_the_same() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let hosts = [deployment.sound_host().await, deployment.sound_host().await];
    let provider = provider(&hosts[0]).await;
    let cards = Cards::of(&site).await;
    let mut runner = TestRunner::deterministic();
    let mut completed = 0;
    for _ in 0..RUNS {
        let scripts = scripts().new_tree(&mut runner).unwrap().current();
        let id = request(&hosts[0], &provider, by_card()).await;
        let run = async |host, script: &[Act]| {
            let mut client = Client {
                host,
                cards: &cards,
                given: None,
                outcomes: Vec::new(),
            };
            for act in script {
                client.act(id, *act).await;
            }
            client.outcomes
        };
        let (one, other) = tokio::join!(run(&hosts[0], &scripts[0]), run(&hosts[1], &scripts[1]));

        let outcomes: Vec<_> = one.into_iter().chain(other).collect();
        let authentications = &hosts[0].app.authentications;
        let end = authentications.read(id, Duration::ZERO).await.unwrap();
        let succeeded: Vec<_> = outcomes.iter().flatten().collect();
        assert!(
            succeeded.iter().all(|told| *told == succeeded[0]),
            "{scripts:?}"
        );
        let is_completed = end.status == AuthenticationStatus::Completed;
        assert_eq!(
            is_completed,
            !succeeded.is_empty(),
            "{scripts:?}: {outcomes:?}"
        );
        completed += usize::from(is_completed);
        let has_failed = outcomes.iter().any(|outcome| {
            let failure = AuthenticationFailure::BadSignature;
            matches!(outcome, Err(AuthError::Failed(told)) if *told == failure)
        });
        let is_failed = end.status == AuthenticationStatus::Failed;
        assert_eq!(is_failed, has_failed, "{scripts:?}: {outcomes:?}");
        for refusal in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
            let is_expected = matches!(
                refusal,
                AuthError::Failed(AuthenticationFailure::BadSignature)
                    | AuthError::Cannot(
                        CannotAuthenticate::Ended(_)
                            | CannotAuthenticate::IdentitySwap
                            | CannotAuthenticate::OperationSpent
                    )
            );
            assert!(is_expected, "{scripts:?}: {refusal:?}");
        }
    }
    assert!(completed > RUNS / 4, "{completed}");
}

#[tokio::test]
async fn another_host_takes_a_request_to_a_phone_up_and_it_rings_once() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    for (service, method) in by_phone() {
        let host = deployment.sound_host().await;
        let provider = provider(&host).await;
        let id = request(&host, &provider, method).await;
        host.run_due().await;
        site.rings().await;

        let other = deployment.sound_host().await;
        drop(host);
        let end = end(&site, &other, id).await;

        assert_eq!(end.status, AuthenticationStatus::Completed, "{service:?}");
        assert_eq!(site.rings().await.authentications, 0, "{service:?}");
    }
}

#[tokio::test]
async fn a_service_that_cannot_answer_ends_a_request_as_its_relying_party_is_told() {
    let site = Site::start().await;
    let host = Deployment::new(&site).sound_host().await;
    let provider = provider(&host).await;
    for (service, method) in by_phone() {
        let id = request(&host, &provider, method).await;
        site.faults(service)
            .until_cleared(Fault::Status { status: 503 });

        let end = end(&site, &host, id).await;

        site.faults(service).clear();
        assert_eq!(end.status, AuthenticationStatus::Failed, "{service:?}");
        let error = serde_json::to_value(&end).unwrap()["error"]["code"].clone();
        assert_eq!(error, "provider_unavailable", "{service:?}");
    }
}

#[tokio::test]
async fn an_answer_with_the_certificate_of_somebody_else_authenticates_nobody() {
    let site = Site::start().await;
    let host = Deployment::new(&site).sound_host().await;
    let provider = provider(&host).await;
    let other = site
        .mobile_id_certificate("+37060000007", "51001091072")
        .await;
    let [_, (_, by_mobile_id)] = by_phone();
    let id = request(&host, &provider, by_mobile_id).await;
    site.mobile_id().replace("/cert", other.into());

    let end = end(&site, &host, id).await;

    let error = serde_json::to_value(&end).unwrap()["error"]["code"].clone();
    assert_eq!(error, "identity_mismatch");
}

#[tokio::test]
async fn cards_that_are_trusted_in_a_reader_alone_authenticate_there_alone() {
    let mut site = Site::start().await;
    let trust = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(site.config.trust.folder.as_ref().unwrap()).unwrap() {
        let entry = entry.unwrap();
        let listed = fs::read_to_string(entry.path()).unwrap();
        let listed = listed
            .replace("\"timestamping\", \"authentication\"", "\"timestamping\"")
            .replace("\"nfc\", \"physical\"", "\"physical\"");
        fs::write(trust.path().join(entry.file_name()), listed).unwrap();
    }
    site.config.trust.folder = Some(trust.path().to_owned());
    let cards = Cards::of(&site).await;
    let host = Deployment::new(&site).sound_host().await;
    let provider = provider(&host).await;

    let methods = host.app.authentications.methods();
    let id = request(&host, &provider, by_card()).await;
    let certificate = &cards.certificates[&0];
    let submitted = host
        .app
        .authentications
        .receive_certificate(id, certificate);

    assert!(methods.contains(&AuthenticationMethod::Physical));
    assert!(!methods.contains(&AuthenticationMethod::Nfc));
    assert!(submitted.await.is_ok());
}
