//! Integration tests of the PDF format.

mod samples;
