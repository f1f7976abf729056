use std::collections::BTreeMap;

use parafa_format_core::{Need, NeedKind};
use parafa_pki::Certificate;

use crate::answers::need_id;

/// A question that the document does not answer.
#[derive(Debug)]
pub(crate) struct Question(Need);

impl Question {
    /// Asks for the issuer of a certificate, or for its trust as an anchor.
    pub(crate) fn of_issuer(certificate: &Certificate<'_>) -> Self {
        Self(need(NeedKind::Certificate, certificate))
    }

    /// Asks `issuer` for the status of a certificate at a time.
    pub(crate) fn of_revocation(
        certificate: &Certificate<'_>,
        issuer: &Certificate<'_>,
        time: i64,
    ) -> Self {
        Self(Need {
            issuer: Some(issuer.as_der().to_vec()),
            time: Some(time),
            ..need(NeedKind::Revocation, certificate)
        })
    }
}

/// Deduplicated questions in order of first occurrence.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    questions: Vec<Need>,
    by_id: BTreeMap<String, usize>,
}

impl Needs {
    /// Adds a question. Data that applies to a later time applies to an earlier
    /// one too.
    pub(crate) fn add(&mut self, Question(need): Question) {
        let known = self.by_id.get(&need.id);
        match known.and_then(|index| self.questions.get_mut(*index)) {
            Some(known) => known.time = known.time.max(need.time),
            None => {
                self.by_id.insert(need.id.clone(), self.questions.len());
                self.questions.push(need);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    pub(crate) fn into_list(self) -> Vec<Need> {
        self.questions
    }
}

fn need(kind: NeedKind, certificate: &Certificate<'_>) -> Need {
    let der = certificate.as_der();
    Need::new(kind, need_id(kind, der), der.to_vec(), None)
}

#[cfg(test)]
mod tests {
    use parafa_fixtures::signed::Identity;

    use super::*;

    #[test]
    fn data_are_asked_for_once_and_tell_of_the_latest_time() {
        let der = [Identity::Ona, Identity::Clock].map(Identity::certificate);
        let [ona, clock] = [&der[0], &der[1]].map(|der| Certificate::from_der(der).unwrap());
        let mut needs = Needs::default();

        for time in [2_000, 3_000, 1_000] {
            needs.add(Question::of_revocation(&ona, &clock, time));
            needs.add(Question::of_issuer(&clock));
        }

        let needs = needs.into_list();
        let [revocation, issuer] = &needs[..] else {
            panic!("{needs:?}")
        };
        assert_eq!(revocation.time, Some(3_000));
        assert_eq!(revocation.issuer.as_deref(), Some(clock.as_der()));
        assert_eq!((issuer.time, &issuer.issuer), (None, &None));
    }
}
