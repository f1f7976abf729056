//! Targets of `ds:Reference/@URI`, and URIs for member names (ETSI EN 319
//! 162-1, A.6: relative to the root of the container).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Characters that stay unencoded: those unreserved in RFC 3986, and the slash.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// Target of a reference.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Location<'a> {
    /// An element of the signature file, by its identifier.
    Element(&'a str),
    /// A member, by its percent-decoded name, or by its name as written, for
    /// writers without encoding.
    Member {
        decoded: Option<String>,
        written: &'a str,
    },
    /// A target outside, or the signature file itself.
    Elsewhere,
}

impl<'a> Location<'a> {
    pub(crate) fn parse(uri: &'a str) -> Self {
        if let Some(id) = uri.strip_prefix('#') {
            return if id.is_empty() || id.contains(['(', ')']) {
                Self::Elsewhere
            } else {
                Self::Element(id)
            };
        }
        let written = uri.strip_prefix('/').unwrap_or(uri);
        if written.is_empty() || written.starts_with('/') || has_scheme(uri) {
            return Self::Elsewhere;
        }
        let decoded = percent_decode_str(written).decode_utf8().ok();
        Self::Member {
            decoded: decoded.map(std::borrow::Cow::into_owned),
            written,
        }
    }
}

/// Returns the reference to a member.
pub(crate) fn reference_to(name: &str) -> String {
    utf8_percent_encode(name, ENCODED).to_string()
}

/// Returns whether the first path segment looks like a scheme (RFC 3986, 3.1).
fn has_scheme(uri: &str) -> bool {
    let scheme = uri.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(uri: &str) -> Option<String> {
        match Location::parse(uri) {
            Location::Member { decoded, .. } => decoded,
            _ => None,
        }
    }

    #[test]
    fn names_are_encoded_as_others_do() {
        assert_eq!(
            reference_to("dds_JÜRIÖÖ € žŠ päev.txt"),
            "dds_J%C3%9CRI%C3%96%C3%96%20%E2%82%AC%20%C5%BE%C5%A0%20p%C3%A4ev.txt"
        );
        assert_eq!(
            reference_to("et10i_0123456789!#$%&'()+,-. ;=@[]_`}~ et_EE"),
            "et10i_0123456789%21%23%24%25%26%27%28%29%2B%2C-.%20%3B%3D%40%5B%5D_%60%7D~%20et_EE"
        );
    }

    #[test]
    fn every_name_is_found_again() {
        for name in ["a+b %41:c.txt", "ž/ą č.pdf", "100%", "a~b"] {
            assert_eq!(member(&reference_to(name)).as_deref(), Some(name));
        }
    }

    #[test]
    fn a_plus_sign_is_no_space() {
        assert_eq!(member("a+b").as_deref(), Some("a+b"));
        assert_eq!(member("/žą b").as_deref(), Some("žą b"));
    }

    #[test]
    fn what_leads_out_of_the_container_is_elsewhere() {
        for uri in [
            "",
            "/",
            "//host/a",
            "http://a/b",
            "file:///etc/passwd",
            "#",
            "#xpointer(/)",
        ] {
            assert_eq!(Location::parse(uri), Location::Elsewhere, "{uri}");
        }
    }
}
