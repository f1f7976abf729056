//! Answers of registers: of a gateway, and of open data.

use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use parafa_register_data::{Query, RegisterData, Role, synthetic};
use parafa_registers::{
    Clock, Gateway, GatewayConfig, OpenData, OpenDataConfig, RegisterAnswer, RegisterSource,
    SourceError,
};
use serde_json::{Value, json};
use url::Url;

use crate::json::chosen;
use crate::port::{OneAnswer, now, run_at_once};
use crate::target::Target;

/// The readers of registers' answers.
///
/// Data that are taken can be read as they are written, and the raw answer is kept. Faults name
/// no entity.
pub const REGISTERS: Target = Target {
    name: "registers",
    run,
    seeds,
};

const JSON: &str = "application/json";
const PROBLEM: &str = "application/problem+json";
/// The entity of the synthetic set that has everything.
const COMPLETE: &str = "999000009";
/// The entity of the open data.
const PUBLISHED: &str = "188772433";

/// The bit of the first byte that says that the answer follows as it is.
const RAW: u8 = 0x80;
/// The bit that makes it a problem document.
const IS_PROBLEM: u8 = 0x40;

/// Each query to a gateway with its sound answer.
static GATEWAY: LazyLock<Vec<(Query, Value)>> = LazyLock::new(|| {
    let code = || COMPLETE.parse().expect("a sound code");
    let property = synthetic::COMPLETE_PROPERTY.parse();
    let queries = [
        Query::CompanyProfile(code()),
        Query::Participants(code()),
        Query::BeneficialOwners(code()),
        Query::RealEstate(code()),
        Query::PropertyExtract(property.expect("a sound number")),
        Query::Seizures(code()),
        Query::Cases(code()),
        Query::RoleHolders {
            entity: code(),
            role: Role::Manager,
        },
    ];
    let answered = queries
        .into_iter()
        .filter_map(|query| match synthetic::answer(&query) {
            synthetic::Answer::Data(data) if !data.holds_nothing() => {
                let data = serde_json::to_value(data).expect("data are JSON");
                Some((query, data))
            }
            _ => None,
        });
    answered.collect()
});

fn run(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else {
        return;
    };
    let (is_raw, is_problem) = (first & RAW != 0, first & IS_PROBLEM != 0);
    let is_sound = !is_raw && !is_problem && rest.is_empty();
    match GATEWAY.get(usize::from(first & 0x0f)) {
        Some((query, sound)) => {
            let body = chosen(sound, is_raw, rest);
            let answer = match is_problem {
                false => OneAnswer::new(&body).of_type(JSON),
                true => OneAnswer::with_status(StatusCode::NOT_FOUND, &body).of_type(PROBLEM),
            };
            let gateway = Gateway::new(GatewayConfig::new(base_url()), Arc::new(answer), clock());
            let answer = run_at_once(gateway.answer(query));
            check(query, answer, is_sound, |raw| assert_eq!(raw, body));
        }
        None => {
            let query = Query::CompanyProfile(PUBLISHED.parse().expect("a sound code"));
            let port = Models::of(&chosen(&open_data(), is_raw, rest));
            let source = OpenData::new(OpenDataConfig::new(base_url()), Arc::new(port), clock());
            let answer = run_at_once(source.answer(&query));
            check(&query, answer, is_sound, |raw| {
                assert!(raw.starts_with(b"[") && raw.ends_with(b"]"));
            });
        }
    }
}

/// Asserts what must hold of an answer to a query.
fn check(
    query: &Query,
    answer: Result<RegisterAnswer, SourceError>,
    is_sound: bool,
    check_raw: impl Fn(&[u8]),
) {
    match answer {
        Ok(answer) => {
            check_raw(&answer.raw);
            let written = serde_json::to_vec(&answer.data).expect("data are JSON");
            RegisterData::from_json(query, &written).expect("data are read back");
        }
        Err(SourceError::NoData(absence)) => {
            check_raw(&absence.raw);
            assert!(!is_sound);
        }
        Err(error) => {
            let error = error.to_string();
            assert!(!is_sound, "{error}");
            assert!(!error.contains(query.subject()), "{error}");
        }
    }
}

/// Answers by the models of open data. Where they are no JSON object, each is the same text.
struct Models {
    models: Value,
    text: Bytes,
}

impl Models {
    fn of(text: &[u8]) -> Self {
        Self {
            models: serde_json::from_slice(text).unwrap_or_default(),
            text: Bytes::copy_from_slice(text),
        }
    }
}

#[async_trait]
impl HttpPort for Models {
    async fn exchange(
        &self,
        request: Request<Bytes>,
        limits: ExchangeLimits,
    ) -> Result<Response<Bytes>, HttpPortError> {
        let asked = request.uri().path();
        let answer = match self.models.as_object() {
            None => OneAnswer::new(&self.text),
            Some(models) => {
                let is_asked = |model: &str| {
                    asked
                        .strip_prefix("/datasets/gov/")
                        .is_some_and(|asked| asked.starts_with(model))
                };
                match models.iter().find(|(model, _)| is_asked(model)) {
                    Some((_, answer)) => OneAnswer::new(answer.to_string().as_bytes()),
                    None => OneAnswer::with_status(StatusCode::NOT_FOUND, b"{}"),
                }
            }
        };
        answer.of_type(JSON).exchange(request, limits).await
    }
}

fn seeds() -> Vec<Vec<u8>> {
    const NO_DATA: &str = r#"{"type":"https://example.com/problems/no-data","status":404}"#;
    const UNKNOWN: &str = r#"{"type":"unknown-subject"}"#;

    let number = |number: usize| u8::try_from(number).expect("there are few queries");
    let gateway = GATEWAY.iter().enumerate().flat_map(|(at, (_, sound))| {
        let raw = [&[number(at) | RAW], sound.to_string().as_bytes()].concat();
        [vec![number(at)], vec![number(at), 3, 2, 0], raw]
    });
    let problems =
        [NO_DATA, UNKNOWN].map(|problem| [&[RAW | IS_PROBLEM], problem.as_bytes()].concat());
    let published = number(GATEWAY.len());
    let raw = [&[published | RAW], open_data().to_string().as_bytes()].concat();
    let open_data = [vec![published], vec![published, 5, 0, 1, b'1'], raw];
    gateway.chain(problems).chain(open_data).collect()
}

/// The answer of each model about one entity.
fn open_data() -> Value {
    const ENTITY: &str = "11111111-1111-4111-8111-111111111111";
    const OTHER: &str = "20a01d01-4e39-4d14-82f3-a9af198de63b";

    let list = |item: Value| json!({"_data": [item]});
    json!({
        "rc/jar/iregistruoti/JuridinisAsmuo": list(json!({
            "_id": ENTITY, "ja_kodas": 188_772_433, "ja_pavadinimas": "Išgalvota įmonė",
            "pilnas_adresas": null, "reg_data": "1995-03-01", "isreg_data": null,
            "forma": {"_id": OTHER}, "statusas": {"_id": OTHER}, "stat_data": "2026-01-05",
        })),
        "rc/jar/formos_statusai/Forma": {
            "kodas": 310, "pavadinimas": "UAB", "pav_ilgas": null, "name": "Private company",
        },
        "rc/jar/formos_statusai/Statusas": {
            "kodas": 5, "pavadinimas": "Bankrutuojantis", "name": "Bankrupt",
        },
        "rc/jar/buveines/Buveine": list(json!({"adresas_nuo": "1995-03-01"})),
        "rc/jar/ja_kapitalas/JuridinisAsmuoKapitalas": list(json!({
            "data_nuo": "2015-01-01", "reiksme": 2500.5, "valiuta": "EUR",
        })),
        "rc/jar/valdymo_organai/ValdymoOrganas": list(json!({
            "vadovas": 1, "vad_org_nuo": "2019-02-01", "valdyba": 0, "vald_org_nuo": null,
            "taryba": 0, "tar_org_nuo": null, "kiti_valdymo_organai": 1,
        })),
        "rc/jar/fa_veluojantys/VeluojantisPateikti": list(json!({})),
        "lsd/cl/ja_asmenys/JuridinisAsmuo": list(json!({"evrk_2_1": {"_id": OTHER}})),
        "lsd/cl/evrk2_1/EkonominesVeiklosRusis": {
            "kodas": "62.10", "pavadinimas_lt": "Programavimas", "pavadinimas_en": null,
        },
        "vmi/mm_registras/MokesciuMoketojas": list(json!({
            "pvm_kodas_pref": "LT", "pvm_kodas": "999000113",
            "pvm_iregistruota": "1996-01-01", "pvm_isregistruota": null,
        })),
    })
}

fn base_url() -> Url {
    let url = "https://registers.example/".parse();
    url.expect("a sound address")
}

fn clock() -> Clock {
    Arc::new(now)
}
