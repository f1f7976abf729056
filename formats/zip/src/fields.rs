//! Little-endian fields of archive records.

/// Reads the fields of a record in sequence.
pub(crate) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// Returns the unread bytes.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// Returns a 32-bit value, or the next 64-bit value in its place
    /// (APPNOTE.TXT, 4.5.3).
    pub(crate) fn widened(&mut self, short: u32) -> Option<u64> {
        if short == u32::MAX {
            self.u64()
        } else {
            Some(short.into())
        }
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }
}

/// Returns value and offset of the only extra field of a kind (APPNOTE.TXT,
/// 4.5); `None` if the extra fields are unreadable or two are of this kind.
pub(crate) fn extra_field(extra: &[u8], kind: u16) -> Option<Option<(usize, &[u8])>> {
    let mut fields = Fields::new(extra);
    let mut found = None;
    while !fields.rest().is_empty() {
        let id = fields.u16()?;
        let len = fields.u16()?;
        let begins = extra.len() - fields.rest().len();
        let value = fields.bytes(len.into())?;
        if id == kind && found.replace((begins, value)).is_some() {
            return None;
        }
    }
    Some(found)
}
