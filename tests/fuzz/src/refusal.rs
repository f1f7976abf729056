use parafa_format_core::Refusal;

/// Asserts that a refusal has a code of the catalogue.
pub(crate) fn assert_listed(refusal: &Refusal) {
    const CATALOGUE: &str = include_str!("../../../wit/CATALOGUE.md");

    let code = format!("`{}`", refusal.code);
    assert!(CATALOGUE.contains(&code), "not in the catalogue: {refusal}");
}
