//! How operations keep the bytes of their inputs.

use parafa_catalogue::Preservation;

use crate::ContractBreach;
use crate::output::Output;

/// Checks that `output` begins with what must be kept of `document`. The host
/// noted the copies itself, so no plugin can pretend one.
pub(crate) fn check(
    kept: Preservation,
    document: &[u8],
    output: &Output,
) -> Result<(), ContractBreach> {
    let required = match kept {
        Preservation::Rewrite => 0,
        Preservation::ToCentralDirectory => {
            central_directory_offset(document).ok_or(ContractBreach::NothingToPreserve)?
        }
        Preservation::Whole => document.len() as u64,
    };
    let copied = output.kept_prefix();
    if copied < required {
        Err(ContractBreach::NotPreserved { copied, required })
    } else {
        Ok(())
    }
}

/// Where the central directory starts, by the end-of-central-directory record
/// (APPNOTE.TXT 4.3.16). That is the one fact about a format that the host
/// knows. ZIP64, whose record holds no offset, is not supported.
fn central_directory_offset(zip: &[u8]) -> Option<u64> {
    const SIGNATURE: &[u8] = b"PK\x05\x06";
    const RECORD_LEN: usize = 22;
    const DIRECTORY_SIZE: usize = 12;
    const DIRECTORY_OFFSET: usize = 16;
    const COMMENT_LEN: usize = 20;
    const LONGEST_COMMENT: usize = 0xffff;

    let last = zip.len().checked_sub(RECORD_LEN)?;
    let first = last.saturating_sub(LONGEST_COMMENT);
    let mut records = (first..=last).rev().filter_map(|start| {
        let record = zip
            .get(start..)?
            .strip_prefix(SIGNATURE)
            .and(zip.get(start..))?;
        let comment_len = u16::from_le_bytes(*record.get(COMMENT_LEN..)?.first_chunk()?);
        (record.len() == RECORD_LEN + usize::from(comment_len)).then_some((start, record))
    });
    let (start, record) = records.next()?;
    // A comment that holds another record makes the archive ambiguous.
    if records.next().is_some() {
        return None;
    }
    let number = |at: usize| {
        Some(u64::from(u32::from_le_bytes(
            *record.get(at..)?.first_chunk()?,
        )))
    };
    let offset = number(DIRECTORY_OFFSET)?;
    (offset + number(DIRECTORY_SIZE)? == start as u64).then_some(offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CallLimits;

    #[test]
    fn the_central_directory_is_found_before_a_comment() {
        assert_eq!(central_directory_offset(&zip(b"")), Some(7));
        assert_eq!(
            central_directory_offset(&zip(b"mimetype=text/plain")),
            Some(7)
        );
    }

    #[test]
    fn an_archive_with_two_ends_has_no_central_directory() {
        let ambiguous = zip(&zip(b"")[7 + 5..]);

        assert_eq!(central_directory_offset(&ambiguous), None);
        assert_eq!(central_directory_offset(b"no archive"), None);
    }

    #[test]
    fn an_offset_that_does_not_lead_to_the_end_is_refused() {
        let mut shifted = zip(b"");
        shifted.insert(0, b'x');

        assert_eq!(central_directory_offset(&shifted), None);
    }

    #[test]
    fn what_must_be_kept_is_what_is_checked() {
        let document = zip(b"");
        let mut output = Output::new(&CallLimits::default());
        output.copy(0, &document, 0, 7).unwrap();

        assert_eq!(check(Preservation::Rewrite, &document, &output), Ok(()));
        assert_eq!(
            check(Preservation::ToCentralDirectory, &document, &output),
            Ok(())
        );
        assert_eq!(
            check(Preservation::Whole, &document, &output),
            Err(ContractBreach::NotPreserved {
                copied: 7,
                required: document.len() as u64
            })
        );
        assert_eq!(
            check(Preservation::ToCentralDirectory, b"text", &output),
            Err(ContractBreach::NothingToPreserve)
        );
    }

    /// 7 bytes of members, 5 bytes of central directory, and its end.
    fn zip(comment: &[u8]) -> Vec<u8> {
        let mut zip = b"membersindex".to_vec();
        zip.extend_from_slice(b"PK\x05\x06\0\0\0\0\0\0\0\0");
        zip.extend_from_slice(&5_u32.to_le_bytes());
        zip.extend_from_slice(&7_u32.to_le_bytes());
        zip.extend_from_slice(&u16::try_from(comment.len()).unwrap().to_le_bytes());
        zip.extend_from_slice(comment);
        zip
    }
}
