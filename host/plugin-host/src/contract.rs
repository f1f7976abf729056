//! The WIT package that plugins are written against, and what a component has
//! of it.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::LazyLock;

use wasmparser::{Parser, Payload, Validator};
use wit_parser::{PackageId, Resolve, SourceMap, WorldItem, WorldKey};

use crate::AdmissionError;

/// The contract, version 0.1.
pub(crate) static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::parse);

const FILES: [(&str, &str); 3] = [
    (
        "types.wit",
        include_str!("../../../wit/parafa-format-0.1/types.wit"),
    ),
    (
        "host.wit",
        include_str!("../../../wit/parafa-format-0.1/host.wit"),
    ),
    (
        "format.wit",
        include_str!("../../../wit/parafa-format-0.1/format.wit"),
    ),
];

/// What a plugin can do beside describing itself; each is a world of the
/// contract.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Capability {
    /// Raises signatures to an archival level.
    Archive,
    /// Makes a document of files.
    Compose,
    /// Turns what can be filled in into what can only be read.
    Flatten,
    /// Says what a document is and whether it may be signed.
    Inspect,
    /// Makes the sandbox's unsigned artifact.
    Rehearse,
    /// Adds a signature.
    Sign,
    /// Gives evidence about the signatures of a document.
    Verify,
}

/// What a component imports from its surroundings and exports to them. It can
/// be read of components that are not admitted, to say why.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Surface {
    imports: Vec<String>,
    exports: BTreeSet<String>,
}

pub(crate) struct Contract {
    resolve: Resolve,
    package: PackageId,
}

impl Capability {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Archive,
        Self::Compose,
        Self::Flatten,
        Self::Inspect,
        Self::Rehearse,
        Self::Sign,
        Self::Verify,
    ];

    /// Those whose outputs the host holds against what `verify` says.
    const PROVED_BY_VERIFY: [Self; 4] = [Self::Archive, Self::Flatten, Self::Rehearse, Self::Sign];

    /// The world's name.
    #[must_use]
    pub fn world(self) -> &'static str {
        match self {
            Self::Archive => "archive",
            Self::Compose => "compose",
            Self::Flatten => "flatten",
            Self::Inspect => "inspect",
            Self::Rehearse => "rehearse",
            Self::Sign => "sign",
            Self::Verify => "verify",
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.world())
    }
}

impl Surface {
    /// Validates a component entirely and reads its surface.
    ///
    /// # Errors
    ///
    /// When it is no component or not valid.
    pub fn read(wasm: &[u8]) -> Result<Self, AdmissionError> {
        if !Parser::is_component(wasm) {
            return Err(AdmissionError::NotAComponent);
        }
        let invalid = |error: wasmparser::BinaryReaderError| AdmissionError::Invalid(error.into());
        Validator::new().validate_all(wasm).map_err(invalid)?;

        let mut surface = Self::default();
        let mut depth = 0_usize;
        for payload in Parser::new(0).parse_all(wasm) {
            match payload.map_err(invalid)? {
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

    /// Names of what it imports, such as `parafa:format/types@0.1.0`, in its
    /// own order.
    #[must_use]
    pub fn imports(&self) -> &[String] {
        &self.imports
    }

    /// Names of what it exports.
    #[must_use]
    pub fn exports(&self) -> &BTreeSet<String> {
        &self.exports
    }
}

impl Contract {
    /// The version that the package carries, such as `0.1.0`.
    pub(crate) fn version(&self) -> String {
        let name = &self.resolve.packages[self.package].name;
        name.version
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    /// Checks that a component imports nothing but the contract's interfaces
    /// and exports `describe`, and answers what else it can do. Every world
    /// that it seems to have is compared type by type.
    pub(crate) fn capabilities(
        &self,
        wasm: &[u8],
        surface: &Surface,
    ) -> Result<BTreeSet<Capability>, AdmissionError> {
        let offered = self.imports("platform");
        let foreign: Vec<_> = surface
            .imports
            .iter()
            .filter(|import| !offered.contains(*import))
            .cloned()
            .collect();
        if !foreign.is_empty() {
            return Err(AdmissionError::ForeignImports(foreign));
        }
        if !self.has_world("describe", wasm, surface)? {
            return Err(AdmissionError::NoDescription {
                contract: self.version(),
            });
        }
        let mut capabilities = BTreeSet::new();
        for capability in Capability::ALL {
            if self.has_world(capability.world(), wasm, surface)? {
                capabilities.insert(capability);
            }
        }
        let unproved = Capability::PROVED_BY_VERIFY
            .into_iter()
            .find(|capability| capabilities.contains(capability));
        match unproved.filter(|_| !capabilities.contains(&Capability::Verify)) {
            Some(capability) => Err(AdmissionError::CannotVerify(capability)),
            None => Ok(capabilities),
        }
    }

    fn parse() -> Self {
        let mut files = SourceMap::new();
        for (name, text) in FILES {
            files.push(Path::new(name), text);
        }
        let mut resolve = Resolve::new();
        let group = files
            .parse()
            .map_err(|(_, error)| error)
            .expect("the contract is part of this crate and parses, as a test shows");
        let package = resolve
            .push_group(group)
            .expect("the contract is part of this crate and resolves, as a test shows");
        Self { resolve, package }
    }

    fn has_world(
        &self,
        world: &'static str,
        wasm: &[u8],
        surface: &Surface,
    ) -> Result<bool, AdmissionError> {
        if !self.exports(world).is_subset(&surface.exports) {
            return Ok(false);
        }
        wit_component::targets(&self.resolve, self.world(world), wasm, false).map_err(|error| {
            AdmissionError::OtherTypes {
                world,
                source: error.into(),
            }
        })?;
        Ok(true)
    }

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
        items
            .map(|(key, _)| self.resolve.name_world_key(key))
            .collect()
    }

    fn world(&self, name: &str) -> wit_parser::WorldId {
        self.resolve.packages[self.package]
            .worlds
            .get(name)
            .copied()
            .expect("the names of worlds are constants of this module that the contract has")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contract_has_the_worlds_that_the_host_knows() {
        assert_eq!(CONTRACT.version(), "0.1.0");
        assert_eq!(
            CONTRACT.imports("platform").into_iter().collect::<Vec<_>>(),
            [
                "parafa:format/crypto@0.1.0",
                "parafa:format/documents@0.1.0",
                "parafa:format/log@0.1.0",
                "parafa:format/types@0.1.0",
            ]
        );
        for capability in Capability::ALL {
            assert_eq!(CONTRACT.exports(capability.world()).len(), 1);
        }
    }
}
