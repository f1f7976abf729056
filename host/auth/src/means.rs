//! Whose devices a certificate's policies speak of.

use parafa_domain::AuthenticationMethod;
use parafa_trust::Certificate;

/// The arcs of policies of SK ID Solutions, those for tests too, and the method
/// that they belong to.
const ARCS: [(&str, AuthenticationMethod); 6] = [
    ("1.3.6.1.4.1.10015.1.3", AuthenticationMethod::MobileId),
    ("1.3.6.1.4.1.10015.3.1.3", AuthenticationMethod::MobileId),
    ("1.3.6.1.4.1.10015.3.17", AuthenticationMethod::SmartId),
    ("1.3.6.1.4.1.10015.17.1", AuthenticationMethod::SmartId),
    ("1.3.6.1.4.1.10015.17.2", AuthenticationMethod::SmartId),
    ("1.3.6.1.4.1.10015.18.1", AuthenticationMethod::MobileId),
];

/// The method whose provider asks the device that has this certificate; none of
/// a card's.
pub(crate) fn of(certificate: &Certificate) -> Option<AuthenticationMethod> {
    let mut policies = certificate.policies().iter().map(ToString::to_string);
    policies.find_map(|policy| of_policy(&policy))
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
}
