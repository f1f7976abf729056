//! A call in Python, with nothing but its standard library.

use super::literal::{PYTHON, literal};
use super::request::{Answer, BASE, Credentials, FILE, Request};

pub(super) fn write(request: &Request<'_>) -> String {
    let is_basic = matches!(request.credentials, Some(Credentials::Basic(_)));
    let has_json = request.body.is_some() || request.answer == Answer::Json;
    let modules = [
        (is_basic, "base64"),
        (has_json, "json"),
        (true, "os"),
        (true, "sys"),
        (true, "urllib.error"),
        (true, "urllib.request"),
        (request.is_repeatable, "uuid"),
    ];
    let modules = modules.into_iter().filter(|(is_used, _)| *is_used);
    let imports: String = modules
        .map(|(_, name)| format!("import {name}\n"))
        .collect();
    let address = format!("{}{}", variable(BASE), request.written(variable));
    let mut code = format!(
        "{imports}\nrequest = urllib.request.Request(\n    f\"{address}\",\n    method=\"{}\",\n",
        request.method
    );
    let headers = headers(request);
    if !headers.is_empty() {
        code.push_str(&format!("    headers={{\n{headers}    }},\n"));
    }
    if let Some(body) = request.body {
        let body = literal(body, PYTHON, 4);
        code.push_str(&format!("    data=json.dumps({body}).encode(),\n"));
    }
    let done = match request.answer {
        Answer::Json => "print(json.dumps(json.load(answer), indent=2))".to_owned(),
        Answer::Bytes => {
            format!("with open(\"{FILE}\", \"wb\") as file:\n            file.write(answer.read())")
        }
        Answer::Nothing => "print(answer.status)".to_owned(),
    };
    code.push_str(&format!(
        ")\ntry:\n    with urllib.request.urlopen(request) as answer:\n        {done}\n\
         except urllib.error.HTTPError as refusal:\n    sys.exit(refusal.read().decode())"
    ));
    code
}

fn headers(request: &Request<'_>) -> String {
    let authorization = request.credentials.as_ref().map(|credentials| match credentials {
        Credentials::Bearer(name) => format!("\"Authorization\": f\"Bearer {}\"", variable(name)),
        Credentials::Basic(name) => format!(
            "\"Authorization\": \"Basic \" + base64.b64encode(os.environ[\"{name}\"].encode()).decode()"
        ),
    });
    let content_type = request
        .body
        .map(|_| "\"Content-Type\": \"application/json\"".to_owned());
    let key = request
        .is_repeatable
        .then(|| "\"Idempotency-Key\": str(uuid.uuid4())".to_owned());
    let headers = [authorization, content_type, key].into_iter().flatten();
    headers
        .map(|header| format!("        {header},\n"))
        .collect()
}

fn variable(name: &str) -> String {
    format!("{{os.environ['{name}']}}")
}
