//! The rows of the signing API beside its ceremonies, and their sealed content.

mod batch;
mod comment;
mod event;
mod file;

use parafa_store::TableDeclaration;

pub use batch::{BatchPrivate, BatchRow, HeldAbout, HeldMail, UnsealedBatch};
pub use comment::{CommentAuthor, CommentPrivate, CommentRow, UnsealedComment};
pub use event::{EventDocument, EventKind, EventPayload, EventSigner};
pub use file::{FilePrivate, FileRow, UnsealedFile};

/// All tables of this crate.
pub const TABLES: &[TableDeclaration] = &[
    TableDeclaration::of::<BatchRow>(),
    TableDeclaration::of::<CommentRow>(),
    TableDeclaration::of::<FileRow>(),
];
