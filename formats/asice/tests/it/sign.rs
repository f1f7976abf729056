use parafa_fixtures::{Zip, ZipMember};
use parafa_format_asice::{sign, verify};
use parafa_format_core::{
    Answer, ChangeKind, CoverageKind, Evidence, Integrity, MemoryBlob, MemorySink,
    NativeEnvironment, Refusal, SignRequest, Step, TimestampStatus, levels, refusal,
};
use parafa_zip::{Archive, Limits};

use crate::ceremony::{FILES, P256, P384, RSA, Signer, TIME, composed, inspected, signed_by};

pub(crate) fn verified(container: &[u8]) -> Evidence {
    verify(&NativeEnvironment, &MemoryBlob(container.to_vec())).unwrap()
}

fn names() -> Vec<String> {
    FILES.map(|(name, ..)| name.to_owned()).to_vec()
}

#[test]
fn every_signer_signs_every_file_and_earlier_entries_stay_as_they_are() {
    let mut container = composed(&FILES).unwrap();
    for (number, signer) in [&*RSA, &P256, &P384].into_iter().enumerate() {
        let (signed, outcome) = signer.signs(&container, "B-T").unwrap();

        let read =
            |bytes: &[u8]| Archive::read(&MemoryBlob(bytes.to_vec()), &Limits::default()).unwrap();
        let (before, after) = (read(&container), read(&signed));
        let kept = usize::try_from(before.directory_offset()).unwrap();
        assert_eq!(signed[..kept], container[..kept]);
        let [earlier @ .., new] = after.entries() else {
            panic!("there are entries");
        };
        assert_eq!(earlier, before.entries());
        assert_eq!(new.name, format!("META-INF/signatures{number}.xml"));

        let evidence = verified(&signed);
        assert_eq!(evidence.signatures.len(), number + 1);
        let signature = evidence.signatures.last().unwrap();
        assert_eq!(signature.id, outcome.signature_id);
        assert_eq!(outcome.level, levels::XADES_B_T);
        assert_eq!(signature.level, outcome.level);
        assert_eq!(signature.integrity, Integrity::Intact);
        assert_eq!(signature.claimed_time, Some(TIME));
        assert_eq!(signature.algorithm, Some(signer.algorithm));
        assert_eq!(signature.coverage.kind, CoverageKind::Members);
        assert_eq!(signature.coverage.members, names());
        assert_eq!(signature.timestamps[0].status, TimestampStatus::Intact);
        assert_eq!(
            evidence.signer_certificate(signature),
            signer.holder.certificate.to_der().ok().as_deref()
        );
        let changes: Vec<_> = evidence
            .signatures
            .iter()
            .map(|signature| signature.later_changes.kind)
            .collect();
        assert_eq!(changes.last(), Some(&ChangeKind::None));
        assert!(
            changes[..number]
                .iter()
                .all(|kind| *kind == ChangeKind::Signing)
        );
        container = signed;
    }
    let report = inspected(&container).unwrap();
    let signers: Vec<_> = report
        .signatures
        .iter()
        .map(|signature| signature.signer.as_deref())
        .collect();
    assert_eq!(
        signers,
        [Some("Rūta RSA"), Some("Ona P-256"), Some("Jonas P-384")]
    );
    assert_eq!(report.obstacles, []);
}

#[test]
fn the_same_request_and_answers_give_the_same_bytes() {
    let container = signed_by(&[&RSA], "B-B");
    let again = signed_by(&[&RSA], "B-B");
    assert_eq!(container, again);
}

/// Returns the first step of `sign`.
fn asked(container: &[u8], change: impl FnOnce(&mut SignRequest)) -> Result<Step, Refusal> {
    let mut request = P256.request("B-B", &names());
    change(&mut request);
    let document = MemoryBlob(container.to_vec());
    let mut sink = MemorySink::default();
    sign(&NativeEnvironment, &document, &request, &[], &mut sink)
}

#[test]
fn nobody_signs_less_or_more_than_the_container_holds() {
    let container = composed(&FILES).unwrap();
    let refused = |covers: Vec<String>| {
        let refusal = asked(&container, |request| request.covers = covers).unwrap_err();
        assert_eq!(refusal.code, refusal::BAD_REQUEST);
        refusal.subjects
    };

    assert_eq!(refused(names()[1..].to_vec()), [FILES[0].0]);
    let more = [names(), vec!["another.txt".to_owned()]].concat();
    assert_eq!(refused(more), ["another.txt"]);
    assert!(asked(&container, |_| {}).is_ok());
}

#[test]
fn requests_that_cannot_be_carried_out_are_refused() {
    type Change = fn(&mut SignRequest);

    let container = composed(&FILES).unwrap();
    let changes: [Change; 5] = [
        |request| request.target_level = "B-LT".to_owned(),
        |request| request.seed = vec![1; 31],
        |request| request.signer_chain.clear(),
        |request| request.signature_algorithm = RSA.algorithm,
        |request| request.params = vec![("field".to_owned(), String::new())],
    ];
    for change in changes {
        let refusal = asked(&container, change).unwrap_err();
        assert_eq!(refusal.code, refusal::BAD_REQUEST, "{refusal}");
    }
}

#[test]
fn answers_that_are_none_are_refused() {
    let container = composed(&FILES).unwrap();
    let document = MemoryBlob(container);
    let answer = |id: &str, outcome| Answer {
        need_id: id.to_owned(),
        outcome,
    };
    let refused = |answers: &[Answer]| {
        let request = P256.request("B-T", &names());
        let mut sink = MemorySink::default();
        let step = sign(&NativeEnvironment, &document, &request, answers, &mut sink);
        assert_eq!(step.unwrap_err().code, refusal::BAD_REQUEST);
    };
    let of = |signer: &Signer, bytes: &[u8]| {
        answer("signature", Ok(signer.holder.sign(signer.algorithm, bytes)))
    };

    refused(&[answer("signature", Err("unavailable".to_owned()))]);
    refused(&[of(&P256, b"something else")]);
    let request = P256.request("B-T", &names());
    let mut sink = MemorySink::default();
    let step = sign(&NativeEnvironment, &document, &request, &[], &mut sink).unwrap();
    let Step::Needs(needs) = step else {
        panic!("a signature is needed");
    };
    let signed = needs[0].payload.as_bytes().unwrap();
    refused(&[of(&P384, signed)]);
    let stamped = answer("timestamp", Ok(crate::ceremony::PKI.timestamp(b"else")));
    refused(&[of(&P256, signed), stamped]);
}

#[test]
fn a_new_signature_file_takes_the_place_of_no_other() {
    let (signed, _) = P256.signs(&composed(&FILES[..1]).unwrap(), "B-B").unwrap();
    for (name, next) in [
        ("META-INF/signatures001.xml", "META-INF/signatures2.xml"),
        (
            "META-INF/l77Tsignaturesn00B.xml",
            "META-INF/signatures0.xml",
        ),
        (
            "META-INF/signatures99999999999.xml",
            "META-INF/signatures0.xml",
        ),
    ] {
        let renamed = rebuilt(&signed, |member| {
            if member.name == b"META-INF/signatures0.xml" {
                member.name = name.into();
            }
        });
        let (_, outcome) = P384.signs(&renamed, "B-B").unwrap();
        assert!(outcome.signature_id.starts_with(next), "{name}");
    }
}

/// Rewrites the members with another archive writer, each changed.
pub(crate) fn rebuilt(container: &[u8], mut change: impl FnMut(&mut ZipMember)) -> Vec<u8> {
    let blob = MemoryBlob(container.to_vec());
    let archive = Archive::read(&blob, &Limits::default()).unwrap();
    let members = archive.members().map(|member| {
        let bytes = member.read(&NativeEnvironment, &blob, u64::MAX).unwrap();
        let mut member = ZipMember::stored(&member.name, &bytes);
        change(&mut member);
        member
    });
    Zip::of(members.collect::<Vec<_>>()).build()
}
