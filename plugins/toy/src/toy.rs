//! The bytes of a toy.

use std::ops::Range;

use parafa_plugin_sdk::core::{Blob, Environment, MemberRole, Refusal};

use crate::IS_CONTAINER;
use crate::behaviour::{Behaviour, Rule};
use crate::document::{Document, block};
use crate::pieces::{Piece, digest};
use crate::text::Text;

/// A document, read.
pub(crate) struct Toy {
    pub(crate) behaviour: Behaviour,
    /// The name of the behaviour in the document.
    pub(crate) behaviour_name: String,
    /// True if the body can be filled in.
    pub(crate) fillable: bool,
    pub(crate) body: Range<u64>,
    pub(crate) files: Vec<File>,
    pub(crate) signatures: Vec<Signature>,
    pub(crate) timestamps: Vec<Timestamp>,
    pub(crate) len: u64,
}

/// A file in it.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) role: MemberRole,
    pub(crate) is_deflated: bool,
    pub(crate) size: u64,
    /// Range of its bytes in the document.
    pub(crate) bytes: Range<u64>,
}

/// A signature in it.
pub(crate) struct Signature {
    /// The signature's addition to the text.
    added: Vec<u8>,
    /// Validation data added later.
    pub(crate) revocation: Option<Vec<u8>>,
    pub(crate) entry: Range<u64>,
}

/// A time-stamp over everything before it.
pub(crate) struct Timestamp {
    pub(crate) token: Vec<u8>,
    pub(crate) offset: u64,
}

impl Toy {
    /// Reads the entries, but not the content of files.
    pub(crate) fn read<B: Blob>(blob: &B) -> Result<Self, Refusal> {
        let bytes = blob.read_all();
        let toy = parse(&bytes).filter(|toy| toy.has_files() == IS_CONTAINER);
        toy.ok_or_else(no_toy)
    }

    pub(crate) fn breaks(&self, rule: Rule) -> bool {
        self.behaviour.breaks(rule)
    }

    pub(crate) fn is_signed(&self) -> bool {
        !self.signatures.is_empty()
    }

    pub(crate) fn is_archived(&self) -> bool {
        let mut signatures = self.signatures.iter();
        signatures.any(|signature| signature.revocation.is_some())
    }

    /// Returns true if `archive` preserves all of it.
    pub(crate) fn is_appended_to(&self) -> bool {
        !self.has_files() || !self.timestamps.is_empty()
    }

    pub(crate) fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// Returns the signed text: the digest of the document up to the end of its body, or a line for
    /// each file with its digest. The additions of signatures follow.
    pub(crate) fn text<E: Environment>(
        &self,
        environment: &E,
        blob: &E::Blob,
    ) -> Result<Text, Refusal> {
        let mut text = if self.has_files() {
            let digests = self.digests(environment, blob)?;
            let files = self.files.iter().zip(digests);
            let lines = files.map(|(file, digest)| format!("{} {}\n", hex(&digest), file.name));
            lines.collect()
        } else {
            let body = digest(environment, blob, [&Piece::Range(0..self.body.end)])?;
            format!("{}\n", hex(&body))
        }
        .into_bytes();
        for signature in &self.signatures {
            text.extend_from_slice(&signature.added);
        }
        let text = Text(text);
        if Document::read(&text)?.signatures.len() == self.signatures.len() {
            Ok(text)
        } else {
            Err(no_toy())
        }
    }

    /// Returns the digests of all files.
    pub(crate) fn digests<E: Environment>(
        &self,
        environment: &E,
        blob: &E::Blob,
    ) -> Result<Vec<Vec<u8>>, Refusal> {
        self.exhaust(environment, blob);
        let files = self.files.iter();
        files
            .map(|file| digest(environment, blob, [&file.content(self)]))
            .collect()
    }

    /// Exhausts the host's inflation budget if the behaviour demands it.
    fn exhaust<E: Environment>(&self, environment: &E, blob: &E::Blob) {
        let hoards = self.breaks(Rule::HoardsInflated);
        if !hoards && !self.breaks(Rule::InflatesForever) {
            return;
        }
        let mut kept = Vec::new();
        loop {
            for Range { start, end } in self.files.iter().map(|file| file.bytes.clone()) {
                let inflated = environment.inflate(blob, start, end - start, u64::MAX);
                kept.extend(inflated.ok().filter(|_| hoards));
            }
        }
    }
}

impl File {
    /// Returns its content.
    pub(crate) fn content(&self, toy: &Toy) -> Piece {
        if !self.is_deflated {
            return Piece::Range(self.bytes.clone());
        }
        let is_bounded = !toy.breaks(Rule::InflatesWithoutBound);
        Piece::Inflated {
            bytes: self.bytes.clone(),
            most: if is_bounded { self.size } else { u64::MAX },
            size: is_bounded.then_some(self.size),
        }
    }

    /// Returns the file's entry with other bytes of the same number, deflated (RFC 1951, 3.2.4: one
    /// block without compression); `None` if they are too many for that.
    pub(crate) fn deflated(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        const LAST_WITHOUT_COMPRESSION: u8 = 1;

        let len = u16::try_from(bytes.len()).ok()?;
        let block = [
            &[LAST_WITHOUT_COMPRESSION][..],
            &len.to_le_bytes(),
            &(!len).to_le_bytes(),
            bytes,
        ]
        .concat();
        let Self {
            role, size, name, ..
        } = self;
        let line = format!("member deflated {role} {size} {} {name}\n", block.len());
        Some([line.as_bytes(), &block].concat())
    }

    /// Returns the line before its stored bytes.
    pub(crate) fn stored_line(&self) -> Vec<u8> {
        stored_line(self.role, self.size, &self.name)
    }
}

/// Returns the first line of a document.
pub(crate) fn first_line(behaviour: &str, fillable: bool, body_len: usize) -> String {
    let magic = if fillable { "TOY" } else { "FLAT" };
    format!("{magic} {behaviour} {body_len}\n")
}

pub(crate) fn stored_line(role: MemberRole, size: u64, name: &str) -> Vec<u8> {
    format!("member stored {role} {size} {size} {name}\n").into_bytes()
}

/// Writes a signature's addition to the text as an entry.
pub(crate) fn signature(added: &[u8]) -> Vec<u8> {
    entry("signature", added)
}

/// Writes an entry of a signature that no device made.
pub(crate) fn forged(text: &Text) -> Result<Vec<u8>, Refusal> {
    let head = Document::read(text)?.head(0);
    Ok(signature((head + &block(b"forged")).as_bytes()))
}

/// Writes an entry of validation data for the signature of this number.
pub(crate) fn validation(number: usize, revocation: &[u8]) -> Vec<u8> {
    entry(&format!("validation {number}"), revocation)
}

pub(crate) fn timestamp(token: &[u8]) -> Vec<u8> {
    entry("timestamp", token)
}

pub(crate) fn read<B: Blob>(blob: &B, place: &Range<u64>) -> Vec<u8> {
    let len = u32::try_from(place.end - place.start).unwrap_or(u32::MAX);
    blob.read(place.start, len)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn no_toy() -> Refusal {
    Refusal::new("not-a-toy", "the document is no toy")
}

fn entry(kind: &str, content: &[u8]) -> Vec<u8> {
    let line = format!("{kind} {}\n", content.len());
    [line.as_bytes(), content].concat()
}

fn parse(bytes: &[u8]) -> Option<Toy> {
    let mut rest = Rest { bytes, at: 0 };
    let [magic, behaviour, body_len] = words(rest.line()?)?;
    let mut toy = Toy {
        behaviour: Behaviour::parse(behaviour)?,
        behaviour_name: behaviour.to_owned(),
        fillable: match magic {
            "TOY" => true,
            "FLAT" => false,
            _ => return None,
        },
        body: rest.take(body_len)?.0,
        files: Vec::new(),
        signatures: Vec::new(),
        timestamps: Vec::new(),
        len: bytes.len() as u64,
    };
    while rest.at < bytes.len() {
        let start = rest.at as u64;
        let (kind, line) = rest.line()?.split_once(' ')?;
        match kind {
            "member" => toy.files.push(parse_file(line, &mut rest)?),
            "signature" => {
                let (place, added) = rest.take(line)?;
                toy.signatures.push(Signature {
                    added: added.to_vec(),
                    revocation: None,
                    entry: start..place.end,
                });
            }
            "validation" => {
                let [number, len] = words(line)?;
                let index = number.parse::<usize>().ok()?.checked_sub(1)?;
                let revocation = rest.take(len)?.1.to_vec();
                toy.signatures.get_mut(index)?.revocation = Some(revocation);
            }
            "timestamp" => toy.timestamps.push(Timestamp {
                token: rest.take(line)?.1.to_vec(),
                offset: start,
            }),
            _ => return None,
        }
    }
    Some(toy)
}

fn parse_file(line: &str, rest: &mut Rest<'_>) -> Option<File> {
    let [method, role, size, len, name] = words(line)?;
    let size = size.parse().ok()?;
    let bytes = rest.take(len)?.0;
    let is_deflated = match method {
        "deflated" => true,
        "stored" if size == bytes.end - bytes.start => false,
        _ => return None,
    };
    Some(File {
        name: name.to_owned(),
        role: role.parse().ok()?,
        is_deflated,
        size,
        bytes,
    })
}

/// Splits a line into words; the last one may contain spaces.
fn words<const N: usize>(line: &str) -> Option<[&str; N]> {
    line.splitn(N, ' ').collect::<Vec<_>>().try_into().ok()
}

/// The unread rest of a document.
struct Rest<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Rest<'a> {
    fn line(&mut self) -> Option<&'a str> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        self.at += end + 1;
        str::from_utf8(&rest[..end]).ok()
    }

    /// Takes this many bytes, and returns their range.
    fn take(&mut self, len: &str) -> Option<(Range<u64>, &'a [u8])> {
        let start = self.at;
        let end = start.checked_add(len.parse().ok()?)?;
        let taken = self.bytes.get(start..end)?;
        self.at = end;
        Some((start as u64..end as u64, taken))
    }
}
