use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use parafa_fixtures::{CrossReference, LARGE, MEDIUM, PdfBuilder, SMALL, plain};

use crate::pki::Pki;

/// Milliseconds of `prepare` and `embed`, by the name of the row.
pub(crate) type Measured = BTreeMap<&'static str, (f64, f64)>;

/// Rows of the script that stand beside ours.
const ROWS: [(&str, &str); 3] = [
    ("a_100k", "100 KiB"),
    ("a_1m", "1 MiB"),
    ("a_15m", "15 MiB"),
];

/// Runs pyHanko's two steps over the same documents; nothing when it is not
/// here.
pub(crate) fn measure(pki: &Pki) -> Option<Measured> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    let scripts = PathBuf::from(std::env::var_os("PARAFA_REFEREES")?);
    let script = scripts.join("two_step_pyhanko.py");
    let python = std::env::var_os("PARAFA_PYTHON").map_or_else(
        || root.join("target/referees/venv/bin/python"),
        PathBuf::from,
    );
    if !script.is_file() || !python.is_file() {
        return None;
    }

    let folder = tempfile::tempdir().ok()?;
    pki.write(folder.path());
    write_documents(&folder.path().join("work"));
    let output = Command::new(python)
        .arg(script)
        .env("PKI", folder.path())
        .output()
        .ok()?;
    if !output.status.success() {
        eprintln!("pyHanko: {}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    Some(read(&String::from_utf8_lossy(&output.stdout)))
}

/// All the documents that the script names.
fn write_documents(folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    let of_size = |size| PdfBuilder::new().build_of_size(size);
    let documents = [
        ("a_20k", of_size(20 * 1024)),
        ("a_100k", of_size(SMALL)),
        ("a_1m", of_size(MEDIUM)),
        (
            "a_1m_xs",
            PdfBuilder::new()
                .cross_reference(CrossReference::Stream)
                .build_of_size(MEDIUM),
        ),
        ("a_15m", of_size(LARGE)),
        ("a_2000p", plain(2000)),
    ];
    for (name, bytes) in documents {
        fs::write(folder.join(name).with_extension("pdf"), bytes).expect("a file");
    }
}

/// Lines such as `a_1m  prepare+digest median 7.90 ms, embed median 4.40 ms`.
fn read(output: &str) -> Measured {
    let mut measured = Measured::new();
    for line in output.lines() {
        let mut words = line.split_whitespace();
        let Some((_, row)) = words
            .next()
            .and_then(|name| ROWS.iter().find(|(known, _)| *known == name))
        else {
            continue;
        };
        let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
        if let [prepare, embed] = numbers[..] {
            measured.insert(row, (prepare, embed));
        }
    }
    measured
}
