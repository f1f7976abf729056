//! Integration tests of the PDF format.

#[expect(dead_code, reason = "nothing that was stored is answered here")]
#[path = "../../../pki/tests/it/answering.rs"]
mod answering;
mod archive;
mod archiving;
mod as_programs_write;
mod bombs;
mod ceremony;
mod earlier_signatures;
mod flatten;
mod flatten_rendering;
mod flatten_samples;
mod forged;
mod form_changes;
mod form_tree;
mod honest_changes;
mod intake;
mod intake_references;
#[path = "../../../pki/tests/it/issuing.rs"]
mod issuing;
mod long_changes;
mod long_document;
mod memory;
mod new_fields;
mod other_copies;
mod page_content;
mod pdfa;
mod permissions;
#[path = "../../../pki/tests/it/pki.rs"]
mod pki;
mod real_samples;
mod referees;
mod rehearse;
mod renderers;
mod robustness;
mod samples;
mod sign;
mod signature_values;
mod structure_growth;
mod tampered;
#[path = "../../../pki/tests/it/tampering.rs"]
mod tampering;
mod unusual;
mod verdicts;
mod verify;
mod watched;
