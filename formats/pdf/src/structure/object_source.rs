//! Source of an object, borrowed because it may be long.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

use super::object_stream::ObjectStream;

/// A value, as written.
#[derive(Clone)]
pub(crate) enum ObjectSource<'a> {
    /// In the file or another borrowed value.
    File(&'a [u8]),
    /// In a decoded object stream, which is shared.
    Member {
        stream: Rc<ObjectStream>,
        /// Index among the members.
        index: u32,
    },
}

impl ObjectSource<'_> {
    /// Copies the source.
    pub(crate) fn into_owned(self) -> Vec<u8> {
        self.to_vec()
    }
}

impl Deref for ObjectSource<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::File(source) => source,
            Self::Member { stream, index } => {
                let member = stream.member(*index);
                member.map_or(&[], |(_, source)| source)
            }
        }
    }
}

impl<'a> From<ObjectSource<'a>> for Cow<'a, [u8]> {
    fn from(source: ObjectSource<'a>) -> Self {
        match source {
            ObjectSource::File(source) => Self::Borrowed(source),
            member @ ObjectSource::Member { .. } => Self::Owned(member.into_owned()),
        }
    }
}

impl fmt::Debug for ObjectSource<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.deref().fmt(formatter)
    }
}
