//! A call in TypeScript, for Node.

use super::request::{Answer, Credentials, FILE, Request};

const VARIABLE: [&str; 2] = ["${process.env.", "}"];

pub(super) fn write(request: &Request<'_>) -> String {
    let mut options = String::new();
    if request.method != "GET" {
        options = format!("  method: \"{}\",\n", request.method);
    }
    let headers = request.headers("    ", authorization, "crypto.randomUUID()");
    if !headers.is_empty() {
        options = format!("{options}  headers: {{\n{headers}  }},\n");
    }
    if let Some(body) = request.body {
        let body = format!("{body:#}").replace('\n', "\n  ");
        options = format!("{options}  body: JSON.stringify({body}),\n");
    }
    if !options.is_empty() {
        options = format!(", {{\n{options}}}");
    }
    let (before, done) = match request.answer {
        Answer::Json => ("", "console.log(await response.json());".to_owned()),
        Answer::Bytes => (
            "import { writeFile } from \"node:fs/promises\";\n\n",
            format!("await writeFile(\"{FILE}\", new Uint8Array(await response.arrayBuffer()));"),
        ),
        Answer::Nothing => ("", "console.log(response.status);".to_owned()),
    };
    let address = request.address(VARIABLE);
    // A file without imports and exports is not a module, and may not await.
    format!(
        "{before}const response = await fetch(`{address}`{options});\n\
         if (!response.ok) throw new Error(await response.text());\n{done}\nexport {{}};"
    )
}

fn authorization(credentials: &Credentials) -> String {
    match credentials {
        Credentials::Bearer(name) => {
            let [before, after] = VARIABLE;
            format!("`Bearer {before}{name}{after}`")
        }
        Credentials::Basic(name) => {
            format!("`Basic ${{btoa(process.env.{name} ?? \"\")}}`")
        }
    }
}
