//! Cases for a format without built-in ones: documents that are hardly of that format. Whatever a
//! plugin answers, it must not fault, and must answer the same when asked again.

use std::collections::BTreeSet;

use bytes::Bytes;
use parafa_plugin_host::Capability;
use sha2::{Digest, Sha256};

use crate::case_files::CaseFiles;
use crate::{Case, Check, Expectation, Operation, SignerAlgorithm};

/// Blocks of noise in the document that is nothing else, 32 bytes each.
const NOISE_BLOCKS: u32 = 32;
const TEXT: &str = "Labas.\n";

/// The cases, with a check of each operation that a plugin has, and of `sign`
/// also one for an RSA key.
pub(crate) fn cases(capabilities: &BTreeSet<Capability>) -> Vec<Case> {
    let operations = Operation::ALL.into_iter();
    let asked = |operation, algorithm| Check {
        algorithm,
        ..Check::of(operation, Expectation::Any)
    };
    let by_rsa = asked(Operation::Sign, Some(SignerAlgorithm::RsaPkcs1Sha256));
    let checks: Vec<Check> = operations
        .map(|operation| asked(operation, None))
        .chain([by_rsa])
        .filter(|check| capabilities.contains(&check.operation.capability()))
        .collect();
    let case = |(name, input, document): (String, String, Bytes)| Case {
        name: format!("generic-{name}"),
        origin: "part of the conformance kit".to_owned(),
        licence: "Apache-2.0".to_owned(),
        input,
        document,
        beside: Vec::new(),
        checks: checks.clone(),
    };
    documents().into_iter().map(case).collect()
}

/// Documents with their names and those of their files.
fn documents() -> Vec<(String, String, Bytes)> {
    let mut documents = vec![
        ("empty".to_owned(), "empty.bin".to_owned(), Bytes::new()),
        ("noise".to_owned(), "noise.bin".to_owned(), noise()),
        ("text".to_owned(), "text.txt".to_owned(), TEXT.into()),
    ];
    for format in CaseFiles::formats() {
        if let Some(sound) = sound(&format) {
            let half = sound.document.slice(..sound.document.len() / 2);
            documents.push((
                format!("{format}-cut-off"),
                format!("cut-off-{}", sound.input),
                half,
            ));
            documents.push((format, sound.input, sound.document));
        }
    }
    documents
}

/// A case of a format whose document its plugin accepts.
fn sound(format: &str) -> Option<Case> {
    let is_taken = |check: &Check| {
        check.operation == Operation::Inspect && matches!(check.expect, Expectation::Accepted(_))
    };
    CaseFiles::built_in(format)
        .iter()
        .filter_map(|place| Case::read(place).ok())
        .find(|case| case.checks.iter().any(is_taken))
}

/// Pseudo-random bytes, always the same.
fn noise() -> Bytes {
    let blocks = (0..NOISE_BLOCKS).flat_map(|number| Sha256::digest(number.to_be_bytes()));
    blocks.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_is_asked_for_what_it_can_do_with_every_document() {
        let cases = cases(&[Capability::Inspect, Capability::Verify].into());

        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "generic-empty",
                "generic-noise",
                "generic-text",
                "generic-adoc-cut-off",
                "generic-adoc",
                "generic-asice-cut-off",
                "generic-asice",
                "generic-jades-cut-off",
                "generic-jades",
                "generic-pdf-cut-off",
                "generic-pdf"
            ]
        );
        for case in cases {
            let asked: Vec<_> = case.checks.iter().map(|check| check.operation).collect();
            assert_eq!(asked, [Operation::Inspect, Operation::Verify]);
        }
    }

    #[test]
    fn a_plugin_that_signs_is_asked_to_for_either_kind_of_key() {
        for case in cases(&[Capability::Sign].into()) {
            let algorithms: Vec<_> = case.checks.iter().map(Check::algorithm).collect();
            assert_eq!(
                algorithms,
                [
                    SignerAlgorithm::EcdsaSha256,
                    SignerAlgorithm::RsaPkcs1Sha256
                ]
            );
        }
    }

    #[test]
    fn documents_of_other_formats_are_whole_and_cut_off() {
        let documents = documents();
        let [.., (_, _, half), (_, file, whole)] = documents.as_slice() else {
            panic!("there are documents");
        };

        assert!(whole.starts_with(b"%PDF-"));
        assert!(whole.starts_with(half) && half.len() < whole.len());
        assert_eq!(file, "input.pdf");
    }
}
