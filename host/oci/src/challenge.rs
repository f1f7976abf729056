//! Authentication challenges of registries (RFC 9110, 11.6.1).

use http::HeaderMap;
use http::header::WWW_AUTHENTICATE;

/// The authentication scheme that a registry demands.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Challenge {
    /// Name and password (RFC 7617).
    Basic,
    /// A token (RFC 6750), which is fetched from `realm` (distribution's "Token
    /// Authentication Specification").
    Bearer {
        realm: String,
        service: Option<String>,
    },
}

impl Challenge {
    /// Reads the challenge of an answer. A token challenge has precedence over a password one.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let values = headers.get_all(WWW_AUTHENTICATE).iter();
        let challenges = values.filter_map(|value| Self::parse(value.to_str().ok()?));
        challenges.max_by_key(|challenge| matches!(challenge, Self::Bearer { .. }))
    }

    fn parse(text: &str) -> Option<Self> {
        let (scheme, parameters) = match text.trim().split_once(' ') {
            Some((scheme, parameters)) => (scheme, parameters),
            None => (text.trim(), ""),
        };
        if scheme.eq_ignore_ascii_case("basic") {
            return Some(Self::Basic);
        }
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let (mut realm, mut service) = (None, None);
        for (name, value) in parameters_of(parameters) {
            match name.to_ascii_lowercase().as_str() {
                "realm" => realm = Some(value),
                "service" => service = Some(value),
                _ => {}
            }
        }
        Some(Self::Bearer {
            realm: realm?,
            service,
        })
    }
}

/// Parses `auth-param`s up to the first malformed one.
fn parameters_of(text: &str) -> Vec<(&str, String)> {
    let (mut parameters, mut rest) = (Vec::new(), text);
    while let Some((name, after)) = rest.trim_start_matches([' ', '\t', ',']).split_once('=') {
        let name = name.trim_end();
        let after = after.trim_start();
        let value = match after.strip_prefix('"') {
            Some(quoted) => {
                let Some((value, after)) = unquoted(quoted) else {
                    break;
                };
                rest = after;
                value
            }
            None => {
                let end = after.find([',', ' ']).unwrap_or(after.len());
                let (value, after) = after.split_at(end);
                rest = after;
                value.to_owned()
            }
        };
        parameters.push((name, value));
    }
    parameters
}

/// Reads a quoted string after its first quotation mark (RFC 9110, 5.6.4), and returns it with the
/// rest.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, text.get(at + 1..)?)),
            '\\' => value.push(characters.next()?.1),
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn challenge(values: &[&'static str]) -> Option<Challenge> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(WWW_AUTHENTICATE, http::HeaderValue::from_static(value));
        }
        Challenge::of(&headers)
    }

    #[test]
    fn a_realm_and_its_service_are_read() {
        let text = r#"Bearer realm="https://auth.example/token",service="registry.example",scope="repository:a/b:pull,push""#;

        let expected = Challenge::Bearer {
            realm: "https://auth.example/token".to_owned(),
            service: Some("registry.example".to_owned()),
        };
        assert_eq!(challenge(&[text]), Some(expected));
    }

    #[test]
    fn quotation_marks_may_stand_in_a_value_and_be_left_out_around_one() {
        let expected = Challenge::Bearer {
            realm: r#"https://a.example/"x","#.to_owned(),
            service: Some("b".to_owned()),
        };
        let text = r#"bearer service=b , realm = "https://a.example/\"x\",""#;
        assert_eq!(challenge(&[text]), Some(expected));
    }

    #[test]
    fn a_token_is_preferred_to_a_password() {
        let bearer = r#"Bearer realm="https://auth.example/token""#;
        let asked = challenge(&[bearer, r#"Basic realm="x""#]);
        assert!(matches!(asked, Some(Challenge::Bearer { .. })), "{asked:?}");
        assert_eq!(challenge(&["Basic"]), Some(Challenge::Basic));
    }

    #[test]
    fn what_is_not_understood_is_no_challenge() {
        for text in ["Negotiate", "Bearer", r#"Bearer realm="https://a"#, ""] {
            assert_eq!(challenge(&[text]), None, "{text}");
        }
        assert_eq!(challenge(&[]), None);
    }
}
