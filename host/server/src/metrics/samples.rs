//! Parser of the text for monitoring.

/// A sample of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample<'t> {
    pub(crate) name: &'t str,
    pub(crate) value: f64,
    /// Text between the braces.
    labels: &'t str,
}

pub(crate) fn samples(text: &str) -> impl Iterator<Item = Sample<'_>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let (series, value) = line.rsplit_once(' ')?;
        let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
        Some(Sample {
            name,
            value: value.parse().ok()?,
            labels: labels.strip_suffix('}')?,
        })
    })
}

impl<'t> Sample<'t> {
    /// Returns the value of a label, with its escapes.
    pub(crate) fn label(&self, wanted: &str) -> Option<&'t str> {
        let mut rest = self.labels;
        loop {
            let (name, behind) = rest.split_once("=\"")?;
            let (value, others) = behind.split_at(end_of_value(behind)?);
            if name == wanted {
                return Some(value);
            }
            rest = others.trim_start_matches(['"', ',']);
        }
    }
}

/// Finds the quotation mark that ends a value.
fn end_of_value(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.find(|character: char| {
        let ends = character == '"' && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
        ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_numbers_are_read_whatever_stands_in_a_value() {
        let text = "# TYPE a counter\n\
            a_total{route=\"/c/{token}\",note=\"a \\\"b\\\", c=\\\"d\\\\\",status=\"200\"} 3\n\
            b 0.5\n\
            c{le=\"+Inf\"} 7\n\
            # EOF\n";

        let read: Vec<_> = samples(text).collect();

        let [a, b, c] = &read[..] else {
            panic!("{read:?}");
        };
        assert_eq!((a.name, a.label("status")), ("a_total", Some("200")));
        assert_eq!(a.label("route"), Some("/c/{token}"));
        assert_eq!((a.label("c"), a.label("le")), (None, None));
        assert_eq!((b.name, b.value.to_string()), ("b", "0.5".to_owned()));
        assert_eq!(b.label("le"), None);
        assert_eq!(
            c.label("le").and_then(|le| le.parse::<f64>().ok()),
            Some(f64::INFINITY)
        );
    }
}
