//! A call in a shell, as the guide makes it.

use super::request::{Answer, Credentials, FILE, Request};

pub(super) fn write(request: &Request<'_>) -> String {
    let method = match (request.method.as_str(), request.body) {
        ("GET", _) | ("POST", Some(_)) => String::new(),
        (method, _) => format!(" -X {method}"),
    };
    let address = request.address(["$", ""]);
    let mut lines = vec![format!("curl -sS --fail-with-body{method} \"{address}\"")];
    let credentials = request.credentials.as_ref();
    lines.extend(credentials.map(|credentials| match credentials {
        Credentials::Bearer(name) => format!("  -H \"Authorization: Bearer ${name}\""),
        Credentials::Basic(name) => format!("  -u \"${name}\""),
    }));
    if request.is_repeatable {
        lines.push("  -H \"Idempotency-Key: $(openssl rand -hex 16)\"".to_owned());
    }
    if request.answer == Answer::Bytes {
        lines.push(format!("  -o {FILE}"));
    }
    if let Some(body) = request.body {
        lines.push(format!("  --json @- <<'END'\n{body:#}\nEND"));
    }
    lines.join(" \\\n")
}
