//! A world with one of everything secret or personal. Each is seen in an answer,
//! or used, before it counts.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::secrets::{Secrets, shows};
use crate::cards::App;
use crate::diligence::DiligenceCaller;
use crate::diligence::orders::{ceremony_of as ceremony_of_order, path_of};
use crate::signing_api::account::{Account, ceremony_of, pdf, signing_of, text, with};
use crate::support::auth::{Provider, send};
use crate::support::demo::Demo;
use crate::support::outside::{Hook, letters};

/// Texts of the world that are stored as they are, by decision: of workspaces and
/// relying parties (SECURITY.md), of calls for register data (decision 0053) and of
/// orders (0056).
const IN_CLEAR: [&str; 8] = [
    "Demo UAB",
    "owner@example.com",
    "Demo parduotuvė",
    "https://shop.example",
    "999000009",
    "4400-9990-0001",
    "\"purpose\":\"AML_KYC\"",
    "\"role\":\"manager\"",
];
const TITLE: &str = "Skyrybų sutartis „Žirmūnai“ \"slapta\"";
const COMMENT: &str = "Pastaba apie Petrą:\nsumokėjo \"grynais\"";
const REASON: &str = "Nesutinku dėl „slaptos“ kainos";
/// Members that only private JSON Web Keys have, as they are and in a text.
const PRIVATE_KEY: [&str; 2] = [r#""d":""#, r#"\"d\":\""#];

/// Fills a world, and returns what is secret in it.
pub(super) async fn of_everything(demo: &Demo) -> Secrets {
    let mut secrets = Secrets::default();
    signed(demo, &mut secrets).await;
    declined(demo, &mut secrets).await;
    batch_and_file(demo, &mut secrets).await;
    authenticated(demo, &mut secrets).await;
    ordered(demo, &mut secrets).await;
    asked(demo, &mut secrets).await;
    // Last, because it must not end before the theft.
    card_at_work(demo, &mut secrets).await;
    for key in [
        &demo.world.signing.live,
        &demo.world.diligence.live,
        &demo.world.auth.key_secret,
    ] {
        secrets.add(key);
    }
    for text in IN_CLEAR {
        secrets.add_in_clear(text);
    }
    secrets
}

/// Adds the token of a link.
fn add_link(secrets: &mut Secrets, link: &str) {
    secrets.add(link.rsplit('/').next().expect("a token"));
}

/// Adds an address once a letter to it has come.
async fn add_mailed(demo: &Demo, secrets: &mut Secrets, address: &str) {
    let mut read = 0;
    loop {
        let come = letters(demo, read + 1).await;
        read = come.len();
        if shows(&json!(come), address) {
            return secrets.add(address);
        }
    }
}

/// Adds a webhook secret, as text and as the key in it.
fn add_webhook_secret(secrets: &mut Secrets, secret: &str) {
    secrets.add(secret);
    let key = secret.strip_prefix("whsec_").expect("the prefix");
    let key = STANDARD.decode(key).expect("base64");
    secrets.add_bytes("a webhook's key", &key);
}

/// A signing that two people signed, with Smart-ID and Mobile-ID.
async fn signed(demo: &Demo, secrets: &mut Secrets) {
    let api = Account::live(demo);
    let hook = Hook::new(demo, "slaptas-gavejas");
    let locked = demo.smart_id_personas("signs")[0];
    let caller = demo.persona("mobile-id-1");
    let body = json!({
        "title": TITLE,
        "externalId": "byla-slapta-9",
        "document": {"name": "išviešinimas.pdf", "content": pdf()},
        "webhookUrl": hook.address,
        "signers": [
            {
                "email": "ona.slaptoji@example.lt",
                "name": "Ona Šlaptoji-Žukė",
                "personalCode": locked.personal_code,
            },
            {"email": "ruta.slaptoji@example.lt"},
        ],
    });
    let created = api.post_once("v1/signings", body, "slaptas-raktas").await;
    let created = created.expect(201);
    let one = format!("v1/signings/{}", text(&created, "signingId"));
    let signers = &created["signers"];
    ceremony_of(&signers[0]).sign(locked).await;
    let ceremony = ceremony_of(&signers[1]);
    let started = ceremony.sign_with_mobile_id(caller).await;
    started.expect("the attempt starts");
    ceremony.finish().await;
    let remark = json!({"body": COMMENT, "authorLabel": "Vadybininkė Rūta"});
    api.post(&format!("{one}/comments"), remark)
        .await
        .expect(201);

    let read = api.get(&one).await.expect(200);
    for shown in [
        TITLE,
        "byla-slapta-9",
        "ona.slaptoji@example.lt",
        "ruta.slaptoji@example.lt",
        "Ona Šlaptoji-Žukė",
    ] {
        secrets.add_shown(shown, &read);
    }
    assert_eq!(read["signers"][0]["identityMatched"], true);
    assert_eq!(read["signers"][1]["actualMethod"], "mobile_id");
    for persona in [locked, caller] {
        secrets.add(&persona.personal_code);
        secrets.add(&persona.name);
    }
    secrets.add(caller.phone_number.as_deref().expect("a phone"));
    secrets.add("išviešinimas.pdf");
    secrets.add("slaptas-raktas");
    let comments = api.get(&format!("{one}/comments")).await.expect(200);
    secrets.add_shown(COMMENT, &comments);
    secrets.add_shown("Vadybininkė Rūta", &comments);
    for signer in signers.as_array().expect("signers") {
        add_link(secrets, text(signer, "ceremonyUrl"));
    }
    let id: Uuid = text(&created, "signingId").parse().expect("an id");
    let (document, _) = demo.signing().document(id).await;
    assert!(document.starts_with(&parafa_fixtures::plain(1)));
    secrets.add_document("posted document", &parafa_fixtures::plain(1));
    secrets.add_document("signed document", &document);
    let deliveries = hook.deliveries(1).await;
    deliveries[0].assert_signed_with(&demo.world.signing.webhook_secret);
    add_webhook_secret(secrets, &demo.world.signing.webhook_secret);
    secrets.add("slaptas-gavejas");
}

/// A declined signing whose event waits to be repeated.
async fn declined(demo: &Demo, secrets: &mut Secrets) {
    let api = Account::live(demo);
    let hook = Hook::new(demo, "nepasiekiamas-gavejas");
    hook.answer_with(503).await;
    let signer = json!([{"email": "petras.slaptasis@example.lt"}]);
    let signing = with(signing_of(signer), json!({"webhookUrl": hook.address}));
    let created = api.create(signing).await;
    ceremony_of(&created["signers"][0]).decline(REASON).await;
    hook.deliveries(1).await;

    let one = format!("v1/signings/{}", text(&created, "signingId"));
    let read = api.get(&one).await.expect(200);
    secrets.add_shown(REASON, &read);
    secrets.add_shown("petras.slaptasis@example.lt", &read);
    secrets.add("nepasiekiamas-gavejas");
}

/// A batch whose party is invited by mail, and a stored file.
async fn batch_and_file(demo: &Demo, secrets: &mut Secrets) {
    let api = Account::live(demo);
    let file = json!({"name": "Žirmūnų nuomos priedas.pdf", "content": pdf()});
    let stored = api.post("v1/files", file).await.expect(201);
    secrets.add_shown("Žirmūnų nuomos priedas.pdf", &stored);
    let document = |name: &str| json!({"name": name, "content": pdf()});
    let batch = json!({
        "title": "Slaptos darbo sutartys",
        "externalId": "byla-slapta-10",
        "delivery": "email",
        "documents": [document("pirmas-slaptas.pdf"), document("antras-slaptas.pdf")],
        "signers": [{"email": "jonas.slaptasis@example.lt"}],
    });
    let created = api.post("v1/batches", batch).await.expect(201);
    for shown in ["Slaptos darbo sutartys", "byla-slapta-10"] {
        secrets.add_shown(shown, &created);
    }
    add_mailed(demo, secrets, "jonas.slaptasis@example.lt").await;
    secrets.add("pirmas-slaptas.pdf");
}

/// An authentication by phone with its assertion, and one that a client begins.
async fn authenticated(demo: &Demo, secrets: &mut Secrets) {
    let provider = Provider::of(demo);
    let owner = demo.persona("mobile-id-1");
    let members = json!({
        "personalCode": owner.personal_code,
        "phoneNumber": owner.phone_number,
    });
    let (status, created) = provider.create("mobile_id", members).await;
    assert_eq!(status, StatusCode::CREATED, "{created}");
    let ended = provider.ended(text(&created, "requestId")).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    secrets.add_shown(&owner.personal_code, &ended);
    for proof in ["assertion", "sig"] {
        secrets.add(text(&ended, proof));
    }
    let request = provider.card_request().await;
    secrets.add(&request.token);

    let keys = "/v1/auth/.well-known/jwks.json";
    let (_, keys) = send(provider.request(Method::GET, keys)).await;
    // The row of the assertion keys: its public half is as published.
    let kid = text(&keys["keys"][0], "kid");
    secrets.add_in_clear(&format!(r#""kid":"{kid}""#));
    for member in PRIVATE_KEY {
        secrets.add_as_it_is(member);
    }
}

/// An order with a delivered package, and one that waits for its subject.
async fn ordered(demo: &Demo, secrets: &mut Secrets) {
    let live = DiligenceCaller::live(demo);
    let hook = Hook::new(demo, "slaptas-uzsakovas");
    let order = |email: &str| {
        json!({
            "entityCode": "999000009",
            "subjectRole": "manager",
            "purpose": "AML_KYC",
            "delivery": "email",
            "subjectEmail": email,
            "callbackUrl": hook.address,
        })
    };
    let manager = demo.persona("smart-id-1");
    let delivered = live.orders(&order("vadove.slaptoji@example.lt")).await;
    ceremony_of_order(&delivered).begin(manager).await;
    let ended = live.ended(&delivered).await;
    assert_eq!(ended["status"], "delivered", "{ended}");
    let package = live.get(&format!("{}/artifact", path_of(&delivered))).await;
    assert_eq!(package.status, StatusCode::OK);
    secrets.add_document("package", &package.body);
    let open = live.orders(&order("vadovas.slaptasis@example.lt")).await;
    let dossier = ceremony_of_order(&open).document().await;
    secrets.add_document("dossier", &dossier);

    for order in [&delivered, &open] {
        add_link(secrets, text(order, "ceremonyUrl"));
    }
    for subject in ["vadove.slaptoji@example.lt", "vadovas.slaptasis@example.lt"] {
        add_mailed(demo, secrets, subject).await;
    }
    secrets.add(&manager.personal_code);
    let deliveries = hook.deliveries(1).await;
    deliveries[0].assert_signed_with(&demo.world.diligence.webhook_secret);
    add_webhook_secret(secrets, &demo.world.diligence.webhook_secret);
    secrets.add("slaptas-uzsakovas");
}

/// Answers with register data, one of them signed and kept for repetitions.
async fn asked(demo: &Demo, secrets: &mut Secrets) {
    let live = DiligenceCaller::live(demo);
    let owners = "/v1/entities/999000009/ubo?purpose=AML_KYC";
    let answer = live.get(owners).await.json();
    secrets.add_shown(&demo.persona("smart-id-1").name, &answer);
    let property = live.get("/v1/real-estate/4400-9990-0001").await;
    assert_eq!(property.status, StatusCode::OK);

    let request = || {
        let request = live.request(Method::GET, &format!("{owners}&sign=jades-lt"));
        send(request.header("idempotency-key", "slaptas-klausimas"))
    };
    let (status, signed) = request().await;
    assert_eq!(status, StatusCode::OK, "{signed}");
    assert_eq!(request().await.1, signed, "it is kept");
    secrets.add("slaptas-klausimas");
    for member in ["payload", "signature"] {
        secrets.add_document(member, text(&signed, member).as_bytes());
    }
    let payload = text(&signed, "payload");
    let payload = base64::prelude::BASE64_URL_SAFE_NO_PAD.decode(payload);
    secrets.add_document("signed payload", &payload.expect("base64url"));
}

/// An attempt whose card has sent its certificate, and has yet to sign.
async fn card_at_work(demo: &Demo, secrets: &mut Secrets) {
    let api = Account::live(demo);
    let signer = json!([{"email": "rasa.slaptoji@example.lt"}]);
    let created = api.create(signing_of(signer)).await;
    let link = text(&created["signers"][0], "ceremonyUrl");
    let ceremony = ceremony_of(&created["signers"][0]);
    let started = ceremony.start(&json!({"method": "nfc"})).await;
    started.expect("the attempt starts");
    let app = App::of(demo);
    let certificate = app.certificate_of("card-p384/signing").await;
    let url = format!("{link}/card/certificate");
    let (status, asked): (_, Value) = app.post(&url, None, &certificate).await;
    assert_eq!(status, StatusCode::OK, "{asked}");

    let der = STANDARD.decode(text(&certificate, "certificate"));
    let der = der.expect("base64");
    secrets.add_document("certificate", &der);
    secrets.add_bytes("digest of a certificate", &Sha256::digest(&der));
    let holder = text(&asked["cert"]["subject"], "serialNumber");
    secrets.add(holder);
    secrets.add(text(&asked, "operationToken"));
}
