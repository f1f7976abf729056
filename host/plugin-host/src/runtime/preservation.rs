//! Preservation of inputs by operations.

use parafa_catalogue::Preservation;

use super::output::Output;
use crate::ContractBreach;

/// Checks that `output` begins with the bytes of `document` that must be preserved. The host
/// recorded the copies itself, so no plugin can fake one.
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

/// Returns the offset of the central directory, by the end-of-central-directory record (APPNOTE.TXT
/// 4.3.16), or by the ZIP64 one (4.3.14) to which its locator (4.3.15) points. This is the only
/// fact about a format that the host knows.
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
        let record = zip.get(start..)?;
        let comment_len = field(
            record.strip_prefix(SIGNATURE)?,
            COMMENT_LEN - SIGNATURE.len(),
        )?;
        let comment_len = usize::from(u16::from_le_bytes(comment_len));
        (record.len() == RECORD_LEN + comment_len).then_some((start, record))
    });
    let (start, record) = records.next()?;
    // A comment that holds another record makes the archive ambiguous.
    if records.next().is_some() {
        return None;
    }
    let number = |at| field(record, at).map(|bytes| u64::from(u32::from_le_bytes(bytes)));
    let plain = (
        number(DIRECTORY_OFFSET)?,
        number(DIRECTORY_SIZE)?,
        start as u64,
    );
    let (offset, size, ends) = zip64_directory(zip.get(..start)?).unwrap_or(plain);
    (offset.checked_add(size)? == ends).then_some(offset)
}

/// Returns offset and size of the central directory from the ZIP64 record, and that record's start.
/// The locator at the end of `before` points to the record.
fn zip64_directory(before: &[u8]) -> Option<(u64, u64, u64)> {
    const LOCATOR: &[u8] = b"PK\x06\x07";
    const LOCATOR_LEN: usize = 20;
    const RECORD_OFFSET: usize = 8;
    const RECORD: &[u8] = b"PK\x06\x06";
    const DIRECTORY_SIZE: usize = 40;
    const DIRECTORY_OFFSET: usize = 48;

    let locator = before.get(before.len().checked_sub(LOCATOR_LEN)?..)?;
    if !locator.starts_with(LOCATOR) {
        return None;
    }
    let start = u64::from_le_bytes(field(locator, RECORD_OFFSET)?);
    let record = before.get(usize::try_from(start).ok()?..)?;
    if !record.starts_with(RECORD) {
        return None;
    }
    let number = |at| field(record, at).map(u64::from_le_bytes);
    Some((number(DIRECTORY_OFFSET)?, number(DIRECTORY_SIZE)?, start))
}

fn field<const N: usize>(record: &[u8], at: usize) -> Option<[u8; N]> {
    record.get(at..)?.first_chunk().copied()
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
    fn the_record_of_a_zip64_archive_tells_where_its_directory_is() {
        const DIRECTORY: &[u8] = b"members, and their directory";
        let archive = |offset: u64, size: u64| {
            let mut zip = DIRECTORY.to_vec();
            let start = zip.len() as u64;
            zip.extend(b"PK\x06\x06");
            zip.extend([0; 36]);
            zip.extend(size.to_le_bytes());
            zip.extend(offset.to_le_bytes());
            zip.extend(b"PK\x06\x07");
            zip.extend([0; 4]);
            zip.extend(start.to_le_bytes());
            zip.extend([0; 4]);
            zip.extend(b"PK\x05\x06");
            zip.extend([0xff; 16]);
            zip.extend([0; 2]);
            central_directory_offset(&zip)
        };

        assert_eq!(archive(8, DIRECTORY.len() as u64 - 8), Some(8));
        assert_eq!(archive(7, DIRECTORY.len() as u64 - 8), None);
        assert_eq!(archive(u64::MAX, 8), None);
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

    /// Builds 7 bytes of members, 5 bytes of central directory, and its end.
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
