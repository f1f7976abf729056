//! The unsigned header of a JAdES signature (`etsiU`).

use std::sync::LazyLock;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use parafa_format_core::{
    ArchiveRequest, Archived, DigestAlgorithm, Evidence, Integrity, Member, MemoryBlob, MemorySink,
    NativeEnvironment, Need, NeedKind, Refusal, SignRequest, SignatureAlgorithm, Step, levels,
};
use parafa_format_jades::{archive, extract, inspect, members, sign, verify};
use serde_json::{Value, json};

use crate::Target;
use crate::answers::sound;
use crate::authority::WORLD;
use crate::json::edited;
use crate::pdf::assert_listed;
use crate::unsigned::{assert_deserved, ders, token};

/// The verifier of JAdES, and the function that raises it, with any unsigned header.
///
/// The input chooses components of `etsiU` of a sound signature, their edits, and whether they are
/// encoded. The payload and the signed bytes stay unchanged, and the verdict is no better than the
/// components allow; a second reading gives the same. A raised document has the claimed level, and
/// raising it again changes nothing.
pub const JADES_UNSIGNED: Target = Target {
    name: "jades_unsigned",
    run,
    seeds,
};

/// Most components.
const MOST_COMPONENTS: usize = 8;
/// Most calls: the chains of this world are short.
const MOST_CALLS: usize = 6;
const TIME: i64 = 1_795_276_800;
const PAYLOAD: &str = "{\"a\":[1,\"ą\"]}";

/// Names of members, and values.
const WORDS: &[&str] = &[
    "sigTst",
    "arcTst",
    "xVals",
    "rVals",
    "axVals",
    "arVals",
    "xRefs",
    "rRefs",
    "tstVD",
    "anyValData",
    "cSig",
    "sigPSt",
    "sigRTst",
    "rfsTst",
    "uSigned",
    "tstTokens",
    "val",
    "x509Cert",
    "otherCert",
    "crlVals",
    "ocspVals",
    "otherVals",
    "encoding",
    "specRef",
    "canonAlg",
    "etsiU",
    "MAA=",
    "MAA",
];

struct Sound {
    /// The signature at level B-B.
    signed: Value,
    verified: Evidence,
    /// The components that raise it to level B-LT.
    components: Vec<Value>,
    /// These, and others.
    kinds: Vec<Value>,
    words: Vec<String>,
}

static SOUND: LazyLock<Sound> = LazyLock::new(Sound::new);

fn run(input: &[u8]) {
    let Ok(components) = components(&mut Unstructured::new(input)) else {
        return;
    };
    let document = SOUND.with(&components);
    let evidence = verified(&document);
    assert_eq!(evidence, verified(&document));
    let evidence = match evidence {
        Ok(evidence) => evidence,
        Err(refusal) => {
            assert_listed(&refusal);
            assert!(raise(&document).is_err());
            return;
        }
    };
    assert_keeps(&document, &evidence);
    if components == texts(&SOUND.components) {
        assert_eq!(evidence.signatures[0].level, levels::JADES_B_LT);
    }
    assert_raises(&document);
}

/// Asserts that data outside a signature do not change its signed bytes.
fn assert_keeps(document: &MemoryBlob, evidence: &Evidence) {
    let report = inspect(&NativeEnvironment, document).expect("it was verified");
    assert_eq!(report.signatures.len(), 1);
    let (member, bytes) = payload(document).expect("it was verified");
    assert_eq!(bytes, PAYLOAD.as_bytes());
    assert_eq!(member.size, bytes.len() as u64);
    let [signature] = &evidence.signatures[..] else {
        panic!("there is one signature")
    };
    let before = &SOUND.verified;
    let signed = &before.signatures[0];
    assert_eq!(signature.integrity, Integrity::Intact);
    assert_eq!(signature.value, signed.value);
    assert_eq!(signature.signed, signed.signed);
    assert_eq!(signature.claimed_time, signed.claimed_time);
    assert_eq!(signature.coverage, signed.coverage);
    let signer = evidence.signer_certificate(signature);
    assert_eq!(signer, before.signer_certificate(signed));
    let revocation = evidence.revocation(signature);
    let timestamps = &signature.timestamps;
    assert_deserved(&signature.level, timestamps, revocation, SOUND.stamped());
}

fn assert_raises(document: &MemoryBlob) {
    let (written, archived) = match raise(document) {
        Ok(raised) => raised,
        Err(refusal) => return assert_listed(&refusal),
    };
    let after = match archived.changed {
        true => MemoryBlob(written),
        false => document.clone(),
    };
    let evidence = verified(&after).expect("what was raised can be verified");
    assert_keeps(&after, &evidence);
    assert_eq!(evidence.signatures[0].level, archived.level);
    let (_, again) = raise(&after).expect("what was raised is at that level");
    assert!(!again.changed);
}

fn verified(document: &MemoryBlob) -> Result<Evidence, Refusal> {
    verify(&NativeEnvironment, document)
}

fn payload(document: &MemoryBlob) -> Result<(Member, Vec<u8>), Refusal> {
    let member = members(&NativeEnvironment, document)?.remove(0);
    let mut out = MemorySink::default();
    extract(&NativeEnvironment, document, &member.id, &mut out)?;
    Ok((member, out.0))
}

fn raise(document: &MemoryBlob) -> Result<(Vec<u8>, Archived), Refusal> {
    let request = ArchiveRequest {
        time: TIME,
        seed: vec![7; 32],
        target_level: "B-LT".to_owned(),
        params: Vec::new(),
    };
    let mut answers = Vec::new();
    for _ in 0..MOST_CALLS {
        let mut out = MemorySink::default();
        let step = archive(&NativeEnvironment, document, &request, &answers, &mut out)?;
        match step {
            Step::Done(archived) => return Ok((out.0, archived)),
            Step::Needs(needs) => {
                answers.extend(needs.iter().map(|need| need.answer(Ok(sound(need)))));
            }
        }
    }
    panic!("{MOST_CALLS} calls were not enough");
}

/// Returns texts of components that the input chooses.
fn components(input: &mut Unstructured<'_>) -> Result<Vec<String>> {
    let mut components = Vec::new();
    while !input.is_empty() && components.len() < MOST_COMPONENTS {
        let kind = input.choose(&SOUND.kinds)?;
        let is_encoded = input.int_in_range(0..=1_u8)? == 1;
        let text = edited(kind, &SOUND.words, input)?;
        components.push(match is_encoded {
            true => format!("\"{}\"", BASE64_URL_SAFE_NO_PAD.encode(text)),
            false => text,
        });
    }
    Ok(components)
}

fn texts(components: &[Value]) -> Vec<String> {
    components.iter().map(Value::to_string).collect()
}

impl Sound {
    fn new() -> Self {
        let signed = signed();
        let stamped = signature_of(&signed).to_owned();
        let octets = ders(stamped.as_bytes());
        let octets = octets.iter().map(|der| BASE64_STANDARD.encode(der));
        let words = WORDS.iter().map(|word| (*word).to_owned());
        let stamp = json!({"sigTst": {"tstTokens": [
            {"val": BASE64_STANDARD.encode(token(stamped.as_bytes()))},
        ]}});
        let mut sound = Self {
            verified: verified(&document(&signed, &[])).expect("it was just signed"),
            words: words.chain(octets).collect(),
            components: Vec::new(),
            kinds: Vec::new(),
            signed,
        };
        let (raised, _) = raise(&sound.with(&[stamp.to_string()])).expect("it can be raised");
        let raised: Value = serde_json::from_slice(&raised).expect("it was just raised");
        let components = raised["header"]["etsiU"].as_array();
        sound.components = components.expect("a list").clone();
        let val = json!({"val": "MAA="});
        let others = [
            json!({"arcTst": {"canonAlg": "urn:a", "tstTokens": [val]}}),
            json!({"tstVD": {"xVals": [{"x509Cert": val}], "rVals": {"ocspVals": [val]}}}),
            json!({"xVals": [{"x509Cert": val}, {"otherCert": val}]}),
            json!({"rVals": {"crlVals": [val], "ocspVals": [val], "otherVals": [val]}}),
            json!({"cSig": "a.b.c"}),
            json!({"other": [[], {}]}),
        ];
        sound.kinds = sound.components.iter().cloned().chain(others).collect();
        sound
    }

    /// Returns the bytes that its time-stamps stamp.
    fn stamped(&self) -> &[u8] {
        signature_of(&self.signed).as_bytes()
    }

    fn with(&self, components: &[String]) -> MemoryBlob {
        document(&self.signed, components)
    }
}

/// Returns a payload with its signature at level B-B.
fn signed() -> Value {
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
    let payload = MemoryBlob(PAYLOAD.as_bytes().to_vec());
    let mut answers = Vec::new();
    loop {
        let mut out = MemorySink::default();
        match sign(&NativeEnvironment, &payload, &request, &answers, &mut out) {
            Ok(Step::Done(_)) => {
                return serde_json::from_slice(&out.0).expect("a JWS is JSON");
            }
            Ok(Step::Needs(needs)) => {
                answers.extend(needs.iter().map(|need| need.answer(Ok(value(need)))));
            }
            Err(refusal) => panic!("a payload is not signed: {refusal}"),
        }
    }
}

fn value(need: &Need) -> Vec<u8> {
    assert_eq!(need.kind, NeedKind::Signature);
    let bytes = need.payload.as_bytes().expect("a short payload");
    WORLD.signer.sign(bytes)
}

fn signature_of(signed: &Value) -> &str {
    signed["signature"].as_str().expect("a text")
}

/// Serializes the document with these texts of components.
fn document(signed: &Value, components: &[String]) -> MemoryBlob {
    let header = match components {
        [] => String::new(),
        components => format!("\"header\":{{\"etsiU\":[{}]}},", components.join(",")),
    };
    let text = format!(
        "{{\"payload\":{},\"protected\":{},{header}\"signature\":{}}}",
        signed["payload"], signed["protected"], signed["signature"]
    );
    MemoryBlob(text.into_bytes())
}

fn seeds() -> Vec<Vec<u8>> {
    // For each component: its kind, whether it is encoded, and its number of edits.
    let of = |kinds: &[u8], is_encoded: u8| -> Vec<u8> {
        kinds
            .iter()
            .flat_map(|kind| [*kind, is_encoded, 0])
            .collect()
    };
    let one_each = (0..9).map(|kind| of(&[kind], 0));
    let all = [0, 1].map(|is_encoded| of(&[0, 1, 2], is_encoded));
    one_each.chain(all).collect()
}
