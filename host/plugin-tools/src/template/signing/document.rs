//! A text with the signatures that were added to it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use parafa_plugin_sdk::cms::SignedData;
use parafa_plugin_sdk::core::{Blob, Refusal};

const SIGNED: &str = "Signed: ";
const BEGIN: &str = "-----BEGIN CMS-----";
const END: &str = "-----END CMS-----";
/// Characters of Base64 on a line (RFC 7468, 2).
const LINE: usize = 64;

/// A document, read.
pub(crate) struct Document {
    pub(crate) signatures: Vec<Signature>,
    ends_a_line: bool,
}

/// A signature in it.
pub(crate) struct Signature {
    pub(crate) id: String,
    /// Seconds since 1970-01-01T00:00:00Z.
    pub(crate) claimed_time: i64,
    /// Everything before this is signed.
    pub(crate) covered: u64,
    /// `None` when it cannot be read.
    pub(crate) cms: Option<SignedData>,
}

impl Document {
    /// Reads a whole document, which is small. Of a long document, read parts and hash ranges: the
    /// bytes stay with the host.
    pub(crate) fn read<B: Blob>(blob: &B) -> Result<Self, Refusal> {
        let bytes = blob.read_all();
        if bytes.is_empty() {
            return Err(Refusal::new("empty", "The document is empty."));
        }
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return Err(Refusal::new("not-text", "The document is no UTF-8 text."));
        };
        Ok(Self {
            signatures: signatures(text)?,
            ends_a_line: text.ends_with('\n'),
        })
    }

    /// Returns the id of the next signature. Ids identify signatures, and a later signature changes
    /// none of them.
    pub(crate) fn next_id(&self) -> String {
        id(self.signatures.len())
    }

    /// Returns the text that the next signature adds before itself.
    pub(crate) fn head(&self, time: i64) -> String {
        let line_feed = if self.ends_a_line { "" } else { "\n" };
        format!("{line_feed}{SIGNED}{time}\n")
    }
}

/// Returns a signature's text in a document.
pub(crate) fn block(cms: &[u8]) -> String {
    let mut block = format!("{BEGIN}\n");
    let base64 = STANDARD.encode(cms);
    for (index, character) in base64.chars().enumerate() {
        if index > 0 && index % LINE == 0 {
            block.push('\n');
        }
        block.push(character);
    }
    block.push_str(&format!("\n{END}\n"));
    block
}

/// Parses the signatures, which must follow each other to the end. Text after a signature is
/// refused, because no signature would cover it.
fn signatures(text: &str) -> Result<Vec<Signature>, Refusal> {
    let mut signatures = Vec::new();
    let mut claimed_time = None;
    let mut open: Option<(u64, String)> = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches('\n');
        match &mut open {
            Some((covered, base64)) if content == END => {
                let cms = STANDARD.decode(&*base64).ok();
                signatures.push(Signature {
                    id: id(signatures.len()),
                    claimed_time: claimed_time.take().ok_or_else(damaged)?,
                    covered: *covered,
                    cms: cms.and_then(|der| SignedData::parse(&der).ok()),
                });
                open = None;
            }
            Some((_, base64)) => base64.push_str(content),
            None if content == BEGIN => open = Some((offset, String::new())),
            None => {
                claimed_time = content
                    .strip_prefix(SIGNED)
                    .and_then(|time| time.parse().ok());
                if !signatures.is_empty() && claimed_time.is_none() {
                    return Err(damaged());
                }
            }
        }
        offset += line.len() as u64;
    }
    let is_complete = open.is_none() && (signatures.is_empty() || claimed_time.is_none());
    is_complete.then_some(signatures).ok_or_else(damaged)
}

fn id(index: usize) -> String {
    format!("signature-{}", index + 1)
}

fn damaged() -> Refusal {
    Refusal::new("signature-damaged", "A signature is damaged.")
}
