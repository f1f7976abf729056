//! Tables of `docs/scale.md`, checked with the program that computes them.

use std::fs;
use std::process::Command;

use parafa_fixtures::tool;

use crate::support::root;

#[test]
fn the_page_about_scale_has_the_tables_that_its_program_prints() {
    let Some(python) = tool::program("python3") else {
        return;
    };
    let printed = Command::new(python)
        .arg("docs/examples/scale.py")
        .current_dir(root())
        .output()
        .expect("Python runs");

    let faults = String::from_utf8_lossy(&printed.stderr);
    assert!(printed.status.success(), "{faults}");
    let page = fs::read_to_string(root().join("docs/scale.md")).expect("the page");
    let printed = String::from_utf8(printed.stdout).expect("text");
    let tables: Vec<&str> = printed.trim().split("\n\n").collect();
    assert_eq!(tables.len(), 5, "{printed}");
    for table in tables {
        assert!(page.contains(table), "docs/scale.md lacks\n{table}");
    }
}
