//! The source of an object, which may be long and is therefore not copied.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

use super::object_stream::ObjectStream;

/// A value as written, wherever it stands.
#[derive(Clone)]
pub(crate) enum ObjectSource<'a> {
    /// In the file, or in a value at hand.
    File(&'a [u8]),
    /// In a decoded object stream, which is kept with it.
    Member {
        /// The object stream.
        stream: Rc<ObjectStream>,
        /// Its place among the members.
        index: u32,
    },
}

impl ObjectSource<'_> {
    /// A copy.
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
