//! Rendering, links and entry points of the documentation.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::support::root;

/// Folders with documentation, in addition to the files of the top folder.
const FOLDERS: [&str; 11] = [
    "docs",
    "docs/clients/python",
    "docs/clients/typescript",
    "docs/decisions",
    "fixtures/cases",
    "host/conformance",
    "plugins/examples",
    "plugins/examples/memo",
    "plugins/sdk",
    "wit",
    "wit/catalogue",
];
const LEAD: &str = "docs/README.md";
const DECISIONS: &str = "docs/decisions/README.md";
/// Tasks of readers, and the section that has the answer.
const TASKS: [(&str, &str); 24] = [
    ("sign a first document", "README.md#sign-a-document"),
    ("why was my PDF refused", "docs/pdf-producers.md#refused"),
    ("what does a webhook look like", "docs/webhooks.md#the-body"),
    (
        "send a lost webhook again",
        "docs/webhooks.md#listing-and-replaying",
    ),
    (
        "verify a signed answer",
        "docs/due-diligence.md#verify-a-signed-answer",
    ),
    (
        "log a person in",
        "docs/authentication.md#a-relying-party-in-a-minute",
    ),
    (
        "what does a signer see",
        "docs/pages.md#what-the-signers-page-does",
    ),
    (
        "put our logo on the pages",
        "docs/operating.md#how-workspaces-show-themselves",
    ),
    (
        "how long are documents kept",
        "docs/operating.md#how-long-signings-are-kept",
    ),
    ("how large a machine do I need", "docs/operating.md#sizing"),
    ("go back after an upgrade", "docs/operating.md#going-back"),
    (
        "create a key for a caller",
        "docs/operating.md#workspaces-users-and-keys",
    ),
    ("rotate a key", "docs/operating.md#all-others"),
    ("replace the master key", "docs/operating.md#the-master-key"),
    ("restore a backup", "docs/operating.md#backups"),
    ("what does an alert mean", "docs/operating.md#alerts"),
    ("a caller's key was stolen", "docs/operating.md#incidents"),
    ("run a second host", "docs/operating.md#several-hosts"),
    ("write a plugin", "docs/plugins.md#write-one"),
    ("publish a plugin", "docs/plugins.md#publish-it"),
    ("run one test", "CONTRIBUTING.md#tests"),
    (
        "where do I start for a change",
        "docs/architecture.md#where-a-change-begins",
    ),
    ("fuzz a reader", "docs/testing.md#fuzzing"),
    ("report a vulnerability", "SECURITY.md#reporting"),
];

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

#[test]
fn every_link_leads_to_a_file_and_a_heading_that_exist() {
    for page in pages() {
        for link in links(&page) {
            let at = format!("{}: {link}", page.display());
            let (file, heading) = link.split_once('#').unwrap_or((link.as_str(), ""));
            let file = root().join(file);
            assert!(file.exists(), "{at}");
            assert!(heading.is_empty() || has_heading(&file, heading), "{at}");
        }
    }
}

#[test]
fn every_page_of_docs_is_reached_from_the_lead_page() {
    let mut reached = BTreeSet::new();
    let mut next = vec![LEAD.to_owned()];
    while let Some(page) = next.pop() {
        if reached.insert(page.clone()) {
            next.extend(linked_pages(&page));
        }
    }
    for page in pages() {
        let page = from_root(&page);
        assert!(
            !page.starts_with("docs/") || reached.contains(&page),
            "{page}"
        );
    }
}

#[test]
fn every_task_of_a_reader_is_within_two_links_of_the_lead_page() {
    let mut near: BTreeSet<String> = links(&root().join(LEAD)).into_iter().collect();
    for page in linked_pages(LEAD) {
        near.extend(links(&root().join(page)));
    }
    for (task, section) in TASKS {
        assert!(near.contains(section), "{task}: no link to {section}");
    }
}

#[test]
fn decisions_are_listed_by_their_titles() {
    let list = read(&root().join(DECISIONS));
    let decisions = fs::read_dir(root().join("docs/decisions")).expect("a folder");
    for decision in decisions {
        let path = decision.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        if name != "README.md" {
            let text = read(&path);
            let title = text.lines().next().and_then(|line| line.strip_prefix("# "));
            let title = title.expect("a title");
            let row = format!("- [{}]({name}): {title}\n", &name[..4]);
            assert!(list.contains(&row), "{row}");
        }
    }
}

fn read(page: &Path) -> String {
    fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

/// Returns a path relative to the root of the repository.
fn from_root(page: &Path) -> String {
    let path = page.strip_prefix(root()).expect("a page of the repository");
    path.to_string_lossy().into_owned()
}

/// Returns the pages that a page links to.
fn linked_pages(page: &str) -> Vec<String> {
    let links = links(&root().join(page)).into_iter();
    let pages = links.map(|link| match link.split_once('#') {
        Some((page, _)) => page.to_owned(),
        None => link,
    });
    let is_page = |page: &String| Path::new(page).extension() == Some("md".as_ref());
    pages.filter(is_page).collect()
}

/// Returns a page's links into the repository, as `path#heading` from the root.
pub(crate) fn links(page: &Path) -> Vec<String> {
    let text = read(page);
    let targets = unfenced(&text).flat_map(|line| {
        let rests = line.split("](").skip(1);
        rests.filter_map(|rest| Some(rest.split_once(')')?.0))
    });
    let inside = targets.filter(|target| !target.contains(':'));
    inside.map(|target| resolved(page, target)).collect()
}

/// Returns the target of a link, relative to the root.
fn resolved(page: &Path, target: &str) -> String {
    let (path, heading) = target
        .split_once('#')
        .map_or((target, None), |(path, heading)| (path, Some(heading)));
    let file = if path.is_empty() {
        from_root(page)
    } else {
        let joined = page.parent().expect("a folder").join(path);
        let mut resolved = PathBuf::new();
        for part in joined.components() {
            if part == Component::ParentDir {
                resolved.pop();
            } else {
                resolved.push(part);
            }
        }
        from_root(&resolved)
    };
    match heading {
        Some(heading) => format!("{file}#{heading}"),
        None => file,
    }
}

/// Returns whether a page has a heading with this anchor, as GitHub derives anchors.
fn has_heading(page: &Path, anchor: &str) -> bool {
    let text = read(page);
    unfenced(&text)
        .filter(|line| line.starts_with('#'))
        .any(|line| {
            let heading = line.trim_start_matches('#').trim().to_lowercase();
            let kept = heading
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c })
                .eq(anchor.chars())
        })
}

/// Returns the lines outside of code fences.
fn unfenced(text: &str) -> impl Iterator<Item = &str> {
    let mut is_fenced = false;
    text.lines().filter(move |line| {
        let is_fence = line.starts_with("```");
        is_fenced ^= is_fence;
        !is_fenced && !is_fence
    })
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
