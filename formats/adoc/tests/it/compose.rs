use parafa_format_adoc::rehearse;
use parafa_format_core::{
    DeriveRequest, MemoryBlob, MemorySink, NativeEnvironment, Operation, refusal,
};

use crate::ceremony::{
    File, MEDIA_TYPE, P256, TIME, composed, composed_as, files, inspected, pdf, signed_by,
    unpacked, verified, xlsx,
};

fn rehearsed(document: &[u8]) -> Vec<u8> {
    let request = DeriveRequest {
        time: TIME,
        seed: vec![9; 32],
        params: Vec::new(),
    };
    let mut sink = MemorySink::default();
    let document = MemoryBlob(document.to_vec());
    let made = rehearse(&NativeEnvironment, &document, &request, &mut sink).unwrap();
    assert_eq!(made.media_type, MEDIA_TYPE);
    sink.0
}

fn text_of(document: &[u8], name: &str) -> String {
    let mut members = unpacked(document).into_iter();
    let (_, bytes) = members.find(|(member, _)| member == name).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_document_states_its_type_at_byte_38_and_asks_for_a_first_signature() {
    let document = composed(&files()).unwrap();

    assert_eq!(
        &document[30..75],
        format!("mimetype{MEDIA_TYPE}").as_bytes()
    );
    let report = inspected(&document).unwrap();
    assert_eq!(report.media_type, MEDIA_TYPE);
    assert_eq!(report.format_version, "ADOC-V1.0");
    assert_eq!(report.notes[0].code, "document-category");
    assert!(report.notes[0].detail.contains("BeDOC"));
    let obstacle = &report.obstacles[0];
    assert_eq!(obstacle.operation, Operation::Sign);
    assert_eq!(obstacle.refusal.code, refusal::CONTAINER_UNSIGNED);
    assert!(P256.signs(&document).is_ok());
}

#[test]
fn title_and_author_are_those_of_the_request() {
    const METADATA: &str = "metadata/signableMetadata0.xml";

    let metadata = text_of(&composed(&files()).unwrap(), METADATA);
    assert!(metadata.contains(">Sutartis &lt;1&gt; &amp; &quot;2&quot;</sig:title>"));
    assert!(metadata.contains("<sig:name>UAB Ąžuolas</sig:name>"));

    let bare = text_of(&composed_as(&files(), &[]).unwrap(), METADATA);
    assert!(bare.contains(">Sutartis Nr. 1+1 &amp; ąčęėįšųūž</sig:title>"));
    assert!(!bare.contains("author"));

    let odd = [("title", "a\u{1}b\nc"), ("author", "")];
    let odd = text_of(&composed_as(&files(), &odd).unwrap(), METADATA);
    assert!(odd.contains(">a b c</sig:title>") && !odd.contains("author"));
}

#[test]
fn the_category_is_that_of_the_request_and_one_that_there_is() {
    for category in ["GeDOC", "BeDOC", "CeDOC", "GGeDOC"] {
        let document = composed_as(&files(), &[("category", category)]).unwrap();
        let note = &inspected(&document).unwrap().notes[0];
        assert!(note.detail.contains(&format!(" {category}.")), "{note:?}");
    }
    let refusal = composed_as(&files(), &[("category", "ZeDOC")]).unwrap_err();
    assert_eq!(refusal.code, refusal::BAD_REQUEST);
    assert!(refusal.detail.contains("ZeDOC"), "{refusal}");
}

#[test]
fn files_that_make_no_document_are_refused_all_at_once() {
    let refused = |files: &[File], code: &str| {
        let refusal = composed(files).unwrap_err();
        assert_eq!(refusal.code, code, "{refusal}");
        refusal.subjects
    };

    refused(&[], "too-many-members");
    let folder = [pdf("a/b.pdf"), pdf("META-INF/a.pdf")];
    assert_eq!(refused(&folder, "member-name"), ["META-INF/a.pdf"]);
    assert_eq!(refused(&folder[..1], "member-name"), ["a/b.pdf"]);
    let long = "a".repeat(1016) + ".pdf";
    assert_eq!(
        refused(&[pdf("a.pdf"), pdf(&long)], "member-name"),
        [long.as_str()]
    );
    assert!(composed(&[pdf(&long)]).is_ok());
    let others = [pdf("a.pdf"), pdf("b.docx"), pdf("c"), xlsx("d.XLSX")];
    assert_eq!(refused(&others, "member-type"), ["b.docx", "c"]);
    let (name, media_type, _) = xlsx("b.xlsx");
    let no_zip = (name, media_type, b"not a workbook".to_vec());
    let another = (
        "c.xlsx".to_owned(),
        media_type,
        composed(&[pdf("a.pdf")]).unwrap(),
    );
    let none = [pdf("a.pdf"), no_zip, another];
    assert_eq!(refused(&none, "xlsx-invalid"), ["b.xlsx", "c.xlsx"]);
}

#[test]
fn an_unsigned_document_says_in_its_comment_that_it_is_one() {
    let rehearsal = rehearsed(&composed(&files()).unwrap());

    assert!(String::from_utf8_lossy(&rehearsal).contains("NEPASIRAŠYTA"));
    assert_eq!(verified(&rehearsal).signatures, []);
}

#[test]
fn a_signed_document_is_rehearsed_to_itself() {
    let signed = signed_by(&[&P256]);
    assert_eq!(rehearsed(&signed), signed);
}
