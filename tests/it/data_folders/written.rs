use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::ledger::Ledger;
use super::products::Products;
use super::told::schema_of;
use crate::signing_api::account::{
    Account, ceremony_of, pdf, sign_first, signing_of, text, two, with,
};
use crate::support::control::WorldControl;
use crate::support::demo::Demo;
use crate::support::outside::Hook;

/// Hook that refuses everything while the folder is written.
pub(super) const HOOK: &str = "later";
/// Signer without a prompt on any phone.
const ONE: &str = "ona@example.lt";

/// Content of a folder.
#[derive(Deserialize, Serialize)]
pub(super) struct Written {
    /// Schema of the records.
    #[serde(default = "first_schema")]
    pub(super) schema: u64,
    pub(super) signings: Vec<WrittenSigning>,
    pub(super) repetition: Repetition,
    /// Token of a file that can still be signed.
    pub(super) file_token: String,
    /// Answer about a batch.
    pub(super) batch: Value,
    /// Signing with its comments.
    pub(super) commented: (String, Value),
    /// Signing with undelivered events.
    pub(super) untold: String,
    /// Data besides signings; none of the first schema are kept.
    pub(super) products: Option<Products>,
    /// Charges and calls for register data, where there are `products`.
    pub(super) ledger: Option<Ledger>,
}

/// The schema of data that do not state it.
fn first_schema() -> u64 {
    1
}

/// State of a signing at the last answer to its caller.
#[derive(Deserialize, Serialize)]
pub(super) struct WrittenSigning {
    pub(super) id: String,
    pub(super) status: String,
    /// Digest of the newest signed version, if any.
    pub(super) sha256: Option<String>,
    pub(super) left: Left,
}

/// Work left to do.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Left {
    /// No work.
    Nothing,
    /// A signature; an attempt may be in progress.
    Signatures,
    /// The deadline.
    Deadline,
    /// No work; the signing was erased.
    Erased,
}

/// Request with a kept answer.
#[derive(Deserialize, Serialize)]
pub(super) struct Repetition {
    pub(super) path: String,
    pub(super) key: String,
    pub(super) body: Value,
    pub(super) answer: Value,
}

impl Written {
    /// Lets a server write all kinds of data, with work of every kind in
    /// progress.
    pub(super) async fn by(demo: &Demo) -> Self {
        let schema = schema_of(demo);
        let products = Products::by(demo).await;
        let api = Account::live(demo);
        let hook = Hook::new(demo, HOOK);
        hook.answer_with(503).await;
        let one = json!([{"email": ONE}]);
        let mut signings = Vec::new();

        let archived = api.create(signing_of(one.clone())).await;
        sign_first(demo, &archived).await;
        api.post(&format!("{}/archive", path_of(&archived)), json!({}))
            .await
            .expect(200);
        signings.push(look_at(&api, &archived, Left::Nothing).await);

        let told = json!({"webhookUrl": hook.address, "externalId": "sutartis-7"});
        let declined = api.create(with(signing_of(one.clone()), told)).await;
        ceremony_of(&declined["signers"][0])
            .decline("Ne ta kaina")
            .await;
        let commented = format!("{}/comments", path_of(&declined));
        api.post(&commented, json!({"body": "Kaina pasikeitė"}))
            .await
            .expect(201);
        let comments = api.get(&commented).await.expect(200);
        signings.push(look_at(&api, &declined, Left::Nothing).await);

        let cancelled = api.create(signing_of(two())).await;
        api.post(&format!("{}/cancel", path_of(&cancelled)), json!({}))
            .await
            .expect(200);
        signings.push(look_at(&api, &cancelled, Left::Nothing).await);

        let erased = api.create(signing_of(one.clone())).await;
        sign_first(demo, &erased).await;
        api.delete(&path_of(&erased)).await.expect(200);
        signings.push(look_at(&api, &erased, Left::Erased).await);

        let days = json!({"expiresInDays": 3, "softDeadlineInDays": 1});
        let overdue = api.create(with(signing_of(two()), days)).await;
        signings.push(look_at(&api, &overdue, Left::Deadline).await);

        let order = json!({"signingOrder": "sequential", "delivery": "email"});
        let halfway = api.create(with(signing_of(two()), order)).await;
        let links = crate::support::outside::letters(demo, 1).await;
        assert!(!links.is_empty(), "the first signer is invited");
        sign_first(demo, &api.get(&path_of(&halfway)).await.expect(200)).await;
        signings.push(look_at(&api, &halfway, Left::Signatures).await);

        let memo = json!({"name": "labas.memo", "content": BASE64.encode("Labas.\n")});
        let memo = with(signing_of(one.clone()), json!({"document": memo}));
        let of_plugin = api.create(memo).await;
        signings.push(look_at(&api, &of_plugin, Left::Signatures).await);

        let simulated = Account::sandbox(demo).create(signing_of(one.clone())).await;
        let simulate = format!("{}/simulate", path_of(&simulated));
        let simulation = Account::sandbox(demo)
            .post(&simulate, json!({"action": "complete"}))
            .await;
        simulation.expect(200);

        let documents =
            json!([{"name": "a.pdf", "content": pdf()}, {"name": "b.pdf", "content": pdf()}]);
        let batch = json!({"title": "Darbo sutartys", "signers": one, "documents": documents});
        let batch = api.post("v1/batches", batch).await.expect(201);
        let file = json!({"name": "saugoma.pdf", "content": pdf()});
        let file = api.post("v1/files", file).await.expect(201);
        let repetition = Repetition::make(&api, signing_of(one.clone())).await;

        // From here on, nothing ends: the person has the phone in hand, or
        // time-stamps are unavailable.
        let control = WorldControl::of(demo);
        control.spoil("tsa", json!({"fault": "down"})).await;
        let completing = begin(demo, &api, "signs").await;
        wait_for(&completing, "completing").await;
        signings.push(look_at(&api, &completing, Left::Signatures).await);
        let asked = begin(demo, &api, "timeout").await;
        signings.push(look_at(&api, &asked, Left::Signatures).await);
        let linked = api.create(signing_of(one)).await;
        ceremony_of(&linked["signers"][0]).open_device_link().await;
        signings.push(look_at(&api, &linked, Left::Signatures).await);

        Self {
            schema,
            signings,
            repetition,
            file_token: text(&file, "fileToken").to_owned(),
            batch,
            commented: (commented, comments),
            untold: text(&declined, "signingId").to_owned(),
            products: Some(products),
            ledger: Some(Ledger::of(demo)),
        }
    }
}

impl Repetition {
    async fn make(api: &Account, body: Value) -> Self {
        let (path, key) = ("v1/signings".to_owned(), "tas-pats".to_owned());
        let answer = api.post_once(&path, body.clone(), &key).await.expect(201);
        Self {
            path,
            key,
            body,
            answer,
        }
    }
}

pub(super) fn path_of(signing: &Value) -> String {
    format!("v1/signings/{}", text(signing, "signingId"))
}

/// Returns the digest of the newest signed version, if any.
pub(super) async fn newest(api: &Account, id: &str) -> Option<String> {
    let document = api.get(&format!("v1/signings/{id}/document")).await;
    (document.status == 200).then(|| hex::encode(Sha256::digest(&document.bytes)))
}

async fn look_at(api: &Account, signing: &Value, left: Left) -> WrittenSigning {
    let now = api.get(&path_of(signing)).await.expect(200);
    let id = text(signing, "signingId").to_owned();
    WrittenSigning {
        status: text(&now, "status").to_owned(),
        sha256: newest(api, &id).await,
        id,
        left,
    }
}

/// Creates a signing whose only signer has begun to sign, as a persona of this
/// outcome.
async fn begin(demo: &Demo, api: &Account, outcome: &str) -> Value {
    let signing = api.create(signing_of(json!([{"email": ONE}]))).await;
    let personas = demo.smart_id_personas(outcome);
    let persona = personas.first().expect("such a persona");
    ceremony_of(&signing["signers"][0]).begin(persona).await;
    signing
}

async fn wait_for(signing: &Value, phase: &str) {
    let ceremony = ceremony_of(&signing["signers"][0]);
    for _ in 0..60 {
        let state = ceremony.try_state(1_000).await.expect("the link is alive");
        if state.attempt.is_some_and(|attempt| attempt.phase == phase) {
            return;
        }
    }
    panic!("the attempt is never {phase}");
}
