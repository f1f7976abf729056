//! Contexts of sealed values, in addition to those of ceremonies.

use parafa_ceremony::sealing::SealedValue;

use crate::records::{BatchPrivate, CommentPrivate, FilePrivate};

impl SealedValue for BatchPrivate {
    const KIND: &'static str = "batch";
}

impl SealedValue for CommentPrivate {
    const KIND: &'static str = "comment";
}

impl SealedValue for FilePrivate {
    const KIND: &'static str = "file";
}
