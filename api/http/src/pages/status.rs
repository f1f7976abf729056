//! The operator's status page. It runs no script.

use maud::{Markup, html};

use super::layout::{Layout, english};

/// Minutes that plots have room for.
const MINUTES: usize = 60;
/// Width of one minute of a plot, in the plot's own units.
const STEP: usize = 2;
/// Height of a plot.
const HEIGHT: f64 = 24.0;

/// The state of a server at one moment.
#[derive(Clone, Debug)]
pub struct StatusPage {
    /// The program's version.
    pub version: &'static str,
    /// Time of the page (RFC 3339).
    pub at: String,
    /// True if the server accepts requests.
    pub is_ready: bool,
    /// Warnings that do not stop the server.
    pub warnings: Vec<String>,
    /// The sections below the summary.
    pub tables: Vec<StatusTable>,
}

/// A section of the page.
#[derive(Clone, Debug)]
pub struct StatusTable {
    /// Its heading.
    pub title: &'static str,
    /// A sentence below the heading.
    pub about: &'static str,
    /// The sentence in the place of a table without rows.
    pub empty: &'static str,
    /// The heads of the columns.
    pub columns: &'static [&'static str],
    /// The rows, each headed by its first cell.
    pub rows: Vec<Vec<StatusCell>>,
}

/// The content of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum StatusCell {
    /// Words or a number.
    Text(String),
    /// A name or digest to copy.
    Code(String),
    /// A healthy state.
    Good(String),
    /// An unhealthy state.
    Fault(String),
    /// A bar chart of the last minutes.
    Plot(StatusPlot),
}

/// A bar chart: one bar a minute, the newest at the right.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusPlot {
    /// Name of the series, in the head of its row.
    pub series: String,
    /// The unit of the values.
    pub unit: &'static str,
    /// The value of each minute, the oldest first.
    pub minutes: Vec<f64>,
}

impl StatusPage {
    /// The whole page.
    #[must_use]
    pub fn render(&self) -> Markup {
        let layout = Layout {
            is_public: false,
            ..english("Status", "")
        };
        layout.render(
            &html! {},
            &html! {
                main.wide #main tabindex="-1" {
                    section {
                        h1 { "Status" }
                        @if self.is_ready { p.success { "Ready" } } @else { p.fault { "Not ready" } }
                        p {
                            "Parafa " (self.version) " · " time datetime=(self.at) { (self.at) }
                            " · refreshes every minute"
                        }
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
                @if self.rows.is_empty() { p { (self.empty) } } @else {
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
            Self::Plot(plot) => plot.render(),
        }
    }
}

impl StatusPlot {
    /// The bars in the colour of the text; peak and last value as the accessible
    /// name, which browsers show as a tooltip too.
    fn render(&self) -> Markup {
        let peak = self.minutes.iter().copied().fold(0.0, f64::max);
        let last = self.minutes.last().copied().unwrap_or_default();
        let begin = MINUTES.saturating_sub(self.minutes.len());
        let drawn = self.minutes.iter().enumerate();
        let drawn = drawn.filter(|(_, value)| **value > 0.0);
        let path: String = drawn
            .map(|(minute, value)| {
                let (x, height) = (STEP * (begin + minute), (value / peak * HEIGHT).max(1.0));
                format!("M{x} {HEIGHT}v-{height:.1}h1.5v{height:.1}z")
            })
            .collect();
        let (width, height) = (STEP * MINUTES, HEIGHT);
        html! {
            svg viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height) role="img" {
                title {
                    (self.series) ", " (self.unit) ": peak " (peak) ", last " (last)
                    " (" (self.minutes.len()) " min)"
                }
                path d=(path) fill="currentColor" {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rows: Vec<Vec<StatusCell>>) -> String {
        let page = StatusPage {
            version: "1.2.3",
            at: "2026-03-11T09:00:00Z".to_owned(),
            is_ready: false,
            warnings: vec!["the disk <is> full".to_owned()],
            tables: vec![StatusTable {
                title: "Queues",
                about: "Jobs.",
                empty: "No queues.",
                columns: &["Queue", "Due"],
                rows,
            }],
        };
        page.render().into_string()
    }

    fn plot(minutes: &[f64]) -> StatusCell {
        StatusCell::Plot(StatusPlot {
            series: "timers".to_owned(),
            unit: "ms",
            minutes: minutes.to_vec(),
        })
    }

    #[test]
    fn a_row_is_headed_by_its_name_and_nothing_on_the_page_runs_or_has_a_style_of_its_own() {
        let page = page(vec![vec![
            StatusCell::Text("timers".to_owned()),
            StatusCell::Fault("<script>7".to_owned()),
            plot(&[1.0]),
        ]]);

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
    fn a_table_without_rows_says_so() {
        assert!(page(Vec::new()).contains("<p>No queues.</p>"));
    }

    #[test]
    fn bars_are_as_high_as_their_share_of_the_highest_and_the_newest_stands_at_the_right() {
        let page = page(vec![vec![plot(&[4.0, 0.0, 8.0, 1.5])]]);

        assert!(
            page.contains(
                "d=\"M112 24v-12.0h1.5v12.0zM116 24v-24.0h1.5v24.0zM118 24v-4.5h1.5v4.5z\""
            ),
            "{page}"
        );
        let told = "<title>timers, ms: peak 8, last 1.5 (4 min)</title>";
        assert!(page.contains(told), "{page}");
    }
}
