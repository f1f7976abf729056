//! Unsigned data of a signature, and the levels that they can prove.

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use parafa_format_core::{BaselineLevel, TimestampEvidence, TimestampKind, TimestampStatus};
use parafa_issuing::Status;
use parafa_pki::{Certificate, RevocationData, Subjects, TimestampToken};
use sha2::{Digest, Sha256};

use crate::answers::response;
use crate::authority::{WORLD, timestamp_info};

/// Returns DER for the unsigned data of a signature by the world's signer: time-stamps of its value
/// and of other bytes, certificates, and revocation data.
pub(crate) fn ders(stamped: &[u8]) -> Vec<Vec<u8>> {
    let at = "20261121160100Z";
    let revoked = Status::Revoked {
        at: "20261101120000Z".into(),
        reason: None,
    };
    let revoked = WORLD.response(&WORLD.responder, &WORLD.signer, revoked, [at, at]);
    let tokens = [stamped, b"something else"].map(token);
    let known = [
        &WORLD.signer,
        &WORLD.issuer,
        &WORLD.stamper,
        &WORLD.responder,
    ];
    let certificates = known.map(|identity| identity.certificate.clone());
    let answered = [&WORLD.signer, &WORLD.stamper, &WORLD.responder].map(response);
    let revoked = revoked.der().expect("the key can be used");
    tokens
        .into_iter()
        .chain(certificates)
        .chain(answered)
        .chain([revoked, Vec::new()])
        .collect()
}

/// Returns a time-stamp token over these bytes.
pub(crate) fn token(stamped: &[u8]) -> Vec<u8> {
    let digest = Sha256::digest(stamped).into();
    WORLD.timestamp_token(&timestamp_info(&digest, "20261121160000Z", &[1]))
}

/// Chooses one of them, perhaps with a flaw.
pub(crate) fn altered(ders: &[Vec<u8>], input: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut der = input.choose(ders)?.clone();
    match input.int_in_range(0..=5_u8)? {
        1 if !der.is_empty() => {
            let at = input.choose_index(der.len())?;
            der[at] ^= input.arbitrary::<u8>()?;
        }
        2 if !der.is_empty() => der.truncate(input.choose_index(der.len())?),
        3 => der.push(input.arbitrary()?),
        _ => {}
    }
    Ok(der)
}

/// Asserts that a verdict is no better than the unsigned data allow. An intact time-stamp is over
/// the value of the signature, and levels from T on have one. From LT on, revocation data cover the
/// signer's certificate. No time-stamp here is an archive time-stamp.
pub(crate) fn assert_deserved<'e>(
    level: &str,
    timestamps: &[TimestampEvidence],
    mut revocation: impl Iterator<Item = &'e [u8]>,
    stamped: &[u8],
) {
    let is_intact = |stamp: &&TimestampEvidence| stamp.status == TimestampStatus::Intact;
    for stamp in timestamps.iter().filter(is_intact) {
        let token = TimestampToken::parse(&stamp.token).expect("it was verified");
        assert_eq!(stamp.kind, TimestampKind::Signature);
        assert_eq!(stamp.time, Some(token.time()));
        assert!(token.stamps(stamped));
    }
    let level = BaselineLevel::of(level);
    let is_stamped = timestamps.iter().any(|stamp| is_intact(&stamp));
    assert!(is_stamped || level < Some(BaselineLevel::T));
    let is_told_of = revocation.any(is_of_signer);
    assert!(is_told_of || level < Some(BaselineLevel::Lt));
    assert!(level < Some(BaselineLevel::Lta));
}

/// Returns true if an OCSP response covers the signer's certificate.
fn is_of_signer(der: &[u8]) -> bool {
    let signer = Certificate::from_der(&WORLD.signer.certificate);
    let serial_number = signer.expect("it is sound").serial_number();
    let data = RevocationData::parse(der);
    data.is_ok_and(|data| match data.subjects() {
        Subjects::SerialNumbers(numbers) => numbers.contains(&serial_number),
        Subjects::IssuedBy(_) => false,
    })
}
