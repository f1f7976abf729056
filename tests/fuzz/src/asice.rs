//! ASiC-E containers.

use parafa_fixtures::cases;
use parafa_format_asice::{extract, inspect, members, sign, verify};
use parafa_format_core::{
    DigestAlgorithm, Evidence, Integrity, MemoryBlob, MemorySink, NativeEnvironment, NeedKind,
    Refusal, SignRequest, SignatureAlgorithm, Step, levels, refusal,
};

use crate::authority::WORLD;
use crate::target::Target;

/// Containers that are inspected, taken apart, verified and signed.
///
/// What inspect takes, the others take; members are as long as they are told to
/// be. What has no obstacle, or is only unsigned, can be signed: the result
/// begins with what was signed before, is the same twice, is taken again, and
/// its new signature is intact over all members.
pub const ASICE: Target = Target {
    name: "asice",
    run,
    seeds,
};

fn run(input: &[u8]) {
    let document = MemoryBlob(input.to_vec());
    let report = inspect(&NativeEnvironment, &document);
    assert_eq!(report, inspect(&NativeEnvironment, &document));
    let Ok(report) = report else {
        return;
    };
    let told = members(&NativeEnvironment, &document).expect("inspect takes it");
    for member in &told {
        let mut sink = MemorySink::default();
        extract(&NativeEnvironment, &document, &member.id, &mut sink).expect("it is told of");
        assert_eq!(sink.0.len() as u64, member.size);
    }
    let before = verified(&document);
    let obstacle = report.obstacles.first();
    if obstacle.is_some_and(|obstacle| obstacle.refusal.code != refusal::CONTAINER_UNSIGNED) {
        return;
    }
    let covers: Vec<String> = told.into_iter().map(|member| member.id).collect();
    let once = signed(&document, &covers);
    assert_eq!(once, signed(&document, &covers));
    let Ok(once) = once else {
        assert!(obstacle.is_some(), "what has no obstacle is refused");
        return;
    };
    let signed = MemoryBlob(once);
    let again = inspect(&NativeEnvironment, &signed).expect("what was signed is taken");
    assert!(again.notes.iter().any(|note| note.code == "signed"));
    let after = verified(&signed);
    let [earlier @ .., new] = after.signatures.as_slice() else {
        panic!("there is no signature");
    };
    assert_eq!(earlier.len(), before.signatures.len());
    for (was, is) in before.signatures.iter().zip(earlier) {
        assert_eq!((&was.id, was.integrity), (&is.id, is.integrity));
    }
    assert_eq!(new.integrity, Integrity::Intact);
    assert_eq!(new.level, levels::XADES_B_B);
    assert_eq!(new.coverage.members, covers);
}

fn verified(document: &MemoryBlob) -> Evidence {
    verify(&NativeEnvironment, document).expect("inspect takes it")
}

fn signed(document: &MemoryBlob, covers: &[String]) -> Result<Vec<u8>, Refusal> {
    let request = SignRequest {
        time: 1_795_276_800,
        seed: vec![7; 32],
        target_level: "B-B".to_owned(),
        signer_chain: vec![WORLD.signer.certificate.clone()],
        signature_algorithm: SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
        reserve: 4096,
        covers: covers.to_vec(),
        params: Vec::new(),
    };
    let mut answers = Vec::new();
    loop {
        let mut sink = MemorySink::default();
        let step = sign(&NativeEnvironment, document, &request, &answers, &mut sink)?;
        let needs = match step {
            Step::Done(_) => return Ok(sink.0),
            Step::Needs(needs) => needs,
        };
        for need in needs {
            assert_eq!(need.kind, NeedKind::Signature);
            let bytes = need.payload.as_bytes().expect("people see what they sign");
            answers.push(need.answer(Ok(WORLD.signer.sign(bytes))));
        }
    }
}

/// Longest document to begin with, in bytes: what is longer is slow to mutate.
const LONGEST_SEED: usize = 64 * 1024;

fn seeds() -> Vec<Vec<u8>> {
    let documents = cases::of_asice().map(|case| case.document);
    documents
        .filter(|document| document.len() <= LONGEST_SEED)
        .collect()
}
