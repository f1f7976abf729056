//! Signatures that independent validators accept.

use std::fs;

use parafa_fixtures::referees::signed_parts;
use parafa_fixtures::tool::samples;
use parafa_fixtures::{CrossReference, Objects, PdfBuilder, plain};
use parafa_format_core::{Answer, DigestAlgorithm, NeedKind, Step};

use crate::ceremony::{P256, P384, Person, RSA_2048, RSA_3072_PSS, step};
use crate::intake::inspected;
use crate::referees::{assert_openssl_accepts, assert_pyhanko_accepts, assert_qpdf_accepts};

const ID: &str = "/ID [<0102> <0102>]";

#[test]
fn every_kind_of_key_signs() {
    for person in [&RSA_2048, &RSA_3072_PSS, &P256, &P384] {
        assert_openssl_accepts(&person.signs(&plain(1)).unwrap());
    }
}

#[test]
fn a_classic_table_takes_three_signers_in_a_row() {
    three_signers(&plain(2), false);
}

#[test]
fn a_cross_reference_stream_takes_three_signers_in_a_row() {
    three_signers(
        &PdfBuilder::new()
            .cross_reference(CrossReference::Stream)
            .build(),
        false,
    );
}

#[test]
fn a_hybrid_file_takes_three_signers_in_a_row() {
    three_signers(
        &PdfBuilder::new()
            .cross_reference(CrossReference::Hybrid)
            .build(),
        true,
    );
}

#[test]
fn pdf_2_0_takes_three_signers_in_a_row() {
    three_signers(&PdfBuilder::new().version("2.0").build(), false);
}

#[test]
fn a_form_in_the_catalog_takes_three_signers_in_a_row() {
    three_signers(
        &PdfBuilder::new()
            .text_field("name", "Vardenis")
            .long_reals()
            .build(),
        false,
    );
}

#[test]
fn a_form_in_an_object_stream_takes_three_signers_in_a_row() {
    three_signers(
        &PdfBuilder::new()
            .text_field("name", "Vardenis")
            .cross_reference(CrossReference::Stream)
            .build(),
        false,
    );
}

#[test]
fn an_indirect_form_with_an_indirect_array_of_fields_takes_three_signers_in_a_row() {
    for layout in [CrossReference::Table, CrossReference::Stream] {
        let mut objects = PdfBuilder::new().objects();
        objects.set(1, "<< /Type /Catalog /Pages 2 0 R /AcroForm 20 0 R >>");
        objects.set(20, "<< /Fields 21 0 R /SigFlags 0 /DA (/F1 0 Tf) >>");
        objects.set(21, "[ ]");

        three_signers(
            &objects.write("1.7", layout, &format!("/Root 1 0 R {ID}")),
            false,
        );
    }
}

#[test]
fn a_comment_before_the_end_of_the_catalog_does_not_hide_the_form() {
    let document = with_catalog("<< /Type /Catalog /Pages 2 0 R % >>\n% the end\n>>");

    assert_sound(&P256.signs(&document).unwrap(), 1, false);
}

#[test]
fn names_of_fields_that_exist_are_not_used_again() {
    let mut objects = PdfBuilder::new().objects();
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R 21 0 R] >> >>",
    );
    objects.set(20, "<< /FT /Sig /T (Signature1) >>");
    objects.set(
        21,
        "<< /FT /Sig /T <FEFF005300690067006E006100740075007200650032> >>",
    );
    let document = objects.write("1.7", CrossReference::Table, &format!("/Root 1 0 R {ID}"));

    let (signed, outcome) = P256.carries_out(&document, &P256.request()).unwrap();

    assert_eq!(outcome.signature_id, "Signature3");
    assert_sound(&signed, 1, false);
}

#[test]
fn the_end_of_the_document_may_lack_its_line_break_or_be_a_carriage_return() {
    for end in ["", "\r", "\r\n"] {
        let document = [plain(1).trim_ascii_end(), end.as_bytes()].concat();

        let signed = P256.signs(&P256.signs(&document).unwrap()).unwrap();

        assert!(signed.starts_with(&document), "{end:?}");
        assert_sound(&signed, 2, false);
    }
}

#[test]
fn the_first_file_identifier_stays_and_the_second_changes() {
    let signed = P256.signs(&plain(1)).unwrap();
    let text = String::from_utf8_lossy(&signed);
    let identifiers: Vec<&str> = text
        .split("/ID [")
        .skip(1)
        .map(|rest| rest.split(']').next().unwrap())
        .collect();
    let [before, after] = identifiers[..] else {
        panic!("{identifiers:?}")
    };
    let (before, after) = (
        before.split_once(' ').unwrap(),
        after.split_once(' ').unwrap(),
    );

    assert_eq!(before.0, after.0);
    assert_ne!(before.1, after.1);
}

#[test]
fn a_document_without_file_identifiers_takes_two_signers() {
    let document =
        PdfBuilder::new()
            .objects()
            .write("1.7", CrossReference::Table, "/Root 1 0 R /Info 4 0 R");

    assert_sound(
        &P384.signs(&P256.signs(&document).unwrap()).unwrap(),
        2,
        false,
    );
}

#[test]
fn the_signature_is_asked_for_first_then_the_time_stamp() {
    let (document, request) = (plain(1), P256.request());

    let signature = only_need(step(&document, &request, &[]).unwrap().0);
    let signed = P256.answers(&signature);
    let timestamp = only_need(
        step(&document, &request, std::slice::from_ref(&signed))
            .unwrap()
            .0,
    );

    assert_eq!(signature.kind, NeedKind::Signature);
    assert_eq!(signature.payload.as_bytes().unwrap()[0], 0x31);
    assert_eq!(signature.digest_algorithm, Some(DigestAlgorithm::Sha256));
    assert_eq!(timestamp.kind, NeedKind::Timestamp);
    assert_eq!(
        Ok(timestamp.payload.clone()),
        signed.outcome.clone().map(Into::into)
    );

    let answers = [signed, P256.answers(&timestamp)];
    let (done, output) = step(&document, &request, &answers).unwrap();
    let Step::Done(outcome) = done else {
        panic!("{done:?}")
    };
    assert_eq!(outcome.media_type, "application/pdf");
    assert_eq!(outcome.level, "PAdES-B-T");
    assert_eq!(outcome.signature_id, "Signature1");
    assert!(output.starts_with(&document));
    assert_eq!(
        step(&document, &request, &answers).unwrap().1,
        output,
        "the same call gave other bytes"
    );
}

#[test]
fn level_b_b_needs_no_time_stamp() {
    let mut request = P256.request();
    request.target_level = "B-B".to_owned();

    let (signed, outcome) = P256.carries_out(&plain(1), &request).unwrap();

    assert_eq!(outcome.level, "PAdES-B-B");
    assert_openssl_accepts(&signed);
}

#[test]
fn too_little_room_is_refused_before_anybody_signs() {
    let mut request = RSA_2048.request();
    request.reserve = 700;

    let refusal = step(&plain(1), &request, &[]).unwrap_err();

    assert_eq!(refusal.code, "no-room");
    assert!(
        refusal.detail.contains("but 700 were reserved"),
        "{}",
        refusal.detail
    );
}

#[test]
fn a_time_stamp_that_does_not_fit_is_refused() {
    let (document, mut request) = (plain(1), P256.request());
    let complete = signed_parts(&P256.signs(&document).unwrap(), 0)[0]
        .cms
        .len();
    request.reserve = u32::try_from(complete - 20).unwrap();

    let refusal = P256.carries_out(&document, &request).unwrap_err();

    assert_eq!(refusal.code, "no-room");
}

#[test]
fn a_signature_by_another_key_or_over_other_bytes_is_refused() {
    let (document, request) = (plain(1), P256.request());
    let need = only_need(step(&document, &request, &[]).unwrap().0);

    let payload = need.payload.as_bytes().unwrap();
    let stranger = P384.holder.sign(P256.algorithm, payload);
    let elsewhere = P256.holder.sign(P256.algorithm, b"other");

    for value in [stranger, elsewhere] {
        let refusal = step(&document, &request, &[need.answer(Ok(value))]).unwrap_err();
        assert_eq!(refusal.code, "bad-request");
    }
}

#[test]
fn a_time_stamp_over_something_else_is_refused() {
    let (document, request) = (plain(1), P256.request());
    let signed = P256.answers(&only_need(step(&document, &request, &[]).unwrap().0));
    let mut timestamp = only_need(
        step(&document, &request, std::slice::from_ref(&signed))
            .unwrap()
            .0,
    );
    timestamp.payload = b"something else".to_vec().into();

    let refusal = step(&document, &request, &[signed, P256.answers(&timestamp)]).unwrap_err();

    assert_eq!(
        refusal.detail,
        "The time-stamp is not one over this signature."
    );
}

#[test]
fn a_need_that_stays_without_answer_is_refused_with_its_reason() {
    let answer = Answer {
        need_id: "signature".to_owned(),
        outcome: Err("unavailable".to_owned()),
    };

    let refusal = step(&plain(1), &P256.request(), &[answer]).unwrap_err();

    assert_eq!(refusal.detail, "There is no signature: unavailable.");
}

#[test]
fn a_request_that_cannot_be_used_is_refused() {
    let refuse = |change: &dyn Fn(&mut parafa_format_core::SignRequest)| {
        let mut request = P256.request();
        change(&mut request);
        step(&plain(1), &request, &[]).unwrap_err().code
    };

    assert_eq!(refuse(&|request| request.seed.truncate(31)), "bad-request");
    assert_eq!(
        refuse(&|request| request.signer_chain.clear()),
        "bad-request"
    );
    assert_eq!(
        refuse(&|request| request.signer_chain[0].truncate(40)),
        "bad-request"
    );
    assert_eq!(
        refuse(&|request| request.target_level = "B-LT".to_owned()),
        "bad-request"
    );
    assert_eq!(refuse(&|request| request.reserve = u32::MAX), "bad-request");
    assert_eq!(refuse(&|request| request.time = i64::MAX), "bad-request");
    assert_eq!(
        refuse(&|request| request.params.push(("colour".to_owned(), "red".to_owned()))),
        "bad-request"
    );
}

#[test]
fn documents_of_other_people_that_are_taken_can_be_signed() {
    let Some(samples) = samples() else { return };
    let mut signed = 0;
    for entry in fs::read_dir(samples.join("pdf")).unwrap() {
        let path = entry.unwrap().path();
        let document = fs::read(&path).unwrap();
        if inspected(&document).is_err() {
            continue;
        }
        let output = P256
            .signs(&document)
            .unwrap_or_else(|refusal| panic!("{}: {refusal}", path.display()));
        assert!(output.starts_with(&document), "{}", path.display());
        let after = inspected(&output);
        assert!(after.is_ok(), "{}: {after:?}", path.display());
        signed += 1;
    }
    assert!(signed > 30, "only {signed} samples were taken");
}

fn three_signers(document: &[u8], lenient: bool) {
    let mut signed = document.to_vec();
    for person in [&RSA_2048, &P384, &P256] {
        let person: &Person = person;
        signed = person.signs(&signed).unwrap();
    }
    assert!(signed.starts_with(document));
    assert_sound(&signed, 3, lenient);
}

fn assert_sound(signed: &[u8], signatures: usize, lenient: bool) {
    assert_eq!(signed_parts(signed, 0).len(), signatures);
    assert_openssl_accepts(signed);
    assert_qpdf_accepts(signed);
    assert_pyhanko_accepts(signed, signatures, lenient);
}

fn with_catalog(catalog: &str) -> Vec<u8> {
    let mut objects: Objects = PdfBuilder::new().objects();
    objects.set(1, catalog);
    objects.write("1.7", CrossReference::Table, &format!("/Root 1 0 R {ID}"))
}

fn only_need(step: Step) -> parafa_format_core::Need {
    let Step::Needs(mut needs) = step else {
        panic!("{step:?}")
    };
    assert_eq!(needs.len(), 1);
    needs.remove(0)
}
