//! Due-diligence API over HTTP: answers, prices, refusals, identification
//! packages, and the endpoint for agents.

mod absence;
mod attestations;
mod attorney;
mod billing;
mod calls;
pub(crate) mod evidence;
mod keys;
pub(crate) mod orders;
mod refusals;
mod repetitions;
mod schemas;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use parafa_fixtures::referees::{AsicE, Dss, JwsLibraries};
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::demo::{Demo, parafa};
use crate::support::operator::done;

/// Entity with data of every kind.
const ENTITY: &str = "/v1/entities/999000009";
/// The product's name in the ledger.
const DILIGENCE: &str = "diligence";

/// Caller of the API with one key.
pub(crate) struct DiligenceCaller<'d> {
    demo: &'d Demo,
    http: Client,
    key: &'d str,
}

/// Answer: status, headers, bytes.
pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    headers: HeaderMap,
    media_type: String,
    pub(crate) body: Vec<u8>,
}

impl Answered {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    #[track_caller]
    fn assert_refused(&self, status: u16, kind: &str) {
        assert_eq!(self.status, status, "{}", self.json());
        assert_eq!(self.media_type, "application/problem+json");
        let found = self.json()["type"].as_str().unwrap_or_default().to_owned();
        assert!(found.ends_with(&format!("/problems/{kind}")), "{found}");
    }
}

impl<'d> DiligenceCaller<'d> {
    pub(crate) fn live(demo: &'d Demo) -> Self {
        Self::with(demo, &demo.world.diligence.live)
    }

    fn test(demo: &'d Demo) -> Self {
        Self::with(demo, &demo.world.diligence.test)
    }

    fn with(demo: &'d Demo, key: &'d str) -> Self {
        Self {
            demo,
            http: Client::builder().no_proxy().build().expect("a client"),
            key,
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answered {
        self.send(Method::GET, path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answered {
        self.send(Method::POST, path, Some(body)).await
    }

    async fn delete(&self, path: &str) -> Answered {
        self.send(Method::DELETE, path, None).await
    }

    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Answered {
        let request = self.request(method, path);
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        answered(request).await
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let base = self.demo.world.base_url.as_str().trim_end_matches('/');
        let request = self.http.request(method, format!("{base}{path}"));
        request.bearer_auth(self.key)
    }
}

async fn answered(request: RequestBuilder) -> Answered {
    let response = request.send().await.expect("an answer");
    let headers = response.headers().clone();
    let media_type = headers.get(CONTENT_TYPE);
    let media_type = media_type.map(|value| value.to_str().expect("ASCII").to_owned());
    Answered {
        status: response.status(),
        headers,
        media_type: media_type.unwrap_or_default(),
        body: response.bytes().await.expect("a body").to_vec(),
    }
}

/// Returns the entries of this API in the workspace's ledger: item and amount.
fn ledger(demo: &Demo) -> Vec<(String, String)> {
    let rows = exported(demo, "usage", &[]);
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    rows.iter()
        .filter(|row| row["product"] == DILIGENCE)
        .map(|row| (text(&row["item"]), text(&row["amount"])))
        .collect()
}

/// Returns the lines of an export about the workspace: of `usage` or `calls`.
pub(crate) fn exported(demo: &Demo, what: &str, options: &[&str]) -> Vec<Value> {
    let data = demo.data();
    let data = data.to_str().expect("a path in UTF-8");
    let tenant = demo.world.diligence.tenant.as_str();
    let words = [what, "export", tenant, "--data", data];
    let exported = parafa([&words[..], options].concat());
    assert!(exported.status.success(), "{exported:?}");
    let exported = String::from_utf8(exported.stdout).expect("UTF-8");
    let lines = exported.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

/// Writes a file for validators.
fn file(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("a file");
    path
}

#[tokio::test]
async fn every_question_is_answered_and_charged_and_nothing_else_is() {
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let mut expected = Vec::new();
    for (path, item, amount) in [
        ("", "company_profile", "0.30"),
        ("?interpret=1", "company_profile", "0.59"),
        ("/participants", "participants", "0.65"),
        ("/ubo?purpose=AML_KYC", "beneficial_owners", "0.15"),
        ("/real-estate", "real_estate", "0.35"),
        ("/seizures", "seizures", "0.70"),
        ("/cases", "cases", "0.10"),
        ("/dd-report?purpose=OTHER", "report", "1.29"),
    ] {
        let answered = live.get(&format!("{ENTITY}{path}")).await;
        assert_eq!(answered.status, StatusCode::OK, "{path}");
        assert_eq!(answered.media_type, "application/json");
        assert!(answered.json().get("sandbox").is_none());
        expected.push((item.to_owned(), amount.to_owned()));
    }
    let extract = live.get("/v1/real-estate/440099900001").await;
    assert_eq!(extract.json()["uniqueNumber"], "4400-9990-0001");
    expected.push(("property_extract".to_owned(), "0.70".to_owned()));

    live.get("/v1/entities/999000191")
        .await
        .assert_refused(404, "no-data");
    live.get("/v1/entities/999000088/cases")
        .await
        .assert_refused(404, "no-data");
    for down in ["999000152", "999000177"] {
        let answered = live.get(&format!("/v1/entities/{down}")).await;
        answered.assert_refused(502, "upstream-unavailable");
    }
    let report = live
        .get("/v1/entities/999000184/dd-report?purpose=OTHER")
        .await;
    report.assert_refused(502, "upstream-unavailable");
    live.get(&format!("{ENTITY}/ubo"))
        .await
        .assert_refused(400, "validation-failed");
    let head = live.send(Method::HEAD, ENTITY, None).await;
    assert_eq!(head.status, StatusCode::METHOD_NOT_ALLOWED);
    let test = DiligenceCaller::test(&demo);
    let answered = test.get(&format!("{ENTITY}?sign=jades-t")).await;
    assert_eq!(answered.status, StatusCode::OK);

    assert_eq!(ledger(&demo), expected);
}

#[tokio::test]
async fn all_that_is_wrong_with_a_question_is_told_at_once() {
    let demo = Demo::start();
    let test = DiligenceCaller::test(&demo);

    let refused = test
        .get("/v1/entities/999000008/dd-report?interpret=2&sign=jades-t&format=asice&page=1")
        .await;

    refused.assert_refused(400, "validation-failed");
    let refused = refused.json();
    let faults = refused["errors"].as_array().expect("faults").iter();
    let pointers: BTreeSet<_> = faults
        .filter_map(|fault| fault["pointer"].as_str())
        .collect();
    let expected = ["/code", "/interpret", "/page", "/purpose", "/sign"];
    assert_eq!(pointers, BTreeSet::from(expected));
    let nothing = test.get("/v1/entities/999000191").await.json();
    let meaning = nothing["type"].as_str().expect("an address");
    let page = reqwest::get(meaning).await.expect("an answer");
    assert_eq!(page.status(), StatusCode::OK, "{meaning}");
    let key = &demo.world.signing.test;
    let stranger = DiligenceCaller::with(&demo, key).get(ENTITY).await;
    stranger.assert_refused(401, "unauthorized");
}

#[tokio::test]
async fn signed_answers_are_what_others_take_them_for_and_never_come_unsigned() {
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let folder = tempfile::tempdir().expect("a folder");
    let mut signed = Vec::new();
    for (tier, level) in [("jades-t", "T"), ("jades-lt", "LT")] {
        let answered = live
            .get(&format!("{ENTITY}/participants?sign={tier}"))
            .await;
        assert_eq!(answered.media_type, "application/jose+json", "{tier}");
        signed.push((
            file(&folder, &format!("{tier}.json"), &answered.body),
            level,
        ));
    }
    let report = live
        .get(&format!(
            "{ENTITY}/dd-report?purpose=LEGAL_CLAIM&format=asice&interpret=1"
        ))
        .await;
    assert_eq!(report.media_type, "application/vnd.etsi.asic-e+zip");
    let container = file(&folder, "report.asice", &report.body);

    let roots = &demo.world.world.roots;
    let files: Vec<_> = signed.iter().map(|(file, _)| file).collect();
    if let Some(judges) = JwsLibraries::find(&roots[0]) {
        for verdict in judges.jwcrypto(&files).iter().chain(&judges.jose(&files)) {
            assert!(verdict.ok, "{verdict:?}");
        }
    }
    if let Some(dss) = Dss::find(roots) {
        for (file, level) in &signed {
            let verdict = dss.verdict(file, &["--level", level, "--online-loopback"]);
            assert!(verdict.ok, "{level}: {verdict:#?}");
        }
        let verdict = dss.verdict(&container, &["--level", "LT"]);
        assert!(verdict.ok, "{verdict:#?}");
    }
    if let Some(judge) = AsicE::find(roots) {
        let verdict = &judge.verdicts(&[&container])[0];
        assert!(verdict.ok, "{verdict:#?}");
        let covered: Vec<_> = verdict.signatures[0].covers.values().collect();
        for (number, register) in (1..).zip(["jar", "jadis", "jangis", "ntr", "taar", "liteko"]) {
            let raw = format!("raw/{number}-{register}.json");
            assert!(
                covered.iter().any(|name| **name == raw),
                "{raw}: {covered:?}"
            );
        }
    }

    done(&demo.data(), &["plugin", "disable", "jades"]);
    let before = ledger(&demo).len();
    for form in ["sign=jades-t", "sign=jades-lt", "format=asice"] {
        let refused = live.get(&format!("{ENTITY}?{form}")).await;
        refused.assert_refused(503, "signature-unavailable");
    }
    assert_eq!(ledger(&demo).len(), before, "nothing was charged");
    assert_eq!(live.get(ENTITY).await.status, StatusCode::OK);
}

#[tokio::test]
async fn agents_get_the_same_answers_for_the_same_price() {
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let base = demo.world.base_url.join("mcp").expect("an address");
    let call = async |key: Option<&str>, method: &str, params: Value| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = live.http.post(base.clone()).json(&body);
        let request = request.header("accept", "application/json, text/event-stream");
        let request = match key {
            Some(key) => request.bearer_auth(key),
            None => request,
        };
        let response = request.send().await.expect("an answer");
        let status = response.status();
        (status, response.json::<Value>().await.expect("JSON"))
    };
    let (_, listed) = call(None, "tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().expect("tools").len();
    assert_eq!(tools, 9, "{listed}");
    let company = json!({"name": "lookup_company", "arguments": {"entityCode": "999000009"}});
    let (status, _) = call(None, "tools/call", company.clone()).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);

    let (_, answered) = call(Some(live.key), "tools/call", company).await;

    let data = &answered["result"]["structuredContent"]["data"];
    assert_eq!(data["code"], "999000009", "{answered}");
    let charged = ("company_profile".to_owned(), "0.30".to_owned());
    assert_eq!(ledger(&demo), [charged]);
    let owners = json!({"name": "get_beneficial_owners", "arguments": {"entityCode": "999000009"}});
    let (_, refused) = call(Some(live.key), "tools/call", owners).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
}
