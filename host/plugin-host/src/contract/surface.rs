//! The contract's WIT package in every version that the host knows, and the parts of it that a
//! component imports and exports.
//!
//! Versions of one line are compatible (semver: `0.2.x`, `1.x.y`). A component is checked against
//! the text of its own version, or else the newest of its line, and linked to the newest. A
//! pre-release is compatible with nothing.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use semver::Version;
use wasmparser::{Parser, Payload, Validator};
use wit_parser::{PackageId, Resolve, SourceMap, WorldId, WorldItem, WorldKey};

use crate::{AdmissionError, Capability};

/// The contract in every version that the host knows.
pub(crate) static CONTRACTS: LazyLock<Contracts> =
    LazyLock::new(|| Contracts::parse(&[V0_2, V1_0]));

/// The files of one version.
type Text<'t> = &'t [(&'static str, &'t str)];

const V0_2: Text<'static> = &[
    (
        "types.wit",
        include_str!("../../wit/parafa-format-0.2/types.wit"),
    ),
    (
        "host.wit",
        include_str!("../../wit/parafa-format-0.2/host.wit"),
    ),
    (
        "format.wit",
        include_str!("../../wit/parafa-format-0.2/format.wit"),
    ),
];

const V1_0: Text<'static> = &[
    (
        "types.wit",
        include_str!("../../wit/parafa-format-1.0/types.wit"),
    ),
    (
        "host.wit",
        include_str!("../../wit/parafa-format-1.0/host.wit"),
    ),
    (
        "format.wit",
        include_str!("../../wit/parafa-format-1.0/format.wit"),
    ),
];

/// The interface of companions, the files outside a document. A component that imports it makes
/// detached signatures.
const COMPANIONS: &str = "companions";

/// The world that every component has.
const DESCRIBE: &str = "describe";

/// The prefix of the contract's interface names.
const PACKAGE: &str = "parafa:format/";

/// A component's imports and exports. They can be read from components that are not admitted, to
/// report why.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Surface {
    imports: Vec<String>,
    exports: BTreeSet<String>,
}

/// Several versions of the contract.
pub(crate) struct Contracts(Vec<Contract>);

/// One version of the contract.
struct Contract {
    resolve: Resolve,
    package: PackageId,
    version: Version,
}

/// The parts of the contract that a component imports and exports.
#[derive(Debug)]
pub(crate) struct Terms {
    /// Its own version of the contract.
    pub(crate) version: Version,
    pub(crate) capabilities: BTreeSet<Capability>,
    /// True if the component reads companions.
    pub(crate) reads_companions: bool,
}

impl Surface {
    /// Validates a component except the bodies of its functions, and reads its surface. Bodies are
    /// validated before they are compiled, which happens once; this happens at every start.
    ///
    /// # Errors
    ///
    /// When it is not a component or not valid.
    pub fn read(wasm: &[u8]) -> Result<Self, AdmissionError> {
        if !Parser::is_component(wasm) {
            return Err(AdmissionError::NotAComponent);
        }
        let invalid = |error: wasmparser::BinaryReaderError| AdmissionError::Invalid(error.into());
        let mut validator = Validator::new();
        let mut surface = Self::default();
        let mut depth = 0_usize;
        for payload in Parser::new(0).parse_all(wasm) {
            let payload = payload.map_err(invalid)?;
            validator.payload(&payload).map_err(invalid)?;
            match payload {
                Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
                Payload::End(_) => depth = depth.saturating_sub(1),
                Payload::ComponentImportSection(imports) if depth == 0 => {
                    for import in imports {
                        surface
                            .imports
                            .push(import.map_err(invalid)?.name.name.to_owned());
                    }
                }
                Payload::ComponentExportSection(exports) if depth == 0 => {
                    for export in exports {
                        surface
                            .exports
                            .insert(export.map_err(invalid)?.name.name.to_owned());
                    }
                }
                _ => {}
            }
        }
        Ok(surface)
    }

    /// Returns the names of the imports, such as `parafa:format/types@1.0.0`, in the component's
    /// order.
    #[must_use]
    pub fn imports(&self) -> &[String] {
        &self.imports
    }

    /// Returns the names of the exports.
    #[must_use]
    pub fn exports(&self) -> &BTreeSet<String> {
        &self.exports
    }

    /// Returns the only version of the contract that it is written against.
    fn version(&self) -> Result<Version, AdmissionError> {
        let names = self.imports.iter().chain(&self.exports);
        let versions = names.filter_map(|name| Some(split(name)?.1));
        let versions: BTreeSet<Version> = versions.collect();
        let mut versions = versions.into_iter();
        match (versions.next(), versions.len()) {
            (None, _) => Err(AdmissionError::NoContract),
            (Some(version), 0) if version.pre.is_empty() => Ok(version),
            (Some(version), 0) => Err(AdmissionError::PreRelease(version)),
            (Some(version), _) => Err(AdmissionError::MixedVersions(
                [version].into_iter().chain(versions).collect(),
            )),
        }
    }

    fn imports_interface(&self, interface: &str) -> bool {
        let mut imports = self.imports.iter().filter_map(|name| split(name));
        imports.any(|(imported, _)| imported == interface)
    }

    fn exports_of_contract(&self) -> BTreeSet<&str> {
        let exports = self.exports.iter();
        exports.filter_map(|name| Some(split(name)?.0)).collect()
    }
}

impl Contracts {
    /// # Panics
    ///
    /// When a text is not one of the contract.
    fn parse(texts: &[Text<'_>]) -> Self {
        Self(texts.iter().map(|text| Contract::parse(text)).collect())
    }

    /// Checks that a component imports only the contract's interfaces and exports `describe`, and
    /// returns its other capabilities. Every world that it seems to have is compared type by type.
    pub(crate) fn terms(&self, wasm: &[u8], surface: &Surface) -> Result<Terms, AdmissionError> {
        let version = surface.version()?;
        let contract = self.of(&version)?;
        Ok(Terms {
            capabilities: contract.capabilities(wasm, surface)?,
            version,
            reads_companions: surface.imports_interface(COMPANIONS),
        })
    }

    /// Returns the text against which a component of this version is checked.
    fn of(&self, version: &Version) -> Result<&Contract, AdmissionError> {
        let line = self.0.iter();
        let line = line.filter(|known| line_of(&known.version) == line_of(version));
        line.max_by_key(|known| (known.version == *version, &known.version))
            .ok_or_else(|| AdmissionError::UnknownContract {
                version: version.clone(),
                known: self.0.iter().map(|known| known.version.clone()).collect(),
            })
    }
}

impl Contract {
    fn parse(text: Text<'_>) -> Self {
        let mut files = SourceMap::new();
        for (name, text) in text {
            files.push(Path::new(name), *text);
        }
        let mut resolve = Resolve::new();
        let group = files
            .parse()
            .map_err(|(_, error)| error)
            .expect("the contract is part of this crate and parses, as a test shows");
        let package = resolve
            .push_group(group)
            .expect("the contract is part of this crate and resolves, as a test shows");
        let version = resolve.packages[package].name.version.clone();
        Self {
            resolve,
            package,
            version: version.expect("every text of the contract names its version"),
        }
    }

    fn capabilities(
        &self,
        wasm: &[u8],
        surface: &Surface,
    ) -> Result<BTreeSet<Capability>, AdmissionError> {
        let offered = self.imports("platform");
        let is_offered = |import: &&String| {
            split(import).is_some_and(|(interface, _)| offered.contains(interface))
        };
        let imports = surface.imports.iter();
        let foreign: Vec<_> = imports
            .filter(|import| !is_offered(import))
            .cloned()
            .collect();
        if !foreign.is_empty() {
            return Err(AdmissionError::ForeignImports(foreign));
        }
        if !self.seems_to_have(DESCRIBE, surface) {
            return Err(AdmissionError::NoDescription);
        }
        let capabilities = Capability::ALL.into_iter();
        let capabilities: BTreeSet<_> = capabilities
            .filter(|capability| self.seems_to_have(capability.world(), surface))
            .collect();
        let worlds = capabilities.iter().map(|capability| capability.world());
        self.compare([DESCRIBE].into_iter().chain(worlds).collect(), wasm)?;
        let unproved = Capability::PROVED_BY_VERIFY
            .into_iter()
            .find(|capability| capabilities.contains(capability));
        match unproved.filter(|_| !capabilities.contains(&Capability::Verify)) {
            Some(capability) => Err(AdmissionError::CannotVerify(capability)),
            None => Ok(capabilities),
        }
    }

    fn seems_to_have(&self, world: &str, surface: &Surface) -> bool {
        let exported = surface.exports_of_contract();
        let mut exports = self.exports(world).into_iter();
        exports.all(|export| exported.contains(export.as_str()))
    }

    /// Compares a component with these worlds, type by type: with all of them at once, since each
    /// comparison reads the whole component, and with each only to name the one that differs.
    fn compare(&self, worlds: Vec<&'static str>, wasm: &[u8]) -> Result<(), AdmissionError> {
        let mut resolve = self.resolve.clone();
        let mut union = resolve.worlds[self.world(DESCRIBE)].clone();
        for world in &worlds {
            let world = &resolve.worlds[self.world(world)];
            union.imports.extend(world.imports.clone());
            union.exports.extend(world.exports.clone());
        }
        let union = resolve.worlds.alloc(union);
        let all = self.compare_with(&resolve, union, DESCRIBE, wasm);
        if all.is_err() {
            for world in worlds {
                self.compare_with(&self.resolve, self.world(world), world, wasm)?;
            }
        }
        all
    }

    fn compare_with(
        &self,
        resolve: &Resolve,
        world: WorldId,
        name: &'static str,
        wasm: &[u8],
    ) -> Result<(), AdmissionError> {
        wit_component::targets(resolve, world, wasm, true).map_err(|error| {
            AdmissionError::OtherTypes {
                world: name,
                contract: self.version.clone(),
                source: error.into(),
            }
        })
    }

    /// Returns the interfaces that a world imports, by their names in the package.
    fn imports(&self, world: &str) -> BTreeSet<String> {
        self.names(self.resolve.worlds[self.world(world)].imports.iter())
    }

    fn exports(&self, world: &str) -> BTreeSet<String> {
        self.names(self.resolve.worlds[self.world(world)].exports.iter())
    }

    fn names<'a>(
        &self,
        items: impl Iterator<Item = (&'a WorldKey, &'a WorldItem)>,
    ) -> BTreeSet<String> {
        let names = items.map(|(key, _)| self.resolve.name_world_key(key));
        names
            .filter_map(|name| Some(split(&name)?.0.to_owned()))
            .collect()
    }

    fn world(&self, name: &str) -> WorldId {
        self.resolve.packages[self.package]
            .worlds
            .get(name)
            .copied()
            .expect("the names of worlds are constants of this module that the contract has")
    }
}

/// Splits a name such as `parafa:format/types@1.0.0` into interface and version.
fn split(name: &str) -> Option<(&str, Version)> {
    let (interface, version) = name.strip_prefix(PACKAGE)?.split_once('@')?;
    Some((interface, version.parse().ok()?))
}

/// Returns the numbers that compatible versions share, by the component model's rule: those up to
/// the first that is not zero.
fn line_of(version: &Version) -> (u64, u64, u64) {
    match (version.major, version.minor) {
        (0, 0) => (0, 0, version.patch),
        (0, minor) => (0, minor, 0),
        (major, _) => (major, 0, 0),
    }
}

#[cfg(test)]
mod tests;
