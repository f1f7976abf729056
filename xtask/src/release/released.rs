//! The list of released plugins. A plugin with the version of one of them has to be the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::plugins;

const LIST: &str = "plugins/released.txt";

/// Digests by name and version.
type Released<'l> = BTreeMap<(&'l str, &'l str), &'l str>;

/// Compares components with the list, and returns the lines for those that it lacks.
///
/// # Errors
/// A plugin that differs from the released one of its version; a malformed list.
pub(super) fn compare(root: &Path, components: &[PathBuf]) -> Result<Vec<String>> {
    let list = fs::read_to_string(root.join(LIST)).context(LIST)?;
    let lock = fs::read_to_string(root.join("plugins/Cargo.lock"))?;
    let released = read(&list)?;
    let mut lacking = Vec::new();
    for (component, digest) in components.iter().zip(plugins::digests(components)?) {
        let name = component.file_stem().and_then(|name| name.to_str());
        let name = name.context("a component is named like its plugin")?;
        let version = version(&lock, name)?;
        lacking.extend(lacking_line(&released, name, version, &digest)?);
    }
    Ok(lacking)
}

fn lacking_line(
    released: &Released<'_>,
    name: &str,
    version: &str,
    digest: &str,
) -> Result<Option<String>> {
    match released.get(&(name, version)) {
        None => Ok(Some(format!("{digest}  {name} {version}"))),
        Some(known) if *known == digest => Ok(None),
        Some(known) => bail!(
            "the plugin {name} {version} was released with the digest {known}, and is now {digest}: \
             raise its version if it was changed, else build it with the Rust of rust-toolchain.toml"
        ),
    }
}

/// Returns the version that a plugin tells of itself, which is that of its format's package.
fn version<'l>(lock: &'l str, plugin: &str) -> Result<&'l str> {
    let named = format!("name = \"parafa-format-{plugin}\"");
    let mut lines = lock.lines().skip_while(|line| *line != named).skip(1);
    let version = lines
        .next()
        .and_then(|line| line.strip_prefix("version = "));
    let version = version.with_context(|| format!("plugins/Cargo.lock has no format {plugin}"))?;
    Ok(version.trim_matches('"'))
}

fn read(list: &str) -> Result<Released<'_>> {
    let mut released = Released::new();
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let (named, digest) = entry(line)
            .with_context(|| format!("{LIST} has a line that names no plugin: {line:?}"))?;
        let before = released.insert(named, digest);
        ensure!(before.is_none(), "{LIST} has {line:?} twice");
    }
    Ok(released)
}

fn entry(line: &str) -> Option<((&str, &str), &str)> {
    let (digest, named) = line.split_once("  ")?;
    let (name, version) = named.split_once(' ')?;
    let is_hexadecimal = |digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    let is_digest = digest.len() == 64 && digest.bytes().all(is_hexadecimal);
    let is_version = version.split('.').count() >= 3 && !version.contains(' ');
    (is_digest && is_version && !name.is_empty()).then_some(((name, version), digest))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::plugins::SHIPPED;

    const DIGEST: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const OTHER: &str = "cb8379ac2098aa165029e3938a51da0bcecfc008fd6795f401178647f96c5b34";

    #[test]
    fn a_plugin_has_to_be_the_released_one_of_its_version() {
        let list = format!("# Released.\n{DIGEST}  pdf 0.1.0\n");
        let released = read(&list).unwrap();
        let lacking = |version, digest| lacking_line(&released, "pdf", version, digest);

        assert_eq!(lacking("0.1.0", DIGEST).unwrap(), None);
        let refused = lacking("0.1.0", OTHER).unwrap_err().to_string();
        assert!(refused.contains("raise its version"), "{refused}");
        let line = format!("{OTHER}  pdf 0.1.1");
        assert_eq!(lacking("0.1.1", OTHER).unwrap(), Some(line));
    }

    #[test]
    fn a_line_has_a_digest_a_name_and_a_version_and_stands_once() {
        let line = format!("{DIGEST}  pdf 0.1.0\n");
        let again = format!("{OTHER}  pdf 0.1.0\n");

        assert!(read(&line).is_ok());
        for malformed in [
            format!("{line}{again}"),
            format!("{DIGEST}  pdf\n"),
            format!("{}  pdf 0.1.0\n", DIGEST.to_uppercase()),
            format!("{}  pdf 0.1.0\n", &DIGEST[1..]),
            "\n".to_owned(),
        ] {
            assert!(read(&malformed).is_err(), "{malformed}");
        }
    }

    #[test]
    fn every_plugin_of_the_product_has_a_version() {
        let lock = include_str!("../../../plugins/Cargo.lock");
        for plugin in SHIPPED {
            let version = version(lock, plugin).unwrap();
            assert!(version.split('.').count() >= 3, "{plugin} {version}");
        }
        assert!(version(lock, "none").is_err());
    }

    /// In a checkout without Git there is no history, only the format to be checked.
    #[test]
    fn no_line_of_a_released_plugin_was_changed_or_taken_away() {
        let list = include_str!("../../../plugins/released.txt");
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let mut git = Command::new("git");
        git.args(["log", "--format=", "--patch", "--unified=0"]);
        git.args(["--no-color", "--no-ext-diff", "--", LIST]);

        let output = git.current_dir(root).output();

        assert!(read(list).is_ok());
        let history = output.map(|output| output.stdout).unwrap_or_default();
        let history = String::from_utf8(history).unwrap();
        assert_eq!(lost(&history, list), Vec::<&str>::new());
    }

    #[test]
    fn a_line_that_was_once_there_and_is_changed_is_found() {
        let history = format!("+++ b/{LIST}\n@@ -0,0 +1 @@\n+# Released.\n+{DIGEST}  pdf 0.1.0\n");

        assert!(lost(&history, &format!("{DIGEST}  pdf 0.1.0\n")).is_empty());
        let changed = format!("{OTHER}  pdf 0.1.0\n");
        assert_eq!(lost(&history, &changed), [format!("{DIGEST}  pdf 0.1.0")]);
    }

    /// Returns the lines of plugins that a history added and that the list has no more.
    fn lost<'h>(history: &'h str, list: &str) -> Vec<&'h str> {
        let added = history.lines().filter_map(|line| line.strip_prefix('+'));
        let added = added.filter(|line| entry(line).is_some());
        added
            .filter(|line| list.lines().all(|kept| kept != *line))
            .collect()
    }
}
