//! Names that are part of the format of the disk and of webhooks. None may
//! change or disappear, because earlier data folders contain them.
//!
//! `PARAFA_RENEW=1 cargo test -p parafa-server --lib stored_names` rewrites the
//! list after a name was added.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use parafa_ceremony::records::MailKind;
use parafa_signing::records::EventKind;
use parafa_store::{Content, TableDeclaration};

use crate::jobs::KINDS;
use crate::lanes::LANES;
use crate::tables::TABLES;

const RENEW: &str = "PARAFA_RENEW";

#[test]
fn the_stored_names_are_those_on_the_list() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/records/stored-names.txt");
    let names = names();
    if std::env::var_os(RENEW).is_some() {
        fs::write(&list, &names).unwrap();
    }

    let listed = fs::read_to_string(&list).unwrap();

    assert_eq!(names, listed, "{RENEW}=1 writes the list anew");
}

#[test]
fn no_table_or_kind_of_job_is_declared_twice() {
    let tables: Vec<_> = TABLES.iter().map(TableDeclaration::name).collect();
    let kinds: Vec<_> = KINDS.iter().copied().flatten().copied().collect();

    for names in [tables, kinds] {
        let distinct: BTreeSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
    }
}

/// Lists one name per line, each sort in alphabetical order.
fn names() -> String {
    let mut lines = BTreeSet::new();
    for table in TABLES.iter() {
        let name = table.name();
        let content = match table.content() {
            Content::Nothing => "",
            Content::Keys => " names data keys",
            Content::KeysAndFiles => " names data keys and byte files",
        };
        lines.insert(format!("table {name}{content}"));
        for (index, is_unique) in table.indexes() {
            let unique = if is_unique { " unique" } else { "" };
            lines.insert(format!("index {name}.{index}{unique}"));
        }
    }
    lines.extend(LANES.map(|budget| format!("lane {}", budget.lane.name())));
    let kinds = KINDS.iter().copied().flatten();
    lines.extend(kinds.map(|kind| format!("job {kind}")));
    lines.extend(EventKind::ALL.map(|kind| format!("event {}", kind.name())));
    lines.extend(MailKind::ALL.map(|kind| format!("mail {}", kind.name())));
    lines.into_iter().map(|line| line + "\n").collect()
}
