//! Exports of the plugin.

use parafa_pki::Certificate;

use crate::bindings::exports::parafa::format::{description, inspection, signing, verification};
use crate::bindings::parafa::format::crypto::{self, Hasher};
use crate::bindings::parafa::format::documents::{Blob, Sink};
use crate::bindings::parafa::format::types::{Answer, Need, Payload, Refusal};
use crate::document::{Signature, line, refusal, signatures, signed};

const MEDIA_TYPE: &str = "application/x-old-toy";
const LEVEL_B: &str = "Old-B-B";
const LEVEL_T: &str = "Old-B-T";
/// The only algorithm, and its digest.
const ALGORITHM: &str = "ECDSA-SHA256";
const DIGEST: &str = "SHA-256";

const SIGNATURE: &str = "signature";
const TIMESTAMP: &str = "timestamp";

/// The format.
pub(crate) struct Plugin;

impl description::Guest for Plugin {
    fn describe() -> description::About {
        description::About {
            id: "toy-0-2".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            media_types: vec![MEDIA_TYPE.to_owned()],
            extensions: vec!["oldtoy".to_owned()],
            abilities: vec![description::Ability {
                operation: "sign".to_owned(),
                preservation: "whole".to_owned(),
                levels: [LEVEL_B, LEVEL_T].map(str::to_owned).to_vec(),
            }],
        }
    }
}

impl inspection::Guest for Plugin {
    fn inspect(document: &Blob) -> Result<inspection::Report, Refusal> {
        let signatures = signatures(document)?.into_iter().enumerate();
        let signatures = signatures.map(|(index, _)| inspection::SignatureSummary {
            id: id(index),
            signer: None,
            claimed_time: None,
        });
        Ok(inspection::Report {
            media_type: MEDIA_TYPE.to_owned(),
            format_version: "0".to_owned(),
            signatures: signatures.collect(),
            fields: Vec::new(),
            notes: Vec::new(),
            obstacles: Vec::new(),
            preservation: Vec::new(),
        })
    }
}

impl signing::Guest for Plugin {
    fn sign(
        document: &Blob,
        request: signing::Request,
        answers: Vec<Answer>,
        out: &Sink,
    ) -> Result<signing::Step, Refusal> {
        let known = signatures(document)?;
        let signer = request.signer_chain.first();
        let Some(signer) = signer.filter(|_| request.signature_algorithm == ALGORITHM) else {
            return Err(refusal("bad-request", "The request cannot be used."));
        };
        let Some(value) = answer(&answers, SIGNATURE)? else {
            return Ok(asking(SIGNATURE, signed(document, document.len())));
        };
        let (level, token) = if request.target_level == "B-T" {
            let Some(token) = answer(&answers, TIMESTAMP)? else {
                return Ok(asking(TIMESTAMP, value.to_vec()));
            };
            (LEVEL_T, token)
        } else {
            (LEVEL_B, &[][..])
        };
        out.copy(document, 0, document.len());
        out.write(line(signer, value, token).as_bytes());
        Ok(signing::Step {
            needs: Vec::new(),
            outcome: Some(signing::Outcome {
                media_type: MEDIA_TYPE.to_owned(),
                level: level.to_owned(),
                signature_id: id(known.len()),
            }),
        })
    }
}

impl verification::Guest for Plugin {
    fn verify(document: &Blob) -> Result<verification::Evidence, Refusal> {
        let known = signatures(document)?;
        let mut evidence = verification::Evidence {
            certificates: Vec::new(),
            revocation: Vec::new(),
            signatures: Vec::new(),
        };
        for (index, signature) in known.into_iter().enumerate() {
            let place = u32::try_from(index).unwrap_or(u32::MAX);
            let found = evidence_of(document, &signature, place);
            evidence.signatures.push(found);
            evidence.certificates.push(signature.certificate);
        }
        Ok(evidence)
    }
}

fn evidence_of(
    document: &Blob,
    signature: &Signature,
    place: u32,
) -> verification::SignatureEvidence {
    let payload = signed(document, signature.start);
    let (coverage, changes) = if signature.end == document.len() {
        ("entire-file", "none")
    } else {
        ("entire-revision", "signing")
    };
    let stamp = verification::TimestampEvidence {
        kind: "signature".to_owned(),
        token: signature.token.clone(),
        time: None,
        status: "intact".to_owned(),
    };
    let is_stamped = !signature.token.is_empty();
    verification::SignatureEvidence {
        id: id(place as usize),
        kind: "signature".to_owned(),
        claimed_time: None,
        integrity: integrity(signature, &payload).to_owned(),
        signed: Payload::Bytes(payload),
        value: signature.value.clone(),
        algorithm: ALGORITHM.to_owned(),
        signer_certificate: Some(place),
        certificates: vec![place],
        revocation: Vec::new(),
        timestamps: is_stamped.then_some(stamp).into_iter().collect(),
        coverage: verification::Coverage {
            kind: coverage.to_owned(),
            members: Vec::new(),
        },
        later_changes: verification::LaterChanges {
            kind: changes.to_owned(),
            unpermitted: None,
        },
        level: if is_stamped { LEVEL_T } else { LEVEL_B }.to_owned(),
    }
}

fn integrity(signature: &Signature, payload: &[u8]) -> &'static str {
    let Ok(certificate) = Certificate::from_der(&signature.certificate) else {
        return "malformed";
    };
    let hasher = Hasher::new(DIGEST);
    hasher.update(payload);
    let key = certificate.subject_public_key_info();
    match crypto::verify(key, ALGORITHM, &hasher.finish(), &signature.value) {
        Ok(true) => "intact",
        Ok(false) => "signature-mismatch",
        Err(_) => "unsupported",
    }
}

/// Returns the content of the answer to a need, if it is answered.
fn answer<'a>(answers: &'a [Answer], need: &str) -> Result<Option<&'a [u8]>, Refusal> {
    let answer = answers.iter().find(|answer| answer.need_id == need);
    match answer.map(|answer| &answer.outcome) {
        None => Ok(None),
        Some(Ok(bytes)) => Ok(Some(bytes)),
        Some(Err(why)) => Err(refusal("bad-request", why)),
    }
}

/// Returns a need of this kind, whose id is the kind.
fn asking(kind: &str, payload: Vec<u8>) -> signing::Step {
    signing::Step {
        needs: vec![Need {
            id: kind.to_owned(),
            kind: kind.to_owned(),
            payload: Payload::Bytes(payload),
            digest_algorithm: Some(DIGEST.to_owned()),
            params: Vec::new(),
        }],
        outcome: None,
    }
}

fn id(index: usize) -> String {
    format!("signature-{}", index + 1)
}
