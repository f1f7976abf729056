//! Expected results of the public samples, from the table beside them.

/// Files whose listed verdict differs from that of the rules.
const REASONED: [(&str, &str); 9] = [
    // The last `startxref` points to the white space before the section.
    ("pyhanko__minimal-startxref-obo1.pdf", "accept"),
    (
        "signpdf__issue-209-reason-includes-trailer-word.pdf",
        "accept+note:signed",
    ),
    // All viewers show its page in Letter format.
    ("pyhanko__no-mediabox.pdf", "accept"),
    // The only subsection announces six entries and has none.
    ("rub__F1-duplicate-obj-num.pdf", "refuse:xref-damaged"),
    // Object 6 is listed at the offset of object 8.
    ("dss__hide.pdf", "refuse:xref-damaged"),
    // The newest trailer has an `/Encrypt`, although null.
    ("dss__pdf-spoofing-attack.pdf", "refuse:encrypted"),
    // The number `-1.#INF` in object 422 prevents comparison.
    ("dss__modified_after_signature.pdf", "refuse:object-damaged"),
    // A FieldMDP of the signature locks all fields, and `TestField2` got
    // another value afterwards (ISO 32000-2, 12.8.2.4).
    ("dss__test-with-vri.pdf", "refuse:modified-after-signing"),
    // The certification has `/P 1`: no changes.
    ("sambit__PAdES_SmartID.pdf", "refuse:certified-no-changes"),
];

/// Returns the file and verdict of a table line: `accept`, followed by notes,
/// or `refuse:` and a code.
pub(crate) fn verdict(line: &str) -> (&str, &str) {
    let columns: Vec<&str> = line.split('\t').collect();
    let [file, _, _, _, _, expected, ..] = columns[..] else {
        panic!("a line without a verdict: {line}")
    };
    let reasoned = REASONED.iter().find(|(name, _)| *name == file);
    (file, reasoned.map_or(expected, |(_, verdict)| verdict))
}
