//! PDF documents: whole files, files made of mutated objects, and mutated
//! updates of a signed file.

mod archive;
mod ceremony;
mod documents;
mod flatten;
mod rehearse;
mod source;
mod update;

use std::sync::LazyLock;

use parafa_fixtures::PdfBuilder;
use parafa_format_core::Integrity;

use crate::refusal::assert_listed;
use crate::target::Target;

pub(crate) use ceremony::TrustingEnvironment;
use ceremony::{Level, sign};
use documents::{inspected, signed, unsigned, verified};

/// Reading a file.
///
/// The same file gives the same answer, and a refusal has a code of the
/// catalogue.
pub const PDF_INSPECT: Target = Target {
    name: "pdf_inspect",
    run: |input| {
        let first = inspected(input);
        assert_eq!(first, inspected(input));
        if let Err(refusal) = first {
            assert_listed(&refusal);
        }
    },
    seeds: unsigned,
};

/// Signing a file that is taken, see [`signs`].
pub const PDF_SIGN: Target = Target {
    name: "pdf_sign",
    run: signs,
    seeds: || [unsigned(), signed()].concat(),
};

/// Archiving a file, see [`archive`].
pub const PDF_ARCHIVE: Target = Target {
    name: "pdf_archive",
    run: archive::run,
    seeds: archive::seeds,
};

/// Verifying a file, signed or not.
pub const PDF_VERIFY: Target = Target {
    name: "pdf_verify",
    run: |input| {
        let first = verified(input);
        assert_eq!(first, verified(input));
        if let Err(refusal) = first {
            assert_listed(&refusal);
        }
    },
    seeds: || [signed(), unsigned()].concat(),
};

/// Signing a file whose objects are those of the input: offsets and lengths
/// are made right, so mutations reach what lies behind them. The first byte
/// picks the layout.
pub const PDF_OBJECTS: Target = Target {
    name: "pdf_objects",
    run: |input| {
        if let Some((layout, text)) = input.split_first() {
            signs(&source::write(text, *layout));
        }
    },
    seeds: || in_every_layout(&unsigned()),
};

/// Flattening a file whose objects are those of the input, as [`PDF_OBJECTS`]
/// makes it; see [`flatten::flattens`].
pub const PDF_FLATTEN: Target = Target {
    name: "pdf_flatten",
    run: |input| {
        if let Some((layout, text)) = input.split_first() {
            flatten::flattens(&source::write(text, *layout));
        }
    },
    seeds: || in_every_layout(&[unsigned(), flatten::forms()].concat()),
};

/// Rehearsing a file whose objects are those of the input, as [`PDF_OBJECTS`]
/// makes it; see [`rehearse::rehearses`].
pub const PDF_REHEARSE: Target = Target {
    name: "pdf_rehearse",
    run: |input| {
        if let Some((layout, text)) = input.split_first() {
            rehearse::rehearses(&source::write(text, *layout));
        }
    },
    seeds: || in_every_layout(&[unsigned(), signed()].concat()),
};

/// Verifying a signed file to which the objects of the input were appended, as
/// an update with a sound cross-reference table.
///
/// Its signature is found again unless the file is refused, and if the file is
/// taken for signing, it can be signed.
pub const PDF_UPDATE: Target = Target {
    name: "pdf_update",
    run: |input| {
        static SIGNED: LazyLock<Vec<u8>> = LazyLock::new(|| {
            let form = PdfBuilder::new().text_field("Vardas", "Ona").build();
            sign(&form, Level::Timestamped).expect("fixtures can be signed")
        });
        let updated = update::append(&SIGNED, input);
        if let Err(refusal) = verified(&updated) {
            assert_listed(&refusal);
        }
        signs(&updated);
    },
    seeds: update::seeds,
};

/// A file that is taken can be signed. The signed file begins with it, is made
/// the same twice, is taken as well and has one signature more, which is
/// intact.
fn signs(input: &[u8]) {
    let before = match inspected(input) {
        Ok(report) => report,
        Err(refusal) => return assert_listed(&refusal),
    };
    // One level is slow enough; mutations change the length all the time.
    let level = if input.len().is_multiple_of(2) {
        Level::Basic
    } else {
        Level::Timestamped
    };
    let signed = match sign(input, level) {
        Ok(signed) => signed,
        Err(refusal) => panic!("what inspect takes, sign refuses: {refusal}"),
    };
    assert!(signed.starts_with(input), "the input is not kept");
    assert_eq!(Ok(&signed), sign(input, level).as_ref());
    let after = match inspected(&signed) {
        Ok(report) => report,
        Err(refusal) => panic!("what sign wrote, inspect refuses: {refusal}"),
    };
    assert_eq!(after.signatures.len(), before.signatures.len() + 1);
    let evidence = match verified(&signed) {
        Ok(evidence) => evidence,
        Err(refusal) => panic!("what sign wrote, verify refuses: {refusal}"),
    };
    assert_eq!(evidence.len(), before.signatures.len() + 1);
    let made = evidence.last().expect("there is one signature at least");
    assert_eq!(made.integrity, Integrity::Intact);
    assert_eq!(made.level, level.reached());
}

fn in_every_layout(files: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let numbered = files.iter().filter(|file| source::has_objects(file));
    numbered
        .flat_map(|file| (0..3).map(move |layout| [&[layout], file.as_slice()].concat()))
        .collect()
}
