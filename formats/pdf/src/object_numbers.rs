use lopdf::ObjectId;
use parafa_format_core::Refusal;

use crate::structure::{MAX_OBJECT_NUMBER, PdfFile};

/// Numbers for new objects, neither used nor referenced in the document.
pub(crate) struct ObjectNumbers {
    next: u32,
}

impl ObjectNumbers {
    /// Starts after the numbers of a document.
    pub(crate) fn after(file: &PdfFile<'_>) -> Self {
        Self {
            next: file.next_object_number(),
        }
    }

    /// Returns one more than the highest number allocated.
    pub(crate) fn next(&self) -> u32 {
        self.next
    }

    /// Allocates a number.
    pub(crate) fn allocate(&mut self) -> Result<ObjectId, Refusal> {
        let number = self.next;
        if number > MAX_OBJECT_NUMBER {
            return Err(Refusal::new(
                "too-many-objects",
                "No object number is left.",
            ));
        }
        self.next = number + 1;
        Ok((number, 0))
    }
}
