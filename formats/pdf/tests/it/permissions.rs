//! Permissions of signatures for later changes: certifications, locks, and
//! empty fields that require them.

use parafa_fixtures::{CrossReference, PdfBuilder};
use parafa_format_core::{Integrity, Refusal};

use crate::ceremony::{P256, P384, Person};
use crate::earlier_signatures::{object, updated, with_entries, with_signature};
use crate::intake::{inspected, notes, refused};
use crate::referees::{assert_openssl_accepts, assert_pyhanko_accepts, assert_qpdf_accepts};
use crate::verify::evidence;
use crate::verify::first_integrity as integrity;

const NOTE: &str = "<< /Type /Annot /Subtype /Text /Rect [9 9 29 29] /Contents (Pastaba) >>";

/// Returns a form with a text field `Vardas` (object 7) and an empty signature
/// field `Parasas` (object 20) with further entries.
fn with_empty_field(entries: &str, layout: CrossReference) -> Vec<u8> {
    let mut objects = PdfBuilder::new().text_field("Vardas", "Ona").objects();
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [7 0 R 20 0 R] /DA (/F1 12 Tf 0 g) \
         /DR << /Font << /F1 3 0 R >> >> >> >>",
    );
    objects.set(
        20,
        format!(
            "<< /Type /Annot /Subtype /Widget /FT /Sig /T (Parasas) /Rect [0 0 0 0] /F 132 /P 5 0 R {entries} >>"
        ),
    );
    objects.write("1.7", layout, "/Root 1 0 R /Info 4 0 R")
}

fn signs_field(person: &Person, document: &[u8], field: &str) -> Result<Vec<u8>, Refusal> {
    let mut request = person.request();
    request.params = vec![("field".to_owned(), field.to_owned())];
    let (signed, outcome) = person.carries_out(document, &request)?;
    assert_eq!(outcome.signature_id, field);
    Ok(signed)
}

fn signed_with_lock(lock: &str) -> Vec<u8> {
    let document = with_empty_field(&format!("/Lock << {lock} >>"), CrossReference::Table);
    signs_field(&P256, &document, "Parasas").unwrap()
}

fn filled_in(document: &[u8]) -> Vec<u8> {
    let field = object(document, 7).replace("(Ona)", "(Jonas)");
    updated(document, &[(7, &field)])
}

fn annotated(document: &[u8]) -> Vec<u8> {
    let page = object(document, 5);
    let annotations = "/Annots [7 0 R";
    assert!(page.contains(annotations), "{page}");
    let page = page.replace(annotations, "/Annots [7 0 R 40 0 R");
    updated(document, &[(5, &page), (40, NOTE)])
}

#[test]
fn an_empty_field_is_signed_by_its_name_and_no_field_is_added() {
    for layout in CrossReference::ALL {
        let document = with_empty_field("", layout);

        let signed = signs_field(&P256, &document, "Parasas").unwrap();
        let signed_twice = P384.signs(&signed).unwrap();

        let report = inspected(&signed).unwrap();
        let names: Vec<_> = report
            .fields
            .iter()
            .map(|field| field.name.as_str())
            .collect();
        assert_eq!(names, ["Vardas", "Parasas"], "{layout:?}");
        assert_eq!(report.signatures[0].id, "Parasas");
        assert_eq!(integrity(&signed_twice), Integrity::Intact);
        assert_openssl_accepts(&signed_twice);
        assert_qpdf_accepts(&signed_twice);
        assert_pyhanko_accepts(&signed_twice, 2, layout == CrossReference::Hybrid);
    }
}

#[test]
fn a_field_that_cannot_be_signed_is_refused_and_named() {
    let document = with_empty_field("", CrossReference::Table);
    let signed = signs_field(&P256, &document, "Parasas").unwrap();
    let demanding = with_empty_field(
        "/SV << /Ff 8 /Reasons [(Sutinku)] >>",
        CrossReference::Table,
    );
    let elsewhere = with_empty_field(
        "/SV << /Ff 2 /SubFilter [/adbe.pkcs7.detached] >>",
        CrossReference::Table,
    );
    let certifying = with_empty_field("/SV << /MDP << /P 2 >> >>", CrossReference::Table);

    for (document, field) in [
        (&document, "Vardas"),
        (&document, "Kitas"),
        (&signed, "Parasas"),
        (&demanding, "Parasas"),
        (&elsewhere, "Parasas"),
        (&certifying, "Parasas"),
    ] {
        let refusal = signs_field(&P256, document, field).unwrap_err();

        assert_eq!(refusal.code, "bad-request", "{refusal}");
        assert_eq!(refusal.subjects, [field], "{refusal}");
    }
}

#[test]
fn seed_values_that_are_met_do_not_hinder() {
    let document = with_empty_field(
        "/SV << /Ff 67 /Filter /Adobe.PPKLite /SubFilter [/ETSI.CAdES.detached] /DigestMethod [(SHA256)] >>",
        CrossReference::Table,
    );

    assert!(signs_field(&P256, &document, "Parasas").is_ok());
    assert_eq!(
        signs_field(&P384, &document, "Parasas").unwrap_err().code,
        "bad-request"
    );
}

#[test]
fn locked_fields_may_not_be_filled_in_and_others_may() {
    for locking in [
        "/Action /All",
        "/Action /Include /Fields [(Vardas)]",
        "/Action /Exclude /Fields [(Kitas)]",
    ] {
        let signed = signed_with_lock(locking);

        assert_openssl_accepts(&signed);
        assert_pyhanko_accepts(&signed, 1, false);
        assert_eq!(
            integrity(&filled_in(&signed)),
            Integrity::Modified,
            "{locking}"
        );
        assert_eq!(
            refused(&filled_in(&signed)),
            "modified-after-signing",
            "{locking}"
        );
    }
    for leaving in [
        "/Action /Include /Fields [(Kitas)]",
        "/Action /Exclude /Fields [(Vardas)]",
    ] {
        let signed = signed_with_lock(leaving);

        assert_eq!(
            integrity(&filled_in(&signed)),
            Integrity::Intact,
            "{leaving}"
        );
    }
}

#[test]
fn a_lock_holds_after_further_signatures() {
    let signed = signed_with_lock("/Action /Include /Fields [(Vardas)]");
    let signed_twice = P384.signs(&signed).unwrap();

    // pyHanko treats a locked field with an appearance as changed as soon as
    // the form changes, even if no object of the field does.
    assert_eq!(integrity(&signed_twice), Integrity::Intact);
    assert_openssl_accepts(&signed_twice);
    assert_eq!(refused(&filled_in(&signed_twice)), "modified-after-signing");
}

#[test]
fn a_locked_empty_field_is_not_signed() {
    let reference = "/Reference [<< /TransformMethod /FieldMDP /TransformParams << /Action /Include /Fields [(Antras)] >> >>]";
    let signed = with_signature(reference, "");
    let form =
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [7 0 R 9 0 R] /SigFlags 3 >> >>";
    let document = updated(&signed, &[(1, form), (9, "<< /FT /Sig /T (Antras) >>")]);

    let refusal = signs_field(&P256, &document, "Antras").unwrap_err();

    assert_eq!(refusal.code, "certified-no-changes");
    assert_eq!(refusal.subjects, ["Signed"]);
}

#[test]
fn annotations_may_be_added_only_where_the_permission_is_3() {
    let all = "/Action /Include /Fields []";
    let with_notes = signed_with_lock(&format!("{all} /P 3"));
    let without = signed_with_lock(&format!("{all} /P 2"));

    assert_eq!(integrity(&annotated(&with_notes)), Integrity::Intact);
    assert_eq!(notes(&annotated(&with_notes)), ["certified", "signed"]);
    assert_eq!(integrity(&annotated(&without)), Integrity::Modified);
    assert_eq!(refused(&annotated(&without)), "modified-after-signing");
    for signed in [&with_notes, &without] {
        assert_eq!(integrity(&filled_in(signed)), Integrity::Intact);
    }
}

#[test]
fn a_widget_is_no_annotation_however_its_subtype_is_written() {
    let signed = signed_with_lock("/Action /Include /Fields [] /P 3");
    let annotated = annotated(&signed);
    let with = |subtype: &str, more: &[(u32, &str)]| {
        let note = NOTE.replace("/Subtype /Text", &format!("/Subtype {subtype}"));
        assert_ne!(note, NOTE);
        let mut objects = vec![(5, object(&annotated, 5)), (40, note)];
        objects.extend(
            more.iter()
                .map(|(number, value)| (*number, (*value).to_owned())),
        );
        let objects: Vec<_> = objects
            .iter()
            .map(|(number, body)| (*number, body.as_str()))
            .collect();
        integrity(&updated(&signed, &objects))
    };

    assert_eq!(with("/T#65xt", &[]), Integrity::Intact);
    assert_eq!(with("/Widget", &[]), Integrity::Modified);
    assert_eq!(with("/W#69dget", &[]), Integrity::Modified);
    assert_eq!(with("41 0 R", &[(41, "/Widget")]), Integrity::Modified);
}

#[test]
fn annotations_may_be_changed_and_removed_where_the_permission_is_3() {
    let signed = annotated(&signed_with_lock("/Action /Include /Fields [] /P 3"));
    let signed = P384.signs(&signed).unwrap();
    let changed = updated(&signed, &[(40, &NOTE.replace("(Pastaba)", "(Kita)"))]);
    let removed = object(&signed, 5).replace(" 40 0 R]", "]");
    let removed = updated(&signed, &[(5, &removed)]);
    let page_turned = updated(
        &signed,
        &[(5, &with_entries(&object(&signed, 5), "/Rotate 90"))],
    );
    let widget_removed = object(&signed, 5).replace("/Annots [7 0 R ", "/Annots [");
    let widget_removed = updated(&signed, &[(5, &widget_removed)]);

    for lawful in [&changed, &removed] {
        let mut evidence = evidence(lawful).into_iter();
        assert!(evidence.all(|signature| signature.integrity == Integrity::Intact));
    }
    for unlawful in [&page_turned, &widget_removed] {
        assert_eq!(integrity(unlawful), Integrity::Modified);
    }
}

#[test]
fn nothing_may_be_filled_in_where_the_permission_is_1() {
    let signed = signed_with_lock("/Action /Include /Fields [] /P 1");

    assert_eq!(integrity(&signed), Integrity::Intact);
    assert_eq!(integrity(&filled_in(&signed)), Integrity::Modified);
    assert_eq!(refused(&signed), "certified-no-changes");
}

#[test]
fn a_certified_document_stays_certified_under_a_further_signature() {
    for permission in ["/P 2", "/P 3"] {
        let certified = signed_with_lock(&format!("/Action /Include /Fields [] {permission}"));
        let signed = P384.signs(&certified).unwrap();

        let evidence = evidence(&signed);

        assert_eq!(evidence.len(), 2);
        assert!(
            evidence
                .iter()
                .all(|signature| signature.integrity == Integrity::Intact),
            "{permission}"
        );
        assert_pyhanko_accepts(&signed, 2, false);
    }
}
