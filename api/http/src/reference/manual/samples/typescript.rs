//! A call in TypeScript, for Node.

use super::literal::{JSON, literal};
use super::request::{Answer, BASE, Credentials, FILE, Request};

pub(super) fn write(request: &Request<'_>) -> String {
    let address = format!("{}{}", variable(BASE), request.written(variable));
    let mut options = Vec::new();
    if request.method != "GET" {
        options.push(format!("  method: \"{}\",\n", request.method));
    }
    let headers = headers(request);
    if !headers.is_empty() {
        options.push(format!("  headers: {{\n{headers}  }},\n"));
    }
    if let Some(body) = request.body {
        options.push(format!(
            "  body: JSON.stringify({}),\n",
            literal(body, JSON, 2)
        ));
    }
    let options = match options.is_empty() {
        true => String::new(),
        false => format!(", {{\n{}}}", options.concat()),
    };
    let (before, done) = match request.answer {
        Answer::Json => (
            String::new(),
            "console.log(await response.json());".to_owned(),
        ),
        Answer::Bytes => (
            "import { writeFile } from \"node:fs/promises\";\n\n".to_owned(),
            format!("await writeFile(\"{FILE}\", new Uint8Array(await response.arrayBuffer()));"),
        ),
        Answer::Nothing => (String::new(), "console.log(response.status);".to_owned()),
    };
    // What neither imports nor exports is no module, and may not await.
    format!(
        "{before}const response = await fetch(`{address}`{options});\n\
         if (!response.ok) throw new Error(await response.text());\n{done}\nexport {{}};"
    )
}

fn headers(request: &Request<'_>) -> String {
    let authorization = request
        .credentials
        .as_ref()
        .map(|credentials| match credentials {
            Credentials::Bearer(name) => format!("Authorization: `Bearer {}`", variable(name)),
            Credentials::Basic(name) => {
                format!("Authorization: `Basic ${{btoa(process.env.{name} ?? \"\")}}`")
            }
        });
    let content_type = request
        .body
        .map(|_| "\"Content-Type\": \"application/json\"".to_owned());
    let key = request
        .is_repeatable
        .then(|| "\"Idempotency-Key\": crypto.randomUUID()".to_owned());
    let headers = [authorization, content_type, key].into_iter().flatten();
    headers.map(|header| format!("    {header},\n")).collect()
}

fn variable(name: &str) -> String {
    format!("${{process.env.{name}}}")
}
