//! The signed text: a list of the files outside the document.

use parafa_plugin_sdk::core::{
    Answer, Blob, Coverage, CoverageKind, DigestAlgorithm, Environment, Evidence, Integrity,
    MemberCheck, Part, Refusal, Report, SignRequest, Sink, Step, Verdict, refusal,
};

use crate::text::{OverTexts, Text};

pub(crate) fn inspect<E: Environment>(
    environment: &E,
    document: &E::Blob,
) -> Result<Report, Refusal> {
    let (_, text) = text_of(environment, document);
    crate::inspect::inspect(&OverTexts(environment), &text)
}

pub(crate) fn sign<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    request: &SignRequest,
    answers: &[Answer],
    out: &mut S,
) -> Result<Step, Refusal> {
    let (names, text) = text_of(environment, document);
    if names.is_empty() || request.covers != names {
        let detail = "A signature is over all files beside the document.";
        return Err(Refusal::new(refusal::BAD_REQUEST, detail));
    }
    let mut signed = Text(Vec::new());
    let over_texts = OverTexts(environment);
    let step = crate::sign::sign(&over_texts, &text, request, answers, &mut signed)?;
    if matches!(step, Step::Done(_)) {
        out.copy(document, 0, document.len());
        out.write(&signed.0.split_off(text.0.len()));
    }
    Ok(step)
}

pub(crate) fn verify<E: Environment>(
    environment: &E,
    document: &E::Blob,
) -> Result<Evidence, Refusal> {
    let (names, text) = text_of(environment, document);
    let mut evidence = crate::verify::verify(&OverTexts(environment), &text)?;
    for signature in &mut evidence.signatures {
        if names.is_empty() {
            signature.integrity = Integrity::Unsupported;
            signature.coverage = CoverageKind::Partial.into();
            continue;
        }
        signature.coverage = Coverage {
            kind: CoverageKind::Members,
            members: names.clone(),
        };
        // If the list was changed, it is unknown which file was.
        if signature.integrity == Integrity::Intact {
            let checks = names.iter().map(|name| MemberCheck {
                id: name.clone(),
                digest: Verdict::Holds,
            });
            signature.digests = checks.collect();
        }
    }
    Ok(evidence)
}

/// Returns the names of the files, and the signed text with the signatures' additions.
fn text_of<E: Environment>(environment: &E, document: &E::Blob) -> (Vec<String>, Text) {
    let mut names = Vec::new();
    let mut text = Vec::new();
    for file in environment.companions() {
        let whole = Part::Range {
            source: &file.content,
            offset: 0,
            len: file.content.len(),
        };
        let digest = environment.digest(DigestAlgorithm::Sha256, &[whole]);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        text.extend_from_slice(format!("{digest} {}\n", file.name).as_bytes());
        names.push(file.name);
    }
    text.extend_from_slice(&document.read_all());
    (names, Text(text))
}
