//! Data of identification packages, authentications, plugins and operators.

use reqwest::{Method, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::ledger::Ledger;
use super::told::assert_tells;
use crate::diligence::DiligenceCaller;
use crate::diligence::orders::{ceremony_of, path_of};
use crate::signing_api::account::text;
use crate::support::auth::{CardRequest, Provider, send};
use crate::support::demo::{Demo, RelyingParty};
use crate::support::operator::{done, text as argument};
use crate::support::outside::Delivery;
use crate::support::root;

/// Days for which the workspace keeps signings.
const KEPT_DAYS: &str = "30";
/// After these days.
pub(super) const AFTER_RETENTION: &str = "+31d";
/// The person who is identified, twice.
const SUBJECT: &str = "smart-id-1";
/// The card that authenticates, twice.
const CARD: &str = "card-p384";
const KEYS: &str = "/v1/auth/.well-known/jwks.json";

#[derive(Deserialize, Serialize)]
pub(super) struct Products {
    /// Order with a package, and the package's digest.
    delivered: (Value, String),
    /// Order that waits for its subject.
    open: Value,
    relying_party: RelyingParty,
    /// Request that has ended.
    authenticated: Value,
    /// Request that waits for its card.
    begun: CardRequest,
    /// Name of the key that has signed its assertion.
    kid: String,
    /// Digest of the installed plugin.
    plugin: String,
    /// Webhook secret that replaced the first one.
    secret: String,
}

impl Products {
    pub(super) async fn by(demo: &Demo) -> Self {
        let (data, tenant) = (demo.data(), demo.world.diligence.tenant.as_str());
        let retention = ["tenant", "set-retention", tenant, "--days", KEPT_DAYS];
        done(&data, &retention);
        let rotate = ["tenant", "rotate-secret", tenant, "--product", "signing"];
        let rotated = done(&data, &rotate);
        let memo = root().join("plugins/examples/memo/memo.wasm");
        let installed = done(&data, &["plugin", "install", argument(&memo)]);

        let live = DiligenceCaller::live(demo);
        let profile = live.get("/v1/entities/999000009").await;
        assert_eq!(profile.status, StatusCode::OK);
        let order = json!({
            "entityCode": "999000009",
            "subjectRole": "manager",
            "purpose": "AML_KYC",
        });
        let ordered = live.orders(&order).await;
        let delivered = identified(demo, &ordered).await;
        let package = package_of(&live, &delivered).await;
        let open = live.orders(&order).await;
        let open = live.get(&path_of(&open)).await.json();

        let physical = ["--method", "physical"];
        let provider = Provider::made(demo, "https://rangovas.example", &physical);
        let request = provider.card_request().await;
        let (status, answer) = provider.authenticate(&request, CARD).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        Self {
            delivered: (delivered, package),
            open,
            authenticated: provider.poll_at_once(&request.id).await.1,
            kid: text(&published(&provider).await[0], "kid").to_owned(),
            begun: provider.card_request().await,
            relying_party: provider.key,
            plugin: text(&installed, "sha256").to_owned(),
            secret: text(&rotated, "webhookSecret").to_owned(),
        }
    }

    /// Checks that everything is there, and ends what is in progress.
    pub(super) async fn finish(&self, demo: &Demo) {
        // First: a request has minutes.
        let provider = Provider::with(demo, self.relying_party.clone());
        let (status, answer) = provider.authenticate(&self.begun, CARD).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        let ended = text(&self.authenticated, "requestId");
        let (_, found) = provider.poll_at_once(ended).await;
        assert_tells(&found, &self.authenticated);
        let keys = published(&provider).await;
        assert!(keys.iter().any(|key| key["kid"] == self.kid), "{keys:?}");
        provider.card_request().await;

        let live = DiligenceCaller::live(demo);
        let (order, package) = &self.delivered;
        let found = live.get(&path_of(order)).await.json();
        assert_tells(&found, order);
        assert_eq!(package_of(&live, order).await, *package);
        let found = live.get(&path_of(&self.open)).await.json();
        assert_tells(&found, &self.open);
        let again = identified(demo, &found).await;
        assert_eq!(again["reverification"], true, "{again}");
        let amounts = ["24.99", "14.99"];
        let ledger = Ledger::of(demo);
        assert_eq!(ledger.amounts_of("identification_package"), amounts);

        let listed = done(&demo.data(), &["plugin", "list"]);
        let mut listed = listed.as_array().expect("a list").iter();
        let installed = listed.find(|version| version["sha256"] == self.plugin);
        let installed = installed.expect("the plugin is listed");
        assert_eq!(installed["active"], true, "{installed}");
    }

    /// Asserts that events are signed with the newer secret alone.
    pub(super) fn assert_signed(&self, told: &[Delivery]) {
        for delivery in told {
            delivery.assert_keyed_with(&self.secret);
        }
    }
}

/// Returns the public keys of assertions.
async fn published(provider: &Provider) -> Vec<Value> {
    let (_, keys) = send(provider.request(Method::GET, KEYS)).await;
    keys["keys"].as_array().expect("a list").clone()
}

/// Signs an order as its subject; returns the order once it is delivered.
async fn identified(demo: &Demo, order: &Value) -> Value {
    ceremony_of(order).begin(demo.persona(SUBJECT)).await;
    let ended = DiligenceCaller::live(demo).ended(order).await;
    assert_eq!(ended["status"], "delivered", "{ended}");
    ended
}

/// Returns the digest of an order's package.
async fn package_of(live: &DiligenceCaller<'_>, order: &Value) -> String {
    let package = live.get(&format!("{}/artifact", path_of(order))).await;
    assert_eq!(package.status, StatusCode::OK);
    hex::encode(Sha256::digest(&package.body))
}
