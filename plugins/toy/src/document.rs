use parafa_plugin_sdk::core::{
    Blob, DigestAlgorithm, Environment, Part, Refusal, SignatureAlgorithm,
};

use crate::behaviour::{Behaviour, Rule};

pub(crate) const DIGEST: DigestAlgorithm = DigestAlgorithm::Sha256;

const MAGIC: &[u8] = b"SIG!";

/// A toy document, read.
pub(crate) struct Document {
    pub(crate) behaviour: Behaviour,
    pub(crate) len: u64,
    pub(crate) records: Vec<Record>,
    body_offset: u64,
    body_len: u64,
}

/// A signature over everything before it.
pub(crate) struct Record {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) signed_bytes: Vec<u8>,
    pub(crate) value: Vec<u8>,
    pub(crate) algorithm: Option<SignatureAlgorithm>,
    pub(crate) certificate: Vec<u8>,
    pub(crate) timestamp: Option<Vec<u8>>,
}

impl Document {
    pub(crate) fn read<B: Blob>(blob: &B) -> Result<Self, Refusal> {
        let bytes = blob.read_all();
        parse(&bytes).ok_or_else(|| Refusal::new("not-a-toy", "the document is no toy"))
    }

    pub(crate) fn body_digest<E: Environment>(&self, environment: &E, blob: &E::Blob) -> Vec<u8> {
        let len = if self.behaviour.breaks(Rule::OutOfRange) {
            self.len + 1
        } else {
            self.body_len
        };
        environment.digest(
            DIGEST,
            &[Part::Range {
                source: blob,
                offset: self.body_offset,
                len,
            }],
        )
    }
}

impl Record {
    pub(crate) fn id(&self) -> String {
        format!("at-{}", self.start)
    }

    pub(crate) fn level(&self) -> &'static str {
        if self.timestamp.is_some() {
            "Toy-B-T"
        } else {
            "Toy-B-B"
        }
    }

    pub(crate) fn covers<E: Environment>(&self, environment: &E, blob: &E::Blob) -> bool {
        let covered = environment.digest(
            DIGEST,
            &[Part::Range {
                source: blob,
                offset: 0,
                len: self.start,
            }],
        );
        self.signed_bytes.starts_with(&covered)
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let algorithm = self
            .algorithm
            .map_or("", SignatureAlgorithm::name)
            .as_bytes();
        let timestamp = self.timestamp.as_deref().unwrap_or_default();
        let mut bytes = MAGIC.to_vec();
        for field in [
            &self.signed_bytes,
            &self.value,
            algorithm,
            &self.certificate,
            timestamp,
        ] {
            bytes.extend_from_slice(&(field.len() as u64).to_be_bytes());
            bytes.extend_from_slice(field);
        }
        bytes
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn parse(bytes: &[u8]) -> Option<Document> {
    let line_end = bytes.iter().position(|&byte| byte == b'\n')?;
    let line = str::from_utf8(&bytes[..line_end]).ok()?;
    let [magic, behaviour, body_len] = line.split(' ').collect::<Vec<_>>().try_into().ok()?;
    if magic != "TOY" {
        return None;
    }
    let body_len: usize = body_len.parse().ok()?;
    let body_offset = line_end + 1;
    let mut rest = bytes.get(body_offset..)?.get(body_len..)?;
    let mut records = Vec::new();
    while !rest.is_empty() {
        let start = (bytes.len() - rest.len()) as u64;
        let record = parse_record(&mut rest, start, bytes.len())?;
        records.push(record);
    }
    Some(Document {
        behaviour: Behaviour::parse(behaviour)?,
        len: bytes.len() as u64,
        records,
        body_offset: body_offset as u64,
        body_len: body_len as u64,
    })
}

fn parse_record(rest: &mut &[u8], start: u64, len: usize) -> Option<Record> {
    *rest = rest.strip_prefix(MAGIC)?;
    let signed_bytes = take_field(rest)?;
    let value = take_field(rest)?;
    let algorithm = String::from_utf8(take_field(rest)?).ok()?.parse().ok();
    let certificate = take_field(rest)?;
    let timestamp = Some(take_field(rest)?).filter(|token| !token.is_empty());
    let end = (len - rest.len()) as u64;
    Some(Record {
        start,
        end,
        signed_bytes,
        value,
        algorithm,
        certificate,
        timestamp,
    })
}

fn take_field(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let (len, after) = rest.split_first_chunk()?;
    let (field, after) = after.split_at_checked(usize::try_from(u64::from_be_bytes(*len)).ok()?)?;
    *rest = after;
    Some(field.to_vec())
}
