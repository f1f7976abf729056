//! Unsigned data beside a signature, as the input lists them.

use parafa_issuing::Status;

use crate::answers::response;
use crate::authority::WORLD;

/// Most parts of one input.
const MOST_PARTS: usize = 24;

/// Kinds of parts in inputs.
const TEXT: u8 = 0;
const STAMP: u8 = 1;
const STAMP_OF_INFO: u8 = 2;
const ARCHIVE_STAMP: u8 = 3;
const CERTIFICATE: u8 = 4;
const RESPONSE: u8 = 5;
const RESPONSE_OF_DATA: u8 = 6;
const LIST: u8 = 7;

/// A part: a text of the format, or DER, sound or not.
pub(crate) enum Part {
    Text(Vec<u8>),
    Stamp(Vec<u8>),
    ArchiveStamp(Vec<u8>),
    Certificate(Vec<u8>),
    Response(Vec<u8>),
    List(Vec<u8>),
}

impl Part {
    /// Reads a part. A TSTInfo or a ResponseData is signed by the right authority.
    fn of(kind: u8, bytes: &[u8]) -> Self {
        match kind % (LIST + 1) {
            TEXT => Self::Text(bytes.to_vec()),
            STAMP => Self::Stamp(bytes.to_vec()),
            STAMP_OF_INFO => Self::Stamp(WORLD.timestamp_token(bytes)),
            ARCHIVE_STAMP => Self::ArchiveStamp(bytes.to_vec()),
            CERTIFICATE => Self::Certificate(bytes.to_vec()),
            RESPONSE => Self::Response(bytes.to_vec()),
            RESPONSE_OF_DATA => Self::Response(WORLD.ocsp_response(bytes)),
            _ => Self::List(bytes.to_vec()),
        }
    }
}

/// The parts of an input: of each its kind, its length in two bytes, and its bytes.
pub(crate) fn parts(mut input: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    while let [kind, high, low, rest @ ..] = input {
        if parts.len() == MOST_PARTS {
            break;
        }
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        let (bytes, next) = rest.split_at(length.min(rest.len()));
        parts.push(Part::of(*kind, bytes));
        input = next;
    }
    parts
}

/// Inputs with sound parts, and with each of some texts; `info` is a TSTInfo over the
/// value of the signature.
pub(crate) fn seeds(info: &[u8], texts: &[&str]) -> Vec<Vec<u8>> {
    let at = "20261121160100Z";
    let told = WORLD.response(&WORLD.responder, &WORLD.signer, Status::Good, [at, at]);
    let token = WORLD.timestamp_token(info);
    let stamp = (STAMP, token.clone());
    let certificates = [&WORLD.issuer, &WORLD.responder, &WORLD.stamper];
    let certificates = certificates.map(|identity| (CERTIFICATE, identity.certificate.clone()));
    let responses = [&WORLD.signer, &WORLD.stamper, &WORLD.responder];
    let responses = responses.map(|identity| (RESPONSE, response(identity)));
    let complete = [stamp.clone()].into_iter().chain(certificates);
    let complete: Vec<_> = complete.chain(responses).collect();
    let mut seeds = vec![
        listed(std::slice::from_ref(&stamp)),
        listed(&complete),
        listed(&[(STAMP_OF_INFO, info.to_vec())]),
        listed(&[stamp.clone(), (ARCHIVE_STAMP, token)]),
        listed(&[stamp.clone(), (RESPONSE_OF_DATA, told.data())]),
        listed(&[stamp.clone(), (LIST, vec![0x30, 0])]),
    ];
    let texts = texts.iter();
    seeds.extend(texts.map(|text| listed(&[(TEXT, text.as_bytes().to_vec()), stamp.clone()])));
    seeds
}

fn listed(parts: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let parts = parts.iter().map(|(kind, bytes)| {
        let length = u16::try_from(bytes.len()).expect("parts are short");
        [&[*kind][..], &length.to_be_bytes(), bytes.as_slice()].concat()
    });
    parts.collect::<Vec<_>>().concat()
}
