//! Recognition of a certificate's device by its policies.

use parafa_domain::AuthenticationMethod;
use parafa_trust::Certificate;

/// Policy arcs of SK ID Solutions, including those for tests, with their methods.
const ARCS: [(&str, AuthenticationMethod); 6] = [
    ("1.3.6.1.4.1.10015.1.3", AuthenticationMethod::MobileId),
    ("1.3.6.1.4.1.10015.3.1.3", AuthenticationMethod::MobileId),
    ("1.3.6.1.4.1.10015.3.17", AuthenticationMethod::SmartId),
    ("1.3.6.1.4.1.10015.17.1", AuthenticationMethod::SmartId),
    ("1.3.6.1.4.1.10015.17.2", AuthenticationMethod::SmartId),
    ("1.3.6.1.4.1.10015.18.1", AuthenticationMethod::MobileId),
];

/// Policies of Smart-ID's certificates at the level QUALIFIED, including that for
/// tests.
const QUALIFIED_SMART_ID: [&str; 2] = ["1.3.6.1.4.1.10015.17.2", "1.3.6.1.4.1.10015.3.17.2"];
/// NCP+ (ETSI EN 319 411-1, 5.3): the key is in a secure device.
const NCP_PLUS: &str = "0.4.0.2042.1.2";

/// Returns the method whose provider prompts the device with this certificate;
/// `None` for a card.
pub(crate) fn of(certificate: &Certificate) -> Option<AuthenticationMethod> {
    of_policies(&policies(certificate))
}

/// Returns whether a device of `method` answers with such a certificate. Smart-ID
/// is requested at the level QUALIFIED; the level stated by its service does not
/// replace the certificate's own policy.
pub(crate) fn is_of(certificate: &Certificate, method: AuthenticationMethod) -> bool {
    answers(&policies(certificate), method)
}

fn policies(certificate: &Certificate) -> Vec<String> {
    let policies = certificate.policies().iter();
    policies.map(ToString::to_string).collect()
}

fn of_policies(policies: &[String]) -> Option<AuthenticationMethod> {
    policies.iter().find_map(|policy| of_policy(policy))
}

fn answers(policies: &[String], method: AuthenticationMethod) -> bool {
    let has = |wanted: &str| policies.iter().any(|policy| policy == wanted);
    let is_at_level = match method {
        AuthenticationMethod::SmartId => QUALIFIED_SMART_ID.into_iter().any(has) && has(NCP_PLUS),
        _ => true,
    };
    is_at_level && of_policies(policies) == Some(method)
}

fn of_policy(policy: &str) -> Option<AuthenticationMethod> {
    let is_below = |arc: &str| {
        let rest = policy.strip_prefix(arc);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let known = ARCS.iter().find(|(arc, _)| is_below(arc));
    known.map(|(_, method)| *method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_belongs_to_the_arc_that_it_is_below() {
        for (policy, method) in [
            (
                "1.3.6.1.4.1.10015.17.2",
                Some(AuthenticationMethod::SmartId),
            ),
            (
                "1.3.6.1.4.1.10015.3.17.2",
                Some(AuthenticationMethod::SmartId),
            ),
            (
                "1.3.6.1.4.1.10015.1.3.1",
                Some(AuthenticationMethod::MobileId),
            ),
            (
                "1.3.6.1.4.1.10015.18.1",
                Some(AuthenticationMethod::MobileId),
            ),
            ("1.3.6.1.4.1.10015.1.30", None),
            ("1.3.6.1.4.1.33621.2.2.2", None),
        ] {
            assert_eq!(of_policy(policy), method, "{policy}");
        }
    }

    #[test]
    fn smart_id_answers_at_the_level_that_it_is_asked_for_and_each_method_for_itself() {
        use AuthenticationMethod::{MobileId, SmartId};

        const QUALIFIED: &str = "1.3.6.1.4.1.10015.17.2";
        const NON_QUALIFIED: &str = "1.3.6.1.4.1.10015.17.1";
        const NCP: &str = "0.4.0.2042.1.1";
        for (policies, method, expected) in [
            (&[QUALIFIED, NCP_PLUS][..], SmartId, true),
            (&["1.3.6.1.4.1.10015.3.17.2", NCP_PLUS], SmartId, true),
            (&[NCP_PLUS, NON_QUALIFIED], SmartId, false),
            (&[NON_QUALIFIED, NCP], SmartId, false),
            (&[QUALIFIED, NCP], SmartId, false),
            (&[QUALIFIED], SmartId, false),
            (&[QUALIFIED, NCP_PLUS], MobileId, false),
            (&["1.3.6.1.4.1.10015.18.1", NCP_PLUS], MobileId, true),
            (&["1.3.6.1.4.1.10015.1.3.1"], MobileId, true),
            (&["1.3.6.1.4.1.10015.18.1", NCP_PLUS], SmartId, false),
            (&["1.3.6.1.4.1.33621.2.1.2"], SmartId, false),
            (&[], MobileId, false),
        ] {
            let named: Vec<_> = policies.iter().map(ToString::to_string).collect();
            assert_eq!(answers(&named, method), expected, "{policies:?} {method:?}");
        }
    }
}
