//! Unsigned properties of a XAdES signature.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use parafa_format_core::{BaselineLevel, Integrity};
use parafa_xades::names::{DSIG, XADES, XADES_141};
use parafa_xml::{Document, Limits};

use crate::target::Target;
use crate::unsigned::{Part, parts};
use crate::xml::{BASIC, archives, stamp, verified};

/// The verifier of XAdES and what raises it, with any unsigned properties beside a sound
/// signature.
///
/// What was signed, and by whom, stays what it was. The signature stays intact unless
/// the file breaks its schema; then it has no level. It is raised as in
/// [`XADES`](crate::XADES).
pub const XADES_UNSIGNED: Target = Target {
    name: "xades_unsigned",
    run,
    seeds: || crate::unsigned::seeds(&stamp(), &TEXTS),
};

/// The end of the signed properties, which unsigned ones follow.
const END: &str = "</xades:SignedProperties>";

const TEXTS: [&str; 6] = [
    "<o:a Id='S0'>b</o:a>",
    "<!-- a --><xades:CounterSignature><ds:Signature/></xades:CounterSignature>",
    "<xades141:TimeStampValidationData><xades:CertificateValues/></xades141:TimeStampValidationData>",
    "<xades:CompleteCertificateRefs/><xades:SigAndRefsTimeStamp/>",
    "<xades141:SealingEvidenceRecords/>",
    "<xades:SignatureTimeStamp><xades:Include URI='#S0'/></xades:SignatureTimeStamp>",
];

fn run(input: &[u8]) {
    let properties: Option<String> = parts(input).iter().map(property).collect();
    let Some(properties) = properties else {
        return;
    };
    let unsigned = format!(
        "{END}{}",
        spaced(
            "xades:UnsignedProperties",
            &nested(&["xades:UnsignedSignatureProperties"], &properties)
        )
    );
    let file = BASIC.replacen(END, &unsigned, 1);
    if Document::parse(file.as_bytes(), &Limits::default()).is_err() {
        return;
    }
    let (before, after) = (verified(BASIC.as_bytes()), verified(file.as_bytes()));
    let ([before], [after]) = (&before[..], &after[..]) else {
        panic!("there is one signature")
    };
    assert_eq!(after.id, before.id);
    assert_eq!(after.signed_info, before.signed_info);
    assert_eq!(after.value, before.value);
    assert_eq!(after.signer_certificate, before.signer_certificate);
    assert_eq!(after.claimed_time, before.claimed_time);
    match after.integrity {
        Integrity::Intact => assert_eq!(after.covers, before.covers),
        Integrity::Malformed => assert_eq!(BaselineLevel::of(after.level), None),
        other => panic!("{other:?}: {:?}", after.fault),
    }
    archives(file.as_bytes());
}

/// The elements of a part; `None` for a text that is not one of whole elements.
fn property(part: &Part) -> Option<String> {
    let (names, der): (&[&str], _) = match part {
        Part::Text(text) => {
            let text = str::from_utf8(text).ok()?;
            let whole = spaced("o:whole", text);
            Document::parse(whole.as_bytes(), &Limits::default()).ok()?;
            return Some(text.to_owned());
        }
        Part::Stamp(der) => (
            &["xades:SignatureTimeStamp", "xades:EncapsulatedTimeStamp"],
            der,
        ),
        Part::ArchiveStamp(der) => (
            &["xades141:ArchiveTimeStamp", "xades:EncapsulatedTimeStamp"],
            der,
        ),
        Part::Certificate(der) => (
            &[
                "xades:CertificateValues",
                "xades:EncapsulatedX509Certificate",
            ],
            der,
        ),
        Part::Response(der) => (
            &[
                "xades:RevocationValues",
                "xades:OCSPValues",
                "xades:EncapsulatedOCSPValue",
            ],
            der,
        ),
        Part::List(der) => (
            &[
                "xades:RevocationValues",
                "xades:CRLValues",
                "xades:EncapsulatedCRLValue",
            ],
            der,
        ),
    };
    Some(nested(names, &BASE64_STANDARD.encode(der)))
}

/// Elements in one another, the outermost first.
fn nested(names: &[&str], content: &str) -> String {
    let names = names.iter().rev();
    names.fold(content.to_owned(), |content, name| {
        format!("<{name}>{content}</{name}>")
    })
}

/// An element with all prefixes.
fn spaced(name: &str, content: &str) -> String {
    format!(
        "<{name} xmlns:xades=\"{XADES}\" xmlns:xades141=\"{XADES_141}\" xmlns:ds=\"{DSIG}\" \
         xmlns:o=\"urn:o\">{content}</{name}>"
    )
}
