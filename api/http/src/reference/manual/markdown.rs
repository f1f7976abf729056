//! The Markdown of descriptions: paragraphs, lists and code.

use maud::{Markup, html};

pub(super) use crate::pages::inline;

/// Paragraphs and lists.
pub(super) fn text(markdown: &str) -> Markup {
    let lines: Vec<_> = markdown.lines().map(str::trim).collect();
    let blocks = lines.chunk_by(|one, next| {
        !one.is_empty() && !next.is_empty() && item(one).is_some() == item(next).is_some()
    });
    html! {
        @for block in blocks {
            @if block.iter().all(|line| item(line).is_some()) {
                ul { @for line in block.iter().filter_map(|line| item(line)) { li { (inline(line)) } } }
            } @else if block.iter().any(|line| !line.is_empty()) {
                p { (inline(&block.join(" "))) }
            }
        }
    }
}

/// The first paragraph.
pub(super) fn first(markdown: &str) -> &str {
    markdown.split("\n\n").next().unwrap_or_default()
}

fn item(line: &str) -> Option<&str> {
    line.strip_prefix("- ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_lists_and_code_are_told_apart() {
        let written = text("One <b> `a`\nthat goes on.\n\n- `x`: first\n- second\n\nLast.");

        assert_eq!(
            written.into_string(),
            "<p>One &lt;b&gt; <code>a</code> that goes on.</p>\
             <ul><li><code>x</code>: first</li><li>second</li></ul><p>Last.</p>"
        );
    }
}
