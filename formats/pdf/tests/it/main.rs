//! Integration tests of the PDF format.
