//! The packages of which a component says that it was built. Nothing checks them.

use parafa_plugin_host::package_list;
use parafa_plugin_store::reasons;
use serde::{Deserialize, Serialize};

use crate::output::shown;

/// The list in a component, as far as there is one.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Packages {
    #[serde(skip_serializing_if = "Option::is_none")]
    packages: Option<Vec<Package>>,
    /// The reason why the list cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    packages_fault: Option<String>,
}

/// The list as `cargo auditable` writes it.
#[derive(Deserialize)]
struct List {
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Package {
    name: String,
    version: String,
    /// Kind of its source, such as `crates.io`.
    source: String,
    #[serde(default)]
    kind: Kind,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// A build script or a macro, or a dependency of these.
    Build,
    #[default]
    Runtime,
}

impl Packages {
    /// Reads the list of a component.
    pub(crate) fn read(wasm: &[u8]) -> Self {
        let json = match package_list(wasm) {
            Ok(Some(json)) => json,
            Ok(None) => return Self::default(),
            Err(error) => return Self::faulty(reasons(&error)),
        };
        match serde_json::from_slice::<List>(&json) {
            Ok(list) => Self {
                packages: Some(list.packages),
                packages_fault: None,
            },
            Err(error) => Self::faulty(reasons(&error)),
        }
    }

    fn faulty(fault: String) -> Self {
        Self {
            packages: None,
            packages_fault: Some(fault),
        }
    }

    /// Returns the packages in the component, on one line.
    pub(crate) fn linked(&self) -> String {
        self.told(Kind::Runtime)
    }

    /// Returns the packages that ran in its build, on one line.
    pub(crate) fn run_in_build(&self) -> String {
        self.told(Kind::Build)
    }

    fn told(&self, kind: Kind) -> String {
        match (&self.packages, &self.packages_fault) {
            (Some(packages), _) => {
                let packages = packages.iter().filter(|package| package.kind == kind);
                let packages: Vec<_> = packages.map(Package::text).collect();
                if packages.is_empty() {
                    "none".to_owned()
                } else {
                    packages.join(", ")
                }
            }
            (None, Some(fault)) => format!("? (the list cannot be read: {})", shown(fault)),
            (None, None) => "? (it has no list)".to_owned(),
        }
    }
}

impl Package {
    fn text(&self) -> String {
        let (name, version) = (shown(&self.name), shown(&self.version));
        match self.source.as_str() {
            "crates.io" => format!("{name} {version}"),
            source => format!("{name} {version} ({})", shown(source)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A component with nothing but the JSON `{"packages":3}` in its list.
    const MALFORMED: &[u8] = b"\0asm\x0d\0\x01\0\x00\x21\x07.dep-v0\
        \x78\x01\x01\x0e\x00\xf1\xff{\"packages\":3}\x26\x1d\x04\xe9";

    #[test]
    fn packages_of_a_build_are_told_from_those_in_the_component() {
        let list: List = serde_json::from_str(
            r#"{"packages": [
                {"name": "a", "version": "1.0.0", "source": "local", "root": true},
                {"name": "b", "version": "2.0.0", "source": "crates.io"},
                {"name": "c\nd", "version": "3.0.0", "source": "crates.io", "kind": "build"}
            ], "format": 1}"#,
        )
        .unwrap();
        let packages = Packages {
            packages: Some(list.packages),
            packages_fault: None,
        };

        assert_eq!(packages.linked(), "a 1.0.0 (local), b 2.0.0");
        assert_eq!(packages.run_in_build(), r"c\nd 3.0.0");
    }

    #[test]
    fn a_list_that_cannot_be_read_is_told_as_such() {
        let packages = Packages::read(MALFORMED);

        let told = packages.linked();
        assert!(
            told.starts_with("? (the list cannot be read: invalid type"),
            "{told}"
        );
        let json = serde_json::to_value(&packages).unwrap();
        assert!(json["packagesFault"].is_string() && json.get("packages").is_none());
    }

    #[test]
    fn a_component_without_a_list_says_nothing_of_its_packages() {
        let packages = Packages::read(b"\0asm\x0d\0\x01\0");

        assert_eq!(packages.linked(), "? (it has no list)");
        assert_eq!(
            serde_json::to_value(&packages).unwrap(),
            serde_json::json!({})
        );
    }
}
