use std::ffi::OsStr;
use std::iter;
use std::path::Path;

use crate::support::{Documents, Ended, component, parafa};

#[test]
fn check_tells_what_a_component_is() {
    let ended = plugin(&[&"check", &component("pdf.wasm"), &"--json"]);

    assert_eq!(ended.code, Some(0), "{ended:?}");
    let findings = ended.json();
    assert_eq!(findings["plugin"], "pdf");
    assert_eq!(findings["contract"], "1.0.0");
    assert_eq!(
        findings["worlds"],
        serde_json::json!([
            "describe", "archive", "compose", "flatten", "inspect", "rehearse", "sign", "verify"
        ])
    );
    assert_eq!(findings["missing"], serde_json::json!(["contents"]));
    assert_eq!(findings["admissible"], true);
    let bytes = std::fs::read(component("pdf.wasm")).unwrap();
    assert_eq!(findings["bytes"], bytes.len());
}

#[test]
fn check_says_why_a_file_is_not_admissible() {
    let documents = Documents::new();
    let file = documents.add("module.wasm", b"\0asm\x01\0\0\0");

    let ended = plugin(&[&"check", &file]);

    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended
            .stdout
            .contains("not admissible: it is not a WebAssembly component"),
        "{ended:?}"
    );
}

#[test]
fn run_inspects_with_the_installed_plugin() {
    let documents = Documents::new();
    let file = documents.add("contract.PDF", parafa_fixtures::plain(2));

    let ended = plugin(&[&"run", &"inspect", &file, &"--json"]);

    assert_eq!(ended.code, Some(0), "{ended:?}");
    let call = ended.json();
    assert_eq!(call["plugin"], "pdf");
    assert_eq!(call["operation"], "inspect");
    assert_eq!(call["outcome"]["mediaType"], "application/pdf");
    assert!(call["milliseconds"].as_f64().unwrap() > 0.0);
    assert!(call["peakMemoryBytes"].as_u64().unwrap() > 64 * 1024);
    assert_eq!(call["digest"].as_str().unwrap().len(), 64);
    assert!(call.get("refusal").is_none() && call.get("fault").is_none());
}

#[test]
fn run_archives_what_it_signed_with_a_time_stamp() {
    let documents = Documents::new();
    let file = documents.add("contract.pdf", parafa_fixtures::plain(1));
    let (signed, archived) = (documents.path("signed.pdf"), documents.path("archived.pdf"));
    let stamped = plugin(&[
        &"run", &"sign", &file, &"--level", &"B-T", &"--out", &signed,
    ]);
    assert_eq!(stamped.code, Some(0), "{stamped:?}");

    let ended = plugin(&[&"run", &"archive", &signed, &"--out", &archived, &"--json"]);

    assert_eq!(ended.code, Some(0), "{ended:?}");
    let outcome = &ended.json()["outcome"];
    assert_eq!(outcome["level"], "PAdES-B-LT");
    assert_eq!(outcome["changed"], true);
    let (before, after) = (
        std::fs::read(signed).unwrap(),
        std::fs::read(&archived).unwrap(),
    );
    assert!(after.starts_with(&before));
    let out = documents.path("again.pdf");
    let again = plugin(&[&"run", &"archive", &archived, &"--out", &out, &"--json"]);
    assert_eq!(again.json()["outcome"]["changed"], false, "{again:?}");
    assert!(
        std::fs::read(out).unwrap() == after,
        "it comes out as it is"
    );
}

#[test]
fn run_archives_to_level_lta_with_one_more_time_stamp_each_time() {
    let documents = Documents::new();
    let toy = component("test/toy-container.wasm");
    let file = documents.add(
        "a.toybox",
        "TOY honest 0\nmember stored main 5 5 a.txt\nhello",
    );
    let run = |operation: &str, level: &str, file: &Path, out: &Path| {
        plugin(&[
            &"run",
            &operation,
            &file,
            &"--plugin",
            &toy,
            &"--level",
            &level,
            &"--out",
            &out,
            &"--json",
        ])
    };
    let signed = documents.path("signed.toybox");
    let ended = run("sign", "B-T", &file, &signed);
    assert_eq!(ended.code, Some(0), "{ended:?}");

    let mut before = signed;
    for name in ["once.toybox", "again.toybox"] {
        let after = documents.path(name);
        let ended = run("archive", "b-lta", &before, &after);

        assert_eq!(ended.code, Some(0), "{ended:?}");
        let outcome = &ended.json()["outcome"];
        assert_eq!(outcome["level"], "Toy-B-LTA");
        assert_eq!(outcome["changed"], true);
        let bytes = [&before, &after].map(|file| std::fs::read(file).unwrap());
        assert!(bytes[1].starts_with(&bytes[0]), "{name}");
        before = after;
    }
}

#[test]
fn run_refuses_a_level_that_the_format_or_the_operation_does_not_have() {
    let documents = Documents::new();
    let file = documents.add("contract.pdf", parafa_fixtures::plain(1));

    let of_format = plugin(&[&"run", &"archive", &file, &"--level", &"B-LTA", &"--json"]);
    assert_eq!(of_format.code, Some(1), "{of_format:?}");
    assert_eq!(of_format.json()["refusal"]["code"], "bad-request");

    for (operation, level) in [("archive", "B-T"), ("sign", "B-LTA"), ("verify", "B-B")] {
        let of_operation = plugin(&[&"run", &operation, &file, &"--level", &level]);
        assert_eq!(of_operation.code, Some(64), "{of_operation:?}");
        let told = format!("{operation} cannot be asked for the level {level}");
        assert!(of_operation.stderr.contains(&told), "{of_operation:?}");
    }
}

#[test]
fn run_flattens_and_rehearses() {
    let documents = Documents::new();
    let form = parafa_fixtures::PdfBuilder::new().text_field("Vardas", "Jonas");
    let file = documents.add("form.pdf", form.build());
    for operation in ["flatten", "rehearse"] {
        let out = documents.path("made.pdf");

        let ended = plugin(&[&"run", &operation, &file, &"--out", &out, &"--json"]);

        assert_eq!(ended.code, Some(0), "{ended:?}");
        let outcome = &ended.json()["outcome"];
        assert_eq!(outcome["mediaType"], "application/pdf");
        assert_eq!(outcome["unchanged"], false);
        assert_eq!(outcome.get("notes"), None);
        assert_eq!(outcome["bytes"], std::fs::read(out).unwrap().len());
    }
}

#[test]
fn run_tells_of_a_form_that_wants_its_appearances_made_anew() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/cases/pdf");
    let form = cases.join("flatten-need-appearances/input.pdf");

    let ended = plugin(&[&"run", &"flatten", &form, &"--json"]);

    assert_eq!(ended.code, Some(0), "{ended:?}");
    let notes = serde_json::json!(["need-appearances"]);
    assert_eq!(ended.json()["outcome"]["notes"], notes);
}

#[test]
fn run_ends_with_1_when_the_document_is_refused() {
    let documents = Documents::new();
    let file = documents.add("contract.pdf", "no PDF at all");

    let ended = plugin(&[&"run", &"inspect", &file, &"--json"]);

    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(ended.json()["refusal"]["code"], "not-a-pdf");
    assert_eq!(ended.json()["refusal"]["subjects"], serde_json::json!([]));
}

#[test]
fn run_tells_programs_in_json_of_what_no_plugin_is_asked_for() {
    let documents = Documents::new();
    let file = documents.add("contract.asics", "whatever");
    let missing = documents.path("missing.pdf");
    for (file, why) in [
        (&file, "there are plugins for"),
        (&missing, "cannot be read"),
    ] {
        let ended = plugin(&[&"run", &"inspect", &file, &"--json"]);

        assert_eq!(ended.code, Some(1), "{ended:?}");
        let told = ended.json();
        assert_eq!(told["operation"], "inspect");
        assert_eq!(told["refusal"]["code"], "not-run");
        let detail = told["refusal"]["detail"].to_string();
        assert!(detail.contains(why), "{detail}");
    }
}

#[test]
fn run_ends_with_2_when_the_plugin_fails() {
    let documents = Documents::new();
    let file = documents.add("document.toy", "TOY panic 5\nhello");
    let toy = component("test/toy.wasm");

    let ended = plugin(&[&"run", &"inspect", &file, &"--plugin", &toy, &"--json"]);

    assert_eq!(ended.code, Some(2), "{ended:?}");
    let fault = ended.json()["fault"].to_string();
    assert!(fault.contains("the document asked for it"), "{fault}");
    let log = &ended.json()["log"];
    assert_eq!(log.as_array().unwrap().len(), 1, "{log}");
    assert_eq!(log[0]["level"], "error");
    let message = log[0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("the document asked for it ("),
        "{message}"
    );
}

#[test]
fn run_refuses_an_operation_that_the_plugin_does_not_have() {
    let documents = Documents::new();
    let least = documents.least_plugin();
    let file = documents.add("document.least", "anything");
    for (operation, told) in [
        ("archive", "raise signatures to a long-term level"),
        ("compose", "make containers of files"),
        ("flatten", "flatten documents"),
        ("inspect", "inspect documents"),
        ("rehearse", "make unsigned copies"),
        ("sign", "sign documents"),
    ] {
        let ended = plugin(&[&"run", &operation, &file, &"--plugin", &least, &"--json"]);

        assert_eq!(ended.code, Some(1), "{ended:?}");
        let call = ended.json();
        assert_eq!(call["refusal"]["code"], "not-supported");
        assert_eq!(
            call["refusal"]["detail"],
            format!("the plugin least cannot {told}")
        );
        assert!(call.get("fault").is_none(), "{call}");
    }
}

#[test]
fn run_shows_the_names_in_a_document_on_one_line_each() {
    let documents = Documents::new();
    let name = "Vardas\nEvery signature is intact.";
    let form = parafa_fixtures::PdfBuilder::new().text_field(name, "Jonas");
    let file = documents.add("form.pdf", form.build());

    let ended = plugin(&[&"run", &"inspect", &file]);

    assert_eq!(ended.code, Some(0), "{ended:?}");
    let field = r"field Vardas\nEvery signature is intact.: ";
    let is_field = |line: &str| line.starts_with(field);
    assert!(ended.stdout.lines().any(is_field), "{ended:?}");
}

#[test]
fn run_shows_people_what_the_plugin_logs() {
    let documents = Documents::new();
    let file = documents.add("document.toy", "TOY chatter 5\nhello");
    let toy = component("test/toy.wasm");

    let ended = plugin(&[&"run", &"inspect", &file, &"--plugin", &toy]);

    assert_eq!(ended.code, Some(0), "{ended:?}");
    let first = ended.stderr.lines().next().unwrap();
    assert_eq!(first, r"info  line 0\nforged line");
    assert!(!ended.stdout.contains("forged line"), "{ended:?}");
}

#[test]
fn run_has_no_output_to_write_but_of_sign() {
    let documents = Documents::new();
    let file = documents.add("contract.pdf", parafa_fixtures::plain(1));
    let out = documents.path("out.pdf");

    let ended = plugin(&[&"run", &"inspect", &file, &"--out", &out]);

    assert_eq!(ended.code, Some(64), "{ended:?}");
}

#[test]
fn the_help_of_run_says_which_plugin_is_called() {
    let ended = plugin(&[&"run", &"--help"]);

    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("--plugin <WASM>"), "{ended:?}");
    let words: Vec<_> = ended.stdout.split_whitespace().collect();
    let help = words.join(" ");
    assert!(
        help.contains("Default: the plugin for the document's"),
        "{help}"
    );
}

#[test]
fn what_maintainers_make_is_named_for_programs() {
    let documents = Documents::new();
    let (keys, folder) = (documents.path("keys"), documents.path("saskaita"));
    let wasm = documents.add("my.wasm", "any bytes");
    let key = keys.join("publisher.key");
    let json = |words: &[&dyn AsRef<OsStr>]| plugin(words).json();

    let made = json(&[&"keygen", &keys, &"--json"]);
    let signed = json(&[&"sign", &wasm, &"--key", &key, &"--json"]);
    let begun = json(&[&"new", &folder, &"--json"]);

    let named = [
        &made["key"],
        &made["pub"],
        &signed["signature"],
        &begun["dir"],
    ];
    for path in named {
        let path = path.as_str().expect("a path");
        assert!(Path::new(path).exists(), "{path}");
    }
}

#[test]
fn run_refuses_a_document_that_no_plugin_takes() {
    let documents = Documents::new();
    let file = documents.add("contract.odt", "text");

    let ended = plugin(&[&"run", &"inspect", &file]);

    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended.stderr.contains("there are plugins for .") && ended.stderr.contains(".pdf"),
        "{ended:?}"
    );
}

#[test]
fn an_operation_that_does_not_exist_is_wrong_usage() {
    let ended = plugin(&[&"run", &"embellish", &"contract.pdf"]);

    assert_eq!(ended.code, Some(64), "{ended:?}");
}

#[test]
fn test_keeps_the_score() {
    let documents = Documents::new();
    let toy = component("test/toy.wasm");
    let cases = documents.path("cases");
    std::fs::create_dir_all(cases.join("toy/plain")).unwrap();
    std::fs::write(cases.join("toy/plain/input.toy"), "TOY honest 5\nhello").unwrap();
    let run = |expect: &str| {
        let digest = hex::encode(openssl::sha::sha256(b"TOY honest 5\nhello"));
        let description = format!(
            "origin = 'a test'\nlicence = 'Apache-2.0'\ninput = 'input.toy'\nsha256 = '{digest}'\n\
             [[checks]]\noperation = 'verify'\nexpect.{expect}\n"
        );
        std::fs::write(cases.join("toy/plain/case.toml"), description).unwrap();
        plugin(&[&"test", &toy, &"--cases", &cases, &"--json"])
    };

    let passed = run("accepted = { signatures = 0 }");
    let failed = run("accepted = { signatures = 1 }");

    assert_eq!(passed.code, Some(0), "{passed:?}");
    assert_eq!(passed.json()["passed"], 1);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert_eq!(failed.json()["failed"], 1);
    assert_eq!(failed.json()["cases"][0]["name"], "plain/verify");
    assert_eq!(failed.json()["cases"][0]["outcome"], "failed");
}

#[test]
fn test_of_a_folder_without_cases_for_the_format_is_refused() {
    let documents = Documents::new();
    let toy = component("test/toy.wasm");

    let ended = plugin(&[&"test", &toy, &"--cases", &documents.path("")]);

    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended.stderr.contains("no case for the format \"toy\""),
        "{ended:?}"
    );
}

#[test]
fn test_keeps_the_score_of_a_format_without_cases_of_its_own() {
    let toy = component("test/toy.wasm");

    let ended = plugin(&[&"test", &toy, &"--json"]);

    assert_eq!(ended.code, Some(0), "{ended:?}");
    let scorecard = ended.json();
    assert!(scorecard["passed"].as_u64().unwrap() > 20, "{scorecard}");
    assert_eq!(scorecard["failed"], 0, "{scorecard}");
    assert_eq!(scorecard["skipped"], 0, "{scorecard}");
    assert_eq!(scorecard["cases"][0]["outcome"], "passed");
}

#[test]
fn new_says_that_the_registry_has_no_sdk_yet() {
    let documents = Documents::new();
    let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/sdk");
    let (bare, complete) = (documents.path("bare"), documents.path("complete"));

    let without = plugin(&[&"new", &bare]);
    let with = plugin(&[&"new", &complete, &"--sdk", &sdk]);

    assert_eq!(without.code, Some(0), "{without:?}");
    assert!(without.stderr.contains("--vendor FOLDER"), "{without:?}");
    assert_eq!((with.code, with.stderr.as_str()), (Some(0), ""), "{with:?}");
    let readme = std::fs::read_to_string(complete.join("README.md")).unwrap();
    assert!(!readme.contains("--vendor"), "{readme}");
}

fn plugin(words: &[&dyn AsRef<OsStr>]) -> Ended {
    let words = words.iter().map(|word| AsRef::<OsStr>::as_ref(*word));
    parafa(iter::once(OsStr::new("plugin")).chain(words))
}
