use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use parafa_format_core::{Need, NeedKind, need_params};
use parafa_pki::Certificate;

use crate::answers::need_id;

/// A question that the document does not answer.
#[derive(Debug)]
pub(crate) struct Question {
    need: Need,
    /// Time to which the answer must apply, in seconds since the Unix epoch.
    time: Option<i64>,
}

impl Question {
    /// Asks for the issuer of a certificate, or for its trust as an anchor.
    pub(crate) fn of_issuer(certificate: &Certificate<'_>) -> Self {
        Self {
            need: need(NeedKind::Certificate, certificate),
            time: None,
        }
    }

    /// Asks `issuer` for the status of a certificate at a time.
    pub(crate) fn of_revocation(
        certificate: &Certificate<'_>,
        issuer: &Certificate<'_>,
        time: i64,
    ) -> Self {
        let issuer = STANDARD.encode(issuer.as_der());
        Self {
            need: Need {
                params: vec![(need_params::ISSUER.to_owned(), issuer)],
                ..need(NeedKind::Revocation, certificate)
            },
            time: Some(time),
        }
    }
}

/// Deduplicated questions in order of first occurrence.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    questions: Vec<Question>,
    by_id: BTreeMap<String, usize>,
}

impl Needs {
    /// Adds a question. Data that applies to a later time applies to an earlier
    /// one too.
    pub(crate) fn add(&mut self, question: Question) {
        let known = self.by_id.get(&question.need.id);
        match known.and_then(|index| self.questions.get_mut(*index)) {
            Some(known) => known.time = known.time.max(question.time),
            None => {
                let id = question.need.id.clone();
                self.by_id.insert(id, self.questions.len());
                self.questions.push(question);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    pub(crate) fn into_list(self) -> Vec<Need> {
        let needs = self.questions.into_iter().map(|question| {
            let Question { mut need, time } = question;
            let time = time.map(|time| (need_params::TIME.to_owned(), time.to_string()));
            need.params.extend(time);
            need
        });
        needs.collect()
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
        let time = revocation.params.iter().find(|(name, _)| name == "time");
        assert_eq!(time.unwrap().1, "3000");
        assert!(issuer.params.is_empty());
    }
}
