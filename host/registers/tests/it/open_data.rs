//! Profiles of open data, from a server with the recorded shape.

use std::time::Duration;

use axum::{
    Json, Router,
    extract::{OriginalUri, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use parafa_register_data::{
    Query, Register, RegisterData, SourceMode,
    data::{BodyKind, CompanyProfile, NormalizedStatus},
};
use parafa_registers::{OpenData, OpenDataConfig, RegisterSource, SourceError, Unavailable};
use serde_json::{Value, json};

use crate::support::{Asked, Hands, nothing, port_to, profile, serve, unavailable};

const ENTITY: &str = "11111111-1111-4111-8111-111111111111";
const FORM: &str = "22222222-2222-4222-8222-222222222222";
/// The identifier of status 5 as it is published.
const STATUS: &str = "20a01d01-4e39-4d14-82f3-a9af198de63b";
const ACTIVITY: &str = "33333333-3333-4333-8333-333333333333";
const CODE: &str = "188772433";

#[derive(Clone, Default)]
struct Server {
    asked: Asked,
    /// Answer that replaces the one of a path.
    replaced: Option<(&'static str, StatusCode, Value)>,
}

/// Refuses every request but those that the universal API understands.
async fn answer(State(server): State<Server>, OriginalUri(uri): OriginalUri) -> Response {
    server.asked.note(uri.to_string());
    let path = uri.path();
    if let Some((_, status, body)) = server
        .replaced
        .filter(|(replaced, ..)| path.ends_with(replaced))
    {
        return (status, Json(body)).into_response();
    }
    let Some(model) = path.strip_prefix("/datasets/gov/") else {
        return error(StatusCode::NOT_FOUND, "ModelNotFound");
    };
    let of_entity = format!("juridinis_asmuo._id=%22{ENTITY}%22");
    let query = uri.query().unwrap_or_default();
    let by_code = format!("ja_kodas={CODE}");
    let list = |data: Value| Json(json!({ "_data": data })).into_response();
    let found = match model {
        "rc/jar/iregistruoti/JuridinisAsmuo" if query == by_code => json!([{
            "_type": "datasets/gov/rc/jar/iregistruoti/JuridinisAsmuo",
            "_id": ENTITY, "_revision": ENTITY, "ja_kodas": 188_772_433,
            "ja_pavadinimas": "Išgalvota įmonė", "pilnas_adresas": null,
            "adresas": { "_id": ENTITY }, "reg_data": "1995-03-01", "isreg_data": null,
            "forma": { "_id": FORM }, "statusas": { "_id": STATUS }, "stat_data": "2026-01-05",
        }]),
        "rc/jar/iregistruoti/JuridinisAsmuo" if query.starts_with("ja_kodas=") => json!([]),
        "rc/jar/buveines/Buveine" if query == of_entity => json!([
            { "_id": ENTITY, "juridinis_asmuo": { "_id": ENTITY }, "adresas_nuo": "1995-03-01" },
            { "_id": FORM, "juridinis_asmuo": { "_id": ENTITY }, "adresas_nuo": "2020-06-15" },
        ]),
        "rc/jar/ja_kapitalas/JuridinisAsmuoKapitalas" if query == of_entity => json!([
            { "data_nuo": "2015-01-01", "reiksme": 2500.5, "valiuta": "EUR" },
            { "data_nuo": "1995-03-01", "reiksme": 10000, "valiuta": "LTL" },
        ]),
        "rc/jar/valdymo_organai/ValdymoOrganas" if query == of_entity => json!([{
            "vadovas": 1, "vad_org_nuo": "2019-02-01", "vad_lytis": "M", "valdyba": 0,
            "vald_org_nuo": null, "taryba": 0, "tar_org_nuo": null, "kiti_valdymo_organai": 1,
        }]),
        "rc/jar/fa_veluojantys/VeluojantisPateikti" if query == of_entity => {
            json!([{ "veluojantis_iki": "2026-08-01" }])
        }
        "lsd/cl/ja_asmenys/JuridinisAsmuo" if query == format!("kodas={CODE}") => {
            json!([{ "kodas": CODE, "evrk_2_1": { "_id": ACTIVITY } }])
        }
        "vmi/mm_registras/MokesciuMoketojas" if query == by_code => json!([{
            "ja_kodas": 188_772_433, "pvm_kodas_pref": "LT", "pvm_kodas": "999000113",
            "pvm_iregistruota": "1996-01-01", "pvm_isregistruota": null,
        }]),
        _ if query.is_empty() => return object(model),
        _ => return error(StatusCode::BAD_REQUEST, "UnknownMethod"),
    };
    list(found)
}

fn object(model: &str) -> Response {
    let object = if model == format!("rc/jar/formos_statusai/Forma/{FORM}") {
        json!({ "_id": FORM, "kodas": 310, "pavadinimas": "UAB",
            "pav_ilgas": "Uždaroji akcinė bendrovė", "name": "Private company" })
    } else if model == format!("rc/jar/formos_statusai/Statusas/{STATUS}") {
        json!({ "_id": STATUS, "kodas": 5, "pavadinimas": "Bankrutuojantis", "name": "Bankrupt" })
    } else if model == format!("lsd/cl/evrk2_1/EkonominesVeiklosRusis/{ACTIVITY}") {
        json!({ "kodas": "62.10", "pavadinimas_lt": "Programavimas", "pavadinimas_en": "Programming", "lygmuo": 4 })
    } else {
        return error(StatusCode::NOT_FOUND, "ItemDoesNotExist");
    };
    Json(object).into_response()
}

fn error(status: StatusCode, code: &str) -> Response {
    let body =
        json!({ "errors": [{ "type": "system", "code": code, "context": {}, "message": "" }] });
    (status, Json(body)).into_response()
}

async fn source(server: Server) -> OpenData {
    let url = serve(Router::new().fallback(answer).with_state(server)).await;
    let mut config = OpenDataConfig::new(url.clone());
    config.timeout = Duration::from_secs(5);
    OpenData::new(config, port_to(&url), Hands::default().clock())
}

/// The profile, with the answer of one path replaced.
async fn found(replaced: Option<(&'static str, StatusCode, Value)>) -> CompanyProfile {
    let server = Server {
        replaced,
        ..Server::default()
    };
    let answer = source(server).await.answer(&profile(CODE)).await;
    match answer.unwrap().data {
        RegisterData::CompanyProfile(found) => *found,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_profile_is_joined_of_what_is_published_and_the_rest_is_null() {
    let server = Server::default();
    let answer = source(server.clone())
        .await
        .answer(&profile(CODE))
        .await
        .unwrap();

    let RegisterData::CompanyProfile(found) = &answer.data else {
        panic!("a profile");
    };
    let CompanyProfile {
        legal_form,
        legal_status,
        ..
    } = &**found;
    assert_eq!(
        (legal_form.elf.as_deref(), legal_form.jar_code.as_deref()),
        (Some("BPLS"), Some("310"))
    );
    assert_eq!(legal_status.normalized, NormalizedStatus::Bankruptcy);
    let office = found.registered_office.as_ref().unwrap();
    assert_eq!(office.since.unwrap().to_string(), "2020-06-15");
    assert_eq!(office.full, None);
    let capital = found.share_capital.as_ref().unwrap();
    assert_eq!(
        (capital.amount.as_str(), capital.currency.as_str()),
        ("2500.50", "EUR")
    );
    let bodies = found.management_bodies.as_ref().unwrap();
    let kinds: Vec<_> = bodies.iter().map(|body| body.kind).collect();
    assert_eq!(kinds, [BodyKind::Manager, BodyKind::Other]);
    assert!(bodies.iter().all(|body| body.members.is_none()));
    assert_eq!(found.vat.as_ref().unwrap().number, "LT999000113");
    assert_eq!(found.activities.as_ref().unwrap()[0].code, "62.10");
    assert_eq!(
        found.financial_statements.as_ref().unwrap().late,
        Some(true)
    );
    assert_eq!(
        (&found.lei, &found.representation, &found.shares),
        (&None, &None, &None)
    );
    assert_eq!(
        (&found.alternate_names, &found.branches, &found.restrictions),
        (&None, &None, &None),
        "open data do not tell whether there are any"
    );
    assert_eq!(answer.mode, SourceMode::OpenData);

    let raw: Value = serde_json::from_slice(&answer.raw).unwrap();
    let raw = raw.as_array().unwrap();
    let of_parts = answer.parts.iter().map(|part| {
        let raw: Value = serde_json::from_slice(&part.raw).unwrap();
        raw.as_array().unwrap().len()
    });
    let all = raw.len() + of_parts.sum::<usize>();
    assert_eq!(all, server.asked.all().len());
    assert_eq!(raw[0]["request"], answer.reference);
    assert_eq!(
        raw[0]["answer"]["_data"][0]["ja_pavadinimas"],
        "Išgalvota įmonė"
    );
}

#[tokio::test]
async fn parts_of_other_registers_have_raw_answers_and_sources_of_their_own() {
    let answer = source(Server::default()).await.answer(&profile(CODE)).await;
    let answer = answer.unwrap();

    let registers: Vec<_> = answer.parts.iter().map(|part| part.register).collect();
    assert_eq!(registers, [Register::Vmi, Register::Vda]);
    let RegisterData::CompanyProfile(found) = &answer.data else {
        panic!("a profile");
    };
    let vat = found.vat.as_ref().unwrap().source.clone();
    let activity = found.activities.as_ref().unwrap()[0].source.clone();
    for (source, part) in [vat, activity].into_iter().zip(&answer.parts) {
        let source = source.unwrap();
        assert_eq!(source.source, part.source());
        assert_ne!(source.source.raw_sha256, answer.source().raw_sha256);
        assert!(source.source.reference.starts_with("http"));
    }
    assert_eq!(answer.digests().count(), 3);
    let raw: Vec<_> = answer.into_raw().1.iter().map(|raw| raw.register).collect();
    assert_eq!(raw, [Register::Jar, Register::Vmi, Register::Vda]);
}

#[tokio::test]
async fn what_a_register_says_nothing_of_is_unknown_and_what_it_denies_is_an_empty_list() {
    let nothing = json!({ "_data": [] });
    let silent = json!({ "_data": [{ "vadovas": null, "valdyba": null }] });
    let partly = json!({ "_data": [{ "vadovas": 0, "valdyba": 0 }] });
    let denied = json!({ "_data": [
        { "vadovas": 0, "valdyba": 0, "taryba": 0, "kiti_valdymo_organai": 0 },
    ]});
    for (published, expected) in [
        (&nothing, None),
        (&silent, None),
        (&partly, None),
        (&denied, Some(0)),
    ] {
        let replaced = Some(("ValdymoOrganas", StatusCode::OK, published.clone()));
        let found = found(replaced).await;
        assert_eq!(found.management_bodies.map(|bodies| bodies.len()), expected);
    }
    let statistics = "lsd/cl/ja_asmenys/JuridinisAsmuo";
    let found = found(Some((statistics, StatusCode::OK, nothing))).await;
    assert_eq!(found.activities, None);
}

#[tokio::test]
async fn an_unknown_entity_has_no_data_after_one_request() {
    let server = Server::default();
    let answer = source(server.clone())
        .await
        .answer(&profile("124110246"))
        .await;
    let absent = nothing(answer);
    assert!(absent.data.subject_is_unknown);
    assert_eq!(absent.register, Register::Jar);
    let raw: Value = serde_json::from_slice(&absent.raw).unwrap();
    assert_eq!(raw[0]["answer"]["_data"], json!([]));
    assert_eq!(server.asked.all().len(), 1);
}

#[tokio::test]
async fn no_part_of_a_profile_is_left_out_because_it_was_not_answered() {
    for part in [
        "Forma/22222222-2222-4222-8222-222222222222",
        "Buveine",
        "JuridinisAsmuoKapitalas",
        "MokesciuMoketojas",
    ] {
        let replaced = Some((part, StatusCode::INTERNAL_SERVER_ERROR, json!({})));
        let server = Server {
            replaced,
            ..Server::default()
        };
        let reason = unavailable(source(server).await.answer(&profile(CODE)).await);
        assert!(matches!(reason, Unavailable::Status(500)), "{part}");
    }
}

#[tokio::test]
async fn answers_of_another_shape_or_about_another_entity_are_refused() {
    let identifier = "iregistruoti/JuridinisAsmuo";
    let another = json!({ "_data": [{ "_id": ENTITY, "ja_kodas": 124_110_246, "ja_pavadinimas": "Kita",
        "forma": { "_id": FORM }, "statusas": { "_id": STATUS } }] });
    let escaping = json!({ "_data": [{ "_id": ENTITY, "ja_kodas": 188_772_433, "ja_pavadinimas": "Ta pati",
        "forma": { "_id": "../../../secret?x=" }, "statusas": { "_id": STATUS } }] });
    for body in [json!({ "_data": {} }), json!([]), another, escaping] {
        let replaced = Some((identifier, StatusCode::OK, body));
        let server = Server {
            replaced,
            ..Server::default()
        };
        let reason = unavailable(source(server.clone()).await.answer(&profile(CODE)).await);
        assert!(matches!(reason, Unavailable::Member(_)));
        assert_eq!(server.asked.all().len(), 1);
    }
}

#[tokio::test]
async fn nothing_but_profiles_is_offered() {
    let query = Query::Seizures(CODE.parse().unwrap());
    let server = Server::default();
    let refused = source(server.clone()).await.answer(&query).await;
    assert!(matches!(refused, Err(SourceError::NotOffered { .. })));
    assert!(server.asked.all().is_empty());
}
