//! XML, as signatures are read, and signatures in it.

use parafa_format_core::{DigestAlgorithm, Integrity, NativeEnvironment};
use parafa_xades::{DataObjects, Draft, Piece, Profile, SignatureRequest, Verifier};
use parafa_xml::{Canonicalization, Document, Limits};

use crate::Target;
use crate::authority::WORLD;

/// The reader of XML, the canonical forms, and the verifier of signatures.
///
/// A canonical form is its own, and no signature holds: nobody signed.
pub const XADES: Target = Target {
    name: "xades",
    run,
    seeds,
};

/// A container with one member.
struct OneMember;

impl DataObjects for OneMember {
    fn contains(&self, name: &str) -> bool {
        name == "a"
    }

    fn digest(&self, _: &[Piece<'_>], algorithm: DigestAlgorithm) -> Result<Vec<u8>, String> {
        Ok(vec![0; algorithm.output_len()])
    }

    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Ok(b"<m ID='m'/>".to_vec())
    }
}

fn run(input: &[u8]) {
    let Ok(document) = Document::parse(input, &Limits::default()) else {
        return;
    };
    let form = document
        .root()
        .canonicalize(Canonicalization::EXCLUSIVE, &[]);
    let form = form.expect("trees that were parsed have a form");
    if let Ok(again) = Document::parse(&form, &Limits::default()) {
        let again = again.root().canonicalize(Canonicalization::EXCLUSIVE, &[]);
        assert_eq!(again.as_ref(), Ok(&form));
    }
    let verifier = Verifier::new(&NativeEnvironment, &OneMember);
    for signature in verifier.verify(&document).unwrap_or_default() {
        assert_ne!(signature.integrity, Integrity::Intact);
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let of_profile = |profile, part| {
        let request = SignatureRequest {
            profile,
            id: "S0",
            time: 1_767_323_046,
            algorithm: parafa_format_core::SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
            certificate: &WORLD.signer.certificate,
            objects: &[parafa_xades::DataObject {
                name: "a",
                part,
                media_type: "text/plain",
                digest: &[0; 32],
            }],
        };
        let draft = Draft::new(&NativeEnvironment, &request).expect("the certificate is sound");
        let value = [0x30, 6, 2, 1, 1, 2, 1, 1];
        draft.with_value(&value).expect("two numbers").into_bytes()
    };
    let metadata = b"<sig:m xmlns:sig='urn:m'><!-- c --><sig:d ID='d'>t&amp;</sig:d></sig:m>";
    vec![
        of_profile(Profile::Baseline, None),
        of_profile(Profile::Adoc, Some("m")),
        metadata.to_vec(),
    ]
}
