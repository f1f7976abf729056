//! A sandbox key with many concurrent simulations of large forms.

use std::fmt::Write;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use parafa_fixtures::{CrossReference, Objects, PdfBuilder};
use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;

use crate::attack::{Attack, Finding};
use crate::server::{Disk, Server, answer};
use crate::workspace::Workspace;

/// Many simulations of a large form with one key.
pub(crate) const PLUGINS: Attack = Attack {
    name: "plugins",
    needs_files: false,
    run: || Box::pin(attack()),
};

/// Fields of the form.
const FIELDS: u32 = 60_000;
/// Simulations at the same time.
const SIMULATIONS: usize = 30;
/// Large documents posted at the same time: the server accepts few.
const LARGE_AT_ONCE: usize = 2;
/// Creates of another workspace while they run.
const CREATES: usize = 5;
/// Longest duration of one of them.
const SOON: Duration = Duration::from_secs(3);
/// Longest duration of one simulation on an idle machine.
const REHEARSED: Duration = Duration::from_secs(4);

async fn attack() -> Vec<Finding> {
    let server = Server::start(Disk::Real, &[]);
    let sandbox = Workspace::with_key(&server, "/signing/test");
    let theirs = Workspace::with_key(&server, "/other/live");
    let large = BASE64.encode(form());
    let small = BASE64.encode(PdfBuilder::new().build_of_size(10 * 1024));
    let mut signings = Vec::new();
    while signings.len() <= SIMULATIONS {
        let mut creating = JoinSet::new();
        for _ in 0..LARGE_AT_ONCE {
            let (sandbox, large) = (sandbox.clone(), large.clone());
            creating.spawn(async move { sandbox.create(&large, None).await });
        }
        signings.extend(creating.join_all().await);
    }
    signings.truncate(SIMULATIONS + 1);

    let alone = signings.pop().expect("one more than are simulated at once");
    let begun = Instant::now();
    simulate(&sandbox, &alone).await;
    let rehearsed = begun.elapsed();

    let mut simulating = JoinSet::new();
    for signing in signings {
        let sandbox = sandbox.clone();
        simulating.spawn(async move { simulate(&sandbox, &signing).await });
    }
    // Until the plugin works on them.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let times = theirs.create_times(&small, CREATES).await;
    let slowest = times.last().copied().unwrap_or_default();
    // The server's end stops the rest of its work.
    simulating.abort_all();

    vec![
        Finding {
            what: "slowest create beside 30 simulations of another workspace",
            before: "41 s",
            now: format!("{:.2} s", slowest.as_secs_f64()),
            holds: slowest < SOON,
        },
        Finding {
            what: "one simulation of a form of 60,000 fields",
            before: "5.7 s",
            now: format!("{:.2} s", rehearsed.as_secs_f64()),
            holds: rehearsed < REHEARSED,
        },
    ]
}

async fn simulate(sandbox: &Workspace, signing: &str) {
    let path = format!("signings/{signing}/simulate");
    let request = sandbox.request(Method::POST, &path);
    answer(request.json(&json!({"action": "complete"}))).await;
}

/// Builds a page with all these fields (ISO 32000-2, 12.7).
fn form() -> Vec<u8> {
    const FIRST: u32 = 10;

    let mut references = String::new();
    let mut objects = Objects::new();
    for number in FIRST..FIRST + FIELDS {
        let _ = write!(references, "{number} 0 R ");
        let bottom = number % 800;
        objects.set(
            number,
            format!(
                "<< /Type /Annot /Subtype /Widget /FT /Tx /T (field{number}) /V (value) /F 4 \
                 /DA (/F1 9 Tf 0 g) /Rect [300 {bottom} 500 {}] /P 4 0 R >>",
                bottom + 20
            ),
        );
    }
    objects.set(
        1,
        format!(
            "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{references}] \
             /DA (/F1 9 Tf 0 g) /DR << /Font << /F1 3 0 R >> >> >> >>"
        ),
    );
    objects.set(
        2,
        "<< /Type /Pages /Count 1 /Kids [4 0 R] /MediaBox [0 0 595 842] >>",
    );
    objects.set(
        3,
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    );
    objects.set(
        4,
        format!("<< /Type /Page /Parent 2 0 R /Resources << >> /Annots [{references}] >>"),
    );
    objects.write("1.7", CrossReference::Table, "/Root 1 0 R /ID [<01> <02>]")
}
