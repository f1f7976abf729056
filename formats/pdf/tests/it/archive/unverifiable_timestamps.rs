//! Unverifiable time-stamps prove nothing, and invalidate nothing.

use std::ops::Range;

use openssl::sha::sha256;
use parafa_cades::{SignedAttributes, SignedDataBuilder};
use parafa_fixtures::plain;
use parafa_format_core::{DigestAlgorithm, Integrity, TimestampStatus};
use parafa_issuing::der::{context, sequence, tlv};

use super::{level_of_first, time_stamped, with_store, with_value};
use crate::archiving::{HIERARCHY, archived, missing};
use crate::ceremony::PKI;
use crate::pki::Pki;
use crate::verify::evidence;

#[test]
fn a_time_stamp_whose_makers_certificate_is_nowhere_counts_for_no_level() {
    let document = signed_with(&[bare(&PKI)]);

    assert_eq!(statuses(&document), [TimestampStatus::Unverifiable]);
    assert_eq!(level_of_first(&document), "PAdES-B-B");
    assert_eq!(
        missing(&document, |need| HIERARCHY.answer(need)),
        ["Field90: time-stamp's chain: the certificate of its signer is missing"]
    );
}

#[test]
fn a_time_stamp_whose_makers_certificate_is_nowhere_takes_nothing_from_another() {
    let stranger = Pki::new();
    let (intact, unverifiable) = (TimestampStatus::Intact, TimestampStatus::Unverifiable);
    for (stamp, expected) in [
        ([bare(&stranger), whole(&PKI)], [unverifiable, intact]),
        ([whole(&PKI), bare(&stranger)], [intact, unverifiable]),
    ] {
        let document = signed_with(&stamp);

        assert_eq!(statuses(&document), expected);
        assert_eq!(level_of_first(&document), "PAdES-B-T");
        assert_eq!(level_of_first(&archived(&document)), "PAdES-B-LT");
    }
}

#[test]
fn a_time_stamp_over_the_document_stands_in_for_one_whose_makers_certificate_is_nowhere() {
    let stranger = Pki::new();
    let document = time_stamped(&signed_with(&[bare(&stranger)]), &PKI, 94);

    assert_eq!(level_of_first(&document), "PAdES-B-T");
    assert_eq!(level_of_first(&archived(&document)), "PAdES-B-LT");
}

#[test]
fn a_time_stamp_whose_makers_certificate_is_in_the_store_counts() {
    let stamper = PKI.stamper().to_der().unwrap();

    let document = with_store(&signed_with(&[bare(&PKI)]), &[stamper], &[], &[]);

    assert_eq!(statuses(&document), [TimestampStatus::Intact]);
    assert_eq!(level_of_first(&document), "PAdES-B-T");
    assert_eq!(level_of_first(&archived(&document)), "PAdES-B-LT");
}

#[test]
fn a_document_time_stamp_whose_time_was_altered_was_not_signed_so() {
    let entries = "/Type /DocTimeStamp /SubFilter /ETSI.RFC3161";
    let document = with_value(&plain(1), 90, entries, |covered| {
        let mut token = PKI.timestamp(covered);
        let mut windows = token.windows(4);
        let time = windows.position(|bytes| bytes == b"\x18\x0F20").unwrap();
        // The last digit of the seconds.
        token[time + 15] ^= 1;
        token
    });

    assert_eq!(statuses(&document), [TimestampStatus::SignatureMismatch]);
    let integrity = evidence(&document)[0].integrity;
    assert_eq!(integrity, Integrity::SignatureMismatch);
}

/// Creates a time-stamp over bytes.
type Stamp<'a> = Box<dyn Fn(&[u8]) -> Vec<u8> + 'a>;

/// Creates a valid time-stamp.
fn whole(pki: &Pki) -> Stamp<'_> {
    Box::new(|stamped| pki.timestamp(stamped))
}

/// Without certificates (RFC 3161, 2.4.1: `certReq` was false).
fn bare(pki: &Pki) -> Stamp<'_> {
    Box::new(|stamped| {
        let token = pki.timestamp(stamped);
        let [content_type, content] = elements(value(&token))[..] else {
            panic!("a ContentInfo has two")
        };
        let mut parts = elements(value(value(content)));
        parts.retain(|part| part[0] != 0xA0);
        let content = context(0, &[&tlv(0x30, &[&parts.concat()])]);
        sequence(&[content_type, &content])
    })
}

/// Returns a document with Ona's baseline signature and time-stamps over its
/// value.
fn signed_with(stamps: &[Stamp<'_>]) -> Vec<u8> {
    let entries = "/Type /Sig /SubFilter /ETSI.CAdES.detached /M (D:20261121062435Z)";
    with_value(&plain(1), 90, entries, |covered| {
        let request = HIERARCHY.request(&HIERARCHY.ona);
        let (chain, algorithm) = (request.signer_chain, request.signature_algorithm);
        let digest = sha256(covered);
        let attributes =
            SignedAttributes::new(&digest, DigestAlgorithm::Sha256, &chain[0]).unwrap();
        let signer = &HIERARCHY.ona.holder;
        let value = signer.sign(algorithm, attributes.to_be_signed());
        let tokens: Vec<Vec<u8>> = stamps.iter().map(|stamp| stamp(&value)).collect();
        let (first, others) = tokens.split_first().unwrap();
        let signature = SignedDataBuilder::new(&attributes, algorithm, &chain, &value).unwrap();
        let der = signature.with_timestamp(first).unwrap().to_der();
        with_more_values(&der, &others.concat())
    })
}

/// Appends values to the last unsigned attribute of a signature.
fn with_more_values(signature: &[u8], more: &[u8]) -> Vec<u8> {
    // Each is the last part of the one before: ContentInfo, its content,
    // SignedData, SignerInfos, SignerInfo, its unsigned attributes, the
    // attribute, its values.
    const DEPTH: usize = 7;

    fn appended(element: &[u8], depth: usize, more: &[u8]) -> Vec<u8> {
        if depth == 0 {
            return tlv(element[0], &[value(element), more]);
        }
        let parts = elements(value(element));
        let (last, before) = parts.split_last().unwrap();
        let last = appended(last, depth - 1, more);
        tlv(element[0], &[&before.concat(), &last])
    }
    appended(signature, DEPTH, more)
}

/// Returns the value of a DER element.
fn value(element: &[u8]) -> &[u8] {
    &element[value_range(element)]
}

/// Splits concatenated DER elements.
fn elements(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut elements = Vec::new();
    while !bytes.is_empty() {
        let (element, rest) = bytes.split_at(value_range(bytes).end);
        elements.push(element);
        bytes = rest;
    }
    elements
}

/// Returns the range of the value of the first DER element.
fn value_range(bytes: &[u8]) -> Range<usize> {
    match usize::from(bytes[1]) {
        len @ 0..=0x7F => 2..2 + len,
        long => {
            let start = 2 + (long & 0x7F);
            let digits = bytes[2..start].iter();
            let len = digits.fold(0, |len, digit| (len << 8) | usize::from(*digit));
            start..start + len
        }
    }
}

/// Returns the status of each time-stamp of the first signature.
fn statuses(document: &[u8]) -> Vec<TimestampStatus> {
    let evidence = evidence(document);
    let timestamps = evidence[0].timestamps.iter();
    timestamps.map(|timestamp| timestamp.status).collect()
}
