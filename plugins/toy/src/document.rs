use parafa_plugin_sdk::core::{
    Blob, DigestAlgorithm, Environment, Part, Refusal, SignatureAlgorithm,
};

use crate::behaviour::{Behaviour, Rule};
use crate::words::LEVEL;

pub(crate) const DIGEST: DigestAlgorithm = DigestAlgorithm::Sha256;

const SIGNATURE: &[u8] = b"SIG!";
const VALIDATION: &[u8] = b"LTV!";

/// A toy document, read.
pub(crate) struct Document {
    pub(crate) behaviour: Behaviour,
    /// The name of the behaviour, as the document has it.
    pub(crate) behaviour_name: String,
    /// Whether the body can be filled in.
    pub(crate) fillable: bool,
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
    /// What was added later, to verify it with.
    pub(crate) validation: Option<Validation>,
}

/// What a signature is verified with when nobody can be asked any more.
pub(crate) struct Validation {
    pub(crate) issuer: Vec<u8>,
    pub(crate) revocation: Vec<u8>,
}

impl Document {
    pub(crate) fn read<B: Blob>(blob: &B) -> Result<Self, Refusal> {
        let bytes = blob.read_all();
        parse(&bytes).ok_or_else(|| Refusal::new("not-a-toy", "the document is no toy"))
    }

    pub(crate) fn body<B: Blob>(&self, blob: &B) -> Vec<u8> {
        let len = u32::try_from(self.body_len).unwrap_or(u32::MAX);
        blob.read(self.body_offset, len)
    }

    pub(crate) fn is_archived(&self) -> bool {
        self.records
            .iter()
            .any(|record| record.validation.is_some())
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
    /// One that nobody made.
    pub(crate) fn forged(start: u64) -> Self {
        Self {
            start,
            end: start,
            signed_bytes: b"forged".to_vec(),
            value: b"forged".to_vec(),
            algorithm: None,
            certificate: Vec::new(),
            timestamp: Some(b"forged".to_vec()),
            validation: None,
        }
    }

    pub(crate) fn id(&self) -> String {
        format!("at-{}", self.start)
    }

    pub(crate) fn level(&self) -> &'static str {
        match (&self.timestamp, &self.validation) {
            (None, _) => "Toy-B-B",
            (Some(_), None) => "Toy-B-T",
            (Some(_), Some(_)) => LEVEL,
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
        encode(
            SIGNATURE,
            &[
                &self.signed_bytes,
                &self.value,
                algorithm,
                &self.certificate,
                timestamp,
            ],
        )
    }
}

impl Validation {
    /// The form in which it follows the signature that starts there.
    pub(crate) fn encode(&self, signature_start: u64) -> Vec<u8> {
        let start = signature_start.to_be_bytes();
        encode(VALIDATION, &[&start, &self.issuer, &self.revocation])
    }
}

/// The line that a document begins with.
pub(crate) fn first_line(behaviour: &str, fillable: bool, body_len: usize) -> String {
    let magic = if fillable { "TOY" } else { "FLAT" };
    format!("{magic} {behaviour} {body_len}\n")
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn encode(magic: &[u8], fields: &[&[u8]]) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    for field in fields {
        bytes.extend_from_slice(&(field.len() as u64).to_be_bytes());
        bytes.extend_from_slice(field);
    }
    bytes
}

fn parse(bytes: &[u8]) -> Option<Document> {
    let line_end = bytes.iter().position(|&byte| byte == b'\n')?;
    let line = str::from_utf8(&bytes[..line_end]).ok()?;
    let [magic, behaviour, body_len] = line.split(' ').collect::<Vec<_>>().try_into().ok()?;
    let fillable = match magic {
        "TOY" => true,
        "FLAT" => false,
        _ => return None,
    };
    let body_len: usize = body_len.parse().ok()?;
    let body_offset = line_end + 1;
    let mut rest = bytes.get(body_offset..)?.get(body_len..)?;
    let mut records: Vec<Record> = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(VALIDATION) {
            rest = after;
            let (start, validation) = parse_validation(&mut rest)?;
            let record = records.iter_mut().find(|record| record.start == start)?;
            record.validation = Some(validation);
        } else {
            let start = (bytes.len() - rest.len()) as u64;
            records.push(parse_record(&mut rest, start, bytes.len())?);
        }
    }
    Some(Document {
        behaviour: Behaviour::parse(behaviour)?,
        behaviour_name: behaviour.to_owned(),
        fillable,
        len: bytes.len() as u64,
        records,
        body_offset: body_offset as u64,
        body_len: body_len as u64,
    })
}

fn parse_record(rest: &mut &[u8], start: u64, len: usize) -> Option<Record> {
    *rest = rest.strip_prefix(SIGNATURE)?;
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
        validation: None,
    })
}

fn parse_validation(rest: &mut &[u8]) -> Option<(u64, Validation)> {
    let start = u64::from_be_bytes(take_field(rest)?.try_into().ok()?);
    let validation = Validation {
        issuer: take_field(rest)?,
        revocation: take_field(rest)?,
    };
    Some((start, validation))
}

fn take_field(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let (len, after) = rest.split_first_chunk()?;
    let (field, after) = after.split_at_checked(usize::try_from(u64::from_be_bytes(*len)).ok()?)?;
    *rest = after;
    Some(field.to_vec())
}
