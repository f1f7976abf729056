//! Creates while webhooks wait for an unresponsive receiver.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::load::Load;
use crate::server::{Disk, Server, answer};
use crate::{DOCUMENT, Scale, creation, median, to_bytes, verdict};

/// Concurrent callers.
const CLIENTS: usize = 8;
/// Concurrent callers that prepare the waiting deliveries.
const PREPARING: usize = 32;
/// Number of signings in a batch, which are cancelled one by one.
const BATCH: usize = 20;
/// Aim: maximum loss of the create rate, as a fraction.
const AIM: f64 = 0.1;
/// Delay of the receiver: longer than the server waits.
const SILENCE: Duration = Duration::from_secs(60);

pub(crate) async fn measure(scale: &Scale) {
    let quiet = Arc::new(Server::start(Disk::Real, &[]));
    let busy = Arc::new(Server::start(Disk::Real, &[]));
    let hook = format!("{}/silent", busy.demo("/world/hooks"));
    let silent = json!({"status": 200, "delayMs": SILENCE.as_millis()});
    let told = reqwest::Client::new()
        .put(format!("{hook}/answer"))
        .json(&silent)
        .send();
    assert!(told.await.expect("the world answers").status().is_success());
    end_many(&quiet, scale.pending, None).await;
    end_many(&busy, scale.pending, Some(&hook)).await;

    let body = to_bytes(&creation(DOCUMENT));
    let mut rates = [Vec::new(), Vec::new()];
    for _ in 0..scale.rounds {
        for (server, rates) in [&quiet, &busy].into_iter().zip(&mut rates) {
            let (server, body) = (server.clone(), body.clone());
            let load = Load::drive(CLIENTS, scale.time, move |_| {
                server.post("v1/signings", body.clone())
            });
            rates.push(load.await.rate());
        }
    }

    let [quiet, busy] = rates.map(median);
    let lost = 1.0 - busy / quiet;
    println!("\n| creates a second, {CLIENTS} callers | |\n|---|---|");
    println!(
        "| {} ended signings, nobody to tell | {quiet:.0} |",
        scale.pending
    );
    println!("| as many, each with a delivery that waits | {busy:.0} |");
    println!(
        "\n{:.1} % slower, aim {:.0} %: {}",
        100.0 * lost,
        100.0 * AIM,
        verdict(lost < AIM)
    );
}

/// Creates signings and cancels them; each causes an event for the hook, if
/// there is one.
async fn end_many(server: &Arc<Server>, signings: usize, hook: Option<&str>) {
    let document = creation(DOCUMENT)["document"].clone();
    let mut batch = json!({
        "title": "Sutartys",
        "documents": vec![document; BATCH],
        "signers": [{"email": "ona@example.lt"}],
    });
    if let Some(hook) = hook {
        batch["webhookUrl"] = hook.into();
    }
    let batch = to_bytes(&batch);
    let mut paths = Vec::new();
    for _ in 0..signings.div_ceil(BATCH) {
        let created = answer(server.post("v1/batches", batch.clone())).await;
        let created = created["signings"].as_array().cloned().unwrap_or_default();
        paths.extend(created.iter().map(path_to_cancel));
    }
    let cancelled = paths.len();
    let server = server.clone();
    let ended = Load::drive_all(PREPARING, cancelled, move |sent| {
        server.post(&paths[sent], Bytes::from_static(b"{}"))
    });
    ended.await;
}

fn path_to_cancel(signing: &Value) -> String {
    let id = signing["signingId"].as_str().expect("an id");
    format!("v1/signings/{id}/cancel")
}
