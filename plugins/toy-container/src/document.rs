use parafa_plugin_sdk::core::{
    Blob, Digest, Environment, Member, MemberRole, Refusal, SignatureAlgorithm,
};

use crate::behaviour::{Behaviour, Rule};
use crate::pieces::{DIGEST, Piece, digest, unsound};

/// A container, read.
pub(crate) struct Document {
    pub(crate) behaviour: Behaviour,
    pub(crate) files: Vec<File>,
    pub(crate) signatures: Vec<Signature>,
    pub(crate) timestamps: Vec<Timestamp>,
    /// Where the first entry is.
    pub(crate) start: u64,
    pub(crate) len: u64,
}

/// A file in it.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) role: MemberRole,
    pub(crate) is_deflated: bool,
    pub(crate) size: u64,
    /// Its bytes, as they stand in the document.
    pub(crate) offset: u64,
    pub(crate) len: u64,
}

/// A signature over a list of members.
#[derive(Clone)]
pub(crate) struct Signature {
    pub(crate) id: String,
    pub(crate) signed: Vec<u8>,
    pub(crate) value: Vec<u8>,
    pub(crate) algorithm: Option<SignatureAlgorithm>,
    pub(crate) certificate: Vec<u8>,
    pub(crate) timestamps: Vec<Vec<u8>>,
    pub(crate) revocation: Option<Vec<u8>>,
    /// Its entry.
    pub(crate) offset: u64,
    pub(crate) end: u64,
}

/// A time-stamp over everything before it.
pub(crate) struct Timestamp {
    pub(crate) token: Vec<u8>,
    pub(crate) offset: u64,
}

impl Document {
    /// Reads the entries, but not what the files hold.
    pub(crate) fn read<B: Blob>(blob: &B) -> Result<Self, Refusal> {
        let bytes = blob.read_all();
        parse(&bytes).ok_or_else(|| unsound("The document is no toy container."))
    }

    pub(crate) fn breaks(&self, rule: Rule) -> bool {
        self.behaviour == Behaviour::Breaks(rule)
    }

    pub(crate) fn is_stamped(&self) -> bool {
        !self.timestamps.is_empty()
    }

    /// The digests of all files.
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

    /// Takes of the host what there is, if that is what the document is for.
    fn exhaust<E: Environment>(&self, environment: &E, blob: &E::Blob) {
        let hoards = self.breaks(Rule::HoardsInflated);
        if !hoards && !self.breaks(Rule::InflatesForever) {
            return;
        }
        let mut kept = Vec::new();
        loop {
            for file in &self.files {
                let inflated = environment.inflate(blob, file.offset, file.len, u64::MAX);
                kept.extend(inflated.ok().filter(|_| hoards));
            }
        }
    }
}

impl File {
    /// What it holds.
    pub(crate) fn content(&self, document: &Document) -> Piece {
        let Self { offset, len, .. } = *self;
        if !self.is_deflated {
            return Piece::Range { offset, len };
        }
        let is_bounded = !document.breaks(Rule::InflatesWithoutBound);
        Piece::Inflated {
            offset,
            len,
            most: if is_bounded { self.size } else { u64::MAX },
            size: is_bounded.then_some(self.size),
        }
    }

    pub(crate) fn told(&self, digest: Vec<u8>) -> Member {
        Member {
            id: self.name.clone(),
            name: self.name.clone(),
            media_type: "text/plain".to_owned(),
            size: self.size,
            digest: Digest {
                algorithm: DIGEST,
                value: digest,
            },
            role: self.role,
        }
    }

    /// Itself with other bytes of the same number, deflated (RFC 1951, 3.2.4: one
    /// block without compression); `None` when they are too many for that.
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

    /// The line before its bytes once it is stored.
    pub(crate) fn stored_line(&self) -> Vec<u8> {
        stored_line(self.role, self.size, &self.name)
    }
}

impl Signature {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let algorithm = self.algorithm.map_or("", SignatureAlgorithm::name);
        let mut fields: Vec<&[u8]> = vec![
            &self.signed,
            &self.value,
            algorithm.as_bytes(),
            &self.certificate,
        ];
        fields.extend(self.timestamps.iter().map(Vec::as_slice));
        entry("signature", &encoded(&fields))
    }

    /// The same with other time-stamps.
    pub(crate) fn with_timestamps(&self, timestamps: Vec<Vec<u8>>) -> Self {
        Self {
            timestamps,
            ..self.clone()
        }
    }

    /// What is added to verify it with.
    pub(crate) fn validation(&self, revocation: &[u8]) -> Vec<u8> {
        entry("validation", &encoded(&[self.id.as_bytes(), revocation]))
    }
}

pub(crate) fn stored_line(role: MemberRole, size: u64, name: &str) -> Vec<u8> {
    format!("member stored {role} {size} {size} {name}\n").into_bytes()
}

pub(crate) fn timestamp(token: &[u8]) -> Vec<u8> {
    entry("timestamp", token)
}

/// What a signature over these files signs: a line for each, and what no other
/// request has.
pub(crate) fn to_be_signed<'f>(
    files: impl Iterator<Item = (&'f File, &'f Vec<u8>)>,
    seed: &[u8],
) -> Vec<u8> {
    let lines = files.map(|(file, digest)| format!("{} {}\n", hex(digest), file.name));
    format!("{}seed {}", lines.collect::<String>(), hex(seed)).into_bytes()
}

/// The digests and names that signed bytes list.
pub(crate) fn listed(signed: &[u8]) -> Vec<(&str, &str)> {
    let text = str::from_utf8(signed).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.filter(|(digest, _)| *digest != "seed").collect()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn entry(kind: &str, content: &[u8]) -> Vec<u8> {
    let line = format!("{kind} {}\n", content.len());
    [line.as_bytes(), content].concat()
}

fn encoded(fields: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for field in fields {
        bytes.extend_from_slice(&(field.len() as u64).to_be_bytes());
        bytes.extend_from_slice(field);
    }
    bytes
}

fn parse(bytes: &[u8]) -> Option<Document> {
    let mut rest = bytes;
    let position = |rest: &[u8]| (bytes.len() - rest.len()) as u64;
    let behaviour = Behaviour::parse(take_line(&mut rest)?.strip_prefix("BOX ")?)?;
    let mut document = Document {
        behaviour,
        files: Vec::new(),
        signatures: Vec::new(),
        timestamps: Vec::new(),
        start: position(rest),
        len: bytes.len() as u64,
    };
    while !rest.is_empty() {
        let entry_offset = position(rest);
        let (kind, line) = take_line(&mut rest)?.split_once(' ')?;
        if kind == "member" {
            let [method, role, size, len, name] =
                line.splitn(5, ' ').collect::<Vec<_>>().try_into().ok()?;
            let offset = position(rest);
            let len = take(&mut rest, len)?.len() as u64;
            let file = File {
                name: name.to_owned(),
                role: role.parse().ok()?,
                is_deflated: match method {
                    "deflated" => true,
                    "stored" => false,
                    _ => return None,
                },
                size: size.parse().ok()?,
                offset,
                len,
            };
            if !file.is_deflated && file.size != file.len {
                return None;
            }
            document.files.push(file);
            continue;
        }
        let content = take(&mut rest, line)?;
        match kind {
            "signature" => document.signatures.push(parse_signature(
                content,
                document.signatures.len(),
                entry_offset..position(rest),
            )?),
            "timestamp" => document.timestamps.push(Timestamp {
                token: content.to_vec(),
                offset: entry_offset,
            }),
            "validation" => {
                let [id, revocation] = fields(content)?.try_into().ok()?;
                let mut signatures = document.signatures.iter_mut();
                let signature =
                    signatures.find(|signature| signature.id.as_bytes() == id.as_slice())?;
                signature.revocation = Some(revocation);
            }
            _ => return None,
        }
    }
    // Of nothing there is nothing to sign.
    (!document.files.is_empty()).then_some(document)
}

fn parse_signature(content: &[u8], index: usize, entry: std::ops::Range<u64>) -> Option<Signature> {
    let mut fields = fields(content)?.into_iter();
    Some(Signature {
        id: format!("signature-{}", index + 1),
        signed: fields.next()?,
        value: fields.next()?,
        algorithm: String::from_utf8(fields.next()?).ok()?.parse().ok(),
        certificate: fields.next()?,
        timestamps: fields.collect(),
        revocation: None,
        offset: entry.start,
        end: entry.end,
    })
}

fn take_line<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let line = str::from_utf8(&rest[..end]).ok()?;
    *rest = &rest[end + 1..];
    Some(line)
}

fn take<'a>(rest: &mut &'a [u8], len: &str) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(len.parse().ok()?)?;
    *rest = after;
    Some(taken)
}

fn fields(mut content: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut fields = Vec::new();
    while !content.is_empty() {
        let (len, after) = content.split_first_chunk()?;
        let len = usize::try_from(u64::from_be_bytes(*len)).ok()?;
        let (field, after) = after.split_at_checked(len)?;
        fields.push(field.to_vec());
        content = after;
    }
    Some(fields)
}
