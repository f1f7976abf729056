//! JSON, and JAdES signatures around it: whole documents, and documents made of
//! mutated texts that are encoded rightly.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use parafa_fixtures::signed::{Encoding, SignedJws};
use parafa_format_core::{
    Answer, ArchiveRequest, DigestAlgorithm, Evidence, Integrity, Member, MemoryBlob, MemorySink,
    Refusal, SignRequest, SignatureAlgorithm, Step,
};
use parafa_format_jades::{archive, extract, inspect, members, sign, verify};

use crate::authority::WORLD;
use crate::pdf::TrustingEnvironment;
use crate::refusal::assert_listed;
use crate::target::Target;

/// The reader, the signer and the verifier of JAdES.
///
/// The input is a document, or, behind a zero, the texts of a payload, a protected
/// header and components, with zeros between them. What can be read can be
/// verified, and gives the same payload again; what nobody has signed can be
/// signed, with the same payload.
pub const JADES: Target = Target {
    name: "jades",
    run: |input| match input.split_first() {
        Some((0, texts)) => holds(&encoded(texts)),
        _ => holds(input),
    },
    seeds,
};

const SIGNATURE_VALUE: [u8; 8] = [0x30, 6, 2, 1, 1, 2, 1, 1];

fn holds(document: &[u8]) {
    let blob = MemoryBlob(document.to_vec());
    let report = match inspect(&TrustingEnvironment, &blob) {
        Ok(report) => report,
        Err(refusal) => {
            assert_listed(&refusal);
            assert_eq!(evidence(&blob).as_ref(), Err(&refusal));
            assert_eq!(payload(&blob).as_ref(), Err(&refusal));
            return;
        }
    };
    let (member, bytes) = payload(&blob).expect("what inspect takes has a payload");
    assert_eq!(member.size, bytes.len() as u64);
    match evidence(&blob) {
        Ok(evidence) => {
            assert_eq!(evidence.signatures.len(), report.signatures.len());
            for signature in &evidence.signatures {
                let held = signature.integrity == Integrity::Intact;
                assert!(held || signature.level == "unknown");
            }
        }
        Err(refusal) => assert_eq!(refusal.code, "too-much-to-verify"),
    }
    if report.signatures.is_empty() {
        let signed = MemoryBlob(signed(&blob));
        assert_eq!(payload(&signed), Ok((member, bytes)));
        let evidence = evidence(&signed).expect("what was signed can be verified");
        assert_eq!(evidence.signatures[0].integrity, Integrity::Intact);
    } else {
        raise(&blob);
    }
}

fn evidence(blob: &MemoryBlob) -> Result<Evidence, Refusal> {
    verify(&TrustingEnvironment, blob)
}

fn payload(blob: &MemoryBlob) -> Result<(Member, Vec<u8>), Refusal> {
    let member = members(&TrustingEnvironment, blob)?.remove(0);
    let mut out = MemorySink::default();
    extract(&TrustingEnvironment, blob, &member.id, &mut out)?;
    Ok((member, out.0))
}

fn signed(blob: &MemoryBlob) -> Vec<u8> {
    let request = SignRequest {
        time: 1_795_276_800,
        seed: vec![7; 32],
        target_level: "B-B".to_owned(),
        signer_chain: vec![WORLD.signer.certificate.clone()],
        signature_algorithm: SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
        reserve: 4096,
        covers: vec!["payload".to_owned()],
        params: Vec::new(),
    };
    let answer = Answer {
        need_id: "signature".to_owned(),
        outcome: Ok(SIGNATURE_VALUE.to_vec()),
    };
    let mut out = MemorySink::default();
    match sign(&TrustingEnvironment, blob, &request, &[answer], &mut out) {
        Ok(Step::Done(_)) => out.0,
        other => panic!("a payload is not signed: {other:?}"),
    }
}

/// Asks for what a signature lacks, which nobody answers.
fn raise(blob: &MemoryBlob) {
    let request = ArchiveRequest {
        time: 1_795_276_800,
        seed: vec![7; 32],
        target_level: "B-LT".to_owned(),
        params: Vec::new(),
    };
    let mut out = MemorySink::default();
    if let Err(refusal) = archive(&TrustingEnvironment, blob, &request, &[], &mut out) {
        assert_listed(&refusal);
    }
}

/// A flattened JWS of texts.
fn encoded(texts: &[u8]) -> Vec<u8> {
    let base64url = |text: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(text);
    let mut texts = texts.split(|byte| *byte == 0);
    let payload = base64url(texts.next().unwrap_or_default());
    let protected = base64url(texts.next().unwrap_or_default());
    let components: Vec<_> = texts
        .map(|component| format!("\"{}\"", base64url(component)))
        .collect();
    let value = base64url(&[1; 64]);
    format!(
        "{{\"payload\":\"{payload}\",\"protected\":\"{protected}\",\
         \"header\":{{\"etsiU\":[{}]}},\"signature\":\"{value}\"}}",
        components.join(",")
    )
    .into_bytes()
}

fn seeds() -> Vec<Vec<u8>> {
    let payload = "{\"a\":[1,\"\\u0105\",null,-1.5e3]}";
    let complete = SignedJws::of(payload).stamped(None).with_values();
    let [_, protected, _] = complete.parts();
    let protected = BASE64_URL_SAFE_NO_PAD.decode(protected);
    let protected = protected.expect("fixtures encode rightly");
    let texts = [
        &[0],
        payload.as_bytes(),
        &[0],
        &protected,
        b"\0{\"sigTst\":{\"tstTokens\":[{\"val\":\"MAA=\"}]}}",
        b"\0{\"xVals\":[{\"x509Cert\":{\"val\":\"MAA=\"}}]}",
        b"\0{\"rVals\":{\"ocspVals\":[{\"val\":\"MAA=\"}],\"crlVals\":[{\"val\":\"MAA=\"}]}}",
    ];
    vec![
        payload.as_bytes().to_vec(),
        complete.build(),
        complete.encoded(Encoding::Clear).build(),
        texts.concat(),
    ]
}
