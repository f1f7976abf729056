//! Splits incoming data into messages of PostgreSQL's protocol, version 3.

/// The sender of a message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Sender {
    Client,
    Server,
}

/// A buffer that is split into whole messages.
pub(super) struct Messages {
    pending: Vec<u8>,
    /// True if the next message has a length and no type, as a client's first one.
    is_untyped: bool,
}

impl Messages {
    pub(super) fn of(sender: Sender) -> Self {
        Self {
            pending: Vec::new(),
            is_untyped: sender == Sender::Client,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
    }

    /// Returns the next message, once it is complete.
    pub(super) fn next(&mut self) -> Option<Vec<u8>> {
        let before_length = usize::from(!self.is_untyped);
        let length = self.pending.get(before_length..before_length + 4)?;
        let length = u32::from_be_bytes(length.try_into().ok()?);
        let end = before_length + usize::try_from(length).ok()?;
        if self.pending.len() < end {
            return None;
        }
        self.is_untyped = false;
        let rest = self.pending.split_off(end);
        Some(std::mem::replace(&mut self.pending, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_whole_however_they_come_in() {
        let startup = [0, 0, 0, 8, 0, 3, 0, 0];
        let query = *b"Q\0\0\0\x0bCOMMIT\0";
        let mut messages = Messages::of(Sender::Client);
        let mut found = Vec::new();
        for byte in startup.iter().chain(&query).chain(&query) {
            messages.push(&[*byte]);
            found.extend(messages.next());
        }

        assert_eq!(found, [&startup[..], &query, &query]);
    }
}
