//! Released texts of the contract stay unchanged.

use std::fs;
use std::path::Path;

use openssl::sha::sha256;

/// Returns the files below `wit` that `released.txt` lists and that are missing or changed. In
/// released folders it also returns new files.
fn changed(wit: &Path) -> Vec<String> {
    let list = fs::read_to_string(wit.join("released.txt")).unwrap();
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let released: Vec<_> = lines
        .map(|line| line.split_once("  ").expect("a digest and a file"))
        .collect();
    let mut changed: Vec<String> = released
        .iter()
        .filter(|(digest, file)| {
            let bytes = fs::read(wit.join(file));
            !bytes.is_ok_and(|bytes| hex::encode(sha256(&bytes)) == *digest)
        })
        .map(|(_, file)| (*file).to_owned())
        .collect();
    let mut folders: Vec<_> = released
        .iter()
        .filter_map(|(_, file)| Path::new(file).parent())
        .collect();
    folders.dedup();
    for folder in folders {
        let Ok(entries) = fs::read_dir(wit.join(folder)) else {
            continue;
        };
        for entry in entries {
            let file = folder
                .join(entry.unwrap().file_name())
                .display()
                .to_string();
            if released.iter().all(|(_, known)| *known != file) {
                changed.push(file);
            }
        }
    }
    changed
}

#[test]
fn released_versions_of_the_contract_stay_as_they_are() {
    let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit");

    assert_eq!(changed(&wit), Vec::<String>::new());
}

#[test]
fn a_change_of_a_released_version_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let wit = folder.path();
    fs::create_dir(wit.join("v1")).unwrap();
    for file in ["v1/kept.wit", "v1/changed.wit"] {
        fs::write(wit.join(file), "interface one {}").unwrap();
    }
    let digest = hex::encode(sha256(b"interface one {}"));
    let files = ["v1/kept.wit", "v1/changed.wit", "v1/gone.wit"];
    let list = files.map(|file| format!("{digest}  {file}\n")).concat();
    fs::write(wit.join("released.txt"), format!("# Released.\n{list}")).unwrap();

    fs::write(wit.join("v1/changed.wit"), "interface two {}").unwrap();
    fs::write(wit.join("v1/new.wit"), "").unwrap();

    assert_eq!(
        changed(wit),
        ["v1/changed.wit", "v1/gone.wit", "v1/new.wit"]
    );
}
