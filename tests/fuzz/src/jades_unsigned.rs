//! Components of the unsigned header of a JAdES signature (`etsiU`).

use std::sync::LazyLock;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use parafa_format_core::{
    ArchiveRequest, Archived, DigestAlgorithm, Evidence, Integrity, MemoryBlob, NativeEnvironment,
    Need, NeedKind, Refusal, SignRequest, SignatureAlgorithm, carry_out,
};
use parafa_format_jades::{archive, inspect, sign, verify};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::answers::sound;
use crate::authority::{WORLD, timestamp_info};
use crate::refusal::assert_listed;
use crate::target::Target;
use crate::unsigned::{Part, parts};

/// The verifier of JAdES and what raises it, with any components beside a sound
/// signature.
///
/// The first byte says whether components are encoded. What is not refused is intact
/// over what was signed, by whom it was. What is raised is at the level that is claimed,
/// and stays as it is when it is raised again.
pub const JADES_UNSIGNED: Target = Target {
    name: "jades_unsigned",
    run,
    seeds,
};

const TIME: i64 = 1_795_276_800;
/// Most calls: the chains of this world are short.
const MAX_CALLS: usize = 6;

const TEXTS: [&str; 6] = [
    r#"{"cSig":"a.b.c"}"#,
    r#"{"sigPSt":{"sigPolDoc":"MAA="}}"#,
    r#"{"tstVD":{"xVals":[{"x509Cert":{"val":"MAA="}}],"rVals":{"ocspVals":[{"val":"MAA="}]}}}"#,
    r#"{"xRefs":[{"digAlg":"S256","digVal":"MAA"}]}"#,
    r#"{"other":[[],{"a":1,"a":2}]}"#,
    r#"{"sigTst":{"tstTokens":[]}}"#,
];

/// A signature at level B-B.
static SIGNED: LazyLock<Value> = LazyLock::new(|| {
    let request = SignRequest {
        time: TIME,
        seed: vec![7; 32],
        target_level: "B-B".to_owned(),
        signer_chain: vec![WORLD.signer.certificate.clone()],
        signature_algorithm: SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
        reserve: 4096,
        covers: vec!["payload".to_owned()],
        params: Vec::new(),
    };
    let payload = MemoryBlob(b"{\"a\":[1,true]}".to_vec());
    let signed = carry_out(
        2,
        |answers, out| sign(&NativeEnvironment, &payload, &request, answers, out),
        |need| {
            let input = need.payload.as_bytes().expect("a short payload");
            need.answer(Ok(WORLD.signer.sign(input)))
        },
    );
    let (signed, _) = signed.expect("a payload can be signed");
    serde_json::from_slice(&signed).expect("a JWS is JSON")
});

static EVIDENCE: LazyLock<Evidence> =
    LazyLock::new(|| evidence(&document(&[])).expect("it was just signed"));

fn run(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else {
        return;
    };
    let is_encoded = first & 1 == 0;
    let parts = parts(rest);
    let components = parts.iter().map(|part| component(part, is_encoded));
    let Some(components) = components.collect::<Option<Vec<_>>>() else {
        return;
    };
    let document = document(&components);
    let report = inspect(&NativeEnvironment, &document);
    let before = match (report, evidence(&document)) {
        (Ok(report), Ok(evidence)) => {
            assert_eq!(report.signatures.len(), 1);
            evidence
        }
        (Ok(_), Err(refusal)) => return assert_eq!(refusal.code, "too-much-to-verify"),
        (Err(refusal), evidence) => {
            assert_listed(&refusal);
            return assert_eq!(evidence, Err(refusal));
        }
    };
    assert_is_kept(&before);
    let (archived, outcome) = match raised(&document, &sound) {
        Ok(raised) => raised,
        Err(refusal) => return assert_listed(&refusal),
    };
    assert_eq!(outcome.changed, !archived.is_empty());
    let after = if outcome.changed {
        MemoryBlob(archived)
    } else {
        document
    };
    let evidence = evidence(&after).expect("what was raised can be verified");
    assert_is_kept(&evidence);
    assert_eq!(evidence.signatures[0].level, outcome.level);
    let anchors_alone = |need: &Need| match need.kind {
        NeedKind::Certificate => sound(need),
        _ => panic!("{need:?} after archiving"),
    };
    match raised(&after, &anchors_alone) {
        Ok((_, again)) => assert!(!again.changed),
        Err(refusal) => panic!("what was raised is refused: {refusal}"),
    }
}

fn evidence(document: &MemoryBlob) -> Result<Evidence, Refusal> {
    verify(&NativeEnvironment, document)
}

fn assert_is_kept(evidence: &Evidence) {
    let ([before], [after]) = (&EVIDENCE.signatures[..], &evidence.signatures[..]) else {
        panic!("there is one signature")
    };
    assert_eq!(after.integrity, Integrity::Intact);
    assert_eq!(after.signed, before.signed);
    assert_eq!(after.value, before.value);
    assert_eq!(after.claimed_time, before.claimed_time);
    let signer = EVIDENCE.signer_certificate(before);
    assert_eq!(evidence.signer_certificate(after), signer);
}

fn raised(
    document: &MemoryBlob,
    answer: &dyn Fn(&Need) -> Vec<u8>,
) -> Result<(Vec<u8>, Archived), Refusal> {
    let request = ArchiveRequest {
        time: TIME + 60,
        seed: vec![9; 32],
        target_level: "B-LT".to_owned(),
        params: Vec::new(),
    };
    carry_out(
        MAX_CALLS,
        |answers, out| archive(&NativeEnvironment, document, &request, answers, out),
        |need| need.answer(Ok(answer(need))),
    )
}

/// The signature with these texts of components.
fn document(components: &[String]) -> MemoryBlob {
    let header = match components {
        [] => String::new(),
        components => format!("\"header\":{{\"etsiU\":[{}]}},", components.join(",")),
    };
    let [payload, protected, signature] =
        ["payload", "protected", "signature"].map(|name| &SIGNED[name]);
    let text = format!(
        "{{\"payload\":{payload},\"protected\":{protected},{header}\"signature\":{signature}}}"
    );
    MemoryBlob(text.into_bytes())
}

/// The text of a part; `None` for one that cannot stand in a list.
fn component(part: &Part, is_encoded: bool) -> Option<String> {
    let val = |der: &[u8]| json!({"val": BASE64_STANDARD.encode(der)});
    let text = match part {
        Part::Text(text) => text.clone(),
        Part::Stamp(der) => written(&json!({"sigTst": {"tstTokens": [val(der)]}})),
        Part::ArchiveStamp(der) => written(&json!({"arcTst": {"tstTokens": [val(der)]}})),
        Part::Certificate(der) => written(&json!({"xVals": [{"x509Cert": val(der)}]})),
        Part::Response(der) => written(&json!({"rVals": {"ocspVals": [val(der)]}})),
        Part::List(der) => written(&json!({"rVals": {"crlVals": [val(der)]}})),
    };
    if is_encoded {
        return Some(format!("\"{}\"", BASE64_URL_SAFE_NO_PAD.encode(text)));
    }
    let text = String::from_utf8(text).ok()?;
    serde_json::from_str::<Value>(&text).ok()?;
    Some(text)
}

fn written(component: &Value) -> Vec<u8> {
    component.to_string().into_bytes()
}

fn seeds() -> Vec<Vec<u8>> {
    let stamped = SIGNED["signature"].as_str().unwrap_or_default();
    let digest = Sha256::digest(stamped).into();
    let info = timestamp_info(&digest, "20261121160000Z", &[1]);
    let listed = crate::unsigned::seeds(&info, &TEXTS);
    let both = listed
        .iter()
        .flat_map(|parts| [0, 1].map(|first| [&[first], parts.as_slice()].concat()));
    both.collect()
}
