//! Inspection of PDFs in uploaded containers: callers and signers are warned as about
//! an uploaded PDF.

use parafa_api_signing::file_extension;
use parafa_ceremony::ceremonies::LARGEST_SHOWN;
use parafa_platform::accounts::Caller;
use parafa_plugin_host::{CallError, Capability, Document, Member, Plugin, on_one_line};

use super::told::Told;
use super::{Intake, priority};

/// Mebibytes of containers' files in memory at the same time: two of the longest
/// inspected.
pub(super) const MEBIBYTES_AT_ONCE: usize = 128;

/// Most inspected files of one container. A container made by the API has at most
/// twenty.
const MOST_FILES: usize = 32;
/// Longest file name in a remark, in bytes.
const LONGEST_NAME: usize = 255;

const MEBIBYTE: u64 = 1024 * 1024;

const PDF: &str = "application/pdf";
/// Media type of a file of unknown type.
const ANYTHING: &str = "application/octet-stream";
/// Signature that readers search at the beginning of a PDF, and the length of that
/// beginning.
const HEAD: &[u8] = b"%PDF-";
const HEAD_BYTES: usize = 1024;

/// Name of actions that run a script, too long to occur in an image by chance.
const SCRIPT: &[u8] = b"JavaScript";
/// Names without which a PDF has nothing to report: names of scripts and other
/// actions, of forms with their own scripts, of signatures, and of structures that
/// hide objects.
const TELLING: [&[u8]; 10] = [
    SCRIPT,
    b"JS",
    b"Launch",
    b"OnInstantiate",
    b"SubmitForm",
    b"ImportData",
    b"XFA",
    b"ByteRange",
    b"ObjStm",
    b"XRef",
];

impl Intake {
    /// Returns the remarks on the PDFs in a container. An unreadable one does not
    /// prevent signing, and is only reported.
    pub(super) async fn told_of_members(
        &self,
        caller: &Caller,
        container: &Plugin,
        document: Document,
    ) -> Told {
        let mut told = Told::default();
        if !container.capabilities().contains(&Capability::Contents) {
            return told;
        }
        let Some(pdf) = self.plugins.by_media_type(PDF) else {
            return told;
        };
        let pdf = pdf.prioritized(priority(caller));
        let Ok(members) = container.members(document.clone()).await else {
            return told;
        };
        let mut looked_at = 0;
        let mut left_out = 0;
        for member in members.iter().filter(|member| may_be_pdf(&pdf, member)) {
            if looked_at == MOST_FILES || member.size > LARGEST_SHOWN {
                left_out += 1;
                continue;
            }
            looked_at += 1;
            let of_member = self.told_of_member(container, &document, &pdf, member);
            match of_member.await {
                Some(of_member) => {
                    told.add(&on_one_line(&member.name, LONGEST_NAME), of_member);
                }
                None => left_out += 1,
            }
        }
        if left_out > 0 {
            told.remarks.push(format!(
                "Files in the container that were not checked for scripts, because they are too many, too large or too complex: {left_out}."
            ));
        }
        told
    }

    /// Returns the remarks on one of them; none where a plugin fails on it.
    async fn told_of_member(
        &self,
        container: &Plugin,
        document: &Document,
        pdf: &Plugin,
        member: &Member,
    ) -> Option<Told> {
        let mebibytes = u32::try_from(member.size.div_ceil(MEBIBYTE)).unwrap_or(u32::MAX);
        // The semaphore is never closed.
        let _place = self.member_memory.acquire_many(mebibytes).await.ok();
        let extracted = container.extract_member(document.clone(), member).await;
        let bytes = extracted.ok()?;
        if !begins_as_pdf(&bytes) || !has_name(&bytes, &TELLING) {
            return Some(Told::default());
        }
        let has_scripts = has_name(&bytes, &[SCRIPT]);
        match pdf.inspect(bytes).await {
            Ok(report) => Some(Told::of(&report)),
            Err(CallError::Refused(refusal)) => Some(Told::of_refused(&refusal, has_scripts)),
            Err(CallError::Fault(_)) => None,
        }
    }
}

/// Returns whether a file's type is PDF or unknown. The type may have parameters.
fn may_be_pdf(pdf: &Plugin, member: &Member) -> bool {
    let extension = file_extension(&member.name);
    let media_type = member.media_type.split(';').next().unwrap_or_default();
    let mut types = [PDF, ANYTHING].into_iter();
    extension.is_some_and(|extension| pdf.takes_extension(&extension))
        || types.any(|one| media_type.trim_end().eq_ignore_ascii_case(one))
}

fn begins_as_pdf(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    head.windows(HEAD.len()).any(|window| window == HEAD)
}

/// Returns whether a name in a PDF begins with one of these.
fn has_name(bytes: &[u8], names: &[&[u8]]) -> bool {
    let mut written = bytes.split(|byte| *byte == b'/').skip(1);
    written.any(|written| names.iter().any(|name| begins_with(written, name)))
}

/// Returns whether a written name begins with `name`: each character may be written
/// as a number (ISO 32000-2, 7.3.5).
fn begins_with(mut written: &[u8], name: &[u8]) -> bool {
    name.iter().all(|expected| {
        let (character, rest) = match written {
            [b'#', high, low, rest @ ..] => (from_hex(*high, *low), rest),
            [character, rest @ ..] => (Some(*character), rest),
            [] => return false,
        };
        written = rest;
        character == Some(*expected)
    })
}

fn from_hex(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from((digit(high)? << 4) | digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_however_it_is_written() {
        let found = |bytes: &[u8]| has_name(bytes, &TELLING);

        for written in [
            &b"<< /S /JavaScript"[..],
            b"<</S/JavaScript/JS(app.beep)>>",
            b"/J#61vaScript",
            b"/#4a#53 9 0 R",
            b"//JS",
        ] {
            assert!(found(written), "{}", String::from_utf8_lossy(written));
        }
        for other in [
            &b"JavaScript"[..],
            b"/ JS",
            b"/J",
            b"/J#6",
            b"/J#zzvaScript",
            b"/j#61vaScript",
            b"",
        ] {
            assert!(!found(other), "{}", String::from_utf8_lossy(other));
        }
    }

    #[test]
    fn a_pdf_may_begin_somewhat_later() {
        let after = |count: usize| [vec![b' '; count], HEAD.to_vec()].concat();

        assert!(begins_as_pdf(&after(0)) && begins_as_pdf(&after(HEAD_BYTES - HEAD.len())));
        assert!(!begins_as_pdf(&after(HEAD_BYTES)) && !begins_as_pdf(b"%PD"));
    }
}
