//! Certificates in the lists, one entry for each purpose.

use jiff::Timestamp;
use parafa_trust::{Certificate, Purpose};
use serde::Serialize;

use crate::list::TrustedList;
use crate::service::{Period, Service};

/// Period in which an authority's certificates count as qualified.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct Window {
    /// Start; `None` if there is none.
    #[serde(rename = "qualifiedFrom")]
    pub from: Option<Timestamp>,
    /// End, exclusive; `None` if there is none.
    #[serde(rename = "qualifiedUntil")]
    pub until: Option<Timestamp>,
}

/// A certificate of a service.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) certificate: Certificate,
    pub(crate) purpose: Purpose,
    /// Period in which it is qualified.
    pub(crate) window: Window,
    pub(crate) provider: String,
    pub(crate) service: String,
    pub(crate) territory: String,
    pub(crate) policies: Vec<String>,
}

impl Listed {
    /// Returns true if the lists still grant it.
    pub(crate) fn is_granted(&self) -> bool {
        self.window.until.is_none()
    }
}

/// All services of all lists, with notes on those that cannot be read.
pub(crate) fn listed(lists: &[TrustedList]) -> (Vec<Listed>, Vec<String>) {
    let mut gathered: Vec<Gathered<'_>> = Vec::new();
    let mut notes = Vec::new();
    for list in lists {
        for service in &list.services {
            if service.certificates.is_empty() {
                notes.push(format!(
                    "{}: the service {:?} is known by no certificate",
                    list.territory, service.name
                ));
            }
            for der in &service.certificates {
                match Certificate::from_der(der) {
                    Ok(certificate) => gather(&mut gathered, list, service, certificate),
                    Err(error) => notes.push(format!(
                        "{}: a certificate of the service {:?} cannot be used: {error}",
                        list.territory, service.name
                    )),
                }
            }
        }
    }
    let listed = gathered.into_iter().map(Gathered::into_listed).collect();
    (listed, notes)
}

/// A certificate with all services that are known by it.
struct Gathered<'l> {
    certificate: Certificate,
    territory: &'l str,
    services: Vec<&'l Service>,
}

fn gather<'l>(
    gathered: &mut Vec<Gathered<'l>>,
    list: &'l TrustedList,
    service: &'l Service,
    certificate: Certificate,
) {
    let known = gathered.iter_mut().find(|known| {
        let purpose = known.services.first().map(|first| first.purpose);
        known.certificate == certificate && purpose == Some(service.purpose)
    });
    match known {
        Some(known) => known.services.push(service),
        None => gathered.push(Gathered {
            certificate,
            territory: &list.territory,
            services: vec![service],
        }),
    }
}

impl Gathered<'_> {
    fn into_listed(self) -> Listed {
        let newest = self.services.iter().max_by_key(|service| service.now.since);
        let newest = newest.expect("one service at least is gathered");
        let periods = self.services.iter().flat_map(|service| service.periods());
        let run = last_run(periods.collect());
        let mut policies: Vec<String> = self
            .services
            .iter()
            .flat_map(|service| service.policies.iter().cloned())
            .collect();
        policies.sort();
        policies.dedup();
        Listed {
            purpose: newest.purpose,
            window: run.map_or_else(|| never_since(newest.now.since), Window::from),
            provider: newest.provider.clone(),
            service: newest.name.clone(),
            territory: self.territory.to_owned(),
            policies,
            certificate: self.certificate,
        }
    }
}

/// The last time without a gap: an entry of `trust.toml` has one.
fn last_run(mut periods: Vec<Period>) -> Option<Period> {
    periods.sort_by_key(|period| period.from);
    let mut last: Option<Period> = None;
    for period in periods {
        last = match last {
            Some(run) if run.until.is_none_or(|until| period.from <= until) => Some(Period {
                from: run.from,
                until: run
                    .until
                    .zip(period.until)
                    .map(|(one, other)| one.max(other)),
            }),
            _ => Some(period),
        };
    }
    last
}

/// A window that was never qualified, as far back as the list goes: certificates do not count from
/// the day of its first statement.
fn never_since(since: Timestamp) -> Window {
    Window {
        from: None,
        until: Some(since),
    }
}

impl From<Period> for Window {
    fn from(period: Period) -> Self {
        Self {
            from: Some(period.from),
            until: period.until,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn period(from: i64, until: Option<i64>) -> Period {
        Period {
            from: at(from),
            until: until.map(at),
        }
    }

    #[test]
    fn times_that_touch_are_one_and_the_last_one_counts() {
        let run = |periods: &[(i64, Option<i64>)]| {
            let periods = periods.iter().map(|(from, until)| period(*from, *until));
            last_run(periods.collect())
        };

        assert_eq!(run(&[]), None);
        assert_eq!(run(&[(20, None), (10, Some(20))]), Some(period(10, None)));
        assert_eq!(
            run(&[(10, Some(20)), (30, Some(40))]),
            Some(period(30, Some(40)))
        );
        assert_eq!(
            run(&[(10, Some(50)), (20, Some(30))]),
            Some(period(10, Some(50)))
        );
        assert_eq!(run(&[(10, None), (20, Some(30))]), Some(period(10, None)));
    }
}
