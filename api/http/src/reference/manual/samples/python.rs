//! A call in Python, with nothing but its standard library.

use serde_json::Value;

use super::request::{Answer, Credentials, FILE, Request};

const VARIABLE: [&str; 2] = ["{os.environ['", "']}"];

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
    let headers = request.headers("        ", authorization, "str(uuid.uuid4())");
    let headers = match headers.is_empty() {
        true => headers,
        false => format!("    headers={{\n{headers}    }},\n"),
    };
    let body = request.body.map_or_else(String::new, |body| {
        format!("    data=json.dumps({}).encode(),\n", literal(body))
    });
    let done = match request.answer {
        Answer::Json => "print(json.dumps(json.load(answer), indent=2))".to_owned(),
        Answer::Bytes => {
            format!("with open(\"{FILE}\", \"wb\") as file:\n            file.write(answer.read())")
        }
        Answer::Nothing => "print(answer.status)".to_owned(),
    };
    let (method, address) = (&request.method, request.address(VARIABLE));
    format!(
        "{imports}\nrequest = urllib.request.Request(\n    f\"{address}\",\n    method=\"{method}\",\n{headers}{body})\n\
         try:\n    with urllib.request.urlopen(request) as answer:\n        {done}\n\
         except urllib.error.HTTPError as refusal:\n    sys.exit(refusal.read().decode())"
    )
}

fn authorization(credentials: &Credentials) -> String {
    match credentials {
        Credentials::Bearer(name) => {
            let [before, after] = VARIABLE;
            format!("f\"Bearer {before}{name}{after}\"")
        }
        Credentials::Basic(name) => {
            format!("\"Basic \" + base64.b64encode(os.environ[\"{name}\"].encode()).decode()")
        }
    }
}

/// JSON as a Python literal. The words null, false and true are at the ends of lines; a line that
/// ends in a text ends in a quote.
fn literal(value: &Value) -> String {
    let json = format!("{value:#}");
    let lines = json.lines().map(|line| {
        let (line, comma) = line
            .strip_suffix(',')
            .map_or((line, ""), |line| (line, ","));
        for (word, of_python) in [("null", "None"), ("false", "False"), ("true", "True")] {
            if let Some(before) = line.strip_suffix(word) {
                return format!("{before}{of_python}{comma}");
            }
        }
        format!("{line}{comma}")
    });
    let lines: Vec<_> = lines.collect();
    lines.join("\n    ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_has_the_words_of_python_outside_of_its_texts() {
        let value = json!({"a": [null, false, true, "so it is true,"], "b": true, "c": "null"});

        assert_eq!(
            literal(&value),
            "{\n      \"a\": [\n        None,\n        False,\n        True,\n        \"so it is true,\"\n      ],\n      \"b\": True,\n      \"c\": \"null\"\n    }"
        );
    }
}
