//! What the operator's page shows.

use std::time::Duration;

use parafa_api_http::pages::{StatusCell, StatusPage, StatusTable};

use crate::app::App;
use crate::health::Health;
use crate::history::{AUTHENTICATIONS, BETWEEN, CEREMONIES, History, SHOWN};
use crate::metrics::due_jobs;

/// For how long jobs are counted.
const COUNTED_WITHIN: Duration = Duration::from_secs(1);
/// The outcome of what a provider is at fault for.
const PROVIDER_AT_FAULT: &str = "provider_unavailable";
const MILLISECONDS: f64 = 1000.0;

/// The whole page.
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
                columns: &[
                    "What",
                    "In the hour",
                    "Busiest minute",
                    "Last minute",
                    "Minutes",
                ],
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
            None => StatusCell::Good("to be had".to_owned()),
            Some(fault) => StatusCell::Fault(fault.clone()),
        };
        vec![text(dependency.name), state]
    });
    StatusTable {
        title: "What this host depends on",
        about: "Each asked just now. Without one of them the host is not ready.",
        columns: &["What", "State"],
        rows: rows.collect(),
    }
}

fn certificates(app: &App) -> StatusTable {
    let now = app.watch.now();
    let rows = app.watch.certificates().into_iter().map(|certificate| {
        let warning = certificate.warning(now).map(|warning| warning.days);
        let state = match warning {
            None if certificate.ends < now => text("ended long ago"),
            None => StatusCell::Good("valid for long".to_owned()),
            Some(..0) => StatusCell::Fault("has ended".to_owned()),
            Some(days) => StatusCell::Fault(format!("ends in {days} days")),
        };
        vec![
            text(certificate.what),
            StatusCell::Code(certificate.sha256),
            text(format!("{:.0}", certificate.ends)),
            state,
        ]
    });
    StatusTable {
        title: "Certificates",
        about: "Those of the configuration, and those that time-stamps came with since the start.",
        columns: &["Setting", "SHA-256", "Ends", "State"],
        rows: rows.collect(),
    }
}

/// What is known of the providers is what became of those who were sent there.
fn providers(app: &App) -> StatusTable {
    let rows = app.watch.providers.iter().map(|(method, host)| {
        let [ended, failed] = app.watch.of_last_hour(|history| asked(history, method));
        let state = match (ended, failed) {
            (0.0, _) => text("nobody was sent there"),
            (_, 0.0) => StatusCell::Good("answers".to_owned()),
            (_, failed) => StatusCell::Fault(format!("was at fault {failed} times")),
        };
        vec![text(*method), text(host.clone()), number(ended), state]
    });
    StatusTable {
        title: "Providers of eIDs",
        about: "By what became of the attempts and authentications of the last hour.",
        columns: &["Method", "Host", "Ended in the hour", "State"],
        rows: rows.collect(),
    }
}

/// How many attempts and authentications by a method have ended, and how many of
/// them because of the provider.
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
        about: "Those in use on this host.",
        columns: &["Plugin", "Version", "SHA-256"],
        rows: rows.collect(),
    }
}

async fn queues(app: &App) -> StatusTable {
    let waiting = app.webhooks.waiting();
    let due = due_jobs(&app.records.store, waiting);
    let rows: Vec<Vec<StatusCell>> = match tokio::time::timeout(COUNTED_WITHIN, due).await {
        Ok(Ok(lanes)) => {
            let behind_others = "deliveries that wait behind others to their receiver";
            let lanes = lanes.into_iter().chain([(behind_others, waiting)]);
            lanes
                .map(|(name, due)| vec![text(name), text(due.to_string())])
                .collect()
        }
        Ok(Err(_)) | Err(_) => {
            let fault = "cannot be counted now".to_owned();
            vec![vec![text("all"), StatusCell::Fault(fault)]]
        }
    };
    StatusTable {
        title: "Queues",
        about: "Jobs that are due now and that nobody has taken up; more than a few for long mean that nobody keeps up.",
        columns: &["Queue", "Due"],
        rows,
    }
}

fn latencies(history: &History) -> StatusTable {
    let rows = [("half of the requests", 0.5), ("95 of 100", 0.95)].map(|(name, share)| {
        let (minutes, hour) = history.latencies(share);
        let shown = |seconds: f64| number((seconds * MILLISECONDS).round());
        vec![
            text(name),
            shown(hour),
            shown(most(&minutes)),
            shown(last(&minutes)),
            StatusCell::Bars(minutes),
        ]
    });
    StatusTable {
        title: "Time to answer",
        about: "Within how many milliseconds requests were answered, estimated from buckets. Long polls count, and take up to half a minute.",
        columns: &[
            "What",
            "In the hour",
            "Slowest minute",
            "Last minute",
            "Minutes",
        ],
        rows: rows.into(),
    }
}

fn growth(name: String, minutes: Vec<f64>) -> Vec<StatusCell> {
    vec![
        text(name),
        number(minutes.iter().sum()),
        number(most(&minutes)),
        number(last(&minutes)),
        StatusCell::Bars(minutes),
    ]
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
