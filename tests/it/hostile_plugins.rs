//! Plugins that loop, crash, use up memory or break their contract, beside a
//! ceremony that must not be affected.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use parafa_fixtures::{PdfBuilder, built};
use reqwest::StatusCode;
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::support::client::{Ceremony, Signing, SigningClient};
use crate::support::demo::Demo;

/// Concurrent calls that the server allows; one plugin never gets all.
const SLOTS: usize = 4;
/// Callers whose documents make the toy misbehave, three for each slot.
const CALLERS: usize = 3 * SLOTS;
/// Time limit for one call of the toy, in seconds.
const CALL_SECONDS: u64 = 1;
/// Time limit for the concurrent ceremony; the device alone takes a second for
/// each of its two answers.
const CEREMONY: Duration = Duration::from_secs(30);
/// Real time for each minute of the world's clock.
const BETWEEN_MINUTES: Duration = Duration::from_secs(1);
/// Memory limit of one call.
const CALL_BYTES: u64 = 64 * 1024 * 1024;
/// Memory limit of the process in addition to its calls' allocations.
const OWN_BYTES: u64 = 512 * 1024 * 1024;

/// Behaviours of the toy in `inspect`, with the names under which metrics count
/// them.
const BEHAVIOURS: [(&str, &str); 9] = [
    ("busy", "time-out"),
    ("exhaust", "memory"),
    ("hoard", "trap"),
    ("loop", "time-out"),
    ("out-of-range", "contract-broken"),
    ("panic-loudly", "panic"),
    ("recurse", "stack"),
    ("refuse-oddly", "contract-broken"),
    ("refuse-rudely", "refusal"),
];

#[tokio::test]
async fn a_ceremony_takes_no_notice_of_a_plugin_that_misbehaves_in_every_slot() {
    let plugins = Plugins::with_the_toy();
    let demo = Demo::start_with(&plugins.settings());
    let flood = Flood::start(&demo);
    flood.let_every_behaviour_be_seen_once().await;

    let begun = Instant::now();
    let original = PdfBuilder::new().pages(2).build();
    let api = demo.signing();
    let signing = api.create_for_ona(&original).await;
    demo.sign(&signing, 0).await;
    let elapsed = begun.elapsed();
    let (document, _) = api.document(signing.signing_id).await;
    let refused = flood.stop().await;

    assert!(elapsed < CEREMONY, "{elapsed:?}");
    assert!(document.starts_with(&original));
    assert_eq!(api.signing(signing.signing_id).await.status, "completed");
    assert!(refused >= BEHAVIOURS.len(), "{refused} calls");
    let peak = demo.peak_memory();
    assert!(
        peak < OWN_BYTES + SLOTS as u64 * CALL_BYTES,
        "{peak} bytes of memory"
    );

    let metrics = demo.metrics().await;
    for (behaviour, outcome) in BEHAVIOURS {
        let counted = metrics.sum(
            "parafa_plugin_calls_total",
            &[
                ("plugin", "toy"),
                ("operation", "inspect"),
                ("outcome", outcome),
            ],
        );
        assert!(counted > 0.0, "{behaviour} is not counted as {outcome}");
        if outcome != "refusal" {
            let faults = metrics.sum(
                "parafa_plugin_faults_total",
                &[("digest", &plugins.toy), ("kind", outcome)],
            );
            assert!((faults - counted).abs() < 0.5, "{outcome}: {faults} faults");
        }
    }
    let healthy = |labels: &[(&str, &str)]| metrics.sum("parafa_plugin_calls_total", labels);
    let of_pdf = healthy(&[("plugin", "pdf")]);
    assert!(of_pdf >= 6.0);
    assert!((of_pdf - healthy(&[("plugin", "pdf"), ("outcome", "ok")])).abs() < 0.5);
    let signed = [("method", "smart_id"), ("outcome", "signed")];
    assert!((metrics.sum("parafa_ceremony_attempts_total", &signed) - 1.0).abs() < 0.5);
    let unavailable = [
        ("route", "/v1/signings"),
        ("method", "POST"),
        ("status", "503"),
    ];
    assert!(metrics.sum("parafa_http_requests_total", &unavailable) > 0.0);
    assert!(metrics.sum("parafa_jobs_total", &[("outcome", "done")]) > 0.0);
    for counted in [
        "parafa_certificates_read_total",
        "parafa_document_reads_total",
        "parafa_signature_verifications_total",
        "parafa_store_commits_total",
        "parafa_store_syncs_total",
    ] {
        assert!(metrics.sum(counted, &[]) > 0.0, "{counted}");
    }
    metrics.assert_nobody_is_named(
        &demo,
        &[
            &signing.signing_id.to_string(),
            signing.signers[0].link().path().rsplit('/').next().unwrap(),
        ],
    );
    let log = demo.log();
    assert!(log.contains(&plugins.toy));
    assert!(
        log.contains(r"the document\\nasked for it") || log.contains(r"the document\nasked for it")
    );
}

#[tokio::test]
async fn a_plugin_that_spoils_a_signature_fails_its_own_signing_alone() {
    let plugins = Plugins::with_the_toy();
    let demo = Demo::start_with(&plugins.settings());
    let api = demo.signing();
    let people = demo.smart_id_personas("signs");
    let signers = || json!([{"email": "ona@example.lt"}]);

    let mut tasks = JoinSet::new();
    for behaviour in ["forge-copy", "sign-twice", "swap-signed-bytes"] {
        let signing = api
            .try_create("sutartis.sce", &toy(behaviour), signers())
            .await
            .expect("what misbehaves later is taken in");
        let (api, person) = (demo.signing(), people[1].clone());
        tasks.spawn(async move {
            let ceremony = Demo::ceremony(signing.signers[0].link());
            ceremony.begin(&person).await;
            (behaviour, ended(&api, signing.signing_id, &ceremony).await)
        });
    }
    let slow = api
        .try_create("sutartis.sce", &toy("loop@finish"), signers())
        .await
        .expect("what misbehaves later is taken in");
    Demo::ceremony(slow.signers[0].link())
        .begin(people[1])
        .await;
    let healthy = api.create(&parafa_fixtures::plain(1), signers()).await;
    demo.sign(&healthy, 0).await;
    // Once the device has signed, a plugin that breaks its contract is called
    // again minutes later: an operator may have replaced it.
    let mut spoilt = Vec::new();
    while !tasks.is_empty() || time_outs(&demo, &plugins.toy).await < 4.0 {
        demo.move_clock("+1m");
        tokio::time::sleep(BETWEEN_MINUTES).await;
        while let Some(ended) = tasks.try_join_next() {
            spoilt.push(ended.expect("the signing ends"));
        }
    }

    assert_eq!(api.signing(healthy.signing_id).await.status, "completed");
    for (behaviour, signing) in spoilt {
        assert_eq!(signing.status, "failed", "{behaviour}");
        assert!(signing.document.is_none(), "{behaviour}");
    }
    // Slowness may be the host's fault, so it fails no signing.
    assert_eq!(api.signing(slow.signing_id).await.status, "pending");
    let metrics = demo.metrics().await;
    let broken = [("digest", &*plugins.toy), ("kind", "contract-broken")];
    assert!(metrics.sum("parafa_plugin_faults_total", &broken) >= 9.0);
}

/// Counts the time-outs of the plugin with this digest.
async fn time_outs(demo: &Demo, digest: &str) -> f64 {
    let late = [
        ("digest", digest),
        ("kind", "time-out"),
        ("operation", "sign"),
    ];
    let metrics = demo.metrics().await;
    metrics.sum("parafa_plugin_faults_total", &late)
}

/// Waits for the end of a signing and returns it; its links are dead then.
async fn ended(api: &SigningClient, id: Uuid, ceremony: &Ceremony) -> Signing {
    for _ in 0..60 {
        let signing = api.signing(id).await;
        if signing.status != "pending" {
            return signing;
        }
        // Waits for a change.
        let _ = ceremony.try_state(1_000).await;
    }
    panic!("the signing does not end");
}

/// Returns a toy document with this behaviour; `plugins/toy` lists them.
fn toy(behaviour: &str) -> Vec<u8> {
    format!("TOY {behaviour} 5\nhello").into_bytes()
}

/// Folder with the PDF plugin and the toy.
struct Plugins {
    folder: tempfile::TempDir,
    /// Digest of the toy.
    toy: String,
}

impl Plugins {
    fn with_the_toy() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (pdf, toy) = (built::plugin("pdf.wasm"), built::plugin("test/toy.wasm"));
        fs::write(folder.path().join("pdf.wasm"), pdf).expect("a copy");
        fs::write(folder.path().join("toy.wasm"), &toy).expect("a copy");
        Self {
            folder,
            toy: hex::encode(Sha256::digest(&toy)),
        }
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("PARAFA_PLUGINS__FOLDER", self.path().display().to_string()),
            ("PARAFA_LIMITS__PLUGIN_CALLS", SLOTS.to_string()),
            ("PARAFA_LIMITS__PLUGIN_SECONDS", CALL_SECONDS.to_string()),
            ("PARAFA_LIMITS__PLUGIN_MEMORY_BYTES", CALL_BYTES.to_string()),
        ]
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Callers that repeatedly send documents of every behaviour.
struct Flood {
    tasks: JoinSet<usize>,
    rounds: tokio::sync::watch::Receiver<usize>,
    stop: CancellationToken,
}

impl Flood {
    fn start(demo: &Demo) -> Self {
        let (round, rounds) = tokio::sync::watch::channel(0);
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        for caller in 0..CALLERS {
            let (api, stop, round) = (demo.signing(), stop.clone(), round.clone());
            tasks.spawn(async move {
                let mut refused = 0;
                let behaviours = BEHAVIOURS.iter().cycle().skip(caller);
                for (number, (behaviour, outcome)) in behaviours.enumerate() {
                    if stop.is_cancelled() {
                        break;
                    }
                    send(&api, behaviour, outcome).await;
                    refused += 1;
                    if number + 1 == BEHAVIOURS.len() {
                        round.send_modify(|rounds| *rounds += 1);
                    }
                }
                refused
            });
        }
        Self {
            tasks,
            rounds,
            stop,
        }
    }

    async fn let_every_behaviour_be_seen_once(&self) {
        let mut rounds = self.rounds.clone();
        let seen = rounds.wait_for(|rounds| *rounds > 0);
        let seen = tokio::time::timeout(Duration::from_secs(60), seen).await;
        assert!(seen.is_ok_and(|seen| seen.is_ok()), "the flood is stuck");
    }

    /// Stops the callers; returns the number of refused calls.
    async fn stop(self) -> usize {
        self.stop.cancel();
        self.tasks.join_all().await.into_iter().sum()
    }
}

async fn send(api: &SigningClient, behaviour: &str, outcome: &str) {
    let signers = json!([{"email": "ona@example.lt"}]);
    let refused = api
        .try_create("sutartis.sce", &toy(behaviour), signers)
        .await
        .expect_err("no plugin takes this");
    let expected = match outcome {
        "refusal" => (StatusCode::BAD_REQUEST, "document-refused"),
        _ => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
    };
    assert_eq!(
        (refused.status, refused.problem.name()),
        expected,
        "{behaviour}"
    );
}
