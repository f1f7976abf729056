//! Documents as read by other programs.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use parafa_fixtures::tool::program;
use parafa_format_core::{
    ComposeRequest, MemoryBlob, MemorySink, NativeEnvironment, Refusal, SourceFile,
};
use parafa_format_pdf::inspect;
use parafa_format_pdf_compose::compose;

const DOSSIER: &str = include_str!("dossier.json");

#[test]
fn the_text_is_read_in_its_order_with_every_letter() {
    let Some(text) = text(&composed(DOSSIER).unwrap()) else {
        return;
    };

    let mut rest = text.as_str();
    for expected in [
        "Užsakymas 0192-7f3a",
        "Tapatybės patvirtinimo byla",
        "Asmuo patvirtino savo tapatybę kvalifikuotu elektroniniu parašu.",
        "Duomenys apie asmenį",
        "Vardas ir pavardė",
        "Žydrūnė Ąžuolaitė-Šėškienė",
        "Ką liudija šis dokumentas",
        "1.",
        "Pirma: ąčęėįšųūž ĄČĘĖĮŠŲŪŽ „kabutės“ – brūkšnys.",
        "2.",
        "Įvykis",
        "Sertifikatas patikrintas",
    ] {
        let at = rest.find(expected);
        let at = at.unwrap_or_else(|| panic!("{expected:?} is not in {rest:?}"));
        rest = &rest[at + expected.len()..];
    }
}

#[test]
fn the_document_is_sound_archivable_and_may_be_signed() {
    let document = composed(DOSSIER).unwrap();

    assert_qpdf_accepts(&document);
    let report = inspect(&NativeEnvironment, &MemoryBlob(document)).unwrap();
    let notes: Vec<_> = report
        .notes
        .iter()
        .map(|note| (&*note.code, &*note.detail))
        .collect();
    assert_eq!(notes, [("pdfa", "The document says that it is PDF/A-2a.")]);
}

#[test]
fn the_structure_tells_headings_tables_and_lists() {
    let Some(pdfinfo) = run("pdfinfo", &["-struct-text"], &composed(DOSSIER).unwrap()) else {
        return;
    };

    // The titles of headings are printed in UTF-16.
    let structure = String::from_utf8_lossy(&pdfinfo.stdout).into_owned();
    let structure: Vec<&str> = structure
        .lines()
        .map(|line| match line.split_once(" \"\u{FFFD}") {
            Some((element, _)) => element,
            None => line,
        })
        .collect();
    insta::assert_snapshot!(structure.join("\n"));
}

#[test]
fn the_same_request_gives_the_same_bytes_and_another_seed_or_time_does_not() {
    let mut other_seed = request();
    other_seed.seed = vec![8; 32];
    let mut other_time = request();
    other_time.time += 1;

    let document = composed(DOSSIER).unwrap();

    assert!(composed(DOSSIER).unwrap() == document);
    for other in [other_seed, other_time] {
        assert!(composed_by(&[description(DOSSIER)], &other).unwrap() != document);
    }
}

#[test]
fn a_table_of_500_rows_has_its_header_on_every_page() {
    let rows: Vec<String> = (1..=500)
        .map(|number| format!(r#"["{number}", "Įrašas numeris {number}", "{number},00 €"]"#))
        .collect();
    let document = composed(&with_content(&format!(
        r#"{{"type":"table","columns":[{{"title":"Nr.","align":"end"}},{{"title":"Pavadinimas"}},
           {{"title":"Suma","align":"end"}}],"rows":[{}]}}"#,
        rows.join(",")
    )))
    .unwrap();

    assert_qpdf_accepts(&document);
    let Some(text) = text(&document) else { return };
    let pages: Vec<&str> = text.split_terminator('\x0C').collect();
    assert!(pages.len() > 10, "{} pages", pages.len());
    for (number, page) in (1..).zip(&pages) {
        assert_eq!(page.matches("Pavadinimas").count(), 1, "{page}");
        assert!(page.contains(&format!("{number} / {}", pages.len())));
    }
    for number in 1..=500 {
        assert_eq!(text.matches(&format!("numeris {number}\n")).count(), 1);
    }
}

#[test]
fn a_row_may_be_longer_than_a_page_and_a_word_wider_than_a_cell() {
    let long = "Labai ilgas tekstas. ".repeat(600);
    let digest = "0123456789abcdef".repeat(16);
    let document = composed(&with_content(&format!(
        r#"{{"type":"table","columns":[{{"title":"A"}},{{"title":"B"}},{{"title":"C","width":1}}],
           "rows":[["{long}","{digest}",""]]}}"#
    )))
    .unwrap();

    let Some(text) = text(&document) else { return };
    assert_eq!(text.matches("Labai").count(), 600);
    let digits: String = text.chars().filter(char::is_ascii_hexdigit).collect();
    assert!(digits.len() >= digest.len());
    assert!(page_count(&document).is_none_or(|pages| pages > 2));
}

#[test]
fn named_files_are_attached_and_others_refused() {
    let json = r#"{"title":"Byla","language":"en","attachments":[
        {"name":"payload.json","description":"What was confirmed","relationship":"data"}],
        "content":[]}"#;
    let content = MemoryBlob(b"{}".to_vec());
    let file = |name| SourceFile {
        name,
        media_type: "application/json",
        content: &content,
    };
    let payload = "payload.json";

    let document = composed_by(&[description(json), file(payload)], &request()).unwrap();
    assert_qpdf_accepts(&document);
    let report = inspect(&NativeEnvironment, &MemoryBlob(document.clone())).unwrap();
    let notes: Vec<_> = report.notes.iter().map(|note| &*note.detail).collect();
    assert!(notes.contains(&"The document says that it is PDF/A-3a."));
    assert!(notes.contains(&"Files are embedded in the document."));
    if let Some(listed) = run("pdfdetach", &["-list"], &document) {
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        assert!(listed.contains("1: payload.json"), "{listed}");
    }

    for files in [
        vec![description(json)],
        vec![description(json), file(payload), file(payload)],
        vec![description(json), file(payload), file("other.txt")],
    ] {
        let refusal = composed_by(&files, &request()).unwrap_err();
        assert_eq!(refusal.code, "bad-request");
        assert_eq!(refusal.subjects.len(), 1);
    }
}

#[test]
fn characters_that_the_fonts_lack_are_named() {
    let content = r#"{"type":"paragraph","text":"中 ok\t中"},{"type":"list","items":["😀"]}"#;

    let refusal = composed(&with_content(content)).unwrap_err();

    assert_eq!(refusal.code, "characters-missing");
    assert_eq!(refusal.subjects, ["U+0009", "U+4E2D 中", "U+1F600 😀"]);
}

#[test]
fn what_cannot_be_used_is_refused() {
    let long_header = format!(
        r#"{{"title":"A","language":"lt","header":"{}","content":[]}}"#,
        "ilga antraštė ".repeat(20)
    );
    for (json, code) in [
        ("", "description-invalid"),
        ("[]", "description-invalid"),
        (r#"{"title":"A","language":"lt"}"#, "description-invalid"),
        (
            r#"{"title":"A","language":"de","content":[]}"#,
            "description-invalid",
        ),
        (
            r#"{"title":" ","language":"lt","content":[]}"#,
            "description-invalid",
        ),
        (&long_header, "description-invalid"),
        (
            &with_content(&vec![r#"{"type":"pageBreak"}"#; 1001].join(",")),
            "document-too-long",
        ),
        (
            &with_content(&vec![r#"{"type":"pageBreak"}"#; 5001].join(",")),
            "document-too-long",
        ),
    ] {
        assert_eq!(composed(json).unwrap_err().code, code, "{json:.100}");
    }
    let mut wrong_type = request();
    wrong_type.media_type = "text/plain".to_owned();
    let mut short_seed = request();
    short_seed.seed.pop();
    let mut early = request();
    early.time = -1;
    for request in [wrong_type, short_seed, early] {
        let refusal = composed_by(&[description(DOSSIER)], &request).unwrap_err();
        assert_eq!(refusal.code, "bad-request");
    }
    let refusal = composed_by(&[], &request()).unwrap_err();
    assert_eq!(refusal.code, "bad-request");
}

fn request() -> ComposeRequest {
    ComposeRequest {
        time: 1_795_000_000,
        seed: vec![7; 32],
        media_type: "application/pdf".to_owned(),
        params: Vec::new(),
    }
}

fn description(json: &str) -> SourceFile<'static, MemoryBlob> {
    SourceFile {
        name: "description.json",
        media_type: "application/json",
        content: Box::leak(Box::new(MemoryBlob(json.as_bytes().to_vec()))),
    }
}

fn with_content(blocks: &str) -> String {
    format!(r#"{{"title":"Byla","language":"lt","content":[{blocks}]}}"#)
}

fn composed(json: &str) -> Result<Vec<u8>, Refusal> {
    composed_by(&[description(json)], &request())
}

fn composed_by(
    files: &[SourceFile<'_, MemoryBlob>],
    request: &ComposeRequest,
) -> Result<Vec<u8>, Refusal> {
    let mut out = MemorySink::default();
    compose(&NativeEnvironment, files, request, &mut out)?;
    Ok(out.0)
}

fn assert_qpdf_accepts(document: &[u8]) {
    if let Some(output) = run("qpdf", &["--check"], document) {
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

fn text(document: &[u8]) -> Option<String> {
    let output = run("pdftotext", &[], document)?;
    Some(String::from_utf8(output.stdout).unwrap())
}

fn page_count(document: &[u8]) -> Option<usize> {
    let said = String::from_utf8(run("pdfinfo", &[], document)?.stdout).unwrap();
    let pages = said.lines().find_map(|line| line.strip_prefix("Pages:"))?;
    pages.trim().parse().ok()
}

fn run(name: &str, options: &[&str], document: &[u8]) -> Option<Output> {
    let program: PathBuf = program(name)?;
    let file = tempfile::Builder::new().suffix(".pdf").tempfile().unwrap();
    fs::write(file.path(), document).unwrap();
    let mut command = Command::new(program);
    command.args(options).arg(file.path());
    if name == "pdftotext" {
        command.arg("-");
    }
    Some(command.output().unwrap())
}
