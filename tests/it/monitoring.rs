//! Alerts and dashboard: the metrics that they name exist, each alert has a
//! runbook, and fires only for its own fault.

mod fed;
mod samples;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use parafa_fixtures::tool;
use serde_json::Value;

use crate::support::metrics::documented_labels;
use crate::support::root;

const ALERTS: &str = "packaging/alerts.yaml";
const DASHBOARD: &str = "packaging/grafana.json";
const FAULTS: &str = "tests/it/monitoring/faults.yaml";
const RUNBOOK: &str = "docs/operating.md";
/// Address of that page where the Debian package is installed.
const INSTALLED_RUNBOOK: &str = "file:///usr/share/doc/parafa/operating.md";
/// Labels that Prometheus adds, or that histograms have.
const COMMON: [&str; 3] = ["instance", "job", "le"];

/// An alerting rule.
struct Alert {
    name: String,
    expression: String,
    runbook: String,
}

#[test]
fn alerts_and_dashboard_name_metrics_that_there_are_with_labels_that_they_have() {
    let mut expressions: Vec<String> = alerts().into_iter().map(|it| it.expression).collect();
    let before = expressions.len();
    let dashboard = serde_json::from_str(&read(DASHBOARD)).expect("JSON");
    collect_expressions(&dashboard, &mut expressions);
    assert!(expressions.len() > before + 10, "{expressions:?}");

    for expression in &expressions {
        let mut known: BTreeSet<&str> = COMMON.into();
        for (metric, matched) in named(expression) {
            let labels = documented_labels(metric);
            let labels = labels.unwrap_or_else(|| panic!("{metric}: {expression}"));
            known.extend(labels.iter().map(String::as_str));
            for label in matched {
                let has = labels.contains(label) || COMMON.contains(&label);
                assert!(has, "{metric} has no {label}: {expression}");
            }
        }
        for grouped in expression.split("by (").skip(1) {
            let grouped = grouped.split(')').next().unwrap_or_default();
            for label in grouped.split(',').map(str::trim) {
                assert!(known.contains(label), "{label}: {expression}");
            }
        }
    }
}

#[test]
fn each_alert_leads_to_its_own_section_and_each_section_to_an_alert() {
    let page = read(RUNBOOK);
    let headings: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("### Parafa"))
        .collect();
    let alerts = alerts();
    for alert in &alerts {
        let anchor = alert.name.to_lowercase();
        assert_eq!(alert.runbook, format!("{INSTALLED_RUNBOOK}#{anchor}"));
        let heading = alert.name.strip_prefix("Parafa").expect("a name of ours");
        assert!(headings.contains(&heading), "{heading} has no section");
    }
    for heading in headings {
        let name = format!("Parafa{heading}");
        assert!(alerts.iter().any(|alert| alert.name == name), "{name}");
    }
}

#[test]
fn each_alert_is_held_against_its_fault_and_against_a_host_that_is_well() {
    let faults = read(FAULTS);
    let cases: Vec<&str> = faults.split("  - name: ").skip(1).collect();
    let (well, faulty) = cases.split_first().expect("cases");
    for alert in alerts() {
        for (metric, _) in named(&alert.expression) {
            assert!(well.contains(metric), "{metric}");
        }
        let fires = format!("alertname: {}\n", alert.name);
        let has_fault = faulty.iter().any(|case| case.contains(&fires));
        assert!(has_fault, "{}", alert.name);
    }
}

#[test]
fn prometheus_takes_the_alerts_and_each_fires_by_its_fault_alone() {
    let Some(promtool) = tool::program("promtool") else {
        return;
    };
    for (command, file) in [("check", ALERTS), ("test", FAULTS)] {
        let judged = Command::new(&promtool)
            .args([command, "rules"])
            .arg(root().join(file))
            .output()
            .expect("promtool starts");

        let told = String::from_utf8_lossy(&judged.stdout);
        let faults = String::from_utf8_lossy(&judged.stderr);
        assert!(judged.status.success(), "{told}{faults}");
    }
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn alerts() -> Vec<Alert> {
    let text = read(ALERTS);
    let rules = text.split("- alert: ").skip(1);
    let alerts: Vec<Alert> = rules
        .map(|rule| {
            let (name, rest) = rule.split_once('\n').expect("a name");
            let (_, rest) = rest.split_once("expr:").expect("an expression");
            let (expression, rest) = rest.split_once("labels:").expect("labels");
            let (_, rest) = rest.split_once("runbook_url:").expect("a runbook");
            Alert {
                name: name.to_owned(),
                expression: expression.to_owned(),
                runbook: rest.lines().next().unwrap_or_default().trim().to_owned(),
            }
        })
        .collect();
    assert!(alerts.len() > 10);
    alerts
}

/// Collects all Prometheus expressions of a dashboard.
fn collect_expressions(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(values) => values
            .iter()
            .for_each(|value| collect_expressions(value, found)),
        Value::Object(members) => {
            for (name, member) in members {
                match member.as_str() {
                    Some(text) if name == "expr" || name == "query" => found.push(text.to_owned()),
                    _ => collect_expressions(member, found),
                }
            }
        }
        _ => {}
    }
}

/// Returns the metrics of an expression, each with its label matchers.
fn named(expression: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found = Vec::new();
    let mut rest = expression;
    while let Some(begin) = rest.find("parafa_") {
        rest = &rest[begin..];
        let end =
            rest.find(|character: char| !(character.is_ascii_lowercase() || character == '_'));
        let (metric, behind) = rest.split_at(end.unwrap_or(rest.len()));
        let picked = behind.strip_prefix('{').and_then(|it| it.split_once('}'));
        let picked = picked.map_or("", |(picked, _)| picked);
        let labels = picked.split(',').filter_map(|matcher| {
            let label = matcher.split(['=', '!']).next()?.trim();
            (!label.is_empty()).then_some(label)
        });
        found.push((metric, labels.collect()));
        rest = behind;
    }
    found
}
