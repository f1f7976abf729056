//! The gateway's client against correct and faulty gateways.

use std::num::NonZeroUsize;
use std::time::Duration;

use axum::{
    Router,
    body::Body,
    extract::OriginalUri,
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::get,
};
use jiff::SignedDuration;
use parafa_http_port::HttpPortError;
use parafa_register_data::{Query, RegisterData, Role, SourceMode, synthetic};
use parafa_registers::{
    BreakerSettings, Credential, Gateway, GatewayConfig, RegisterSource, Unavailable,
};

use crate::support::{Asked, COMPLETE, Hands, nothing, port_to, profile, serve, unavailable};

const NO_DATA: &str = r#"{"type":"https://example.com/problems/no-data","status":404}"#;

/// A gateway that gives these answers in order, and then always the last one.
async fn scripted(answers: Vec<fn() -> Response>) -> (Gateway, Asked, Hands) {
    scripted_with(answers, |_| {}).await
}

async fn scripted_with(
    answers: Vec<fn() -> Response>,
    configure: impl FnOnce(&mut GatewayConfig),
) -> (Gateway, Asked, Hands) {
    let asked = Asked::default();
    let noted = asked.clone();
    let handler = move |OriginalUri(uri): OriginalUri| {
        let number = noted.note(uri.to_string());
        let answer = answers[number.min(answers.len()) - 1];
        async move { answer() }
    };
    let url = serve(Router::new().fallback(handler)).await;
    let mut config = GatewayConfig::new(url.clone());
    config.timeout = Duration::from_secs(5);
    configure(&mut config);
    let hands = Hands::default();
    (
        Gateway::new(config, port_to(&url), hands.clock()),
        asked,
        hands,
    )
}

fn json(body: impl Into<Body>) -> Response {
    (
        [(CONTENT_TYPE, "application/json; charset=utf-8")],
        body.into(),
    )
        .into_response()
}

fn complete() -> Response {
    let synthetic::Answer::Data(data) = synthetic::answer(&profile(COMPLETE)) else {
        panic!("the set has it");
    };
    json(serde_json::to_vec(&data).unwrap())
}

fn problem(status: StatusCode, body: &'static str) -> Response {
    (status, [(CONTENT_TYPE, "application/problem+json")], body).into_response()
}

fn dead() -> Response {
    StatusCode::SERVICE_UNAVAILABLE.into_response()
}

#[tokio::test]
async fn a_gateways_answer_is_taken_with_its_raw_form_and_reference() {
    let (gateway, asked, _) = scripted(vec![|| {
        let mut response = complete();
        response
            .headers_mut()
            .insert("register-reference", "RC-1".parse().unwrap());
        response
    }])
    .await;

    let answer = gateway.answer(&profile(COMPLETE)).await.unwrap();

    assert_eq!(asked.all(), ["/v1/jar/company-profile/999000009"]);
    assert_eq!(
        (answer.mode, answer.reference.as_str()),
        (SourceMode::Licensed, "RC-1")
    );
    let synthetic::Answer::Data(data) = synthetic::answer(&profile(COMPLETE)) else {
        panic!("the set has it");
    };
    let read = RegisterData::from_json(&profile(COMPLETE), &answer.raw).unwrap();
    assert_eq!(read, data);
}

#[tokio::test]
async fn things_and_roles_have_addresses_of_their_own() {
    let (gateway, asked, _) = scripted(vec![|| problem(StatusCode::NOT_FOUND, NO_DATA)]).await;
    let thing = Query::PropertyExtract("1234-5678-9011:4660".parse().unwrap());
    let role = Query::RoleHolders {
        entity: COMPLETE.parse().unwrap(),
        role: Role::BeneficialOwner,
    };
    for query in [thing, role] {
        let answer = gateway.answer(&query).await;
        nothing(answer);
    }
    assert_eq!(
        asked.all(),
        [
            "/v1/ntr/property-extract/1234-5678-9011:4660",
            "/v1/jangis/role-holders/999000009?role=beneficial_owner",
        ]
    );
}

#[tokio::test]
async fn a_gateway_is_shown_the_token_and_logs_are_not() {
    async fn check(headers: HeaderMap) -> Response {
        match headers
            .get("authorization")
            .map(axum::http::HeaderValue::as_bytes)
        {
            Some(b"Bearer secret") => complete(),
            _ => StatusCode::UNAUTHORIZED.into_response(),
        }
    }
    let url = serve(Router::new().fallback(get(check))).await;
    let mut config = GatewayConfig::new(url.clone());
    let without = Gateway::new(config.clone(), port_to(&url), Hands::default().clock());
    config.credential = Credential::Bearer("secret".to_owned().into());
    assert!(!format!("{config:?}").contains("secret"));
    let with = Gateway::new(config, port_to(&url), Hands::default().clock());

    assert!(with.answer(&profile(COMPLETE)).await.is_ok());
    let reason = unavailable(without.answer(&profile(COMPLETE)).await);
    assert!(matches!(reason, Unavailable::Status(401)));
}

#[tokio::test]
async fn a_404_is_no_data_only_where_it_says_so() {
    let others: [fn() -> Response; 3] = [
        || StatusCode::NOT_FOUND.into_response(),
        || problem(StatusCode::NOT_FOUND, r#"{"type":"about:blank"}"#),
        || {
            let mut response = json(NO_DATA);
            *response.status_mut() = StatusCode::NOT_FOUND;
            response
        },
    ];
    for other in others {
        let (gateway, ..) = scripted(vec![other]).await;
        let reason = unavailable(gateway.answer(&profile(COMPLETE)).await);
        assert!(matches!(reason, Unavailable::Status(404)));
    }
}

#[tokio::test]
async fn an_unknown_subject_is_told_from_nothing_held_and_both_are_kept_as_they_came() {
    const UNKNOWN: &str = r#"{"type":"https://example.com/problems/unknown-subject"}"#;
    let said: Vec<fn() -> Response> = vec![|| problem(StatusCode::NOT_FOUND, NO_DATA), || {
        problem(StatusCode::NOT_FOUND, UNKNOWN)
    }];
    let (gateway, ..) = scripted(said).await;
    for (body, is_unknown) in [(NO_DATA, false), (UNKNOWN, true)] {
        let absent = nothing(gateway.answer(&profile(COMPLETE)).await);
        assert_eq!(absent.data.subject_is_unknown, is_unknown);
        assert_eq!(absent.raw, body);
        assert_eq!(absent.media_type, "application/problem+json");
        assert_eq!(absent.reference, "jar/company-profile/999000009");
    }
}

#[tokio::test]
async fn an_answer_without_entries_is_no_data_of_every_kind() {
    async fn empty(OriginalUri(uri): OriginalUri) -> Response {
        let kind = uri.path().split('/').nth(3).unwrap_or_default();
        json(match kind {
            "participants" => {
                r#"{"listFiled":true,"listDate":null,"totalShares":null,"shareClasses":[],
                    "participants":[],"bods":[],"counts":{"ltNatural":0,"ltLegal":0,
                    "foreignNatural":0,"foreignLegal":0}}"#
            }
            "real-estate" => r#"{"items":[]}"#,
            "seizures" => r#"{"acts":[]}"#,
            "cases" => r#"{"cases":[]}"#,
            "role-holders" => r#"{"holders":[]}"#,
            _ => r#"{"declaredOn":null,"status":"not_declared","owners":[],"bods":[]}"#,
        })
    }
    let url = serve(Router::new().fallback(empty)).await;
    let config = GatewayConfig::new(url.clone());
    let gateway = Gateway::new(config, port_to(&url), Hands::default().clock());
    let entity = || COMPLETE.parse().unwrap();
    for query in [
        Query::Participants(entity()),
        Query::RealEstate(entity()),
        Query::Seizures(entity()),
        Query::Cases(entity()),
        Query::RoleHolders {
            entity: entity(),
            role: Role::Manager,
        },
    ] {
        let answer = gateway.answer(&query).await;
        let absent = nothing(answer);
        assert!(!absent.data.subject_is_unknown, "{query:?}");
        assert_eq!(absent.media_type, "application/json");
    }
    let undeclared = gateway.answer(&Query::BeneficialOwners(entity())).await;
    assert!(undeclared.is_ok(), "that they are not declared is data");
}

#[tokio::test]
async fn half_an_answer_garbage_and_other_media_types_are_no_answer() {
    let (gateway, ..) = scripted(vec![|| json("{\"code\":\"999000009\",\"name\":\"UA")]).await;
    let reason = unavailable(gateway.answer(&profile(COMPLETE)).await);
    assert!(matches!(reason, Unavailable::Unreadable(_)));

    let (gateway, ..) = scripted(vec![|| json(b"\x00\xff\xfe".to_vec())]).await;
    let reason = unavailable(gateway.answer(&profile(COMPLETE)).await);
    assert!(matches!(reason, Unavailable::Unreadable(_)));

    let (gateway, ..) = scripted(vec![|| {
        let synthetic::Answer::Data(data) = synthetic::answer(&profile(COMPLETE)) else {
            panic!("the set has it");
        };
        let mut value = serde_json::to_value(data).unwrap();
        value.as_object_mut().unwrap().remove("managementBodies");
        json(value.to_string())
    }])
    .await;
    let reason = unavailable(gateway.answer(&profile(COMPLETE)).await);
    assert!(matches!(reason, Unavailable::Unreadable(_)));

    let (gateway, ..) = scripted(vec![|| {
        let mut response = complete();
        response
            .headers_mut()
            .insert(CONTENT_TYPE, "text/html".parse().unwrap());
        response
    }])
    .await;
    let reason = unavailable(gateway.answer(&profile(COMPLETE)).await);
    assert!(matches!(reason, Unavailable::MediaType));
}

#[tokio::test]
async fn an_answer_about_another_entity_is_no_answer() {
    let (gateway, ..) = scripted(vec![complete]).await;
    let reason = unavailable(gateway.answer(&profile("999000017")).await);
    assert!(matches!(reason, Unavailable::Unreadable(_)));
}

#[tokio::test]
async fn too_long_an_answer_is_no_answer() {
    let configure = |config: &mut GatewayConfig| config.max_response_bytes = 1_000;
    let (gateway, asked, _) = scripted_with(vec![complete], configure).await;
    let reason = unavailable(gateway.answer(&profile(COMPLETE)).await);
    let too_long = matches!(reason, Unavailable::TooLong { limit: 1_000 });
    assert!(too_long);
    assert_eq!(asked.all().len(), 1);
}

#[tokio::test]
async fn a_page_of_a_gateway_that_is_down_is_not_its_answer_however_long() {
    let page = || (StatusCode::SERVICE_UNAVAILABLE, "x".repeat(2_000)).into_response();
    let configure = |config: &mut GatewayConfig| config.max_response_bytes = 1_000;
    let (gateway, _, _) = scripted_with(vec![page], configure).await;

    let reason = unavailable(gateway.answer(&profile(COMPLETE)).await);

    assert!(matches!(reason, Unavailable::Status(503)));
}

#[tokio::test]
async fn a_gateway_that_hangs_is_given_up_and_not_asked_again() {
    let asked = Asked::default();
    let noted = asked.clone();
    let hang = move || {
        noted.note("");
        std::future::pending::<StatusCode>()
    };
    let url = serve(Router::new().fallback(hang)).await;
    let mut config = GatewayConfig::new(url.clone());
    config.timeout = Duration::from_millis(50);
    let gateway = Gateway::new(config, port_to(&url), Hands::default().clock());

    let reason = unavailable(gateway.answer(&profile(COMPLETE)).await);

    assert!(matches!(
        reason,
        Unavailable::NoAnswer(HttpPortError::TimedOut(_))
    ));
    assert_eq!(asked.all().len(), 1);
}

#[tokio::test]
async fn what_fails_by_chance_is_asked_once_more() {
    let (gateway, asked, _) = scripted(vec![dead, complete]).await;
    assert!(gateway.answer(&profile(COMPLETE)).await.is_ok());
    assert_eq!(asked.all().len(), 2);

    let (gateway, asked, _) = scripted(vec![dead, dead, complete]).await;
    let reason = unavailable(gateway.answer(&profile(COMPLETE)).await);
    assert!(matches!(reason, Unavailable::Status(503)));
    assert_eq!(asked.all().len(), 2);
}

#[tokio::test]
async fn how_often_is_asked_again_and_when_a_register_rests_is_a_setting() {
    let often = |config: &mut GatewayConfig| config.retries = 3;
    let (gateway, asked, _) = scripted_with(vec![dead, dead, dead, complete], often).await;
    assert!(gateway.answer(&profile(COMPLETE)).await.is_ok());
    assert_eq!(asked.all().len(), 4);

    let soon = |config: &mut GatewayConfig| {
        config.retries = 0;
        config.breaker = BreakerSettings {
            failures: NonZeroUsize::MIN,
            rest: SignedDuration::from_secs(60),
        };
    };
    let (gateway, asked, hands) = scripted_with(vec![dead, complete], soon).await;
    unavailable(gateway.answer(&profile(COMPLETE)).await);
    hands.forward(59);
    let reason = unavailable(gateway.answer(&profile(COMPLETE)).await);
    assert!(matches!(reason, Unavailable::Resting(_)));
    assert_eq!(asked.all().len(), 1);
    hands.forward(1);
    assert!(gateway.answer(&profile(COMPLETE)).await.is_ok());
}

#[tokio::test]
async fn what_was_refused_is_not_asked_again() {
    for refused in [400, 401, 403, 429, 500] {
        let asked = Asked::default();
        let noted = asked.clone();
        let refuse = move || {
            noted.note("");
            async move { StatusCode::from_u16(refused).unwrap() }
        };
        let url = serve(Router::new().fallback(refuse)).await;
        let config = GatewayConfig::new(url.clone());
        let gateway = Gateway::new(config, port_to(&url), Hands::default().clock());
        let reason = unavailable(gateway.answer(&profile(COMPLETE)).await);
        assert!(matches!(reason, Unavailable::Status(status) if status == refused));
        assert_eq!(asked.all().len(), 1, "{refused}");
    }
}

#[tokio::test]
async fn a_register_that_fails_about_everybody_is_left_alone_and_asked_again_later() {
    let (gateway, asked, hands) = scripted(vec![
        dead, dead, dead, dead, dead, dead, dead, dead, complete,
    ])
    .await;
    for code in ["999000017", "999000024", "999000031", "999000049"] {
        unavailable(gateway.answer(&profile(code)).await);
    }
    let reason = unavailable(gateway.answer(&profile(COMPLETE)).await);
    assert!(matches!(reason, Unavailable::Resting(_)));
    assert_eq!(asked.all().len(), 8);

    hands.forward(15);
    assert!(gateway.answer(&profile(COMPLETE)).await.is_ok());
    assert!(gateway.answer(&profile(COMPLETE)).await.is_ok());
}
