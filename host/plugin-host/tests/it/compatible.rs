//! The compatibility of versions of the contract within one line.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use semver::Version;
use wit_component::semver_check;
use wit_parser::{PackageId, Resolve, SourceMap, WorldId, WorldItem};

/// The files of a version: names and texts.
type Text = Vec<(PathBuf, String)>;

/// Returns every version in `wit`, the earliest first.
fn versions() -> Vec<(Version, Text)> {
    let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit");
    let folders = fs::read_dir(wit)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_contract = |folder: &PathBuf| {
        let name = folder.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("parafa-format-"))
    };
    let texts = folders.filter(is_contract).map(|folder| text_of(&folder));
    let mut versions: Vec<_> = texts
        .map(|text| {
            let mut resolve = Resolve::new();
            let package = push(&mut resolve, &text);
            let version = resolve.packages[package].name.version.clone();
            (version.unwrap(), text)
        })
        .collect();
    versions.sort_by(|(one, _), (other, _)| one.cmp(other));
    versions
}

fn text_of(folder: &Path) -> Text {
    let files = fs::read_dir(folder).unwrap();
    let files = files.map(|entry| entry.unwrap().path());
    files
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path, text)
        })
        .collect()
}

fn push(resolve: &mut Resolve, text: &Text) -> PackageId {
    let mut files = SourceMap::new();
    for (path, text) in text {
        files.push(path, text.as_str());
    }
    let group = files.parse().map_err(|(_, error)| error).unwrap();
    resolve.push_group(group).unwrap()
}

/// Returns the functions that a plugin of a world exports. `semver_check` does not check that later
/// versions keep them: additional functions of a plugin do not harm a host, but missing ones harm
/// an earlier host.
fn exported(resolve: &Resolve, world: WorldId) -> BTreeSet<&str> {
    let exports = resolve.worlds[world].exports.values();
    let interfaces = exports.filter_map(|item| match item {
        WorldItem::Interface { id, .. } => Some(&resolve.interfaces[*id]),
        _ => None,
    });
    let functions = interfaces.flat_map(|interface| interface.functions.keys());
    functions.map(String::as_str).collect()
}

/// Checks that a host of the `later` version runs components of the `earlier` one and calls the
/// same functions. The error is the first world where it does not.
fn keeps(earlier: &Text, later: &Text) -> Result<(), String> {
    let mut resolve = Resolve::new();
    let [was, is] = [earlier, later].map(|text| push(&mut resolve, text));
    for (name, world) in &resolve.packages[was].worlds {
        let Some(kept) = resolve.packages[is].worlds.get(name) else {
            return Err(name.clone());
        };
        let is_kept = semver_check(resolve.clone(), *world, *kept).is_ok();
        if !is_kept || exported(&resolve, *world) != exported(&resolve, *kept) {
            return Err(name.clone());
        }
    }
    Ok(())
}

/// Returns the text of 1.0 with another number and another passage.
fn changed(from: &str, to: &str) -> Text {
    let mut versions = versions().into_iter();
    let (_, text) = versions
        .find(|(version, _)| *version == Version::new(1, 0, 0))
        .unwrap();
    let mut changes = 0;
    let text = text.into_iter().map(|(path, text)| {
        changes += text.matches(from).count();
        let text = text.replace(from, to).replace("@1.0.0", "@1.1.0");
        (path, text)
    });
    let text = text.collect();
    assert!(changes > 0, "there is no {from:?}");
    text
}

#[test]
fn later_versions_of_a_line_keep_what_the_earlier_ones_promise() {
    let versions = versions();
    assert!(versions.len() >= 2);
    for pair in versions.windows(2) {
        let [(was, earlier), (is, later)] = pair else {
            continue;
        };
        if was.major == is.major && was.major > 0 {
            assert_eq!(keeps(earlier, later), Ok(()), "{was} in {is}");
        }
    }
}

#[test]
fn a_minor_may_add_functions_of_the_host_and_worlds() {
    let original = changed("@1.0.0", "@1.0.0");
    let (_, first) = versions()
        .into_iter()
        .find(|(version, _)| version.major == 1)
        .unwrap();
    let function = changed(
        "    write: func(level: level, message: string);",
        "    write: func(level: level, message: string);\n    flush: func();",
    );
    let world = changed(
        "world compose {",
        "interface weather { sunny: func() -> bool; }\n\
         world forecast { include platform; export weather; }\n\
         world compose {",
    );

    for later in [original, function, world] {
        assert_eq!(keeps(&first, &later), Ok(()));
    }
}

#[test]
fn a_minor_must_not_change_a_record_an_enumeration_or_a_function() {
    let (_, first) = versions()
        .into_iter()
        .find(|(version, _)| version.major == 1)
        .unwrap();
    for (from, to, world) in [
        ("        reserve: u32,", "        reserve: u64,", "sign"),
        (
            "        room: option<u32>,",
            "        room: option<u32>,\n        pages: u32,",
            "inspect",
        ),
        (
            "    enum member-role {",
            "    enum member-role {\n        other,",
            "contents",
        ),
        (
            "    verify: func(document: borrow<blob>)",
            "    verify: func(document: borrow<blob>, deep: bool)",
            "verify",
        ),
        (
            "    inspect: func(document: borrow<blob>) -> result<report, refusal>;\n",
            "",
            "inspect",
        ),
    ] {
        let later = changed(from, to);

        assert_eq!(keeps(&first, &later), Err(world.to_owned()), "{to}");
    }
}
