//! What should become of the public samples, by the table beside them.

/// Files whose verdict in the list is not the one that the rules give.
const REASONED: [(&str, &str); 9] = [
    // The last `startxref` leads to the white space before the section.
    ("pyhanko__minimal-startxref-obo1.pdf", "accept"),
    (
        "signpdf__issue-209-reason-includes-trailer-word.pdf",
        "accept+note:signed",
    ),
    // All viewers show its page in the format Letter.
    ("pyhanko__no-mediabox.pdf", "accept"),
    // The one subsection announces six entries and has none.
    ("rub__F1-duplicate-obj-num.pdf", "refuse:xref-damaged"),
    // The object 6 is listed where the object 8 is.
    ("dss__hide.pdf", "refuse:xref-damaged"),
    // The newest trailer has an `/Encrypt`, although null.
    ("dss__pdf-spoofing-attack.pdf", "refuse:encrypted"),
    // The number `-1.#INF` in the object 422 comes before all comparisons.
    ("dss__modified_after_signature.pdf", "refuse:object-damaged"),
    // A FieldMDP of the signature locks all fields, and `TestField2` got
    // another value after it (ISO 32000-2, 12.8.2.4).
    ("dss__test-with-vri.pdf", "refuse:modified-after-signing"),
    // The certification has `/P 1`: no changes.
    ("sambit__PAdES_SmartID.pdf", "refuse:certified-no-changes"),
];

/// The file of a line of the table, and its verdict: `accept`, with notes
/// after it, or `refuse:` and a code.
pub(crate) fn verdict(line: &str) -> (&str, &str) {
    let columns: Vec<&str> = line.split('\t').collect();
    let [file, _, _, _, _, expected, ..] = columns[..] else {
        panic!("a line without a verdict: {line}")
    };
    let reasoned = REASONED.iter().find(|(name, _)| *name == file);
    (file, reasoned.map_or(expected, |(_, verdict)| verdict))
}
