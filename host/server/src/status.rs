//! Contents of the operator's status page.

use std::time::Duration;

use parafa_api_http::pages::{StatusCell, StatusPage, StatusPlot, StatusTable};

use crate::app::App;
use crate::certificates::{FIRST_WARNING, LAST_WARNING};
use crate::health::Health;
use crate::history::{AUTHENTICATIONS, BETWEEN, CEREMONIES, History, SHOWN};
use crate::metrics::due_jobs;

/// Time limit for counting due jobs.
const COUNTED_WITHIN: Duration = Duration::from_secs(1);
/// Outcome of an attempt that failed because of its provider.
const PROVIDER_AT_FAULT: &str = "provider_unavailable";
/// Tenths of a millisecond in a second.
const TENTHS: f64 = 10_000.0;

/// Returns the whole page.
pub(crate) async fn page(app: &App, health: &Health) -> StatusPage {
    let mut tables = vec![
        dependencies(health),
        certificates(app),
        providers(app),
        plugins(app),
        queues(app).await,
    ];
    app.watch.of_last_hour(|history| {
        tables.push(latencies(history));
        tables.extend(SHOWN.iter().map(|kept| {
            StatusTable {
                title: kept.title,
                about: kept.about,
                empty: "No data in the last hour.",
                columns: &kept.columns,
                rows: history
                    .series(kept.metric)
                    .into_iter()
                    .map(|(name, minutes)| growth(name, minutes))
                    .collect(),
            }
        }));
    });
    StatusPage {
        version: env!("CARGO_PKG_VERSION"),
        at: format!("{:.0}", app.watch.now()),
        is_ready: health.away().is_none(),
        warnings: health.warnings.clone(),
        tables,
    }
}

fn dependencies(health: &Health) -> StatusTable {
    let rows = health.dependencies.iter().map(|dependency| {
        let state = match &dependency.fault {
            None => StatusCell::Good("available".to_owned()),
            Some(fault) => StatusCell::Fault(fault.clone()),
        };
        vec![text(dependency.name), state]
    });
    StatusTable {
        title: "Dependencies",
        about: "Checked for this page. The host is ready when all are available.",
        empty: "No dependencies.",
        columns: &["Dependency", "Status"],
        rows: rows.collect(),
    }
}

fn certificates(app: &App) -> StatusTable {
    let now = app.watch.now();
    let rows = app.watch.certificates().into_iter().map(|certificate| {
        let state = match certificate.warning(now) {
            None if certificate.ends < now => {
                text(format!("expired more than {LAST_WARNING} days ago"))
            }
            None => StatusCell::Good(format!("valid for more than {FIRST_WARNING} days")),
            Some(warning) => StatusCell::Fault(warning.expiry),
        };
        vec![
            text(certificate.what),
            StatusCell::Code(certificate.sha256),
            text(certificate.ends.strftime("%Y-%m-%d %H:%M").to_string()),
            state,
        ]
    });
    StatusTable {
        title: "Certificates",
        about: "From the configuration, and from time-stamps received since the server started.",
        empty: "No certificates are configured.",
        columns: &["Setting", "SHA-256", "Expires (UTC)", "Status"],
        rows: rows.collect(),
    }
}

/// Returns the health of providers, judged by the attempts that they served.
fn providers(app: &App) -> StatusTable {
    let rows = app.watch.providers.iter().map(|(method, host)| {
        let [ended, failed] = app.watch.of_last_hour(|history| asked(history, method));
        let state = match (ended, failed) {
            (0.0, _) => text("no traffic in the last hour"),
            (_, 0.0) => StatusCell::Good("no provider errors".to_owned()),
            (_, failed) => StatusCell::Fault(format!("provider errors: {failed} of {ended}")),
        };
        vec![text(*method), text(host.clone()), number(ended), state]
    });
    StatusTable {
        title: "eID providers",
        about: "Judged by the signing attempts and authentications that ended in the last hour.",
        empty: "No eID provider is configured.",
        columns: &["Method", "Host", "Ended, last hour", "Status"],
        rows: rows.collect(),
    }
}

/// Counts the ended attempts and authentications by a method, and those that
/// failed because of the provider.
fn asked(history: &History, method: &str) -> [f64; 2] {
    let all = [CEREMONIES, AUTHENTICATIONS].map(|metric| history.series(metric));
    let mut found = [0.0; 2];
    for (name, minutes) in all.into_iter().flatten() {
        if name.split(BETWEEN).next() == Some(method) {
            let ended: f64 = minutes.iter().sum();
            found[0] += ended;
            if name.ends_with(PROVIDER_AT_FAULT) {
                found[1] += ended;
            }
        }
    }
    found
}

fn plugins(app: &App) -> StatusTable {
    let active = app.plugins.active();
    let rows = active.iter().map(|plugin| {
        vec![
            text(plugin.id()),
            text(plugin.version()),
            StatusCell::Code(plugin.digest().to_string()),
        ]
    });
    StatusTable {
        title: "Plugins",
        about: "Active on this host.",
        empty: "No plugin is active. Install one with parafa plugin install.",
        columns: &["Plugin", "Version", "SHA-256"],
        rows: rows.collect(),
    }
}

async fn queues(app: &App) -> StatusTable {
    let waiting = app.webhooks.waiting();
    let due = due_jobs(&app.records.store, waiting);
    let rows: Vec<Vec<StatusCell>> = match tokio::time::timeout(COUNTED_WITHIN, due).await {
        Ok(Ok(lanes)) => {
            let behind_others = "deliveries queued behind their receiver";
            let lanes = lanes.into_iter().chain([(behind_others, waiting)]);
            lanes
                .map(|(name, due)| vec![text(name), text(due.to_string())])
                .collect()
        }
        Ok(Err(_)) | Err(_) => {
            let fault = "unavailable: the store did not answer".to_owned();
            vec![vec![text("all"), StatusCell::Fault(fault)]]
        }
    };
    StatusTable {
        title: "Job queues",
        about: "Jobs that are due and not yet claimed. If a queue stays long, the hosts cannot keep up.",
        empty: "No queues.",
        columns: &["Queue", "Due jobs"],
        rows,
    }
}

fn latencies(history: &History) -> StatusTable {
    let rows = [("p50", 0.5), ("p95", 0.95)].map(|(name, share)| {
        let (minutes, hour) = history.latencies(share);
        let minutes: Vec<_> = minutes.into_iter().map(milliseconds).collect();
        vec![
            text(name),
            number(milliseconds(hour)),
            number(most(&minutes)),
            number(last(&minutes)),
            plot(name, "ms", minutes),
        ]
    });
    StatusTable {
        title: "Response time",
        about: "Percentiles in milliseconds, estimated from histogram buckets. Long polls count too, and take up to 30 seconds.",
        empty: "No data in the last hour.",
        columns: &[
            "Percentile",
            "Last hour (ms)",
            "Slowest minute (ms)",
            "Last minute (ms)",
            "Per minute (ms)",
        ],
        rows: rows.into(),
    }
}

fn growth(name: String, minutes: Vec<f64>) -> Vec<StatusCell> {
    vec![
        text(name.as_str()),
        number(minutes.iter().sum()),
        number(most(&minutes)),
        number(last(&minutes)),
        plot(name, "per minute", minutes),
    ]
}

fn plot(series: impl Into<String>, unit: &'static str, minutes: Vec<f64>) -> StatusCell {
    StatusCell::Plot(StatusPlot {
        series: series.into(),
        unit,
        minutes,
    })
}

/// Converts seconds to milliseconds, rounded to a tenth.
fn milliseconds(seconds: f64) -> f64 {
    (seconds * TENTHS).round() / 10.0
}

fn most(minutes: &[f64]) -> f64 {
    minutes.iter().copied().fold(0.0, f64::max)
}

fn last(minutes: &[f64]) -> f64 {
    minutes.last().copied().unwrap_or_default()
}

fn text(text: impl Into<String>) -> StatusCell {
    StatusCell::Text(text.into())
}

fn number(number: f64) -> StatusCell {
    StatusCell::Text(number.to_string())
}
