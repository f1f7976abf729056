//! Email addresses as people have them.

use email_address::{EmailAddress, Options};

/// An address with a domain of at least two labels. Display names, quoted
/// local parts and address literals, which RFC 5321 allows and no signer has,
/// are not taken.
pub(super) fn parse(text: &str) -> Option<EmailAddress> {
    let options = Options::default()
        .with_required_tld()
        .without_domain_literal()
        .without_display_text();
    let quoted = text.starts_with('"');
    (!quoted)
        .then(|| EmailAddress::parse_with_options(text, options).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_addresses_are_taken() {
        for text in [
            "jonas@example.lt",
            "o'neil+sign@sub.example.co.uk",
            "JONAS@EXAMPLE.LT",
            "žilvinas@example.lt",
        ] {
            assert!(parse(text).is_some(), "{text}");
        }
    }

    #[test]
    fn everything_else_is_not_an_address() {
        let long_local_part = format!("{}@example.lt", "a".repeat(65));
        for text in [
            "",
            "jonas",
            "jonas@",
            "@example.lt",
            "jonas@localhost",
            "jonas@[127.0.0.1]",
            "Jonas <jonas@example.lt>",
            "\"jonas smith\"@example.lt",
            " jonas@example.lt",
            "jonas@example.lt\r\nBcc: eve@example.lt",
            "jonas@@example.lt",
            "jonas..p@example.lt",
            &long_local_part,
        ] {
            assert!(parse(text).is_none(), "{text:?}");
        }
    }
}
