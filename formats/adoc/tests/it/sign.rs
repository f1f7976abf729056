use parafa_fixtures::{Zip, ZipMember};
use parafa_format_adoc::{members, sign};
use parafa_format_core::{
    Answer, ChangeKind, CoverageKind, Integrity, MemoryBlob, MemorySink, NativeEnvironment, Step,
    TimestampStatus, levels, refusal,
};

use crate::ceremony::{
    P256, P384, RSA, TIME, composed, files, inspected, signed_by, unpacked, verified, with_text,
};

const MANIFEST: &str = "META-INF/manifest.xml";
const RELATIONS: &str = "META-INF/relations.xml";

#[test]
fn every_signer_signs_everything_and_earlier_members_stay_as_they_are() {
    let mut document = composed(&files()).unwrap();
    for (number, signer) in [&*RSA, &P256, &P384].into_iter().enumerate() {
        let (signed, outcome) = signer.signs(&document).unwrap();

        let (before, after) = (unpacked(&document), unpacked(&signed));
        for (was, is) in before.iter().zip(&after) {
            let is_edited = [MANIFEST, RELATIONS].contains(&was.0.as_str());
            assert_eq!(was.0, is.0);
            assert_eq!(was.1 != is.1, is_edited, "{}", was.0);
        }
        let new: Vec<_> = after[before.len()..].iter().map(|(name, _)| name).collect();
        let n = number + 1;
        let metadata = format!("metadata/signableMetadata{n}.xml");
        let file = format!("META-INF/signatures/signatures{n}.xml");
        assert_eq!(new, [&metadata, &file]);

        let evidence = verified(&signed);
        assert_eq!(evidence.signatures.len(), n);
        let signature = evidence.signatures.last().unwrap();
        assert_eq!(signature.id, outcome.signature_id);
        assert_eq!(signature.id, format!("{file}#signature_{n}"));
        assert_eq!(outcome.level, levels::XADES_T);
        assert_eq!(signature.level, outcome.level);
        assert_eq!(signature.integrity, Integrity::Intact);
        assert_eq!(signature.claimed_time, Some(TIME));
        assert_eq!(signature.algorithm, Some(signer.algorithm));
        assert_eq!(signature.coverage.kind, CoverageKind::Members);
        let document_of = MemoryBlob(document.clone());
        let told = members(&NativeEnvironment, &document_of).unwrap();
        let told: Vec<_> = told.into_iter().map(|member| member.id).collect();
        assert_eq!(signature.coverage.members, told);
        assert_eq!(signature.timestamps[0].status, TimestampStatus::Intact);
        let earlier = evidence.signatures[..number].iter();
        for signature in earlier {
            assert_eq!(signature.integrity, Integrity::Intact);
            assert_eq!(signature.later_changes.kind, ChangeKind::Signing);
        }
        document = signed;
    }
    let report = inspected(&document).unwrap();
    assert_eq!(report.obstacles, []);
    assert_eq!(report.signatures.len(), 3);
}

#[test]
fn the_same_request_and_answers_give_the_same_bytes() {
    let document = MemoryBlob(composed(&files()).unwrap());
    let told = members(&NativeEnvironment, &document).unwrap();
    let covers: Vec<_> = told.into_iter().map(|member| member.id).collect();
    let request = RSA.request("B-B", &covers);
    let signed = |answers: &[Answer], out: &mut MemorySink| {
        sign(&NativeEnvironment, &document, &request, answers, out)
    };
    let mut given = Vec::new();
    let once = RSA.answers(|answers, out| {
        given = answers.to_vec();
        signed(answers, out)
    });

    let mut again = MemorySink::default();
    let step = signed(&given, &mut again).unwrap();
    let (bytes, outcome) = once.unwrap();
    assert_eq!(given.len(), 2, "a time-stamp is asked for at every level");
    assert_eq!((step, again.0), (Step::Done(outcome), bytes));
}

#[test]
fn metadata_say_who_signed_and_when() {
    let document = unpacked(&signed_by(&[&RSA]));
    let text = |name: &str| {
        let mut members = document.iter();
        let (_, bytes) = members.find(|(member, _)| member == name).unwrap();
        std::str::from_utf8(bytes).unwrap()
    };
    let metadata = text("metadata/signableMetadata1.xml");
    let file = text("META-INF/signatures/signatures1.xml");

    assert!(metadata.contains("<sig:individualName>Rūta RSA</sig:individualName>"));
    assert!(metadata.contains(">META-INF/signatures/signatures1.xml#signature_1<"));
    assert!(metadata.contains(">2026-01-02T03:04:06Z<"));
    assert!(file.contains(">2026-01-02T03:04:06Z</xades:SigningTime>"));
    assert!(file.contains("<xades:SignaturePolicyImplied>"));
}

#[test]
fn every_change_of_what_is_signed_is_found() {
    let signed = signed_by(&[&P256]);
    for (name, from, to) in [
        ("metadata/signableMetadata0.xml", "Sutartis", "Sandoris"),
        ("metadata/signableMetadata0.xml", "Ąžuolas", "Beržas"),
        ("metadata/signableMetadata1.xml", "Ona", "Ana"),
        ("Sutartis Nr. 1+1 & ąčęėįšųūž.pdf", "not", "yes"),
    ] {
        let changed = with_text(&signed, name, |text| text.replace(from, to));
        let signature = &verified(&changed).signatures[0];
        assert_eq!(
            signature.integrity,
            Integrity::DigestMismatch,
            "{name} {from}"
        );
        let refused = P384.signs(&changed).unwrap_err();
        assert_eq!(refused.code, refusal::CONTAINER_UNSOUND);
    }
}

#[test]
fn a_signature_that_breaks_its_schema_is_signed_beside_by_nobody() {
    let name = "META-INF/signatures/signatures1.xml";
    let twice = with_text(&signed_by(&[&P256]), name, |text| {
        let more = "<ds:KeyInfo><ds:KeyName>a</ds:KeyName></ds:KeyInfo><ds:KeyInfo>";
        text.replace("<ds:KeyInfo>", more)
    });

    let signature = &verified(&twice).signatures[0];
    assert_eq!(signature.integrity, Integrity::Malformed);
    let refused = P384.signs(&twice).unwrap_err();
    assert_eq!(refused.code, refusal::CONTAINER_UNSOUND);
    let told = "ds:KeyInfo has no place there";
    assert!(refused.detail.contains(told), "{}", refused.detail);
}

#[test]
fn an_appendix_that_joins_a_signed_document_is_found() {
    let signed = signed_by(&[&P256]);
    let more = with_text(&signed, MANIFEST, |text| {
        text.replace(
            "</manifest:manifest>",
            "<manifest:file-entry manifest:full-path=\"b.pdf\" manifest:media-type=\"application/pdf\"/></manifest:manifest>",
        )
    });
    let related = |kind: &str| {
        with_text(&more, RELATIONS, |text| {
            let relation = format!(
                "<SourcePart full-path=\"/\"><Relationship full-path=\"b.pdf\" type=\"http://www.archyvai.lt/adoc/2008/relationships/content/{kind}\"/></SourcePart></Relationships>"
            );
            text.replace("</Relationships>", &relation)
        })
    };
    let with_file = |document: &[u8]| {
        let members = unpacked(document).into_iter();
        let members = members.map(|(name, bytes)| ZipMember::stored(&name, &bytes));
        let more = ZipMember::stored("b.pdf", b"%PDF-1.7");
        Zip::of(members.chain([more]).collect::<Vec<_>>()).build()
    };

    let appended = with_file(&related("appendix"));
    let signature = &verified(&appended).signatures[0];
    assert_eq!(signature.integrity, Integrity::Modified);

    // Attachments need not be signed, and the next signer signs them.
    let attached = with_file(&related("attachment"));
    let report = inspected(&attached).unwrap();
    assert_eq!(
        verified(&attached).signatures[0].integrity,
        Integrity::Intact
    );
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.code == "partial-coverage")
    );
    let (countersigned, _) = P384.signs(&attached).unwrap();
    let signatures = verified(&countersigned).signatures;
    assert!(signatures[1].coverage.members.contains(&"b.pdf".to_owned()));
}

#[test]
fn nobody_signs_less_or_more_than_the_document_holds() {
    let document = MemoryBlob(composed(&files()).unwrap());
    let told = members(&NativeEnvironment, &document).unwrap();
    let all: Vec<_> = told.into_iter().map(|member| member.id).collect();
    let refused = |covers: &[String]| {
        let request = P256.request("B-T", covers);
        let mut sink = MemorySink::default();
        let refusal = sign(&NativeEnvironment, &document, &request, &[], &mut sink).unwrap_err();
        assert_eq!(refusal.code, refusal::BAD_REQUEST);
        refusal.subjects
    };

    assert_eq!(refused(&all[1..]), all[..1]);
    let without_metadata = &all[..all.len() - 1];
    assert_eq!(refused(without_metadata), all[all.len() - 1..]);
}

/// Adds an unsigned appendix to the document.
fn with_appendix(document: &[u8], name: &str) -> Vec<u8> {
    let namespace = "http://www.archyvai.lt/adoc/2008/relationships";
    let relation = format!(
        "<Relationship xmlns=\"{namespace}\" full-path=\"{name}\" type=\"{namespace}/content/appendix\"/></SourcePart>"
    );
    let entry = format!(
        "<manifest:file-entry manifest:full-path=\"{name}\" manifest:media-type=\"text/plain\"/></manifest:manifest>"
    );
    let document = with_text(document, RELATIONS, |text| {
        text.replacen("</SourcePart>", &relation, 1)
    });
    let document = with_text(&document, MANIFEST, |text| {
        text.replace("</manifest:manifest>", &entry)
    });
    let members = unpacked(&document);
    let members = members.iter();
    let mut members: Vec<_> = members
        .map(|(name, bytes)| ZipMember::stored(name, bytes))
        .collect();
    members.push(ZipMember::stored(name, b"added"));
    Zip::of(members).build()
}

#[test]
fn a_file_named_as_an_element_that_was_signed_is_not_signed_with_it() {
    let name = "metadata/signableMetadata1.xml#signature_1";
    let document = with_appendix(&signed_by(&[&P256]), name);

    let evidence = verified(&document);
    assert_eq!(evidence.signatures[0].integrity, Integrity::Modified);
    assert!(
        !evidence.signatures[0]
            .coverage
            .members
            .contains(&name.to_owned())
    );
    let refused = P384.signs(&document).unwrap_err();
    assert_eq!(refused.code, refusal::CONTAINER_UNSOUND);
}

#[test]
fn a_file_named_as_an_element_that_is_shown_is_refused() {
    let name = "metadata/signableMetadata0.xml#document_0";
    let document = with_appendix(&composed(&files()).unwrap(), name);

    let refused = inspected(&document).unwrap_err();
    assert_eq!(refused.code, refusal::CONTAINER_UNSOUND);
}

#[test]
fn no_document_is_hidden_by_what_its_relation_says() {
    for kind in ["/thumbnail", "/signatures", "/elsewhere"] {
        let document = composed(&files()).unwrap();
        let hidden = with_text(&document, RELATIONS, |text| {
            text.replace("/content/appendix", kind)
        });

        let refused = inspected(&hidden).unwrap_err();
        assert_eq!(refused.code, refusal::CONTAINER_UNSOUND, "{kind}");
    }
}

#[test]
fn a_signed_picture_is_not_hidden_as_a_thumbnail() {
    let picture = with_appendix(&composed(&files()).unwrap(), "planas.png");
    let (signed, _) = P256.signs(&picture).unwrap();
    let retyped = |document: &[u8]| {
        with_text(document, RELATIONS, |text| {
            let (before, rest) = text.split_once("full-path=\"planas.png\"").unwrap();
            let rest = rest.replacen("/content/appendix", "/thumbnail", 1);
            format!("{before}full-path=\"planas.png\"{rest}")
        })
    };

    assert!(inspected(&retyped(&picture)).is_ok());
    let refused = inspected(&retyped(&signed)).unwrap_err();
    assert_eq!(refused.code, refusal::CONTAINER_UNSOUND);
    assert_eq!(refused.subjects, ["planas.png"]);
}
