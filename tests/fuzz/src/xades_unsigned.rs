//! Unsigned properties of a XAdES signature.

use std::fmt::Write as _;
use std::sync::LazyLock;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use parafa_format_core::{
    BaselineLevel, DigestAlgorithm, Environment, Integrity, NativeEnvironment, Part,
    SignatureAlgorithm, levels,
};
use parafa_xades::names::{DSIG, XADES, XADES_141};
use parafa_xades::{DataObject, DataObjects, Draft, Piece, Profile, SignatureRequest, Verified};
use parafa_xml::{Document, Limits};
use sha2::{Digest, Sha256};

use crate::Target;
use crate::answers::sound;
use crate::authority::WORLD;
use crate::pdf::assert_listed;
use crate::unsigned::{altered, assert_deserved, ders, token};
use crate::xml::{assert_is_raised, raise, verified};

/// The verifier of XAdES, and the function that raises it, with any unsigned properties.
///
/// The input chooses properties of a sound signature: elements of the schemas in any order and
/// number, with sound, flawed and hostile contents. The signed bytes stay unchanged, and the
/// verdict is no better than the properties allow; a second reading gives the same. A raised file
/// keeps every byte of its input.
pub const XADES_UNSIGNED: Target = Target {
    name: "xades_unsigned",
    run,
    seeds: || {
        // Properties by their number in `properties`, with their choices.
        vec![
            vec![0],
            vec![0, 1],
            vec![2, 0, 0, 0, 1, 0, 0],
            vec![0, 2, 1, 0, 0, 1, 0, 0],
            vec![0, 3, 0, 2, 0, 2, 0],
            vec![4, 0, 0, 1, 1, 1],
            vec![5, 3, 0, 5, 1],
            vec![0, 1, 0, 1],
        ]
    },
};

/// Most properties, and deepest nesting of elements in a property built by the input.
const MOST_PROPERTIES: usize = 16;
const MOST_LEVELS: usize = 4;

/// The signed data.
const MEMBER: &[u8] = b"a member";

const LIST: &str = "<xades:UnsignedSignatureProperties>";
const END_OF_LIST: &str = "</xades:UnsignedSignatureProperties>";
/// The end of signed properties, after which unsigned ones follow.
const END_OF_SIGNED: &str = "</xades:SignedProperties>";

const STAMPS: &[&str] = &[
    "xades:SignatureTimeStamp",
    "xades:ArchiveTimeStamp",
    "xades141:ArchiveTimeStamp",
    "xades:SigAndRefsTimeStamp",
    "xades141:SigAndRefsTimeStampV2",
    "xades:RefsOnlyTimeStamp",
    "xades:AllDataObjectsTimeStamp",
];

/// Elements before the token of a time-stamp.
const METHODS: &[&str] = &[
    "<ds:CanonicalizationMethod Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"/>",
    "",
    "<ds:CanonicalizationMethod Algorithm=\"http://www.w3.org/TR/2001/REC-xml-c14n-20010315\"/>",
    "<ds:CanonicalizationMethod Algorithm=\"urn:unknown\"/>",
    "<xades:Include URI=\"#S0-value\"/>",
    "<xades:Include URI=\"#S0-properties\" referencedData=\"true\"/>",
];

const STORES: &[&str] = &[
    "xades141:TimeStampValidationData",
    "xades141:AnyValidationData",
    "xades:CertificateValues",
    "xades:RevocationValues",
    "xades:AttrAuthoritiesCertValues",
    "xades:AttributeRevocationValues",
];

/// Paths of elements in stores, from the outermost to the one with the octets.
const STORED: &[&[&str]] = &[
    &["xades:EncapsulatedX509Certificate"],
    &["xades:OCSPValues", "xades:EncapsulatedOCSPValue"],
    &["xades:CRLValues", "xades:EncapsulatedCRLValue"],
    &[
        "xades:CertificateValues",
        "xades:EncapsulatedX509Certificate",
    ],
    &[
        "xades:RevocationValues",
        "xades:OCSPValues",
        "xades:EncapsulatedOCSPValue",
    ],
    &["xades:OtherCertificate"],
];

/// Elements of the schemas, and others.
const NAMES: &[&str] = &[
    "xades:CounterSignature",
    "ds:Signature",
    "ds:SignedInfo",
    "ds:SignatureValue",
    "ds:KeyInfo",
    "ds:X509Data",
    "ds:X509Certificate",
    "ds:Object",
    "ds:Manifest",
    "ds:Reference",
    "ds:DigestMethod",
    "ds:DigestValue",
    "xades:QualifyingProperties",
    "xades:SignedProperties",
    "xades:SignedSignatureProperties",
    "xades:SigningTime",
    "xades:SigningCertificateV2",
    "xades:UnsignedProperties",
    "xades:UnsignedSignatureProperties",
    "xades:UnsignedDataObjectProperties",
    "xades:CompleteCertificateRefs",
    "xades:CompleteRevocationRefs",
    "xades:CertRefs",
    "xades:Cert",
    "xades:CertDigest",
    "xades:CRLRefs",
    "xades:OCSPRefs",
    "xades:OCSPRef",
    "xades:OCSPIdentifier",
    "xades:ResponderID",
    "xades:ProducedAt",
    "xades:XMLTimeStamp",
    "xades:EncapsulatedTimeStamp",
    "xades141:SealingEvidenceRecords",
    "xades141:RenewedDigests",
    "xades141:RecomputedDigestValue",
    "xades141:SignaturePolicyStore",
    "other",
];

const ATTRIBUTES: &[&str] = &[
    "",
    " Id=\"S0\"",
    " Id=\"S0-properties\"",
    " Id=\"other\"",
    " Id=\"a b\"",
    " Target=\"#S0\"",
    " URI=\"#S0-properties\"",
    " Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"",
    " Encoding=\"http://uri.etsi.org/01903/v1.2.2#PER\"",
    " Order=\"1\"",
    " xmlns:xades=\"urn:other\"",
    " xmlns=\"http://uri.etsi.org/01903/v1.3.2#\"",
    " xml:lang=\"lt\"",
    " other:a=\"b\"",
];

/// Text between elements, and in them.
const BETWEEN: &[&str] = &[
    "\n ",
    "<!-- a -->",
    "<?a b?>",
    "text",
    "&#x41;",
    "&amp;",
    "&unknown;",
    "<![CDATA[<a>]]>",
    "<a xmlns=\"urn:other\"><a><a/></a></a>",
    "<xades:SignatureTimeStamp/>",
    "MAA=",
    "2026-11-21T16:00:00Z",
];

struct Sound {
    /// The signature at level B-B.
    signed: String,
    /// The bytes that its time-stamp stamps.
    stamped: Vec<u8>,
    /// The properties that raise it to level B-T, and from there to B-LT.
    stamp: String,
    values: String,
    ders: Vec<Vec<u8>>,
    verified: Verified,
}

static SOUND: LazyLock<Sound> = LazyLock::new(Sound::new);

/// A container with one member.
struct OneMember;

impl DataObjects for OneMember {
    fn contains(&self, name: &str) -> bool {
        name == "a"
    }

    fn digest(&self, pieces: &[Piece<'_>], algorithm: DigestAlgorithm) -> Result<Vec<u8>, String> {
        let parts = pieces.iter().map(|piece| match piece {
            Piece::Bytes(bytes) => Part::Bytes(bytes),
            Piece::Member(_) => Part::Bytes(MEMBER),
        });
        let parts: Vec<_> = parts.collect();
        Ok(NativeEnvironment.digest(algorithm, &parts))
    }

    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Ok(MEMBER.to_vec())
    }
}

fn run(input: &[u8]) {
    let Ok(properties) = properties(&mut Unstructured::new(input)) else {
        return;
    };
    let file = SOUND.with(&properties);
    if Document::parse(file.as_bytes(), &Limits::default()).is_err() {
        return assert!(raise(&OneMember, file.as_bytes(), &sound).is_err());
    }
    let signature = only_signature(&file);
    let again = only_signature(&file);
    assert_eq!(format!("{signature:?}"), format!("{again:?}"));
    assert_keeps(&signature);
    if properties == [SOUND.stamp.as_str(), &SOUND.values].concat() {
        assert_eq!(signature.level, levels::XADES_B_LT);
    }
    assert_raises(&file);
}

/// Asserts that data outside a signature do not change its signed bytes.
fn assert_keeps(signature: &Verified) {
    let before = &SOUND.verified;
    match signature.integrity {
        Integrity::Intact => {
            assert_eq!(signature.signed_info, before.signed_info);
            assert_eq!(signature.value, before.value);
            assert_eq!(signature.signer_certificate, before.signer_certificate);
            assert_eq!(signature.claimed_time, before.claimed_time);
            assert_eq!(signature.algorithm, before.algorithm);
            assert_eq!(signature.covers, before.covers);
            assert_eq!(signature.id, before.id);
        }
        // The file breaks its schema, or identifiers are not unique.
        Integrity::Malformed => assert_eq!(BaselineLevel::of(signature.level), None),
        other => panic!("{other:?}, and nothing was changed: {:?}", signature.fault),
    }
    let revocation = signature.revocation.iter().map(Vec::as_slice);
    let timestamps = &signature.timestamps;
    assert_deserved(signature.level, timestamps, revocation, &SOUND.stamped);
}

fn assert_raises(file: &str) {
    let raised = match raise(&OneMember, file.as_bytes(), &sound) {
        Ok(raised) => raised,
        Err(refusal) => return assert_listed(&refusal),
    };
    let [written] = &raised.files[..] else {
        panic!("there is one file")
    };
    let after = written.as_deref().unwrap_or(file);
    assert!(is_inserted_into(file, after));
    let signature = only_signature(after);
    assert_eq!(signature.integrity, Integrity::Intact);
    assert_eq!(signature.level, raised.level);
    assert_keeps(&signature);
    assert_is_raised(&OneMember, after.as_bytes());
}

/// Returns true if the texts differ by one inserted piece only.
fn is_inserted_into(before: &str, after: &str) -> bool {
    let is_same = |(one, other): &(u8, u8)| one == other;
    let forwards = before.bytes().zip(after.bytes());
    let backwards = before.bytes().rev().zip(after.bytes().rev());
    let front = forwards.take_while(is_same).count();
    let back = backwards.take_while(is_same).count();
    front + back >= before.len()
}

fn only_signature(file: &str) -> Verified {
    let mut signatures = verified(&OneMember, file.as_bytes());
    assert_eq!(signatures.len(), 1);
    signatures.remove(0)
}

/// Properties as the input chooses them.
fn properties(input: &mut Unstructured<'_>) -> Result<String> {
    let mut text = String::new();
    for _ in 0..MOST_PROPERTIES {
        if input.is_empty() {
            break;
        }
        match input.int_in_range(0..=5_u8)? {
            0 => text.push_str(&SOUND.stamp),
            1 => text.push_str(&SOUND.values),
            2 => stamp(&mut text, input)?,
            3 => store(&mut text, input)?,
            4 => element(&mut text, MOST_LEVELS, input)?,
            _ => text.push_str(input.choose(BETWEEN)?),
        }
    }
    Ok(text)
}

fn stamp(text: &mut String, input: &mut Unstructured<'_>) -> Result<()> {
    let name = *input.choose(STAMPS)?;
    let method = *input.choose(METHODS)?;
    let attributes = *input.choose(ATTRIBUTES)?;
    let _ = write!(text, "<{name}{attributes}>{method}");
    for _ in 0..input.int_in_range(0..=2_u8)? {
        octets(text, "xades:EncapsulatedTimeStamp", input)?;
    }
    let _ = write!(text, "</{name}>");
    Ok(())
}

fn store(text: &mut String, input: &mut Unstructured<'_>) -> Result<()> {
    let name = *input.choose(STORES)?;
    let _ = write!(text, "<{name}>");
    for _ in 0..input.int_in_range(0..=4_u8)? {
        let [outer @ .., inner] = *input.choose(STORED)? else {
            continue;
        };
        for name in outer {
            let _ = write!(text, "<{name}>");
        }
        octets(text, inner, input)?;
        for name in outer.iter().rev() {
            let _ = write!(text, "</{name}>");
        }
    }
    let _ = write!(text, "</{name}>");
    Ok(())
}

/// Writes an element with DER, sound or not.
fn octets(text: &mut String, name: &str, input: &mut Unstructured<'_>) -> Result<()> {
    let der = BASE64_STANDARD.encode(altered(&SOUND.ders, input)?);
    let _ = write!(text, "<{name}>{der}</{name}>");
    Ok(())
}

fn element(text: &mut String, levels: usize, input: &mut Unstructured<'_>) -> Result<()> {
    let name = *input.choose(NAMES)?;
    let attributes = *input.choose(ATTRIBUTES)?;
    let _ = write!(text, "<{name}{attributes}>");
    match input.int_in_range(0..=3_u8)? {
        0 => text.push_str(input.choose(BETWEEN)?),
        1 => text.push_str(&BASE64_STANDARD.encode(altered(&SOUND.ders, input)?)),
        children if levels > 0 => {
            for _ in 1..children {
                element(text, levels - 1, input)?;
            }
        }
        _ => {}
    }
    let _ = write!(text, "</{name}>");
    Ok(())
}

impl Sound {
    fn new() -> Self {
        let request = SignatureRequest {
            profile: Profile::Baseline,
            id: "S0",
            time: 1_767_323_046,
            algorithm: SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256),
            certificate: &WORLD.signer.certificate,
            issuers: &[],
            objects: &[DataObject {
                name: "a",
                part: None,
                media_type: "text/plain",
                digest: &Sha256::digest(MEMBER),
            }],
        };
        let draft = Draft::new(&NativeEnvironment, &request).expect("the certificate is sound");
        let value = WORLD.signer.sign(draft.to_be_signed());
        let signed = draft.with_value(&value).expect("two numbers");
        let stamped = draft.to_be_stamped(&signed).expect("a signature");
        let timestamped = draft.with_timestamp(&signed, &token(&stamped));
        let timestamped = timestamped.expect("a signature");
        let raised = raise(&OneMember, timestamped.as_bytes(), &sound);
        let raised = raised.expect("what is sound can be raised").files.remove(0);
        let stamp = listed(&timestamped);
        let values = listed(&raised.expect("level T lacks values"));
        let values = values.strip_prefix(&stamp).expect("properties stay");
        Self {
            ders: ders(&stamped),
            values: values.to_owned(),
            verified: only_signature(&signed),
            stamp,
            stamped,
            signed,
        }
    }

    /// Returns the signature with unsigned properties.
    fn with(&self, properties: &str) -> String {
        if properties.is_empty() {
            return self.signed.clone();
        }
        let unsigned = format!(
            "{END_OF_SIGNED}<xades:UnsignedProperties xmlns:xades=\"{XADES}\" \
             xmlns:xades141=\"{XADES_141}\" xmlns:ds=\"{DSIG}\" xmlns:other=\"urn:other\">\
             {LIST}{properties}{END_OF_LIST}</xades:UnsignedProperties>"
        );
        self.signed.replacen(END_OF_SIGNED, &unsigned, 1)
    }
}

/// Returns the properties of a file.
fn listed(file: &str) -> String {
    let list = file
        .split_once(LIST)
        .and_then(|(_, list)| list.split_once(END_OF_LIST));
    let (properties, _) = list.expect("there are unsigned properties");
    properties.to_owned()
}
