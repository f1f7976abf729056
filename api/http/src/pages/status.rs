//! The page on which an operator sees how a server does. It runs no script.

use maud::{Markup, html};

use super::layout::{Layout, english};

/// Minutes that plots have room for.
const MINUTES: usize = 60;
/// How wide a minute of a plot is, in the plot's own units.
const STEP: usize = 2;
/// How high a plot is.
const HEIGHT: f64 = 24.0;

/// What a server says of itself.
#[derive(Clone, Debug)]
pub struct StatusPage {
    /// The program's version.
    pub version: &'static str,
    /// When the page was made.
    pub at: String,
    /// Whether the server can work.
    pub is_ready: bool,
    /// What an operator should look at.
    pub warnings: Vec<String>,
    /// All the rest.
    pub tables: Vec<StatusTable>,
}

/// One part of it.
#[derive(Clone, Debug)]
pub struct StatusTable {
    /// What it is about.
    pub title: &'static str,
    /// What is to be known of it.
    pub about: &'static str,
    /// The heads of the columns.
    pub columns: &'static [&'static str],
    /// The rows, each headed by its first cell.
    pub rows: Vec<Vec<StatusCell>>,
}

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum StatusCell {
    /// Words or a number.
    Text(String),
    /// A name or digest to be copied.
    Code(String),
    /// That something is well.
    Good(String),
    /// That something is not.
    Fault(String),
    /// A bar for each minute, the newest at the right. Other cells of the row
    /// say what is to be known of them.
    Bars(Vec<f64>),
}

impl StatusPage {
    /// The whole page.
    #[must_use]
    pub fn render(&self) -> Markup {
        let layout = Layout {
            is_public: false,
            ..english("Status")
        };
        layout.render(
            &html! {},
            &html! {
                main.wide #main tabindex="-1" {
                    section {
                        h1 { "Status" }
                        @if self.is_ready { p.success { "Ready" } } @else { p.fault { "Not ready" } }
                        p { "Parafa " (self.version) ", at " (self.at) ". This page is made anew every minute." }
                        @for warning in &self.warnings { p.notice { "Warning: " (warning) } }
                    }
                    @for table in &self.tables { (table.render()) }
                }
            },
        )
    }
}

impl StatusTable {
    fn render(&self) -> Markup {
        html! {
            section {
                h2 { (self.title) }
                p.hint { (self.about) }
                @if self.rows.is_empty() { p { "None." } } @else {
                    div.scrolled role="region" aria-label=(self.title) tabindex="0" {
                        table {
                            thead { tr { @for column in self.columns { th scope="col" { (column) } } } }
                            tbody { @for row in &self.rows { tr {
                                @for (place, cell) in row.iter().enumerate() {
                                    @if place == 0 { th scope="row" { (cell.render()) } } @else { td { (cell.render()) } }
                                }
                            } } }
                        }
                    }
                }
            }
        }
    }
}

impl StatusCell {
    fn render(&self) -> Markup {
        match self {
            Self::Text(text) => html! { (text) },
            Self::Code(text) => html! { code { (text) } },
            Self::Good(text) => html! { span.success { (text) } },
            Self::Fault(text) => html! { span.fault { (text) } },
            Self::Bars(minutes) => bars(minutes),
        }
    }
}

/// Drawn in the colour of the text, whichever that is.
fn bars(minutes: &[f64]) -> Markup {
    let most = minutes.iter().copied().fold(0.0, f64::max);
    let begin = MINUTES.saturating_sub(minutes.len());
    let drawn = minutes
        .iter()
        .enumerate()
        .filter(|(_, value)| **value > 0.0);
    let path: String = drawn
        .map(|(minute, value)| {
            let (x, height) = (STEP * (begin + minute), (value / most * HEIGHT).max(1.0));
            format!("M{x} {HEIGHT}v-{height:.1}h1.5v{height:.1}z")
        })
        .collect();
    let (width, height) = (STEP * MINUTES, HEIGHT);
    html! {
        svg viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) role="img"
            aria-label={ "A bar for each of " (minutes.len()) " minutes" } {
            path d=(path) fill="currentColor" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(cells: Vec<StatusCell>) -> String {
        let page = StatusPage {
            version: "1.2.3",
            at: "2026-03-11T09:00:00Z".to_owned(),
            is_ready: false,
            warnings: vec!["the disk <is> full".to_owned()],
            tables: vec![StatusTable {
                title: "Queues",
                about: "Jobs.",
                columns: &["Queue", "Due"],
                rows: vec![cells],
            }],
        };
        page.render().into_string()
    }

    #[test]
    fn a_row_is_headed_by_its_name_and_nothing_on_the_page_runs_or_has_a_style_of_its_own() {
        let page = page(vec![
            StatusCell::Text("timers".to_owned()),
            StatusCell::Fault("<script>7".to_owned()),
            StatusCell::Bars(vec![1.0]),
        ]);

        assert!(page.contains("<th scope=\"row\">timers</th>"), "{page}");
        assert!(page.contains("&lt;script&gt;7"), "{page}");
        assert!(page.contains("Warning: the disk &lt;is&gt; full"), "{page}");
        assert!(page.contains(">Not ready<"), "{page}");
        for forbidden in ["<script", "style=", " on"] {
            let mut tags = page.split('<').filter_map(|tag| tag.split('>').next());
            assert!(
                !tags.any(|tag| format!("<{tag}").contains(forbidden)),
                "{forbidden}: {page}"
            );
        }
    }

    #[test]
    fn bars_are_as_high_as_their_share_of_the_highest_and_the_newest_stands_at_the_right() {
        let page = page(vec![StatusCell::Bars(vec![4.0, 0.0, 8.0])]);

        assert!(
            page.contains("d=\"M114 24v-12.0h1.5v12.0zM118 24v-24.0h1.5v24.0z\""),
            "{page}"
        );
        assert!(page.contains("A bar for each of 3 minutes"), "{page}");
    }
}
