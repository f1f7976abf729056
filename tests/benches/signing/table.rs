use std::fs;
use std::path::{Path, PathBuf};

use crate::pyhanko::Measured;

/// What is measured with Criterion for each size, as columns.
const COLUMNS: [&str; 5] = [
    "sha256",
    "native prepare",
    "native embed",
    "component prepare",
    "component embed",
];

/// One table of medians, in milliseconds.
pub(crate) fn print(sizes: &[&str], pyhanko: Option<&Measured>) {
    println!();
    if let Some(median) = median("least call") {
        println!("a call of the component that refuses at once: {median:.3} ms");
    }
    println!("medians in milliseconds:");
    print!("{:10}", "document");
    for column in COLUMNS {
        print!(" {column:>18}");
    }
    println!(" {:>18} {:>18}", "pyHanko prepare", "pyHanko embed");
    for size in sizes {
        print!("{size:10}");
        for column in COLUMNS {
            print!(" {:>18}", shown(median(&format!("{size}/{column}"))));
        }
        let (prepare, embed) = pyhanko
            .and_then(|measured| measured.get(size))
            .copied()
            .unzip();
        println!(" {:>18} {:>18}", shown(prepare), shown(embed));
    }
}

fn shown(milliseconds: Option<f64>) -> String {
    milliseconds.map_or_else(
        || "-".to_owned(),
        |milliseconds| format!("{milliseconds:.2}"),
    )
}

/// The median that Criterion stored, in milliseconds.
fn median(bench: &str) -> Option<f64> {
    let file = folder().join(bench).join("new/estimates.json");
    let estimates: serde_json::Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    Some(estimates.get("median")?.get("point_estimate")?.as_f64()? / 1e6)
}

fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"),
        PathBuf::from,
    );
    target.join("criterion")
}
