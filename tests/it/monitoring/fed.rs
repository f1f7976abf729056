//! Alerts and dashboard over what real hosts tell: each panel has data when all
//! is well, and the faults that are made raise their alerts and no others.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use parafa_fixtures::tool;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::samples::Samples;
use super::{DASHBOARD, alerts, read};
use crate::diligence::DiligenceCaller;
use crate::signing_api::account::{Account, sign_first, signing_of, text, with};
use crate::support::auth::Provider;
use crate::support::control::WorldControl;
use crate::support::demo::Demo;
use crate::support::engine::keeps_files;
use crate::support::metrics::Metrics;
use crate::support::outside::{Hook, letters};

/// Scrapes before the first fault.
const WELL: usize = 8;
/// Scrapes during each fault of a service: as many failures.
const FAILURES: u32 = 5;
/// Scrapes until the last email that was sent is half an hour ago, and five
/// minutes more.
const NO_EMAIL: usize = WELL + 35;
/// Scrapes while the folder of the data keys is away.
const WITHOUT_KEYS: usize = 10;
/// Time limit for what hosts do by themselves.
const WITHIN: Duration = Duration::from_secs(30);
/// Pause before a metric is looked at again.
const PAUSE: Duration = Duration::from_millis(100);
const SIGNED_ANSWER: &str = "/v1/entities/999000009/participants?sign=jades-t";

/// Targets of panels, by title and `refId`, that this run leaves without data.
const UNFED_PANELS: [(&str, &str); 3] = [
    // Thousands of connections would have to be at work.
    ("Connections", "B"),
    // No job fails by a fault outside of the host.
    ("Failed jobs", "A"),
    // Shipped plugins have no known fault.
    ("Plugin faults", "A"),
];

/// Alerts without their fault in this run.
const UNFED_ALERTS: [&str; 11] = [
    // Certificates of a demo world end in years.
    "ParafaCertificateEnds",
    "ParafaConnectionsTurnedAway",
    // The disk is the test machine's.
    "ParafaDiskNearlyFull",
    // A document is read whole before it is sent, unless it is large.
    "ParafaDocumentUnreadable",
    // More than 50 jobs would have to be due.
    "ParafaJobsDue",
    "ParafaJobsFail",
    // Files without a row are found by a daily check.
    "ParafaOwnerlessHeld",
    "ParafaPluginFault",
    // The machine would have to be too small.
    "ParafaPluginsBusy",
    // A workspace would have to store gigabytes.
    "ParafaQuotaNearlyUsed",
    // More than 100 deliveries would have to wait for a receiver.
    "ParafaWebhooksWait",
];

/// Two hosts, of which one has the world of both.
struct Run {
    world: Demo,
    host: Demo,
    samples: Samples,
}

impl Run {
    fn start() -> Self {
        let world = Demo::start();
        let host = world.join();
        Self {
            world,
            host,
            samples: Samples::begin(),
        }
    }

    async fn scrape(&mut self) {
        let world = scraped(&mut self.world).await;
        let host = scraped(&mut self.host).await;
        self.samples.add(&[("a:9090", world), ("b:9090", host)]);
    }

    async fn scrape_until(&mut self, minutes: usize) {
        while self.samples.minutes() < minutes {
            self.scrape().await;
        }
    }

    /// Callers and signers use the hosts, for the `nth` time.
    async fn be_used(&self, nth: usize) {
        let api = Account::live(&self.world);
        let hook = Hook::new(&self.world, "fed");
        let told = with(one_signer(), json!({"webhookUrl": hook.address}));
        sign_first(&self.world, &api.create(told).await).await;
        hook.deliveries(nth).await;
        api.create(by_mail()).await;
        letters(&self.world, nth).await;

        let owner = self.world.persona("mobile-id-1");
        let members =
            json!({"personalCode": owner.personal_code, "phoneNumber": owner.phone_number});
        let provider = Provider::of(&self.world);
        let (_, created) = provider.create("mobile_id", members).await;
        let ended = provider.ended(text(&created, "requestId")).await;
        assert_eq!(ended["status"], "completed", "{ended}");

        let caller = DiligenceCaller::live(&self.world);
        let answered = caller.get(SIGNED_ANSWER).await;
        assert_eq!(answered.status, StatusCode::OK);
        self.host.signing().create_plain().await;
    }

    /// A provider refuses all hosts, and no time-stamps are given.
    async fn services_fail(&mut self) {
        let control = WorldControl::of(&self.world);
        let forbidden = json!({"fault": "status", "status": 403});
        control.spoil("smartId", forbidden).await;
        control.spoil("tsa", json!({"fault": "down"})).await;
        let signing = self.world.signing().create_plain().await;
        let ceremony = Demo::ceremony(signing.signers[0].link());
        let started = ceremony.sign_with_mobile_id(self.world.persona("mobile-id-2"));
        started.await.expect("the attempt starts");
        let completes = ceremony.awaits(|attempt| attempt.phase == "completing");
        completes.await;
        for _ in 0..FAILURES {
            let caller = DiligenceCaller::live(&self.world);
            let refused = caller.get(SIGNED_ANSWER).await;
            assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
            let signing = self.host.signing().create_plain().await;
            let ceremony = Demo::ceremony(signing.signers[0].link());
            ceremony
                .begin(self.host.smart_id_personas("signs")[0])
                .await;
            let error = ceremony.ended_attempt().await.error;
            assert_eq!(error.expect("a failure").code, "provider_unavailable");
            self.scrape().await;
        }
    }

    /// A host dies, and with it the mail server.
    async fn the_world_dies(&mut self) {
        self.world.kill();
        let api = Account::live(&self.host);
        for failures in 1..=FAILURES {
            api.create(by_mail()).await;
            self.has_failed_to_send(failures).await;
            self.scrape().await;
        }
    }

    /// Waits until this many attempts to send an email have failed.
    async fn has_failed_to_send(&self, failures: u32) {
        let begun = Instant::now();
        let unavailable = [("outcome", "unavailable")];
        loop {
            let metrics = self.host.metrics().await;
            let failed = metrics.sum("parafa_mail_attempts_total", &unavailable);
            if failed >= f64::from(failures) {
                return;
            }
            assert!(begun.elapsed() < WITHIN, "{failed} of {failures}");
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// The folder of the other host's data keys is not mounted any more.
    async fn the_keys_are_away(&mut self) {
        let keys = self.host.data().join("keys");
        fs::rename(&keys, keys.with_extension("away")).expect("renamed");
        let api = Account::live(&self.host);
        for _ in 0..WITHOUT_KEYS {
            api.get("v1/signings").await.expect(503);
            self.scrape().await;
        }
    }
}

/// Returns what a host tells, if it runs, after a check like a load balancer's.
async fn scraped(host: &mut Demo) -> Option<Metrics> {
    if host.end().is_some() {
        return None;
    }
    let ready = host.world.operator_url.join("readyz").expect("a path");
    reqwest::get(ready).await.expect("an answer");
    Some(host.metrics().await)
}

fn one_signer() -> Value {
    signing_of(json!([{"email": "ona@example.lt"}]))
}

fn by_mail() -> Value {
    with(one_signer(), json!({"delivery": "email"}))
}

/// Returns the targets of all panels: title, `refId`, and the expression as for
/// a scrape each minute.
fn targets() -> Vec<(String, String, String)> {
    let dashboard: Value = serde_json::from_str(&read(DASHBOARD)).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let targets = panels.iter().flat_map(|panel| {
        let title = text(panel, "title");
        let targets = panel["targets"].as_array().expect("targets").iter();
        targets.map(move |target| {
            let expression = text(target, "expr").replace("$instance", ".*");
            let expression = expression.replace("$__rate_interval", "4m");
            (
                title.to_owned(),
                text(target, "refId").to_owned(),
                expression,
            )
        })
    });
    targets.collect()
}

#[tokio::test]
async fn panels_are_fed_by_hosts_that_are_well_and_alerts_fire_by_real_faults_alone() {
    if !keeps_files() {
        return;
    }
    let Some(promtool) = tool::program("promtool") else {
        return;
    };
    let mut run = Run::start();
    for nth in 1..=2 {
        run.be_used(nth).await;
        run.scrape().await;
    }
    run.scrape_until(WELL).await;
    run.services_fail().await;
    run.the_world_dies().await;
    run.scrape_until(NO_EMAIL).await;
    run.the_keys_are_away().await;

    let (well, last) = (WELL - 1, run.samples.minutes() - 1);
    let raised = |state: &str, minutes| {
        format!("group by (alertname) (count_over_time({state}[{minutes}m]))")
    };
    let unfed = BTreeSet::from(UNFED_ALERTS.map(str::to_owned));
    let names: BTreeSet<String> = alerts().into_iter().map(|alert| alert.name).collect();
    assert!(unfed.is_subset(&names), "{unfed:?}");
    let firing = names.difference(&unfed);
    let firing =
        firing.map(|name| json!({"labels": format!("{{alertname={name:?}}}"), "value": 1}));
    let mut expected = vec![
        (raised("ALERTS", well), well, json!([])),
        (
            raised("ALERTS{alertstate=\"firing\"}", last),
            last,
            firing.collect(),
        ),
    ];
    let mut without_data = 0;
    for (title, target, expression) in targets() {
        let is_unfed = UNFED_PANELS.contains(&(title.as_str(), target.as_str()));
        without_data += usize::from(is_unfed);
        let (minute, data) = match is_unfed {
            true => (last, json!([])),
            false => (well, json!([{"value": 1}])),
        };
        // Not a number is no data.
        let numbers = format!("(({expression}) > -Inf)[{minute}m:1m]");
        let has_data = format!("count(last_over_time({numbers})) > bool 0");
        expected.push((has_data, minute, data));
    }
    assert_eq!(without_data, UNFED_PANELS.len());
    run.samples.assert_evaluated(&promtool, &expected);
}
