//! Web addresses as RFC 3986 has them.

use url::Url;

/// Characters allowed in a URI beside letters, digits and percent-encoded octets (RFC 3986, 2.2 and
/// 2.3), except the brackets around an IPv6 address.
const MARKS: &[u8] = b"-._~:/?@!$&'()*+,;=";

/// An absolute http or https URL with a host, without credentials and fragment. `url` corrects
/// malformed URLs as browsers do, so the form is checked first.
pub(super) fn parse(text: &str) -> Option<Url> {
    let url = has_form(text).then(|| Url::parse(text).ok()).flatten();
    url.filter(|url| url.has_host() && url.port() != Some(0))
}

fn has_form(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    let is_scheme = |name: &&str| name.eq_ignore_ascii_case(scheme);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let host = authority.replace(['[', ']'], "");
    ["http", "https"].iter().any(is_scheme)
        && !host.is_empty()
        && !authority.contains('@')
        && [host.as_str(), rest].into_iter().all(is_of_uri_characters)
}

fn is_of_uri_characters(text: &str) -> bool {
    let mut pieces = text.split('%');
    let plain = pieces.next().unwrap_or_default();
    let is_encoded = |piece: &str| {
        let code = piece.as_bytes().first_chunk::<2>();
        code.is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit))
    };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || MARKS.contains(&byte);
    plain.bytes().all(is_plain)
        && pieces.all(|piece| is_encoded(piece) && piece.bytes().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_addresses_are_taken() {
        for text in [
            "https://hooks.example",
            "HTTPS://hooks.example/a/b;c?d=e&f=%C5%BE",
            "http://127.0.0.1:8080/in",
            "https://[2001:db8::1]:8443/",
            "https://hooks.example?a=(b)'!*",
            "https://xn--emi-b3a.example/",
        ] {
            assert!(parse(text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_is_no_uri_is_not_put_right() {
        for text in [
            "",
            "hooks.example",
            "https:hooks.example",
            "https:/hooks.example",
            "https:///hooks.example",
            "ftp://hooks.example/",
            " https://hooks.example/",
            "https://hooks.example/ ",
            "https://hooks.example/a b",
            "https://hooks.example/\ta",
            "https://hooks.ex\nample/",
            "https://hooks.example\\@127.0.0.1/",
            "https:\\\\hooks.example/",
            "https://hooks.example/a\\b",
            "https://\u{17e}emi.example/",
            "https://hooks.example/\u{17e}",
            "https://hooks.example/%",
            "https://hooks.example/%zz",
            "https://hooks.example/a[0]",
            "https://hooks.example/{id}",
            "https://hooks.example:0/",
            "https://hooks.example:70000/",
            "https://@hooks.example/",
            "https://u:p@hooks.example/",
            "https://hooks.example/#f",
            "https://hooks.example/#",
        ] {
            assert!(parse(text).is_none(), "{text:?}");
        }
    }
}
