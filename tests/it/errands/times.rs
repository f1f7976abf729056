use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::Method;

/// Durations of calls, by kind.
#[derive(Default)]
pub(crate) struct Times(Mutex<BTreeMap<&'static str, Vec<Duration>>>);

impl Times {
    pub(super) fn note(&self, method: &Method, path: &str, time: Duration) {
        if let Some(kind) = kind(method, path) {
            let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            times.entry(kind).or_default().push(time);
        }
    }

    /// Takes all durations since the last call, the shortest first.
    pub(crate) fn take(&self) -> BTreeMap<&'static str, Vec<Duration>> {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = std::mem::take(&mut *times);
        for times in taken.values_mut() {
            times.sort_unstable();
        }
        taken
    }
}

/// Returns the kind of a call; `None` if it waits for a person.
fn kind(method: &Method, path: &str) -> Option<&'static str> {
    let is_post = *method == Method::POST;
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    if query.contains("waitMs=") {
        return None;
    }
    let last = path.rsplit('/').next().unwrap_or_default();
    match (path.split('/').nth(1)?, last) {
        ("signings", "signings") if is_post => Some("create"),
        ("signings", "cancel") => Some("cancel"),
        ("signings", "document") => Some("download"),
        ("signings", _) if *method == Method::DELETE => Some("erase"),
        ("signings", _) => Some("read"),
        ("kyc-packages", "kyc-packages") if is_post => Some("order"),
        ("kyc-packages", "artifact") => Some("package"),
        ("auth", "requests") if is_post => Some("authenticate"),
        ("entities", _) => Some("question"),
        (_, "attempts") => Some("attempt"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_apart_and_those_that_wait_are_left_out() {
        for (method, path, expected) in [
            (Method::POST, "v1/signings", Some("create")),
            (Method::GET, "v1/signings/1/document", Some("download")),
            (Method::DELETE, "v1/signings/1", Some("erase")),
            (Method::POST, "c/token/attempts", Some("attempt")),
            (Method::GET, "c/token/state?waitMs=2000", None),
            (
                Method::GET,
                "v1/entities/9/cases?sign=jades-lt",
                Some("question"),
            ),
        ] {
            assert_eq!(kind(&method, path), expected, "{method} {path}");
        }
    }
}
