//! A plugin from a registry in a running server, replaced and rolled back while people sign.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use parafa_fixtures::built;
use parafa_plugin_host::{Integrity, Plugin, PluginHost, PluginHostConfig};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::registry::{Rules, TestRegistry};
use super::{Desk, read, sha256, with_sig};
use crate::support::demo::Demo;
use crate::support::operator::{done, refused, text};
use crate::turns::PairedCard;

/// Cards of the people who sign all the time.
const CARDS: [&str; 2] = ["card-p256", "card-p384"];
/// Card of the signer who takes long.
const SLOW_CARD: &str = "card-rsa";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_sign_on_while_a_plugin_from_a_registry_is_installed_renewed_and_rolled_back() {
    let (registry, desk) = (TestRegistry::start(Rules::default()), Desk::new());
    let demo = Arc::new(Demo::start());
    let data = demo.data();
    let repository = registry.repository();
    let (old, new) = (desk.signed(1), desk.signed(2));
    let release = |component: &Path, tag: &str| {
        let pushed = desk.push(component, &format!("{repository}:{tag}"));
        json!({"repository": repository, "tag": tag, "digest": pushed["digest"]})
    };
    let older = release(&old, "0.9.0");
    let key = desk.path("keys/publisher.pub");
    done(&data, &["plugin", "trust", text(&key), "--for", "pdf"]);
    let shipped = in_use(&data);
    let assert_in_use = |component: &Path, origin: &Value| {
        let listed = in_use(&data);
        assert_eq!(listed["sha256"], sha256(component));
        assert_eq!(listed["origin"], *origin);
        assert_eq!(listed["publisher"], *desk.publisher);
        assert_eq!(listed["version"], shipped["version"]);
    };
    let install = ["plugin", "install", &repository];
    let crowd = Crowd::of(&demo);
    crowd.goes_on().await;

    let installed = done(&data, &install);
    assert_eq!(installed["publisher"], *desk.publisher);
    assert_eq!(installed["warning"], Value::Null);
    assert_in_use(&old, &older);
    assert_eq!(outdated(&data), json!(["0.9.0", "0.9.0", false]));
    crowd.goes_on().await;
    let begun_with_old = Begun::by(&demo, SLOW_CARD).await;

    let newer = release(&new, "0.10.0");
    assert_eq!(outdated(&data), json!(["0.9.0", "0.10.0", true]));
    let pulled = desk.pull(&repository);
    assert_eq!(pulled["publisher"], *desk.publisher);
    assert_eq!(read(&desk.pulled()), read(&new));
    assert_eq!(read(&with_sig(&desk.pulled())), read(&with_sig(&new)));
    let content = format!("sha256:{}", sha256(&new));
    registry.tamper_with(&content);
    let refusal = refused(&data, &install);
    assert!(refusal.contains("tampered"), "{refusal}");
    assert_in_use(&old, &older);
    // The same bit again.
    registry.tamper_with(&content);
    done(&data, &install);
    assert_in_use(&new, &newer);
    assert_eq!(outdated(&data), json!(["0.10.0", "0.10.0", false]));
    crowd.goes_on().await;
    let ended_with_old = begun_with_old.end().await;
    let begun_with_new = Begun::by(&demo, SLOW_CARD).await;

    done(&data, &["plugin", "rollback", "pdf"]);
    assert_in_use(&old, &older);
    assert_eq!(outdated(&data), json!(["0.9.0", "0.10.0", true]));
    crowd.goes_on().await;
    let ended_with_new = begun_with_new.end().await;

    let verifier = verifier().await;
    let [first, second] = [sha256(&old), sha256(&new)];
    assert_eq!(signed_by(&demo, &verifier, ended_with_old).await, first);
    assert_eq!(signed_by(&demo, &verifier, ended_with_new).await, second);
    let shipped = shipped["sha256"].as_str().expect("a digest");
    for signings in crowd.leaves().await {
        let mut makers = Vec::new();
        for signing in signings {
            makers.push(signed_by(&demo, &verifier, signing).await);
        }
        makers.dedup();
        assert_eq!(makers, [shipped, &first, &second, &first]);
    }
    registry.assert_sound();
}

/// Returns the listing of the version of the PDF plugin that is in use.
fn in_use(data: &Path) -> Value {
    let listed = done(data, &["plugin", "list"]);
    let listed = listed.as_array().expect("a list").iter();
    let mut active = listed.filter(|version| version["id"] == "pdf" && version["active"] == true);
    let one = active.next().expect("an active version").clone();
    assert!(active.next().is_none(), "one version is in use");
    one
}

/// Returns the tag in use, the newest one, and whether the first is outdated.
fn outdated(data: &Path) -> Value {
    let compared = done(data, &["plugin", "outdated"]);
    let [pdf] = &compared.as_array().expect("a list")[..] else {
        panic!("one plugin is from a registry: {compared}");
    };
    json!([pdf["tag"], pdf["newest"], pdf["outdated"]])
}

/// An attempt for which the plugin has prepared what the card is to sign.
struct Begun {
    signing: Uuid,
    card: PairedCard,
    asked: Value,
}

impl Begun {
    async fn by(demo: &Demo, card: &'static str) -> Self {
        let signing = demo.signing().create_plain().await;
        let ceremony = Demo::ceremony(signing.signers[0].link());
        let card = PairedCard::with(demo, &ceremony, card).await;
        let (status, asked) = card.certificate().await;
        assert_eq!(status, StatusCode::OK, "{asked}");
        Self {
            signing: signing.signing_id,
            card,
            asked,
        }
    }

    /// Signs with the card; returns the signing.
    async fn end(self) -> Uuid {
        self.card.sign(&self.asked).await;
        self.signing
    }
}

/// People who sign one document after another.
struct Crowd {
    people: JoinSet<Vec<Uuid>>,
    /// Number of signings that each of them has completed.
    completed: Vec<watch::Receiver<usize>>,
    closing: CancellationToken,
}

impl Crowd {
    fn of(demo: &Arc<Demo>) -> Self {
        let closing = CancellationToken::new();
        let (mut people, mut completed) = (JoinSet::new(), Vec::new());
        for card in CARDS {
            let (count, counted) = watch::channel(0);
            completed.push(counted);
            let (demo, closing) = (demo.clone(), closing.clone());
            people.spawn(async move {
                let mut signings = Vec::new();
                while !closing.is_cancelled() {
                    signings.push(Begun::by(&demo, card).await.end().await);
                    count.send_replace(signings.len());
                }
                signings
            });
        }
        Self {
            people,
            completed,
            closing,
        }
    }

    /// Waits until everybody has begun and completed a signing: of two that are completed from now
    /// on, the second is begun from now on.
    async fn goes_on(&self) {
        for completed in &self.completed {
            let mut completed = completed.clone();
            let enough = *completed.borrow() + 2;
            let comes = completed.wait_for(|completed| *completed >= enough).await;
            assert!(comes.is_ok(), "a signing has failed");
        }
    }

    /// Lets everybody end; returns the signings of each.
    async fn leaves(self) -> Vec<Vec<Uuid>> {
        self.closing.cancel();
        self.people.join_all().await
    }
}

/// Returns the program's own PDF plugin, called in this process.
async fn verifier() -> Arc<Plugin> {
    let config = PluginHostConfig::new(built::compiled_plugins());
    let host = Arc::new(PluginHost::new(config).expect("a plugin host"));
    let plugin = host.admit(built::plugin("pdf.wasm").into()).await;
    plugin.expect("the plugin is admitted")
}

/// Asserts that a signing is completed and its one signature intact; returns the digest of the
/// plugin that made it.
async fn signed_by(demo: &Demo, verifier: &Plugin, signing: Uuid) -> String {
    let api = demo.signing();
    assert_eq!(api.signing(signing).await.status, "completed");
    let (document, _) = api.document(signing).await;
    let evidence = verifier.verify(document).await.expect("evidence");
    let [signature] = &evidence.signatures[..] else {
        panic!("one signature: {evidence:?}");
    };
    assert_eq!(signature.integrity, Integrity::Intact);
    let path = format!("v1/signings/{signing}/evidence");
    let evidence = api.call(Method::GET, &path, None).await.expect("evidence");
    let documents = evidence["documents"].as_array().expect("a list").iter();
    let makers = documents.filter_map(|document| document["madeBy"]["pluginSha256"].as_str());
    let makers: BTreeSet<&str> = makers.collect();
    let maker = makers.first().expect("a maker");
    assert_eq!(makers.len(), 1, "{evidence}");
    (*maker).to_owned()
}
