use std::borrow::Cow;

use lopdf::ObjectId;

use crate::structure::{PdfFile, as_reference};

/// Longest chain of references from one to the next that is followed.
const MAX_REFERENCE_HOPS: usize = 16;

/// A value as written, references followed.
pub(super) struct Followed<'s> {
    /// The object that is the value; `None` when it is direct.
    pub(super) id: Option<ObjectId>,
    /// The value; of a stream its dictionary.
    pub(super) source: Cow<'s, [u8]>,
    /// The encoded data of a stream.
    pub(super) data: Option<&'s [u8]>,
}

/// Follows references from a value; `None` when they lead to nothing.
pub(super) fn follow<'s>(file: &PdfFile<'s>, value: &'s [u8]) -> Option<Followed<'s>> {
    let mut followed = Followed {
        id: None,
        source: Cow::Borrowed(value),
        data: None,
    };
    for _ in 0..MAX_REFERENCE_HOPS {
        let Some(id) = as_reference(&followed.source) else {
            return Some(followed);
        };
        let object = file.raw_object(id).ok()?;
        followed = Followed {
            id: Some(id),
            source: object.bytes,
            data: object.data,
        };
    }
    None
}
