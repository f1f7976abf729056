use http::HeaderMap;
use http::header::{AsHeaderName, CONTENT_TYPE};

/// Returns true if a field of weighted values (RFC 9110, 12.4.2) contains `value` with a weight
/// above zero. Wildcards do not count.
pub fn accepts(headers: &HeaderMap, field: impl AsHeaderName, value: &str) -> bool {
    let mut accepted = headers
        .get_all(field)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','));
    accepted.any(|accepted| {
        let mut parts = accepted.split(';').map(str::trim);
        let is_named = parts
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case(value));
        is_named && !parts.any(is_weight_of_zero)
    })
}

/// Returns true if there is one Content-Type field and it is this media type (RFC 9110, 8.3),
/// whatever its parameters. Of several, recipients choose differently.
#[must_use]
pub fn declares(headers: &HeaderMap, media_type: &str) -> bool {
    let mut fields = headers.get_all(CONTENT_TYPE).iter();
    let (Some(given), None) = (fields.next(), fields.next()) else {
        return false;
    };
    let given = given.to_str().ok();
    let essence = given.and_then(|given| given.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(media_type))
}

fn is_weight_of_zero(parameter: &str) -> bool {
    parameter.split_once('=').is_some_and(|(name, weight)| {
        name.eq_ignore_ascii_case("q") && weight.trim_end_matches(['0', '.']).is_empty()
    })
}

#[cfg(test)]
mod tests {
    use http::header::ACCEPT;

    use super::*;

    #[test]
    fn a_media_type_is_declared_by_one_field_alone() {
        let declares_json = |fields: &[&'static str]| {
            let fields = fields
                .iter()
                .map(|field| (CONTENT_TYPE, field.parse().unwrap()));
            declares(&fields.collect(), "application/json")
        };

        assert!(declares_json(&["Application/JSON; charset=utf-8"]));
        assert!(!declares_json(&["application/json", "text/plain"]));
        assert!(!declares_json(&["text/plain", "application/json"]));
        assert!(!declares_json(&[]));
    }

    fn accepts_html(lines: &[&'static str]) -> bool {
        let lines = lines.iter().map(|line| (ACCEPT, line.parse().unwrap()));
        accepts(&lines.collect(), ACCEPT, "text/html")
    }

    #[test]
    fn a_value_is_accepted_in_any_line_and_with_any_weight_but_zero() {
        assert!(accepts_html(&[
            "application/xml, TEXT/html;charset=utf-8 ; q=0.1"
        ]));
        assert!(accepts_html(&["image/png", "text/html"]));
        for refused in ["text/html;q=0", "text/html; Q=0.00", "*/*", "text/html+x"] {
            assert!(!accepts_html(&[refused]), "{refused}");
        }
        assert!(!accepts_html(&[]));
    }
}
