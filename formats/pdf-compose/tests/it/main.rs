//! Integration tests of composed documents.

mod compose;
