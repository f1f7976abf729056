//! The software bill of materials: a CycloneDX 1.6 document, from cargo's resolution. `cargo
//! cyclonedx` writes one for each crate of one workspace, into the crate's folder; a release has
//! one for the shipped crates of both workspaces.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::plugins::SHIPPED;
use crate::process;

/// Lists the packages of the server's and its plugins' builds, for the platform of this machine.
///
/// # Errors
/// When cargo cannot resolve them, as without the lock files' packages.
pub(super) fn of_product(root: &Path) -> Result<String> {
    let plugins: Vec<String> = SHIPPED
        .iter()
        .map(|name| format!("parafa-plugin-{name}"))
        .collect();
    let mut packages = resolve(root, "host-tuple")?.below(&["parafa-server".to_owned()])?;
    let of_plugins = resolve(&root.join("plugins"), "wasm32-unknown-unknown")?.below(&plugins)?;
    for (reference, package) in of_plugins {
        packages
            .entry(reference)
            .and_modify(|known| known.depends_on.extend(package.depends_on.iter().cloned()))
            .or_insert(package);
    }
    Ok(format!("{:#}\n", document(&packages)))
}

/// The answer of `cargo metadata`.
#[derive(Deserialize)]
struct Resolved {
    packages: Vec<Package>,
    resolve: Graph,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
}

#[derive(Deserialize)]
struct Graph {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

/// The kind of a dependency: `None` for normal ones, or `build` or `dev`.
#[derive(Deserialize)]
struct Kind {
    kind: Option<String>,
}

/// A package in the document, by its reference there.
type Entries = BTreeMap<String, Entry>;

struct Entry {
    name: String,
    version: String,
    license: Option<String>,
    depends_on: BTreeSet<String>,
}

impl Package {
    /// Returns the package URL.
    fn reference(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }
}

impl Resolved {
    /// Returns the packages of these names and all their dependencies.
    fn below(&self, names: &[String]) -> Result<Entries> {
        let packages: BTreeMap<&str, &Package> = self
            .packages
            .iter()
            .map(|package| (package.id.as_str(), package))
            .collect();
        let nodes = self.resolve.nodes.iter();
        let nodes: BTreeMap<&str, &Node> = nodes.map(|node| (node.id.as_str(), node)).collect();
        let named = |package: &&Package| names.contains(&package.name);
        let mut open: Vec<&str> = self
            .packages
            .iter()
            .filter(named)
            .map(|package| package.id.as_str())
            .collect();
        ensure!(
            open.len() == names.len(),
            "cargo knows not all of {names:?}"
        );
        let mut entries = Entries::new();
        while let Some(id) = open.pop() {
            let package = packages.get(id).context("a package without metadata")?;
            let reference = package.reference();
            if entries.contains_key(&reference) {
                continue;
            }
            let node = nodes.get(id).context("a package that is not resolved")?;
            let mut depends_on = BTreeSet::new();
            for dependency in node.deps.iter().filter(|dependency| dependency.is_built()) {
                let id = dependency.pkg.as_str();
                let package = packages.get(id).context("a package without metadata")?;
                depends_on.insert(package.reference());
                open.push(id);
            }
            let entry = Entry {
                name: package.name.clone(),
                version: package.version.clone(),
                license: package.license.clone(),
                depends_on,
            };
            entries.insert(reference, entry);
        }
        Ok(entries)
    }
}

impl Dependency {
    /// Returns true if it is more than a dependency of tests.
    fn is_built(&self) -> bool {
        let mut kinds = self.dep_kinds.iter();
        kinds.any(|kind| kind.kind.as_deref() != Some("dev"))
    }
}

fn resolve(directory: &Path, platform: &str) -> Result<Resolved> {
    let output = process::cargo(directory)
        .args(["metadata", "--locked", "--format-version", "1"])
        .args(["--filter-platform", platform])
        .output()
        .context("cargo metadata")?;
    ensure!(
        output.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Returns the document. It has no serial number and no time, so that the same lock files give the
/// same bytes.
fn document(entries: &Entries) -> Value {
    let components: Vec<Value> = entries
        .iter()
        .map(|(reference, entry)| {
            let mut component = json!({
                "type": "library",
                "bom-ref": reference,
                "name": entry.name,
                "version": entry.version,
                "purl": reference,
            });
            if let Some(license) = &entry.license {
                // Cargo accepted a slash as `OR` before it accepted SPDX expressions.
                let expression = license.replace(" / ", " OR ").replace('/', " OR ");
                component["licenses"] = json!([{"expression": expression}]);
            }
            component
        })
        .collect();
    let dependencies: Vec<Value> = entries
        .iter()
        .map(|(reference, entry)| json!({"ref": reference, "dependsOn": entry.depends_on}))
        .collect();
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {
            "type": "application",
            "bom-ref": "parafa",
            "name": "parafa",
            "version": env!("CARGO_PKG_VERSION"),
        }},
        "components": components,
        "dependencies": dependencies,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved() -> Resolved {
        serde_json::from_value(json!({
            "packages": [
                {"id": "a#1", "name": "a", "version": "1.0.0", "license": "MIT/Apache-2.0"},
                {"id": "b#1", "name": "b", "version": "1.0.0", "license": null},
                {"id": "c#1", "name": "c", "version": "1.0.0", "license": "MIT"},
                {"id": "d#1", "name": "d", "version": "1.0.0", "license": "MIT"},
            ],
            "resolve": {"nodes": [
                {"id": "a#1", "deps": [
                    {"pkg": "b#1", "dep_kinds": [{"kind": null}, {"kind": "dev"}]},
                    {"pkg": "c#1", "dep_kinds": [{"kind": "dev"}]},
                ]},
                {"id": "b#1", "deps": [{"pkg": "d#1", "dep_kinds": [{"kind": "build"}]}]},
                {"id": "c#1", "deps": []},
                {"id": "d#1", "deps": []},
            ]},
        }))
        .unwrap()
    }

    #[test]
    fn what_only_tests_use_is_no_part_of_the_product() {
        let entries = resolved().below(&["a".to_owned()]).unwrap();

        let references: Vec<&str> = entries.keys().map(String::as_str).collect();
        let expected = [
            "pkg:cargo/a@1.0.0",
            "pkg:cargo/b@1.0.0",
            "pkg:cargo/d@1.0.0",
        ];
        assert_eq!(references, expected);
        let depends_on = &entries["pkg:cargo/b@1.0.0"].depends_on;
        assert!(depends_on.contains("pkg:cargo/d@1.0.0"));
        assert!(resolved().below(&["e".to_owned()]).is_err());
    }

    #[test]
    fn a_licence_is_an_spdx_expression() {
        let document = document(&resolved().below(&["a".to_owned()]).unwrap());

        let licences = |at: usize| &document["components"][at]["licenses"];
        assert_eq!(licences(0)[0]["expression"], "MIT OR Apache-2.0");
        assert!(licences(1).is_null());
    }
}
