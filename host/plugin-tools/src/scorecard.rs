//! The scorecard of a plugin, as its maintainer publishes it.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::Context;
use jiff::Timestamp;
use parafa_conformance::Scorecard;
use parafa_plugin_host::Plugin;
use serde::Serialize;

use crate::output::shown;

/// Name and version of the JSON.
const FORMAT: &str = "parafa-scorecard/1";

/// A scorecard with what was tested, by which kit, and when.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PublishedScorecard {
    format: &'static str,
    plugin: String,
    version: String,
    /// Version of the contract that the plugin is written against.
    contract: String,
    /// SHA-256 of the component.
    digest: String,
    /// Version of the conformance kit.
    kit: &'static str,
    /// True if the cases are those of the kit.
    built_in_cases: bool,
    /// Time of the test by the clock of this machine, in RFC 3339 with milliseconds.
    time: String,
    #[serde(flatten)]
    pub(crate) scorecard: Scorecard,
}

impl PublishedScorecard {
    /// The scorecard of a plugin that was tested now.
    pub(crate) fn now(plugin: &Plugin, scorecard: Scorecard, built_in_cases: bool) -> Self {
        Self {
            format: FORMAT,
            plugin: plugin.id().to_owned(),
            version: plugin.version().to_owned(),
            contract: plugin.contract_version(),
            digest: plugin.digest().to_string(),
            kit: parafa_conformance::VERSION,
            built_in_cases,
            time: format!("{:.3}", Timestamp::now()),
            scorecard,
        }
    }

    /// Writes `scorecard.json`, `scorecard.txt` and `badge.svg` into a folder.
    pub(crate) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        let json = serde_json::to_string_pretty(self)?;
        fs::create_dir_all(folder)
            .with_context(|| format!("{} cannot be made", folder.display()))?;
        for (name, text) in [
            ("scorecard.json", format!("{json}\n")),
            ("scorecard.txt", format!("{self}\n")),
            ("badge.svg", self.badge()),
        ] {
            let path = folder.join(name);
            fs::write(&path, text)
                .with_context(|| format!("{} cannot be written", path.display()))?;
        }
        Ok(())
    }

    /// An image for web pages (SVG 1.1) that loads nothing.
    fn badge(&self) -> String {
        let Scorecard {
            passed,
            failed,
            skipped,
            ..
        } = self.scorecard;
        let label = format!("parafa plugin {}", self.contract);
        let counts = [(failed, "failed"), (passed, "passed"), (skipped, "skipped")];
        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, verdict)| format!("{count} {verdict}"))
            .collect();
        let result = counts.join(", ");
        let colour = match failed {
            _ if self.scorecard.has_passed() => "#2e7d32",
            0 => "#595959",
            _ => "#b3261e",
        };
        let (label_width, result_width) = (text_width(&label), text_width(&result));
        let left = label_width + 2 * MARGIN;
        let right = result_width + 2 * MARGIN;
        let (width, result_begin) = (left + right, left + MARGIN);
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{label}: {result}">
<title>{label}: {result}</title>
<rect width="{left}" height="20" fill="#444"/>
<rect x="{left}" width="{right}" height="20" fill="{colour}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{MARGIN}" y="14" textLength="{label_width}">{label}</text>
<text x="{result_begin}" y="14" textLength="{result_width}">{result}</text>
</g>
</svg>
"##
        )
    }
}

/// Space beside the texts of a badge, in pixels.
const MARGIN: usize = 5;

/// Width of a text of a badge in pixels, six and a half for a character.
fn text_width(text: &str) -> usize {
    text.len() * 13 / 2
}

impl fmt::Display for PublishedScorecard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cases = if self.built_in_cases {
            "its built-in cases"
        } else {
            "other cases"
        };
        write!(
            f,
            "{} {}, contract {}, sha256 {}\nkit {} with {cases}, {}\n{}",
            self.plugin,
            shown(&self.version),
            self.contract,
            self.digest,
            self.kit,
            self.time,
            self.scorecard
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_badge_has_the_contract_and_the_counts_that_are_not_zero() {
        for (passed, failed, skipped, result, colour) in [
            (24, 0, 0, ">24 passed<", "#2e7d32"),
            (22, 2, 0, ">2 failed, 22 passed<", "#b3261e"),
            (0, 0, 3, ">3 skipped<", "#595959"),
        ] {
            let badge = published(passed, failed, skipped).badge();

            assert!(badge.contains(">parafa plugin 1.0.0<"), "{badge}");
            assert!(badge.contains(result), "{badge}");
            assert!(badge.contains(colour), "{badge}");
        }
    }

    #[test]
    fn a_text_begins_with_what_was_tested() {
        assert_eq!(
            published(1, 0, 0).to_string(),
            "toy 0.1.0, contract 1.0.0, sha256 00\n\
             kit 0.1.0 with its built-in cases, 1970-01-01T00:00:00.000Z\n\
             1 passed, 0 failed, 0 skipped"
        );
    }

    fn published(passed: usize, failed: usize, skipped: usize) -> PublishedScorecard {
        PublishedScorecard {
            format: FORMAT,
            plugin: "toy".to_owned(),
            version: "0.1.0".to_owned(),
            contract: "1.0.0".to_owned(),
            digest: "00".to_owned(),
            kit: "0.1.0",
            built_in_cases: true,
            time: "1970-01-01T00:00:00.000Z".to_owned(),
            scorecard: Scorecard {
                passed,
                failed,
                skipped,
                cases: Vec::new(),
            },
        }
    }
}
