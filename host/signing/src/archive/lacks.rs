//! Obstacles to an archive that no later answer can remove.

use bytes::Bytes;
use parafa_answers::NothingNow;
use parafa_plugin_host::{Answer, ArchiveRequest, CallError, Plugin, Refusal, Suspension};

use super::INCOMPLETE;

/// Returns the plugin's refusal if everything still needed stays unanswered;
/// `None` if later answers may provide everything missing.
pub(super) async fn for_good(
    plugin: &Plugin,
    document: Bytes,
    request: &ArchiveRequest,
    suspension: Suspension,
) -> Option<Refusal> {
    let Suspension { needs, mut answers } = suspension;
    answers.extend(needs.into_iter().map(|need| Answer {
        need,
        outcome: Err(NothingNow::REASON.to_owned()),
    }));
    let driven = plugin.drive_archive(document, request, answers, &NothingNow);
    match driven.await {
        Err(CallError::Refused(refusal)) => of_refusal(refusal),
        Ok(_) | Err(CallError::Fault(_)) => None,
    }
}

/// Returns a refusal without its subjects that could not be queried.
fn of_refusal(mut refusal: Refusal) -> Option<Refusal> {
    if !INCOMPLETE.contains(&&*refusal.code) {
        return None;
    }
    let is_passing = |lack: &String| lack.contains(NothingNow::REASON);
    let had_lacks = !refusal.subjects.is_empty();
    refusal.subjects.retain(|lack| !is_passing(lack));
    let is_for_good = match had_lacks {
        true => !refusal.subjects.is_empty(),
        false => !is_passing(&refusal.detail),
    };
    is_for_good.then_some(refusal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lacks(code: &str, lacks: &[&str]) -> Option<Vec<String>> {
        let refusal = Refusal {
            code: code.to_owned().into(),
            detail: "it does not do".to_owned(),
            subjects: lacks.iter().map(|lack| (*lack).to_owned()).collect(),
        };
        of_refusal(refusal).map(|refusal| refusal.subjects)
    }

    #[test]
    fn what_is_lacking_for_good_is_told_without_what_may_come() {
        let passing = format!("S2: no revocation data: {}", NothingNow::REASON);
        let lasting = "S1: no issuer's certificate: unavailable";
        let code = INCOMPLETE[0];

        assert_eq!(
            lacks(code, &[&passing, lasting]),
            Some(vec![lasting.to_owned()])
        );
        assert_eq!(lacks(code, &[&passing]), None);
        assert_eq!(lacks(code, &[]), Some(Vec::new()));
        assert_eq!(lacks("bad-request", &[lasting]), None);
    }
}
