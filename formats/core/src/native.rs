use std::cell::Cell;

use flate2::{Crc, Decompress, FlushDecompress, Status};
use rsa::RsaPublicKey;
use rsa::pkcs1v15::Pkcs1v15Sign;
use rsa::pss::Pss;
use sha1::Sha1;
use sha2::digest::DynDigest;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake256};
use spki::der::asn1::AnyRef;
use spki::der::{Decode, Reader, SliceReader, asn1::UintRef};
use spki::{ObjectIdentifier, SubjectPublicKeyInfoRef};

use crate::{
    Answer, Blob, DigestAlgorithm, Environment, HashFunction, Hasher, Need, Refusal,
    SignatureAlgorithm, Sink, Step,
};

/// Maximum length of an RSA modulus, in bits; Smart-ID keys have 6144.
const MAX_RSA_BITS: usize = 8192;

const RSA_ENCRYPTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const P384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");

thread_local! {
    static BYTES_READ: Cell<u64> = const { Cell::new(0) };
    static VERIFICATIONS: Cell<usize> = const { Cell::new(0) };
}

/// Returns the number of bytes this thread has read from documents in memory.
#[must_use]
pub fn bytes_read() -> u64 {
    BYTES_READ.get()
}

/// Returns the number of values this thread has verified with
/// [`NativeEnvironment`].
#[must_use]
pub fn verifications() -> usize {
    VERIFICATIONS.get()
}

/// A document in memory.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct MemoryBlob(pub Vec<u8>);

impl Blob for MemoryBlob {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, offset: u64, len: u32) -> Vec<u8> {
        let start = usize::try_from(offset).map_or(self.0.len(), |offset| offset.min(self.0.len()));
        let end = start.saturating_add(len as usize).min(self.0.len());
        BYTES_READ.set(BYTES_READ.get() + (end - start) as u64);
        self.0[start..end].to_vec()
    }
}

/// An output in memory.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct MemorySink(pub Vec<u8>);

impl Sink<MemoryBlob> for MemorySink {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn copy(&mut self, source: &MemoryBlob, offset: u64, len: u64) {
        self.0.extend_from_slice(range(&source.0, offset, len));
    }

    fn copy_inflated(
        &mut self,
        source: &MemoryBlob,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<u64, String> {
        let bytes = inflated(range(&source.0, offset, len), most)?;
        self.0.extend_from_slice(&bytes);
        Ok(bytes.len() as u64)
    }
}

/// Carries out a step like a host, passing all answers so far in every call.
/// Returns the output and the outcome.
///
/// # Errors
/// The refusal of a call.
///
/// # Panics
/// The outcome takes more than `most_calls` calls, a need is repeated, or a
/// call with needs has written.
pub fn carry_out<O>(
    most_calls: usize,
    mut call: impl FnMut(&[Answer], &mut MemorySink) -> Result<Step<O>, Refusal>,
    mut answer: impl FnMut(&Need) -> Answer,
) -> Result<(Vec<u8>, O), Refusal> {
    let mut answers: Vec<Answer> = Vec::new();
    for _ in 0..most_calls {
        let mut out = MemorySink::default();
        let needs = match call(&answers, &mut out)? {
            Step::Done(outcome) => return Ok((out.0, outcome)),
            Step::Needs(needs) => needs,
        };
        assert!(out.0.is_empty(), "a call with needs has written something");
        for need in &needs {
            let is_new = answers.iter().all(|answer| answer.need_id != need.id);
            assert!(is_new, "{} is asked for twice", need.id);
            answers.push(answer(need));
        }
    }
    panic!("{most_calls} calls were not enough");
}

/// An incremental digest in this process.
pub struct NativeHasher(State);

enum State {
    Crc(Crc),
    Digest(Box<dyn DynDigest>),
    Shake256(Box<Shake256>),
}

impl Hasher<MemoryBlob> for NativeHasher {
    fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            State::Crc(crc) => crc.update(bytes),
            State::Digest(digest) => digest.update(bytes),
            State::Shake256(digest) => digest.update(bytes),
        }
    }

    fn update_blob(&mut self, source: &MemoryBlob, offset: u64, len: u64) {
        self.update(range(&source.0, offset, len));
    }

    fn update_inflated(
        &mut self,
        source: &MemoryBlob,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<u64, String> {
        let bytes = inflated(range(&source.0, offset, len), most)?;
        self.update(&bytes);
        Ok(bytes.len() as u64)
    }

    fn finish(self) -> Vec<u8> {
        match self.0 {
            State::Crc(crc) => crc.sum().to_be_bytes().to_vec(),
            State::Digest(digest) => digest.finalize().into_vec(),
            State::Shake256(digest) => {
                let mut output = vec![0; DigestAlgorithm::Shake256.output_len()];
                digest.finalize_xof().read(&mut output);
                output
            }
        }
    }
}

/// The services of a host, in this process.
#[derive(Clone, Copy, Debug, Default)]
pub struct NativeEnvironment;

impl Environment for NativeEnvironment {
    type Blob = MemoryBlob;
    type Hasher = NativeHasher;

    fn hasher(&self, function: HashFunction) -> NativeHasher {
        let HashFunction::Digest(algorithm) = function else {
            return NativeHasher(State::Crc(Crc::new()));
        };
        let digest: Box<dyn DynDigest> = match algorithm {
            DigestAlgorithm::Sha1 => Box::<Sha1>::default(),
            DigestAlgorithm::Sha224 => Box::<Sha224>::default(),
            DigestAlgorithm::Sha256 => Box::<Sha256>::default(),
            DigestAlgorithm::Sha384 => Box::<Sha384>::default(),
            DigestAlgorithm::Sha512 => Box::<Sha512>::default(),
            DigestAlgorithm::Sha3_224 => Box::<Sha3_224>::default(),
            DigestAlgorithm::Sha3_256 => Box::<Sha3_256>::default(),
            DigestAlgorithm::Sha3_384 => Box::<Sha3_384>::default(),
            DigestAlgorithm::Sha3_512 => Box::<Sha3_512>::default(),
            DigestAlgorithm::Shake256 => return NativeHasher(State::Shake256(Box::default())),
        };
        NativeHasher(State::Digest(digest))
    }

    fn inflate(
        &self,
        source: &MemoryBlob,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<MemoryBlob, String> {
        inflated(range(&source.0, offset, len), most).map(MemoryBlob)
    }

    fn verify(
        &self,
        spki: &[u8],
        algorithm: SignatureAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<bool, String> {
        VERIFICATIONS.set(VERIFICATIONS.get() + 1);
        let spki = SubjectPublicKeyInfoRef::try_from(spki)
            .map_err(|error| format!("public key: {error}"))?;
        match algorithm {
            SignatureAlgorithm::RsaPkcs1(_)
            | SignatureAlgorithm::RsaPkcs1WithoutNull(_)
            | SignatureAlgorithm::RsaPss(_)
                if spki.algorithm.oid == EC_PUBLIC_KEY =>
            {
                Ok(false)
            }
            SignatureAlgorithm::RsaPkcs1(hash) => {
                let scheme = pkcs1(hash).ok_or_else(|| uncomputed(algorithm))?;
                Ok(rsa_key(&spki)?.verify(scheme, digest, signature).is_ok())
            }
            SignatureAlgorithm::RsaPkcs1WithoutNull(hash) => {
                let scheme = pkcs1(hash).and_then(|scheme| {
                    let prefix = without_null(&scheme.prefix)?;
                    Some(Pkcs1v15Sign { prefix, ..scheme })
                });
                let scheme = scheme.ok_or_else(|| uncomputed(algorithm))?;
                Ok(rsa_key(&spki)?.verify(scheme, digest, signature).is_ok())
            }
            SignatureAlgorithm::RsaPss(hash) => {
                let scheme = match hash {
                    DigestAlgorithm::Sha1 => Pss::new_with_salt::<Sha1>(20),
                    DigestAlgorithm::Sha224 => Pss::new_with_salt::<Sha224>(28),
                    DigestAlgorithm::Sha256 => Pss::new_with_salt::<Sha256>(32),
                    DigestAlgorithm::Sha384 => Pss::new_with_salt::<Sha384>(48),
                    DigestAlgorithm::Sha512 => Pss::new_with_salt::<Sha512>(64),
                    _ => return Err(uncomputed(algorithm)),
                };
                Ok(rsa_key(&spki)?.verify(scheme, digest, signature).is_ok())
            }
            SignatureAlgorithm::Ecdsa(_) => verify_ecdsa(&spki, digest, signature),
            SignatureAlgorithm::Ed25519 | SignatureAlgorithm::Ed448 => Err(uncomputed(algorithm)),
        }
    }
}

fn uncomputed(algorithm: SignatureAlgorithm) -> String {
    format!("{algorithm} is not computed in this process")
}

fn pkcs1(hash: DigestAlgorithm) -> Option<Pkcs1v15Sign> {
    Some(match hash {
        DigestAlgorithm::Sha1 => Pkcs1v15Sign::new::<Sha1>(),
        DigestAlgorithm::Sha224 => Pkcs1v15Sign::new::<Sha224>(),
        DigestAlgorithm::Sha256 => Pkcs1v15Sign::new::<Sha256>(),
        DigestAlgorithm::Sha384 => Pkcs1v15Sign::new::<Sha384>(),
        DigestAlgorithm::Sha512 => Pkcs1v15Sign::new::<Sha512>(),
        DigestAlgorithm::Sha3_224 => Pkcs1v15Sign::new::<Sha3_224>(),
        DigestAlgorithm::Sha3_256 => Pkcs1v15Sign::new::<Sha3_256>(),
        DigestAlgorithm::Sha3_384 => Pkcs1v15Sign::new::<Sha3_384>(),
        DigestAlgorithm::Sha3_512 => Pkcs1v15Sign::new::<Sha3_512>(),
        DigestAlgorithm::Shake256 => return None,
    })
}

/// Returns a `DigestInfo` prefix without the NULL of its algorithm: `SEQUENCE {
/// SEQUENCE { OID, NULL }, OCTET STRING`, with both sequences shorter by two.
fn without_null(prefix: &[u8]) -> Option<Box<[u8]>> {
    let [0x30, len, 0x30, inner, oid @ .., 0x05, 0x00, 0x04, octets] = prefix else {
        return None;
    };
    let (len, inner) = (len.checked_sub(2)?, inner.checked_sub(2)?);
    Some(
        [&[0x30, len, 0x30, inner], oid, &[0x04, *octets]]
            .concat()
            .into(),
    )
}

fn range(bytes: &[u8], offset: u64, len: u64) -> &[u8] {
    let clamp = |position: u64| {
        usize::try_from(position).map_or(bytes.len(), |position| position.min(bytes.len()))
    };
    &bytes[clamp(offset)..clamp(offset.saturating_add(len))]
}

/// Inflates a DEFLATE stream that must be all of `deflated`.
fn inflated(deflated: &[u8], most: u64) -> Result<Vec<u8>, String> {
    const CHUNK: usize = 64 * 1024;

    let mut state = Decompress::new(false);
    let mut bytes = Vec::new();
    loop {
        bytes.reserve(CHUNK);
        let consumed = usize::try_from(state.total_in()).unwrap_or(usize::MAX);
        let before = (state.total_in(), state.total_out());
        let status = state
            .decompress_vec(&deflated[consumed..], &mut bytes, FlushDecompress::None)
            .map_err(|_| "the part is no DEFLATE stream")?;
        if state.total_out() > most {
            return Err(format!("it inflates to more than {most} bytes"));
        }
        if status == Status::StreamEnd {
            return if state.total_in() == deflated.len() as u64 {
                Ok(bytes)
            } else {
                Err("the DEFLATE stream ends before the part".to_owned())
            };
        }
        if before == (state.total_in(), state.total_out()) {
            return Err("the DEFLATE stream does not end in the part".to_owned());
        }
    }
}

fn rsa_key(spki: &SubjectPublicKeyInfoRef<'_>) -> Result<RsaPublicKey, String> {
    if spki.algorithm.oid != RSA_ENCRYPTION {
        return Err("the public key is not an RSA key".into());
    }
    let unreadable = |error: spki::der::Error| format!("RSA public key: {error}");
    let key = spki
        .subject_public_key
        .as_bytes()
        .ok_or("RSA public key: unused bits")?;
    let (modulus, exponent) = AnyRef::from_der(key)
        .and_then(|any| {
            any.sequence(|reader| Ok((UintRef::decode(reader)?, UintRef::decode(reader)?)))
        })
        .map_err(unreadable)?;
    RsaPublicKey::new_with_max_size(
        rsa::BigUint::from_bytes_be(modulus.as_bytes()),
        rsa::BigUint::from_bytes_be(exponent.as_bytes()),
        MAX_RSA_BITS,
    )
    .map_err(|error| format!("RSA public key: {error}"))
}

fn verify_ecdsa(
    spki: &SubjectPublicKeyInfoRef<'_>,
    digest: &[u8],
    signature: &[u8],
) -> Result<bool, String> {
    use p256::ecdsa::signature::hazmat::PrehashVerifier;

    if spki.algorithm.oid == RSA_ENCRYPTION {
        return Ok(false);
    }
    if spki.algorithm.oid != EC_PUBLIC_KEY {
        return Err("the public key is not an EC key".into());
    }
    let curve = spki
        .algorithm
        .parameters_oid()
        .map_err(|error| format!("EC parameters: {error}"))?;
    let point = spki
        .subject_public_key
        .as_bytes()
        .ok_or("EC public key: unused bits")?;
    if !is_single_sequence(signature) {
        return Ok(false);
    }
    match curve {
        P256 => {
            let key = p256::ecdsa::VerifyingKey::from_sec1_bytes(point)
                .map_err(|_| "EC public key: not on P-256")?;
            Ok(p256::ecdsa::DerSignature::from_bytes(signature)
                .is_ok_and(|value| key.verify_prehash(digest, &value).is_ok()))
        }
        P384 => {
            let key = p384::ecdsa::VerifyingKey::from_sec1_bytes(point)
                .map_err(|_| "EC public key: not on P-384")?;
            Ok(p384::ecdsa::DerSignature::from_bytes(signature)
                .is_ok_and(|value| key.verify_prehash(digest, &value).is_ok()))
        }
        other => Err(format!("the curve {other} is not supported")),
    }
}

fn is_single_sequence(bytes: &[u8]) -> bool {
    SliceReader::new(bytes)
        .and_then(|mut reader| {
            AnyRef::decode(&mut reader)?;
            Ok(reader.is_finished())
        })
        .unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    use super::*;
    use crate::Part;

    #[test]
    fn a_digest_over_parts_is_the_digest_of_their_concatenation() {
        let blob = MemoryBlob(b"hello world".to_vec());
        let parts = [
            Part::Range {
                source: &blob,
                offset: 0,
                len: 6,
            },
            Part::Bytes(b"world"),
        ];
        let whole = [Part::Bytes(&b"hello world"[..])];

        assert_eq!(
            NativeEnvironment.digest(DigestAlgorithm::Sha256, &parts),
            NativeEnvironment.digest(DigestAlgorithm::Sha256, &whole)
        );
    }

    #[test]
    fn reading_past_the_end_gives_what_there_is() {
        let blob = MemoryBlob(b"abc".to_vec());

        assert_eq!(blob.read(2, 10), b"c");
        assert_eq!(blob.read(9, 1), b"");
        assert_eq!(blob.read_all(), b"abc");
    }

    #[test]
    fn a_digest_in_pieces_is_the_digest_of_the_whole() {
        let deflated = MemoryBlob(deflate(b"hello "));
        let mut hasher = NativeEnvironment.hasher(HashFunction::Crc32);
        let most = hasher.update_inflated(&deflated, 0, deflated.len(), 6);
        hasher.update(b"wor");
        hasher.update_blob(&MemoryBlob(b"world".to_vec()), 3, 2);

        assert_eq!(most, Ok(6));
        // RFC 1952, 8, of "hello world".
        assert_eq!(hasher.finish(), [0x0d, 0x4a, 0x11, 0x85]);
    }

    #[test]
    fn what_does_not_inflate_to_the_end_within_its_bounds_is_an_error() {
        let bytes = vec![7; 200_000];
        let mut stream = deflate(&bytes);
        let inflate = |stream: &[u8], most| {
            let blob = MemoryBlob(stream.to_vec());
            let mut sink = MemorySink::default();
            let len = sink.copy_inflated(&blob, 0, blob.len(), most);
            assert_eq!(sink.0.len() as u64, *len.as_ref().unwrap_or(&0));
            let inflated = NativeEnvironment.inflate(&blob, 0, blob.len(), most);
            assert_eq!(inflated.map(|blob| blob.len()), len);
            len
        };

        assert_eq!(inflate(&stream, 200_000), Ok(200_000));
        assert_eq!(
            inflate(&stream, 199_999),
            Err("it inflates to more than 199999 bytes".to_owned())
        );
        assert!(inflate(&stream[..stream.len() - 1], 200_000).is_err());
        assert!(inflate(b"", 200_000).is_err());
        assert!(inflate(b"\xff\xff", 200_000).is_err());
        stream.push(0);
        assert!(inflate(&stream, 200_000).is_err());
    }

    fn deflate(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }
}
