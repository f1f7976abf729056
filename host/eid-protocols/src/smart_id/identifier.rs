/// Returns true if a text is a semantics identifier of a person. It has `PNO`, `PAS` or `IDC`, the
/// country, a hyphen and an identifier (ETSI EN 319 412-1, 5.1.3) of letters, digits and hyphens.
#[must_use]
pub fn is_semantics_identifier(text: &str) -> bool {
    let Some((prefix, identifier)) = text.split_once('-') else {
        return false;
    };
    let Some((kind, country)) = prefix.split_at_checked(3) else {
        return false;
    };
    ["PNO", "PAS", "IDC"].contains(&kind)
        && country.len() == 2
        && country.bytes().all(|byte| byte.is_ascii_uppercase())
        && !identifier.is_empty()
        && identifier
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first is a published test account, the others are ours.
    #[test]
    fn a_person_is_named_by_kind_country_and_number() {
        for text in ["PNOLT-40504040001", "PNOLV-329999-99901", "IDCEE-AA3456789"] {
            assert!(is_semantics_identifier(text), "{text}");
        }
        for text in [
            "",
            "40504040001",
            "PNOLT",
            "PNOLT-",
            "PNOlt-1",
            "PNOLTU-1",
            "TINLT-1",
            "PNOLT-1/../2",
            "PNOLT-1 ",
        ] {
            assert!(!is_semantics_identifier(text), "{text}");
        }
    }
}
