//! Documents with excessive or strange content where chains are searched.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use parafa_fixtures::{CrossReference, PdfBuilder, plain};
use parafa_format_core::{Integrity, MemoryBlob, NativeEnvironment, Step, verifications};
use parafa_format_pdf::{inspect, verify};
use proptest::prelude::*;

use super::{levels, long_term, needs, signed, with_more, with_store};
use crate::archiving::{HIERARCHY, archived, archived_with, request, step};
use crate::ceremony::PKI;
use crate::earlier_signatures::{object, updated};
use crate::issuing::{
    CertStatus, Period, now, ocsp_response_of, revocation_list, revocation_list_of, single_response,
};
use crate::verify::all_evidence;
use crate::watched::Watched;

#[test]
fn many_false_lists_do_not_hide_a_true_answer() {
    let document = HIERARCHY.signed(
        &with_store(&plain(1), &[], &[], &false_lists(60)),
        &[&HIERARCHY.ona],
    );

    let archived = archived(&document);

    assert_eq!(levels(&archived), long_term(1));
}

#[test]
fn more_than_is_verified_is_told_and_lowers_no_level_below_what_is_known() {
    let planted = with_store(&plain(1), &[], &[], &false_lists(2_500));
    inspect(&NativeEnvironment, &MemoryBlob(planted.clone())).unwrap();
    let document = HIERARCHY.signed(&planted, &[&HIERARCHY.ona, &HIERARCHY.jonas]);

    assert_eq!(
        levels(&document),
        vec![("PAdES-B-T".to_owned(), Integrity::Intact); 2]
    );
    let refusal = archived_with(&document, |need| HIERARCHY.answer(need)).unwrap_err();
    assert_eq!(refusal.code, "too-much-to-verify");
}

#[test]
fn what_is_complete_is_left_alone_when_there_is_no_work_left_for_more() {
    let archived = archived(&signed(&plain(1)));
    let document = with_more(&archived, "/CRLs [", &false_lists(1_300));
    assert_eq!(levels(&document), long_term(1));

    let (again, nothing) = step(&document, &request(), &[]).unwrap();

    assert!(matches!(again, Step::Done(outcome) if !outcome.changed));
    assert!(nothing.is_empty());
}

#[test]
fn an_issuers_name_and_key_are_digested_once_however_many_answers_name_them() {
    let ona = &HIERARCHY.ona.holder.certificate;
    let single = |at| {
        let period = Period {
            this_update: at,
            next_update: None,
        };
        single_response(ona, &HIERARCHY.authority, CertStatus::Good, period, &[])
    };
    let responses: Vec<Vec<u8>> = (0..100)
        .map(|index| {
            let singles: Vec<_> = (0..20).map(|offset| single(index * 20 + offset)).collect();
            ocsp_response_of(&singles, &HIERARCHY.jonas.holder, now() + index, &[])
        })
        .collect();
    let document = with_store(&signed(&plain(1)), &[], &responses, &[]);
    let environment = Watched::default();

    verify(&environment, &MemoryBlob(document)).unwrap();

    let name = HIERARCHY.authority.certificate.subject_name();
    let name = name.to_der().unwrap();
    let digested = environment.digested.borrow();
    let of_name = digested.iter().filter(|bytes| **bytes == name).count();
    assert_eq!(of_name, 1);
}

#[test]
fn what_is_shared_by_many_signatures_is_verified_once() {
    let verified = |signatures: usize| {
        let people = vec![&HIERARCHY.ona; signatures];
        let archived = archived(&HIERARCHY.signed(&plain(1), &people));
        let before = verifications();
        verify(&NativeEnvironment, &MemoryBlob(archived)).unwrap();
        verifications() - before
    };

    // A signature and its time-stamp each; everything else is common to all.
    assert_eq!(verified(6) - verified(1), 5 * 2);
}

#[test]
fn lists_that_cannot_be_decoded_are_left_out_soon() {
    let mut bomb = ZlibEncoder::new(Vec::new(), Compression::best());
    bomb.write_all(&vec![0; 8 * 1024 * 1024]).unwrap();
    let hex: String = bomb
        .finish()
        .unwrap()
        .iter()
        .map(|byte| format!("{byte:02X}"))
        .collect();
    let bomb = format!(
        "<< /Filter [/ASCIIHexDecode /FlateDecode] /Length {} >>\nstream\n{hex}>\nendstream",
        hex.len() + 1
    );
    let document = with_store(&signed(&plain(1)), &[], &[], &[]);
    let catalog = object(&document, 1);
    let catalog = catalog.replace(
        "/OCSPs []",
        "/OCSPs [300 0 R 301 0 R 302 0 R 303 0 R 304 0 R 305 0 R]",
    );
    let bombs = (300..305).map(|number| (number, bomb.as_str()));
    let sound = "<< /Length 9 >>\nstream\nan answer\nendstream";
    let objects: Vec<(u32, &str)> = [(1, catalog.as_str()), (305, sound)]
        .into_iter()
        .chain(bombs)
        .collect();

    let document = updated(&document, &objects);

    let evidence = all_evidence(&document);
    assert!(evidence.signatures[0].revocation.is_empty());
    // Data appended to the store would not be read.
    let refusal = archived_with(&document, |need| HIERARCHY.answer(need)).unwrap_err();
    assert_eq!(refusal.code, "too-much-to-verify");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// `verify` and `archive` omit different parts of a file.
    #[test]
    fn what_looks_like_an_image_is_revocation_data_to_everybody(
        filler in prop_oneof![Just(0_usize), 60_000..70_000_usize],
        kind in prop::sample::select(vec![
            "", "/Type /XObject /Subtype /Image", "/Subtype /Image /Width 9 /Height 9",
        ]),
        layout in prop::sample::select(vec![CrossReference::Table, CrossReference::Stream]),
        is_array_apart in any::<bool>(),
    ) {
        // The root's CRL is about the authority, the newest issuer when Ona
        // signed.
        let list = revocation_list(&PKI.root, &[], Period::around_now(86_400, 86_400));
        let root = PKI.root.certificate.to_der().unwrap();
        let hex = |der: &[u8], filler: usize| {
            let hex: String = der.iter().map(|byte| format!("{byte:02X}")).collect();
            format!("{hex}{}>", " ".repeat(filler)).into_bytes()
        };
        let lists = if is_array_apart { "41 0 R" } else { "[40 0 R]" };
        let catalog = format!(
            "<< /Type /Catalog /Pages 2 0 R /DSS << /Certs [42 0 R] /CRLs {lists} >> >>"
        );
        let mut objects = PdfBuilder::new().cross_reference(layout).objects();
        objects.set(1, catalog);
        let kind = format!("{kind} /Filter /ASCIIHexDecode");
        objects.set_stream(40, &kind, hex(&list, filler));
        objects.set(41, "[40 0 R]");
        objects.set_stream(42, "/Filter /ASCIIHexDecode", hex(&root, 0));
        let document = objects.write("1.7", layout, "/Root 1 0 R /Info 4 0 R");
        let document = signed(&document);

        let asked = super::asked(&needs(&document, &[]));
        let [(_, first), (_, second)] = &asked[..] else { panic!("{asked:?}") };
        prop_assert_eq!((first.as_str(), second.as_str()), ("Ona", "Testing TSA"));
        let raised = archived(&document);
        prop_assert_eq!(levels(&raised), long_term(1));
        let (again, nothing) = step(&raised, &request(), &[]).unwrap();
        prop_assert!(matches!(again, Step::Done(outcome) if !outcome.changed));
        prop_assert!(nothing.is_empty());
    }
}

/// Returns CRLs in the authority's name without its signature.
fn false_lists(count: usize) -> Vec<Vec<u8>> {
    (0..i64::try_from(count).unwrap())
        .map(|index| {
            let period = Period::around_now(index, 86_400);
            revocation_list_of(&HIERARCHY.authority, None, &[], period, &[])
        })
        .collect()
}
