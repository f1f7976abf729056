//! Coverage of the initial inputs of every run.

use std::path::Path;

use anyhow::{Context, ensure};

use super::report::Report;
use super::{built, files};

/// Prints a table of the edges that each target's seeds, and its inputs in the repository, cover.
///
/// # Errors
/// A finding; failures to build or run.
pub(crate) fn print_coverage(root: &Path, names: &[String]) -> anyhow::Result<()> {
    let targets = built(root, names)?;
    println!("| target | kept inputs | edges covered | of | share |");
    println!("|---|---|---|---|---|");
    for target in targets {
        let name = &target.name;
        let output = target.replay()?.output().with_context(|| name.clone())?;
        let told = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{name}: {}\n{told}", output.status);
        let Report {
            edges, all_edges, ..
        } = Report::read(&told);
        let share = share(edges, all_edges);
        let kept = files(&target.kept())?.len();
        println!("| `{name}` | {kept} | {edges} | {all_edges} | {share} |");
    }
    Ok(())
}

/// Formats a share in percent, with one decimal.
fn share(part: u64, whole: u64) -> String {
    let tenths = (part * 1000).checked_div(whole).unwrap_or_default();
    format!("{}.{} %", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_one_decimal_and_needs_something_to_be_a_share_of() {
        assert_eq!(share(1234, 10_000), "12.3 %");
        assert_eq!(share(0, 0), "0.0 %");
    }
}
