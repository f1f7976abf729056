//! The list of packages that a component carries, as `cargo auditable` writes it.

use std::io::{self, Read};

use flate2::read::ZlibDecoder;
use wasmparser::{Parser, Payload};

/// Name of the custom section.
const SECTION: &str = ".dep-v0";
/// Longest list, inflated, in bytes.
const LONGEST_LIST_BYTES: u64 = 1 << 20;

/// Reasons why a list of packages cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PackageListError {
    /// The section holds no zlib stream.
    #[error("its section does not inflate")]
    Inflation(#[source] io::Error),
    /// The list is too long.
    #[error("it has more than {max} bytes", max = LONGEST_LIST_BYTES)]
    TooLong,
}

/// Returns the first list in a component or its modules, as JSON that nothing has checked, or
/// `None` if there is no list. Its author is who built the component.
///
/// # Errors
///
/// When the section of the list is malformed or too long.
pub fn package_list(wasm: &[u8]) -> Result<Option<Vec<u8>>, PackageListError> {
    let mut sections = Parser::new(0).parse_all(wasm).map_while(Result::ok);
    let section = sections.find_map(|section| match section {
        Payload::CustomSection(section) if section.name() == SECTION => Some(section.data()),
        _ => None,
    });
    let Some(section) = section else {
        return Ok(None);
    };
    let mut list = Vec::new();
    let inflated = ZlibDecoder::new(section)
        .take(LONGEST_LIST_BYTES + 1)
        .read_to_end(&mut list)
        .map_err(PackageListError::Inflation)?;
    if u64::try_from(inflated).is_ok_and(|inflated| inflated <= LONGEST_LIST_BYTES) {
        Ok(Some(list))
    } else {
        Err(PackageListError::TooLong)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use proptest::prelude::*;

    use super::*;

    const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";
    const MODULE: &[u8] = b"\0asm\x01\0\0\0";

    #[test]
    fn a_list_is_found_in_a_component_and_in_its_module() {
        let section = section(&deflated(b"{}"));
        let module = [MODULE, &section].concat();

        for component in [
            [COMPONENT, &section].concat(),
            [COMPONENT, &sized(1, &module)].concat(),
        ] {
            assert_eq!(
                package_list(&component).unwrap().as_deref(),
                Some(&b"{}"[..])
            );
        }
        assert!(package_list(COMPONENT).unwrap().is_none());
        assert!(package_list(b"no component").unwrap().is_none());
    }

    #[test]
    fn a_list_of_more_than_a_mebibyte_is_not_read() {
        let longest = vec![b' '; 1 << 20];
        let read = |list: &[u8]| package_list(&[COMPONENT, &section(&deflated(list))].concat());

        assert_eq!(read(&longest).unwrap(), Some(longest.clone()));
        let longer = [&longest[..], b" "].concat();
        assert!(matches!(read(&longer), Err(PackageListError::TooLong)));
    }

    #[test]
    fn a_section_that_does_not_inflate_is_no_list() {
        let read = package_list(&[COMPONENT, &section(b"{}")].concat());

        assert!(matches!(read, Err(PackageListError::Inflation(_))));
    }

    proptest! {
        #[test]
        fn any_section_is_read_or_refused(data: Vec<u8>) {
            let _ = package_list(&[COMPONENT, &section(&data)].concat());
            let _ = package_list(&[COMPONENT, &data].concat());
        }
    }

    fn deflated(list: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(list).unwrap();
        encoder.finish().unwrap()
    }

    fn section(data: &[u8]) -> Vec<u8> {
        sized(0, &[&b"\x07"[..], SECTION.as_bytes(), data].concat())
    }

    /// Returns an id, a length in LEB128, and the content.
    fn sized(id: u8, content: &[u8]) -> Vec<u8> {
        let mut bytes = vec![id];
        let mut length = content.len();
        while length >= 0x80 {
            bytes.push(length.to_le_bytes()[0] | 0x80);
            length >>= 7;
        }
        bytes.push(length.to_le_bytes()[0]);
        [bytes.as_slice(), content].concat()
    }
}
