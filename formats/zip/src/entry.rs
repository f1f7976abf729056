//! Entries of the central directory (APPNOTE.TXT, 4.3.12) and their local
//! headers (4.3.7).

use parafa_format_core::Blob;

use crate::Error;
use crate::end_record::read_exactly;
use crate::fields::{Fields, extra_field};

pub(crate) const CENTRAL: [u8; 4] = *b"PK\x01\x02";
pub(crate) const LOCAL: [u8; 4] = *b"PK\x03\x04";
const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";

/// Length of a central directory entry without its variable parts, in bytes.
const CENTRAL_BYTES: usize = 46;
pub(crate) const LOCAL_BYTES: u64 = 30;
/// Offset of the local header's offset within an entry.
const OFFSET_FIELD: usize = 42;

pub(crate) const STORED: u16 = 0;
pub(crate) const DEFLATED: u16 = 8;

/// General purpose bits (4.4.4).
const ENCRYPTED: u16 = 0x0041;
const HAS_DESCRIPTOR: u16 = 0x0008;
const PATCHED: u16 = 0x0020;
pub(crate) const UTF8: u16 = 0x0800;

const ZIP64_EXTRA: u16 = 0x0001;
const UNICODE_PATH_EXTRA: u16 = 0x7075;

/// A member of an archive, or a folder.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entry {
    /// Name; that of a folder ends with `/`.
    pub name: String,
    /// Deflated; otherwise stored.
    pub deflated: bool,
    /// CRC-32 of the bytes.
    pub crc32: u32,
    /// Uncompressed size.
    pub size: u64,
    /// Offset of its data in the archive.
    pub data_offset: u64,
    /// Compressed size.
    pub data_len: u64,
    /// Length of the extra field in the local header.
    pub local_extra_len: u16,
    /// A data descriptor follows the data.
    pub has_descriptor: bool,
    /// The general purpose flags mark the name as UTF-8.
    pub(crate) says_utf8: bool,
    /// Offset of the local header.
    pub(crate) offset: u64,
    /// Offset after its data and data descriptor.
    pub(crate) end: u64,
    /// Central directory entry, byte for byte.
    pub(crate) central: Vec<u8>,
    /// Offset in `central` of the 64-bit local header offset, if it is not in
    /// the fixed part.
    pub(crate) long_offset_at: Option<usize>,
}

/// Fixed part and ZIP64 values of a central directory entry.
struct Central<'a> {
    flags: u16,
    method: u16,
    crc32: u32,
    data_len: u64,
    size: u64,
    external_attributes: u32,
    offset: u64,
    name: &'a [u8],
    bytes: &'a [u8],
    long_offset_at: Option<usize>,
}

impl Entry {
    /// Returns whether it is a folder.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        self.name.ends_with('/')
    }

    /// Reads the next entry of the central directory.
    /// [`Self::read_local_header`] then determines the offset of its data.
    pub(crate) fn read_central(directory: &mut Fields<'_>) -> Result<Self, Error> {
        const WHAT: &str = "central directory";

        let central = Central::read(directory).ok_or(Error::Damaged(WHAT))?;
        let name = String::from_utf8_lossy(central.name).into_owned();
        if std::str::from_utf8(central.name).is_err() {
            return Err(Error::Names(vec![name]));
        }
        if central.flags & ENCRYPTED != 0 {
            return Err(Error::Encrypted(name));
        }
        let method = central.method;
        if !matches!(method, STORED | DEFLATED) || central.flags & PATCHED != 0 {
            return Err(Error::Method { name, method });
        }
        if is_special_file(central.external_attributes) {
            return Err(Error::SpecialFile(name));
        }
        if method == STORED && central.size != central.data_len
            || name.ends_with('/') && central.size != 0
        {
            return Err(Error::Member {
                name,
                reason: "its sizes contradict each other".into(),
            });
        }
        Ok(Self {
            name,
            deflated: method == DEFLATED,
            crc32: central.crc32,
            size: central.size,
            data_offset: 0,
            data_len: central.data_len,
            local_extra_len: 0,
            has_descriptor: central.flags & HAS_DESCRIPTOR != 0,
            says_utf8: central.flags & UTF8 != 0,
            offset: central.offset,
            end: 0,
            central: central.bytes.to_vec(),
            long_offset_at: central.long_offset_at,
        })
    }

    /// Compares the local header with the central directory. `limit` is the
    /// offset of the next entry or of the directory: data and descriptor end
    /// there.
    pub(crate) fn read_local_header<B: Blob>(&mut self, blob: &B, limit: u64) -> Result<(), Error> {
        const WHAT: &str = "local header";
        const OVERLAP: Error = Error::Ambiguous("entries overlap");

        let fixed = read_exactly(blob, self.offset, LOCAL_BYTES)?;
        let fields = || {
            let mut fields = Fields::new(fixed.strip_prefix(&LOCAL)?);
            fields.u16()?;
            let flags = fields.u16()?;
            let method = fields.u16()?;
            fields.u32()?;
            let crc32 = fields.u32()?;
            let sizes = [fields.u32()?, fields.u32()?];
            Some((flags, method, crc32, sizes, fields.u16()?, fields.u16()?))
        };
        let (flags, method, crc32, sizes, name_len, extra_len) =
            fields().ok_or(Error::Damaged(WHAT))?;
        let variable = u64::from(name_len) + u64::from(extra_len);
        let rest = read_exactly(blob, self.offset + LOCAL_BYTES, variable)?;
        let (name, extra) = rest.split_at(name_len.into());

        self.expect(name == self.name.as_bytes(), "name")?;
        self.expect(self.deflated == (method == DEFLATED), "method")?;
        self.expect(
            self.has_descriptor == (flags & HAS_DESCRIPTOR != 0)
                && flags & (ENCRYPTED | PATCHED) == 0,
            "set of flags",
        )?;
        let zip64 = extra_field(extra, ZIP64_EXTRA).ok_or(Error::Damaged("extra field"))?;
        expect_same_path(extra, self.name.as_bytes())?;
        let [data_len, size] =
            local_sizes(sizes, zip64).ok_or_else(|| self.local_error("ZIP64 extra field"))?;
        // A header written before the data may leave this open.
        let open = self.has_descriptor;
        self.expect(crc32 == self.crc32 || open && crc32 == 0, "CRC-32")?;
        // Info-ZIP leaves one open and sets the other (`zip - FILES | cat`).
        let is_told = |told: u64, is: u64| told == is || open && told == 0;
        self.expect(
            is_told(data_len, self.data_len) && is_told(size, self.size),
            "size",
        )?;

        self.local_extra_len = extra_len;
        self.data_offset = self.offset + LOCAL_BYTES + variable;
        let data_end = self.data_offset.checked_add(self.data_len);
        let data_end = data_end.filter(|end| *end <= limit).ok_or(OVERLAP)?;
        self.end = limit;
        if self.has_descriptor {
            self.read_descriptor(blob, data_end, limit - data_end)
        } else if data_end == limit {
            Ok(())
        } else {
            Err(Error::Ambiguous("bytes between entries belong to none"))
        }
    }

    /// Requires a data descriptor (4.3.9) that fills the gap between data and
    /// `limit`: with or without signature, with 32-bit or 64-bit sizes.
    fn read_descriptor<B: Blob>(&self, blob: &B, offset: u64, len: u64) -> Result<(), Error> {
        const DAMAGED: Error = Error::Damaged("data descriptor");

        if !matches!(len, 12 | 16 | 20 | 24) {
            return Err(DAMAGED);
        }
        let bytes = read_exactly(blob, offset, len)?;
        let unsigned = match len {
            16 | 24 => bytes.strip_prefix(&DESCRIPTOR).ok_or(DAMAGED)?,
            _ => &bytes,
        };
        let mut fields = Fields::new(unsigned);
        let crc32 = fields.u32();
        let sizes = if fields.rest().len() == 8 {
            [fields.u32().map(u64::from), fields.u32().map(u64::from)]
        } else {
            [fields.u64(), fields.u64()]
        };
        if crc32 == Some(self.crc32) && sizes == [Some(self.data_len), Some(self.size)] {
            Ok(())
        } else {
            Err(Error::LocalHeader {
                name: self.name.clone(),
                what: "data descriptor",
            })
        }
    }

    fn expect(&self, holds: bool, what: &'static str) -> Result<(), Error> {
        if holds {
            Ok(())
        } else {
            Err(self.local_error(what))
        }
    }

    fn local_error(&self, what: &'static str) -> Error {
        Error::LocalHeader {
            name: self.name.clone(),
            what,
        }
    }

    /// Returns the central directory entry for another local header offset;
    /// `None` if the offset does not fit.
    pub(crate) fn central_at(&self, offset: u64) -> Option<Vec<u8>> {
        let mut central = self.central.clone();
        match self.long_offset_at {
            Some(at) => central[at..at + 8].copy_from_slice(&offset.to_le_bytes()),
            None => {
                let short = u32::try_from(offset)
                    .ok()
                    .filter(|short| *short != u32::MAX)?;
                central[OFFSET_FIELD..OFFSET_FIELD + 4].copy_from_slice(&short.to_le_bytes());
            }
        }
        Some(central)
    }
}

impl<'a> Central<'a> {
    fn read(directory: &mut Fields<'a>) -> Option<Self> {
        let start = directory.rest();
        let mut fields = Fields::new(directory.bytes(CENTRAL_BYTES)?.strip_prefix(&CENTRAL)?);
        fields.bytes(4)?;
        let flags = fields.u16()?;
        let method = fields.u16()?;
        fields.u32()?;
        let crc32 = fields.u32()?;
        let data_len = fields.u32()?;
        let size = fields.u32()?;
        let lengths = [fields.u16()?, fields.u16()?, fields.u16()?];
        let disk = fields.u16()?;
        fields.u16()?;
        let external_attributes = fields.u32()?;
        let offset = fields.u32()?;

        let [name_len, extra_len, comment_len] = lengths.map(usize::from);
        let name = directory.bytes(name_len)?;
        let extra = directory.bytes(extra_len)?;
        directory.bytes(comment_len)?;
        expect_same_path(extra, name).ok()?;
        let (zip64_at, zip64) = extra_field(extra, ZIP64_EXTRA)?.unwrap_or_default();
        let mut long = Fields::new(zip64);
        let size = long.widened(size)?;
        let data_len = long.widened(data_len)?;
        let long_offset_at = (offset == u32::MAX)
            .then(|| CENTRAL_BYTES + name_len + zip64_at + zip64.len() - long.rest().len());
        let offset = long.widened(offset)?;
        let disk = if disk == u16::MAX {
            long.u32()?
        } else {
            disk.into()
        };
        // Only some readers would use the remaining bytes.
        if disk != 0 || !long.rest().is_empty() {
            return None;
        }
        Some(Self {
            flags,
            method,
            crc32,
            data_len,
            size,
            external_attributes,
            offset,
            name,
            bytes: &start[..start.len() - directory.rest().len()],
            long_offset_at,
        })
    }
}

/// Returns the sizes in a local header, uncompressed size first; ZIP64 has both
/// or none (4.5.3).
fn local_sizes(short: [u32; 2], zip64: Option<(usize, &[u8])>) -> Option<[u64; 2]> {
    let mut long = Fields::new(zip64.map_or(&[], |(_, value)| value));
    let [data_len, size] = short;
    let size = long.widened(size)?;
    let data_len = long.widened(data_len)?;
    long.rest().is_empty().then_some([data_len, size])
}

/// Requires that the Info-ZIP Unicode path (4.6.9), which only some readers
/// use, equals the name in the header.
fn expect_same_path(extra: &[u8], name: &[u8]) -> Result<(), Error> {
    const VERSION_AND_CRC: usize = 5;

    let path = extra_field(extra, UNICODE_PATH_EXTRA).ok_or(Error::Damaged("extra field"))?;
    match path.and_then(|(_, value)| value.get(VERSION_AND_CRC..)) {
        Some(path) if path != name => Err(Error::Ambiguous("a member has two names")),
        _ => Ok(()),
    }
}

/// Returns whether the UNIX mode in the external attributes is neither a file
/// nor a folder.
fn is_special_file(external_attributes: u32) -> bool {
    const FORMAT: u32 = 0o170_000;
    const REGULAR: u32 = 0o100_000;
    const FOLDER: u32 = 0o040_000;

    !matches!(external_attributes >> 16 & FORMAT, 0 | REGULAR | FOLDER)
}
