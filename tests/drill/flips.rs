//! Flips of one byte of a data folder.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use parafa_fixtures::PdfBuilder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::attack::{Attack, Finding};
use crate::server::{Disk, Server, answer, program};

/// Flips in all files of a data folder; none may go unnoticed.
pub(crate) const FLIPS: Attack = Attack {
    name: "flips",
    needs_files: true,
    run: || Box::pin(flips()),
};

const SIGNINGS: usize = 400;
/// Size of a document, in bytes.
const DOCUMENT: usize = 2 * 1024;
/// Places of flips, and their numbers.
const PLACES: [(&str, usize); 5] = [
    ("store/db", 116),
    ("store", 12),
    ("store.mark", 12),
    ("bytes", 30),
    ("keys", 30),
];
const SEED: u64 = 20_260_301;

/// The result of a flip.
enum Outcome {
    /// The damage was refused or named.
    Found(String),
    /// Everything can still be read.
    Harmless,
    /// Something is missing without an error.
    Silent,
}

/// Reproducible random numbers (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).expect("below a size")
    }
}

async fn flips() -> Vec<Finding> {
    let disk = if Disk::Memory.is_there() {
        Disk::Memory
    } else {
        Disk::Real
    };
    let mut server = Server::start(disk, &[]);
    let body = creation();
    for _ in 0..SIGNINGS {
        answer(server.post("v1/signings", body.clone())).await;
    }
    server.pause(async |data| attacked(&data, disk)).await
}

fn creation() -> Bytes {
    let document = PdfBuilder::new().build_of_size(DOCUMENT);
    let body = json!({
        "title": "Paslaugų sutartis",
        "document": {"name": "sutartis.pdf", "content": BASE64.encode(document)},
        "signers": [{"email": "ona@example.lt"}],
    });
    body.to_string().into()
}

fn attacked(data: &Path, disk: Disk) -> Vec<Finding> {
    let mut numbers = Numbers(SEED);
    let (mut found, mut harmless, mut silent) = (0, 0, 0);
    let (mut short, mut told) = (Vec::new(), 0);
    for (place, flips) in PLACES {
        let files = files_at(data, place);
        for _ in 0..flips {
            let file = &files[numbers.below(files.len())];
            let copy = disk.folder();
            copy_with_flip(data, copy.path(), file, &mut numbers);
            match outcome(copy.path()) {
                Outcome::Found(sentence) => {
                    found += 1;
                    if sentence.contains("is not what it was") {
                        told += usize::from(sentence.contains("are missing"));
                        short.push(copy);
                    }
                }
                Outcome::Harmless => harmless += 1,
                Outcome::Silent => silent += 1,
            }
        }
    }
    let shortened = short.len();
    let accepted = short.pop().is_some_and(|copy| goes_on(&copy));
    vec![
        Finding {
            what: "200 times one flipped byte in the store, its mark, documents or keys: nobody said that something was lost",
            before: "24 of 24 in the store",
            now: format!("{silent} of 200 ({found} found, {harmless} harmless)"),
            holds: silent == 0 && found > 60,
        },
        Finding {
            what: "stores that lost rows by it: refused with how many rows of which tables",
            before: "0",
            now: format!("{told} of {shortened}"),
            holds: told == shortened && shortened > 0,
        },
        Finding {
            what: "one of them goes on with `--accept-loss`, and without it afterwards",
            before: "every one went on without a word",
            now: if accepted { "yes" } else { "no" }.to_owned(),
            holds: accepted,
        },
    ]
}

/// Returns the files with content at a place, by their names in the data folder.
fn files_at(data: &Path, place: &str) -> Vec<PathBuf> {
    let path = data.join(place);
    if path.is_file() {
        return vec![place.into()];
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path).expect("a folder") {
        let entry = entry.expect("an entry");
        let metadata = entry.metadata().expect("its length");
        if metadata.is_file() && metadata.len() > 0 {
            files.push(Path::new(place).join(entry.file_name()));
        }
    }
    files.sort();
    files
}

/// Copies a data folder with a changed byte in a file. Files that are never written again are
/// shared by both.
fn copy_with_flip(data: &Path, copy: &Path, flipped: &Path, numbers: &mut Numbers) {
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        fs::create_dir_all(copy.join(&folder)).expect("a folder");
        for entry in fs::read_dir(data.join(&folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let name = folder.join(entry.file_name());
            let kind = entry.file_type().expect("its kind");
            if kind.is_dir() {
                folders.push(name);
            } else if kind.is_file() && name != flipped {
                let is_kept = name.starts_with("bytes") || name.starts_with("keys");
                let (from, to) = (data.join(&name), copy.join(&name));
                if is_kept {
                    fs::hard_link(from, to).expect("linked");
                } else {
                    fs::copy(from, to).expect("copied");
                }
            }
        }
    }
    let mut content = fs::read(data.join(flipped)).expect("read");
    // Trailing zeros are space that was never written.
    let used = content.iter().rposition(|byte| *byte != 0);
    let at = numbers.below(used.map_or(content.len(), |last| last + 1));
    content[at] ^= u8::try_from(1 + numbers.below(255)).expect("a byte");
    fs::write(copy.join(flipped), content).expect("written");
}

/// Reads everything in the folder.
fn outcome(data: &Path) -> Outcome {
    let contents = audit(data, "contents");
    if !contents.status.success() {
        return Outcome::Found(told(&contents));
    }
    let verified = audit(data, "verify");
    if !verified.status.success() {
        return Outcome::Found(told(&verified));
    }
    let [contents, verified] = [contents, verified]
        .map(|output| serde_json::from_slice::<Value>(&output.stdout).expect("JSON"));
    let is_all = contents["documents"] == SIGNINGS && verified["verified"] == SIGNINGS;
    if is_all {
        Outcome::Harmless
    } else {
        Outcome::Silent
    }
}

fn audit(data: &Path, command: &str) -> Output {
    program()
        .args(["audit", command, "--json", "--data"])
        .arg(data)
        .output()
        .expect("parafa runs")
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns true if a server starts on the folder once the loss is accepted, and works from then on.
fn goes_on(data: &TempDir) -> bool {
    let mut server = program()
        .args(["serve", "--demo", "--accept-loss"])
        .args([
            "--listen",
            "127.0.0.1:0",
            "--operator-listen",
            "127.0.0.1:0",
        ])
        .arg("--data")
        .arg(data.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("parafa runs");
    let output = server.stdout.take().expect("stdout is piped");
    let first = BufReader::new(output).lines().next();
    let listens = matches!(first, Some(Ok(line)) if line.starts_with("listening on "));
    let _ = server.kill();
    let _ = server.wait();
    listens && audit(data.path(), "verify").status.success()
}
