//! The list of the packages in a plugin, which its component carries as `cargo auditable` writes it
//! (rustsec.org/schemas/cargo-auditable.json). Auditors of programs read it.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::toolchain::TARGET;

/// Name of the custom section.
const SECTION: &str = ".dep-v0";
/// Length of a component's magic number and version, in bytes.
const PREAMBLE: usize = 8;

/// Name, version and source.
type Package = (String, String, &'static str);
/// Packages, and those that each depends on.
type Packages = BTreeMap<Package, BTreeSet<Package>>;

/// Returns the list for the build of a package by `cargo`, as JSON. It names no paths, so it is the
/// same in every folder.
///
/// `cargo tree` knows the features of this build; `cargo metadata` adds those of tests.
pub(crate) fn list(cargo: impl Fn() -> Command, package: &str) -> Result<String> {
    let tree = |edges: &str| -> Result<Packages> {
        let output = cargo()
            .args(["tree", "--locked", "--color", "never", "--prefix", "depth"])
            .args(["--format", "{p}", "--target", TARGET])
            .args(["--package", package, "--edges", edges])
            .output()
            .context("cannot run cargo tree")?;
        ensure!(
            output.status.success(),
            "cargo tree: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        read(&String::from_utf8(output.stdout)?)
    };
    let all = tree("normal,build")?;
    let linked = tree("normal,no-proc-macro")?;
    Ok(json(package, &all, &linked))
}

/// Reads the lines of `cargo tree`: a depth, immediately followed by the package.
pub(super) fn read(tree: &str) -> Result<Packages> {
    let mut packages = Packages::new();
    let mut above: Vec<Package> = Vec::new();
    for line in tree.lines() {
        let (depth, package) = entry(line).with_context(|| format!("cargo tree wrote {line:?}"))?;
        above.truncate(depth);
        packages.entry(package.clone()).or_default();
        if let Some(parent) = above.last() {
            let below = packages.entry(parent.clone()).or_default();
            below.insert(package.clone());
        }
        above.push(package);
    }
    Ok(packages)
}

fn entry(line: &str) -> Option<(usize, Package)> {
    let (depth, package) = line.split_at(line.find(|one: char| !one.is_ascii_digit())?);
    let (name, rest) = package.split_once(" v")?;
    let (version, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let source = rest
        .trim_start_matches("(proc-macro)")
        .trim_end_matches("(*)")
        .trim();
    let source = match source {
        "" => "crates.io",
        source if source.starts_with("(registry ") => "registry",
        source if source.contains("://") => "git",
        _ => "local",
    };
    let depth = depth.parse().ok()?;
    Some((depth, (name.to_owned(), version.to_owned(), source)))
}

/// Returns the list as JSON. Names and versions of Cargo need no escapes there.
pub(super) fn json(package: &str, all: &Packages, linked: &Packages) -> String {
    let places: BTreeMap<&Package, usize> = all.keys().zip(0..).collect();
    let entries = all.iter().map(|(one, below)| {
        let (name, version, source) = one;
        let mut entry = format!(r#"{{"name":"{name}","version":"{version}","source":"{source}""#);
        if !linked.contains_key(one) {
            entry.push_str(r#","kind":"build""#);
        }
        let below = below.iter().filter_map(|one| places.get(one));
        let below: Vec<String> = below.map(ToString::to_string).collect();
        if !below.is_empty() {
            entry.push_str(&format!(r#","dependencies":[{}]"#, below.join(",")));
        }
        if name == package && *source == "local" {
            entry.push_str(r#","root":true"#);
        }
        entry.push('}');
        entry
    });
    let entries: Vec<String> = entries.collect();
    format!(r#"{{"packages":[{}],"format":1}}"#, entries.join(","))
}

/// Puts a list into a component, as its first section: some auditors read no further than to the
/// first module.
pub(crate) fn with_list(component: &[u8], list: &str) -> Result<Vec<u8>> {
    let (preamble, sections) = component
        .split_at_checked(PREAMBLE)
        .context("not a component")?;
    let mut section = Vec::new();
    push_size(&mut section, SECTION.len());
    section.extend_from_slice(SECTION.as_bytes());
    section.extend(zlib(list.as_bytes()));
    let mut listed = preamble.to_vec();
    // The id of custom sections.
    listed.push(0);
    push_size(&mut listed, section.len());
    listed.extend(section);
    listed.extend_from_slice(sections);
    Ok(listed)
}

/// Writes a number in LEB128.
fn push_size(bytes: &mut Vec<u8>, mut size: usize) {
    while size >= 0x80 {
        bytes.push(size.to_le_bytes()[0] | 0x80);
        size >>= 7;
    }
    bytes.push(size.to_le_bytes()[0]);
}

/// Returns bytes as a zlib stream (RFC 1950) of stored blocks (RFC 1951, 3.2.4): no version of a
/// compressor changes the component.
pub(super) fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let mut blocks = bytes.chunks(usize::from(u16::MAX)).peekable();
    while let Some(block) = blocks.next() {
        let length = u16::try_from(block.len()).expect("a block has at most 65,535 bytes");
        stream.push(u8::from(blocks.peek().is_none()));
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend_from_slice(block);
    }
    let (mut sum, mut sums) = (1_u32, 0_u32);
    for byte in bytes {
        sum = (sum + u32::from(*byte)) % 65_521;
        sums = (sums + sum) % 65_521;
    }
    stream.extend(((sums << 16) | sum).to_be_bytes());
    stream
}
