//! Rendering of the documentation.

use std::fs;
use std::path::PathBuf;

use crate::support::root;

/// Folders with documentation, in addition to the files of the top folder.
const FOLDERS: [&str; 4] = ["docs", "docs/decisions", "fixtures/cases", "wit"];

#[test]
fn every_row_belongs_to_a_table_with_a_header_and_has_its_columns() {
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        for table in tables(&text) {
            let at = format!("{}: {}", page.display(), table[0]);
            let ruled = table.get(1).is_some_and(|line| is_rule(line));
            assert!(ruled, "{at}\nis a row of no table");
            for row in &table {
                assert_eq!(columns(row), columns(table[0]), "{at}\n{row}");
            }
        }
    }
}

fn pages() -> Vec<PathBuf> {
    let folders = FOLDERS.iter().map(|folder| root().join(folder));
    let pages: Vec<PathBuf> = folders
        .chain([root().to_owned()])
        .flat_map(|folder| fs::read_dir(folder).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension() == Some("md".as_ref()))
        .collect();
    assert!(pages.contains(&root().join("docs/operating.md")));
    pages
}

/// Returns the lines of each table outside of code fences.
fn tables(text: &str) -> Vec<Vec<&str>> {
    let mut is_fenced = false;
    let rows: Vec<(bool, &str)> = text
        .lines()
        .map(|line| {
            is_fenced ^= line.starts_with("```");
            (!is_fenced && line.starts_with('|'), line)
        })
        .collect();
    rows.chunk_by(|before, after| before.0 == after.0)
        .filter(|lines| lines[0].0)
        .map(|lines| lines.iter().map(|(_, line)| *line).collect())
        .collect()
}

/// Returns whether a line separates the header of a table.
fn is_rule(line: &str) -> bool {
    line.contains("---") && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// Counts the cells of a row. A bar after a backslash is text.
fn columns(row: &str) -> usize {
    let bars = row.replace("\\|", "");
    bars.trim_end().matches('|').count() - 1
}
