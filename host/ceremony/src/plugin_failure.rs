//! Loggable text about a plugin's failure. Its own words may quote the
//! document, which no erasure removes from a log.

use parafa_plugin_host::{CallError, FaultKind};

/// Longest text of a panic in the log, in characters.
const LONGEST_PANIC: usize = 500;
/// Longest code of a refusal, in characters.
const LONGEST_CODE: usize = 64;

/// Describes a failure in the host's words, except for the text of a panic: the
/// plugin's author needs it, and wrote it.
pub fn words(error: &CallError) -> String {
    match error {
        CallError::Refused(refusal) => format!("refused: {}", code(&refusal.code)),
        CallError::Fault(fault) => match &fault.kind {
            FaultKind::Panicked { message } => format!("panic: {}", bounded(message)),
            FaultKind::ContractBroken(_) => "broken contract".to_owned(),
            FaultKind::Trap(_) => "trap".to_owned(),
            FaultKind::Host(_)
            | FaultKind::InflationLimit { .. }
            | FaultKind::MemoryLimit { .. }
            | FaultKind::OutputLimit { .. }
            | FaultKind::TimedOut { .. }
            | FaultKind::TooDeeplyNested
            | FaultKind::Unsupported(_) => fault.kind.to_string(),
            _ => "failed".to_owned(),
        },
    }
}

/// Returns a refusal's code, or a substitute if it is not in the catalogue's
/// form.
fn code(code: &str) -> &str {
    let is_code = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
    if code.len() <= LONGEST_CODE && code.bytes().all(is_code) {
        code
    } else {
        "of no known form"
    }
}

fn bounded(message: &str) -> String {
    let escaped = message.chars().flat_map(char::escape_debug);
    escaped.take(LONGEST_PANIC).collect()
}

#[cfg(test)]
mod tests {
    use parafa_plugin_host::{Fault, PluginDigest, Refusal};

    use super::*;

    fn fault(kind: FaultKind) -> CallError {
        CallError::Fault(Fault {
            plugin: "toy".to_owned(),
            digest: "00".repeat(32).parse::<PluginDigest>().unwrap(),
            kind,
        })
    }

    #[test]
    fn of_a_refusal_only_a_code_of_the_catalogues_form_is_told() {
        let refused = |code: &str| {
            words(&CallError::Refused(Refusal {
                code: code.to_owned().into(),
                detail: "the page of Ona".to_owned(),
                subjects: vec!["Ona".to_owned()],
            }))
        };

        assert_eq!(refused("encrypted"), "refused: encrypted");
        assert_eq!(refused("Ona owes 5"), "refused: of no known form");
        assert_eq!(refused(&"a".repeat(65)), "refused: of no known form");
    }

    #[test]
    fn a_panic_is_told_in_one_bounded_line() {
        let message = format!("at lib.rs:1\n{}", "x".repeat(LONGEST_PANIC));

        let told = words(&fault(FaultKind::Panicked { message }));

        assert!(told.starts_with("panic: at lib.rs:1\\nxxx"), "{told}");
        assert_eq!(told.chars().count(), LONGEST_PANIC + "panic: ".len());
    }

    #[test]
    fn of_a_trap_nothing_of_its_text_is_told() {
        assert_eq!(words(&fault(FaultKind::Trap("Ona".to_owned()))), "trap");
        let slow = fault(FaultKind::TimedOut { limit_ms: 10 });
        assert_eq!(words(&slow), "no result within 10 ms");
    }
}
