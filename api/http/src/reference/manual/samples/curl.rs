//! A call in a shell, as the guide makes it.

use super::literal::{JSON, literal};
use super::request::{Answer, BASE, Credentials, FILE, Request};

pub(super) fn write(request: &Request<'_>) -> String {
    let path = request.written(|name| format!("${name}"));
    let method = match (request.method.as_str(), request.body) {
        ("GET", _) | ("POST", Some(_)) => String::new(),
        (method, _) => format!(" -X {method}"),
    };
    let mut lines = vec![format!(
        "curl -sS --fail-with-body{method} \"${BASE}{path}\""
    )];
    lines.extend(
        request
            .credentials
            .as_ref()
            .map(|credentials| match credentials {
                Credentials::Bearer(name) => format!("  -H \"Authorization: Bearer ${name}\""),
                Credentials::Basic(name) => format!("  -u \"${name}\""),
            }),
    );
    if request.is_repeatable {
        lines.push("  -H \"Idempotency-Key: $(openssl rand -hex 16)\"".to_owned());
    }
    if request.answer == Answer::Bytes {
        lines.push(format!("  -o {FILE}"));
    }
    if let Some(body) = request.body {
        lines.push(format!(
            "  --json @- <<'END'\n{}\nEND",
            literal(body, JSON, 0)
        ));
    }
    lines.join(" \\\n")
}
