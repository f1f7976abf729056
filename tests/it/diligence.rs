//! The due-diligence API over HTTP: its answers, what they cost, what is refused,
//! identification packages, and the same through the endpoint for agents.

mod keys;
mod schemas;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use parafa_fixtures::referees::{AsicE, Dss, JwsLibraries};
use parafa_fixtures::tool;
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::support::control::WorldControl;
use crate::support::demo::{Demo, parafa};
use crate::support::operator::done;
use crate::support::outside::Hook;
use crate::support::referee::Referees;

/// An entity that has everything.
const ENTITY: &str = "/v1/entities/999000009";
/// The product's name in the ledger.
const DILIGENCE: &str = "diligence";
/// Longest time in which a signed order is delivered, in looks of half a second.
const LOOKS: usize = 120;

/// Somebody who calls the API with one key.
pub(crate) struct DiligenceCaller<'d> {
    demo: &'d Demo,
    http: Client,
    key: &'d str,
}

/// An answer: status, media type, bytes.
pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    media_type: String,
    body: Vec<u8>,
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

    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Answered {
        let base = self.demo.world.base_url.as_str().trim_end_matches('/');
        let request = self.http.request(method, format!("{base}{path}"));
        let request = request.bearer_auth(self.key);
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        let response = request.send().await.expect("an answer");
        let media_type = response.headers().get("content-type");
        let media_type = media_type.map(|value| value.to_str().expect("ASCII").to_owned());
        Answered {
            status: response.status(),
            media_type: media_type.unwrap_or_default(),
            body: response.bytes().await.expect("a body").to_vec(),
        }
    }
}

/// What the workspace's ledger has of this API: item and amount.
fn ledger(demo: &Demo) -> Vec<(String, String)> {
    let data = demo.data();
    let data = data.to_str().expect("a path in UTF-8");
    let tenant = &demo.world.diligence.tenant;
    let exported = parafa(["usage", "export", tenant.as_str(), "--data", data]);
    assert!(exported.status.success(), "{exported:?}");
    let exported = String::from_utf8(exported.stdout).expect("UTF-8");
    let rows = exported
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    rows.filter(|row| row["product"] == DILIGENCE)
        .map(|row| (text(&row["item"]), text(&row["amount"])))
        .collect()
}

/// A file of its own, for validators.
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
async fn whoever_cannot_be_billed_is_told_which_of_four_causes_it_is() {
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let tenant = demo.world.diligence.tenant.clone();
    let mut details = BTreeSet::new();
    for words in [
        &["tenant", "set-agreement", &tenant, "--entity", "none"][..],
        &["tenant", "set-funding", &tenant, "no-rail"],
        &["tenant", "set-funding", &tenant, "overdue"],
        &["tenant", "set-funding", &tenant, "ok", "--ceiling", "0.05"],
    ] {
        done(&demo.data(), words);
        let refused = live.get(ENTITY).await;
        refused.assert_refused(402, "payment-required");
        let detail = refused.json()["detail"]
            .as_str()
            .expect("a detail")
            .to_owned();
        details.insert(detail);
        if words.contains(&"set-agreement") {
            let entity = ["tenant", "set-agreement", &tenant, "--entity", "999000009"];
            done(&demo.data(), &entity);
        }
    }

    assert_eq!(details.len(), 4, "{details:?}");
    let test = DiligenceCaller::test(&demo).get(ENTITY).await;
    assert_eq!(test.status, StatusCode::OK, "the sandbox costs nothing");
    assert_eq!(ledger(&demo), []);
}

#[tokio::test]
async fn whoever_hangs_up_before_a_signed_answer_is_made_is_charged_for_it() {
    /// So late that the server has seen before that nobody waits any more.
    const LATE_MS: u64 = 2_000;

    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let signed = format!("{ENTITY}?sign=jades-t");
    assert_eq!(live.get(&signed).await.status, StatusCode::OK);
    let charged = ledger(&demo);
    let world = WorldControl::of(&demo);
    let late = json!({"fault": "delay", "milliseconds": LATE_MS});
    world.spoil("tsa", late).await;
    let before = world.now().await;

    tokio::select! {
        answered = live.get(&signed) => panic!("answered at once: {}", answered.status),
        _ = world.happens(before, |entry| entry.is("tsa", "asked")) => {}
    }

    for _ in 0..LOOKS {
        if ledger(&demo).len() > charged.len() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    assert_eq!(ledger(&demo), [charged.clone(), charged].concat());
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

/// Has somebody sign an order, and waits for its end.
async fn ended(live: &DiligenceCaller<'_>, ordered: &Value, person: &str) -> Value {
    let address = ordered["ceremonyUrl"].as_str().expect("a link");
    let attempt = json!({"method": "smart_id", "personalCode": person});
    let started = live.http.post(format!("{address}/attempts")).json(&attempt);
    let started = started.send().await.expect("an answer");
    assert_eq!(started.status(), StatusCode::CREATED);
    let order = ordered["orderId"].as_str().expect("an id");
    for _ in 0..LOOKS {
        let read = live.get(&format!("/v1/kyc-packages/{order}")).await.json();
        if !["awaiting_subject", "verifying"].contains(&read["status"].as_str().expect("a status"))
        {
            return read;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    panic!("the order does not end");
}

/// A member of a container.
fn member(container: &Path, name: &str) -> PathBuf {
    let path = container.to_str().expect("a path in UTF-8");
    let listed = parafa(["plugin", "run", "members", path, "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    let listed = listed["outcome"]["members"]
        .as_array()
        .expect("members")
        .clone();
    let found = listed.iter().find(|member| member["name"] == name);
    let id = found.unwrap_or_else(|| panic!("there is no {name}: {listed:?}"))["id"].clone();
    let out = container.with_file_name(name.replace('/', "-"));
    let out_path = out.to_str().expect("a path in UTF-8");
    let id = id.as_str().expect("an id");
    let words = [
        "plugin", "run", "extract", path, "--member", id, "--out", out_path,
    ];
    let extracted = parafa(words);
    assert!(extracted.status.success(), "{extracted:?}");
    out
}

/// Takes a container apart, and has each of its parts judged by programs of others.
fn assert_every_part_holds(demo: &Demo, container: &Path, subject: &str) {
    let roots = &demo.world.world.roots;
    let [
        dossier,
        payload,
        signed_payload,
        attestation,
        holders,
        profile,
        manifest,
    ] = [
        "dossier.pdf",
        "payload.json",
        "payload.jades.json",
        "attestation.pdf",
        "register/1-jar.json",
        "register/2-jar.json",
        "register/manifest.json",
    ]
    .map(|name| member(container, name));
    if let Some(dss) = Dss::find(roots) {
        for file in [container, &signed_payload] {
            let verdict = dss.verdict(file, &["--level", "LT"]);
            assert!(verdict.ok, "{verdict:#?}");
        }
    }
    if let Some(judge) = AsicE::find(roots) {
        let verdict = &judge.verdicts(&[container])[0];
        assert!(verdict.ok, "{verdict:#?}");
        let [signature] = &verdict.signatures[..] else {
            panic!("the attorney signs once: {verdict:#?}")
        };
        let covered: BTreeSet<_> = signature.covers.values().map(String::as_str).collect();
        let members = [
            "attestation.pdf",
            "dossier.pdf",
            "payload.jades.json",
            "payload.json",
            "register/1-jar.json",
            "register/2-jar.json",
            "register/manifest.json",
        ];
        assert!(covered.is_superset(&BTreeSet::from(members)), "{covered:?}");
    }
    let read = |file: &Path| fs::read(file).expect("a member");
    let text = |file: &Path| String::from_utf8(read(file)).expect("UTF-8");
    let json = |file: &Path| serde_json::from_slice::<Value>(&read(file)).expect("JSON");
    if let Some(judges) = JwsLibraries::find(&roots[0]) {
        let files = [&signed_payload];
        for verdict in judges.jwcrypto(&files).iter().chain(&judges.jose(&files)) {
            assert!(verdict.ok, "{verdict:?}");
            assert_eq!(verdict.payload, Some(text(&payload)), "as it is beside it");
        }
    }
    if let Some(referees) = Referees::find(roots) {
        referees.assert_baseline_t(&read(&dossier), 1);
    }
    if let Some(pdftotext) = tool::program("pdftotext") {
        let mut command = Command::new(pdftotext);
        let command = command.args(["-enc", "UTF-8"]).arg(&attestation).arg("-");
        let words = command.output().expect("pdftotext runs").stdout;
        let words = String::from_utf8(words).expect("UTF-8");
        assert!(words.contains("TESTAS ADVOKATAS"), "the attorney: {words}");
        assert!(words.contains("ONA PAVYZDIENĖ"), "the subject: {words}");
    }
    let digest = |file: &Path| hex::encode(Sha256::digest(read(file)));
    let (payload, listed) = (json(&payload), json(&manifest));
    assert_eq!(payload["subject"]["personalCode"], subject);
    assert_eq!(payload["dossier"]["sha256"], digest(&dossier));
    assert_eq!(payload["registerManifest"]["sha256"], digest(&manifest));
    for (entry, file) in [&holders, &profile].iter().enumerate() {
        assert_eq!(listed["files"][entry]["sha256"], digest(file));
    }
    let named = json(&holders)["holders"].as_array().map(Vec::len);
    assert_eq!(named, Some(1), "nobody but the subject is named");
}

#[tokio::test]
async fn a_package_is_delivered_once_a_holder_of_the_role_has_signed() {
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let hook = Hook::new(&demo, "orders");
    let order = json!({
        "entityCode": "999000009",
        "subjectRole": "manager",
        "purpose": "AML_KYC",
        "callbackUrl": hook.address,
    });
    let ordered = live.post("/v1/kyc-packages", order.clone()).await;
    assert_eq!(ordered.status, StatusCode::ACCEPTED);
    let ordered = ordered.json();
    let path = format!(
        "/v1/kyc-packages/{}",
        ordered["orderId"].as_str().expect("an id")
    );
    let early = live.get(&format!("{path}/artifact")).await;
    early.assert_refused(409, "artifact-not-ready");
    let manager = demo.persona("smart-id-1").personal_code.clone();

    let delivered = ended(&live, &ordered, &manager).await;

    assert_eq!(delivered["status"], "delivered", "{delivered}");
    assert_eq!(delivered["price"]["amount"], "24.99");
    let deliveries = hook.deliveries(1).await;
    assert_eq!(deliveries.len(), 1);
    deliveries[0].assert_signed_with(&demo.world.diligence.webhook_secret);
    assert_eq!(deliveries[0].header("x-service-event"), "kyc.delivered");
    let artifact = live.get(&format!("{path}/artifact")).await;
    assert_eq!(artifact.media_type, "application/vnd.etsi.asic-e+zip");
    let mut event = deliveries[0].event();
    let occurred = event
        .as_object_mut()
        .and_then(|event| event.remove("occurredAt"));
    assert!(occurred.is_some_and(|at| at.is_string()));
    let told = json!({
        "event": "kyc.delivered",
        "orderId": ordered["orderId"],
        "status": "delivered",
        "statusReason": null,
        "entityCode": "999000009",
        "artifact": {
            "sha256": hex::encode(Sha256::digest(&artifact.body)),
            "bytes": artifact.body.len(),
            "mimeType": artifact.media_type,
        },
    });
    assert_eq!(event, told);
    let folder = tempfile::tempdir().expect("a folder");
    let container = file(&folder, "package.asice", &artifact.body);
    let again = live.post("/v1/kyc-packages", order).await.json();
    let again = ended(&live, &again, &manager).await;
    assert_eq!(again["price"]["amount"], "14.99", "{again}");
    let charged = [("24.99"), ("14.99")]
        .map(|amount| ("identification_package".to_owned(), amount.to_owned()));
    assert_eq!(ledger(&demo), charged);
    // Last: others judge for longer than an idle connection is held open.
    assert_every_part_holds(&demo, &container, &manager);
}

#[tokio::test]
async fn whoever_is_not_in_the_role_is_no_finding_and_costs_nothing() {
    let demo = Demo::start();
    let live = DiligenceCaller::live(&demo);
    let signs = demo.persona("smart-id-1").personal_code.clone();
    let order = |entity: &str, role: &str| json!({"entityCode": entity, "subjectRole": role, "purpose": "OTHER"});

    let ordered = live
        .post("/v1/kyc-packages", order("999000024", "member"))
        .await;
    let ended = ended(&live, &ordered.json(), &signs).await;
    assert_eq!(ended["status"], "identity_mismatch", "{ended}");
    assert!(ended["statusReason"].is_null() && ended["artifact"].is_null());
    let nobody = live
        .post("/v1/kyc-packages", order("999000009", "liquidator"))
        .await;
    nobody.assert_refused(422, "role-not-held");
    let down = live
        .post("/v1/kyc-packages", order("999000152", "manager"))
        .await;
    down.assert_refused(502, "upstream-unavailable");
    let path = format!(
        "/v1/kyc-packages/{}/simulate",
        ordered.json()["orderId"].as_str().expect("an id")
    );
    let simulated = live.post(&path, json!({"action": "complete"})).await;
    simulated.assert_refused(403, "sandbox-only");
    assert_eq!(ledger(&demo), []);
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
