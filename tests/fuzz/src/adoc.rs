//! ADOC documents: archive, manifest, relations, metadata and signatures.

use parafa_fixtures::Adoc;
use parafa_format_adoc::{extract, inspect, members, sign, verify};
use parafa_format_core::{
    DigestAlgorithm, MemoryBlob, MemorySink, NativeEnvironment, NeedKind, SignRequest,
    SignatureAlgorithm, Step,
};

use crate::authority::WORLD;
use crate::target::Target;

/// The reader of documents.
///
/// What can be inspected can be verified and taken out, member by member, and
/// asks for one signature unless it says why not.
pub const ADOC: Target = Target {
    name: "adoc",
    run,
    seeds,
};

fn run(input: &[u8]) {
    let document = MemoryBlob(input.to_vec());
    let Ok(report) = inspect(&NativeEnvironment, &document) else {
        return;
    };
    verify(&NativeEnvironment, &document).expect("what is inspected can be verified");
    let members = members(&NativeEnvironment, &document).expect("it holds something");
    for member in &members {
        let mut sink = MemorySink::default();
        extract(&NativeEnvironment, &document, &member.id, &mut sink).expect("it is there");
        assert_eq!(sink.0.len() as u64, member.size);
    }
    if !report.signatures.is_empty() && !report.obstacles.is_empty() {
        return;
    }
    let request = SignRequest {
        time: 1_767_323_046,
        seed: vec![1; 32],
        target_level: "B-T".to_owned(),
        signer_chain: vec![WORLD.signer.certificate.clone()],
        signature_algorithm: SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
        reserve: 0,
        covers: members.into_iter().map(|member| member.id).collect(),
        params: Vec::new(),
    };
    let mut sink = MemorySink::default();
    if let Ok(Step::Needs(needs)) = sign(&NativeEnvironment, &document, &request, &[], &mut sink) {
        assert!(matches!(&*needs, [need] if need.kind == NeedKind::Signature));
        assert!(sink.0.is_empty());
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let one = Adoc::default();
    let two = Adoc {
        files: vec!["sutartis.pdf", "appendices/priedas ąž.pdf"],
        relations: vec![["sutartis.pdf", "sutartis.pdf", "thumbnail"]],
        ..Adoc::default()
    };
    vec![one.build(), two.build()]
}
