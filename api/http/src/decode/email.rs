//! Email addresses as people have them.

use email_address::{EmailAddress, Options};
use url::Host;

use super::text;

/// Longest address, in octets: a path of 256 octets (RFC 5321, 4.5.3.1.3) has a
/// pair of brackets.
const LONGEST: usize = 254;

/// Key for comparing mailboxes: letters in lower case, and a domain in A-labels, whether written in
/// U-labels or A-labels (RFC 5890, 2.3.2.1).
#[must_use]
pub fn mailbox(address: &str) -> String {
    let address = address.to_lowercase();
    let in_ascii = address.rsplit_once('@').and_then(|(local_part, domain)| {
        let domain = Host::parse(domain).ok()?;
        Some(format!("{local_part}@{domain}"))
    });
    in_ascii.unwrap_or(address)
}

/// An address with a domain of at least two labels. RFC 5321 also allows display names, quoted
/// local parts and address literals; no signer has these, and they are refused. So are invisible
/// characters, which RFC 6531 allows.
pub fn parse(text: &str) -> Option<EmailAddress> {
    let options = Options::default()
        .with_required_tld()
        .without_domain_literal()
        .without_display_text();
    let quoted = text.starts_with('"');
    (!quoted && text.len() <= LONGEST && !text::has_unseen(text))
        .then(|| EmailAddress::parse_with_options(text, options).ok())
        .flatten()
        .filter(|address| Host::parse(address.domain()).is_ok())
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
            "jo\u{200E}nas@example.lt",
            "jonas\u{E0001}@example.lt",
            "jonas@xn--a.example",
            &long_local_part,
        ] {
            assert!(parse(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn one_mailbox_has_many_spellings() {
        for text in [
            "ona@žemė.example",
            "ONA@ŽEMĖ.example",
            "ona@XN--em-9ma32b.example",
        ] {
            assert!(parse(text).is_some(), "{text}");
            assert_eq!(mailbox(text), "ona@xn--em-9ma32b.example", "{text}");
        }
        assert_ne!(mailbox("ona@žemė.example"), mailbox("ona@zeme.example"));
    }

    #[test]
    fn an_address_fits_into_a_path_of_smtp() {
        let local_part = "a".repeat(64);
        let labels = format!("{}.{}", "b".repeat(61), "b".repeat(60));
        let fits = format!("{local_part}@{labels}.{}.lt", "c".repeat(63));
        assert_eq!(fits.len(), LONGEST);
        assert!(parse(&fits).is_some());
        assert!(parse(&fits.replace(".lt", ".com")).is_none());
    }
}
