//! XML, as signatures are read, and signatures in it.

use std::sync::LazyLock;

use parafa_fixtures::enveloped::EnvelopedSignature;
use parafa_format_core::{
    BaselineLevel, DigestAlgorithm, Integrity, NativeEnvironment, Need, NeedKind, Refusal,
    SignatureAlgorithm, Step,
};
use parafa_xades::{
    DataObjects, Draft, Piece, Profile, Raised, SignatureFile, SignatureRequest, Verified,
    Verifier, archive, verify_enveloped,
};
use parafa_xml::{Canonicalization, Document, Limits};
use sha2::{Digest, Sha256};

use crate::answers::sound;
use crate::authority::{WORLD, timestamp_info};
use crate::refusal::assert_listed;
use crate::target::Target;

/// Most calls: the chains of this world are short.
const MAX_CALLS: usize = 6;

/// The reader of XML, the canonical forms, the verifier of signatures, and what
/// raises them.
///
/// A canonical form is its own, and no signature holds but one that says what was
/// signed here, nor one within a document but over the one that was. What is raised
/// holds as before, is at the level that is claimed, and stays as it is when it is
/// raised again.
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

    fn digest(&self, pieces: &[Piece<'_>], algorithm: DigestAlgorithm) -> Result<Vec<u8>, String> {
        let is_the_member = matches!(pieces, [Piece::Member(_)]);
        let byte = if is_the_member { 0 } else { 1 };
        Ok(vec![byte; algorithm.output_len()])
    }

    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Ok(b"<m ID='m'/>".to_vec())
    }
}

static DRAFT: LazyLock<Draft> = LazyLock::new(|| {
    let request = SignatureRequest {
        profile: Profile::Baseline,
        id: "S0",
        time: 1_767_323_046,
        algorithm: SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
        certificate: &WORLD.signer.certificate,
        issuers: &[],
        objects: &[parafa_xades::DataObject {
            name: "a",
            part: None,
            media_type: "text/plain",
            digest: &[0; 32],
        }],
    };
    Draft::new(&NativeEnvironment, &request).expect("the certificate is sound")
});

/// A signature at level B-B.
pub(crate) static BASIC: LazyLock<String> = LazyLock::new(|| {
    let value = WORLD.signer.sign(DRAFT.to_be_signed());
    DRAFT.with_value(&value).expect("two numbers")
});

/// The same at level B-T.
static SIGNED: LazyLock<String> = LazyLock::new(|| {
    let token = WORLD.timestamp_token(&stamp());
    let signed = DRAFT.with_timestamp(&BASIC, &token);
    signed.expect("a signature")
});

/// A TSTInfo over the value: what time-stamps stamp is not digested here.
pub(crate) fn stamp() -> Vec<u8> {
    timestamp_info(&[1; 32], "20261121160000Z", &[1])
}

/// A document in its canonical form.
const DOCUMENT: &str = "<d Id=\"D\"><e>f</e></d>";

/// The same with a signature in it.
static ENVELOPED: LazyLock<String> = LazyLock::new(|| {
    let signature = EnvelopedSignature::over(DOCUMENT).by(&WORLD.signer.credential);
    DOCUMENT.replace("</d>", &(signature + "</d>"))
});

/// The form of what was signed.
static SIGNED_INFO: LazyLock<[u8; 32]> = LazyLock::new(|| {
    let verified = verified(SIGNED.as_bytes());
    Sha256::digest(&verified[0].signed_info).into()
});

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
    if let Ok(enveloped) = verify_enveloped(&NativeEnvironment, &document, &Limits::default()) {
        assert_eq!(enveloped.signed, DOCUMENT.as_bytes());
    }
    for signature in verified(input) {
        assert!(signature.integrity != Integrity::Intact || is_sound(&signature));
    }
    archives(input);
}

/// Raises what can be raised, see [`XADES`].
pub(crate) fn archives(file: &[u8]) {
    let raised = match raise(file, &sound) {
        Ok(raised) => raised,
        Err(refusal) => return assert_listed(&refusal),
    };
    let [written] = &raised.files[..] else {
        panic!("there is one file")
    };
    let after = written.as_deref().map_or(file, str::as_bytes);
    let signatures = verified(after);
    assert!(signatures.iter().all(is_sound));
    let levels = signatures.iter().map(|signature| signature.level);
    let lowest = levels.min_by_key(|level| BaselineLevel::of(level));
    assert_eq!(lowest, Some(raised.level));
    let anchors_alone = |need: &Need| match need.kind {
        NeedKind::Certificate => sound(need),
        _ => panic!("{need:?} after archiving"),
    };
    match raise(after, &anchors_alone) {
        Ok(again) => assert_eq!(again.files, [None]),
        Err(refusal) => panic!("what was raised is refused: {refusal}"),
    }
}

fn raise(file: &[u8], answer: &dyn Fn(&Need) -> Vec<u8>) -> Result<Raised, Refusal> {
    let files = [SignatureFile {
        name: "META-INF/signatures0.xml",
        bytes: file,
    }];
    let mut answers = Vec::new();
    for _ in 0..MAX_CALLS {
        match archive(&NativeEnvironment, &OneMember, &files, &answers)? {
            Step::Done(raised) => return Ok(raised),
            Step::Needs(needs) => {
                answers.extend(needs.iter().map(|need| need.answer(Ok(answer(need)))));
            }
        }
    }
    panic!("{MAX_CALLS} calls were not enough");
}

pub(crate) fn verified(file: &[u8]) -> Vec<Verified> {
    let document = Document::parse(file, &Limits::default()).expect("it was read before");
    let verifier = Verifier::new(&NativeEnvironment, &OneMember);
    verifier.verify(&document).unwrap_or_default()
}

/// Returns true if a signature holds, over the content signed here.
fn is_sound(signature: &Verified) -> bool {
    let signed: [u8; 32] = Sha256::digest(&signature.signed_info).into();
    signature.integrity == Integrity::Intact && signed == *SIGNED_INFO
}

fn seeds() -> Vec<Vec<u8>> {
    let raised = raise(SIGNED.as_bytes(), &sound).expect("what is sound can be raised");
    let archived = raised.files.into_iter().flatten().map(String::into_bytes);
    let metadata = b"<sig:m xmlns:sig='urn:m'><!-- c --><sig:d ID='d'>t&amp;</sig:d></sig:m>";
    let signed = SIGNED.clone().into_bytes();
    let enveloped = ENVELOPED.clone().into_bytes();
    [signed, enveloped, metadata.to_vec()]
        .into_iter()
        .chain(archived)
        .collect()
}
