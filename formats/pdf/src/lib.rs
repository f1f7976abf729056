//! PDF documents and PAdES signatures.
