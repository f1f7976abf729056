//! Allowed dependencies between crates. Data flows down and comes back up the
//! same way: `docs/architecture.md` describes it, and this test enforces it.

mod circles;
mod published;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

use crate::support::root;

/// The doors to the world, by folder below `host/`.
const DOORS: [&str; 8] = [
    "attorney",
    "eid",
    "oci",
    "outbound",
    "plugin-host",
    "registers",
    "store",
    "trust",
];
/// Public keys and signature verification.
const PUBLIC_KEY: &str = "host/public-key";
/// Questions to registers, and their answers.
const REGISTER_DATA: &str = "host/register-data";
/// Logos of workspaces.
const LOGO: &str = "host/logo";
/// Keys and signatures of plugins' publishers.
const PUBLISHER: &str = "host/publisher";
/// The authority of demo worlds, conformance cases and tests.
const ISSUING: &str = "host/issuing";
/// Computations shared by clients and services of eID providers.
const EID_PROTOCOLS: &str = "host/eid-protocols";
/// Spans of traces.
const TRACES: &str = "host/traces";
/// Names that cross the plugin boundary, for both sides.
const CATALOGUE: &str = "wit/catalogue";
/// Libraries that only one crate may use.
const GUARDED: [(&str, &str); 11] = [
    ("bergshamra-c14n", "formats/xml"),
    ("cryptoki", "host/attorney"),
    ("lopdf", "formats/pdf"),
    ("object_store", "host/store"),
    ("resvg", LOGO),
    ("rmcp", "api/mcp"),
    ("sled", "host/store"),
    ("tiny-skia", LOGO),
    ("tokio-postgres", "host/store"),
    ("uppsala", "formats/xml"),
    ("wasmtime", "host/plugin-host"),
];

#[test]
fn what_others_build_on_depends_on_no_crate_of_ours() {
    let arrows = Arrows::of_everything();
    for from in [
        "api/http",
        "host/domain",
        EID_PROTOCOLS,
        "host/http-port",
        "host/interpretation",
        ISSUING,
        LOGO,
        PUBLIC_KEY,
        PUBLISHER,
        REGISTER_DATA,
        TRACES,
        CATALOGUE,
    ] {
        arrows.assert_only(from, |_| false);
    }
    arrows.assert_only("host/demo", |to| {
        [EID_PROTOCOLS, ISSUING, REGISTER_DATA].contains(&to)
    });
}

#[test]
fn apis_know_what_all_of_them_share_and_products_the_ceremonies_that_they_hold() {
    let arrows = Arrows::of_everything();
    let apis: Vec<_> = arrows
        .below("api/")
        .filter(|from| *from != "api/http")
        .collect();
    assert!(apis.contains(&"api/signing"));
    for from in apis {
        let of_product = !["api/ceremony", "api/mcp"].contains(&from);
        let of_registers: &[&str] = match from {
            "api/diligence" => &[REGISTER_DATA, "host/interpretation"],
            "api/mcp" => &[REGISTER_DATA],
            _ => &[],
        };
        arrows.assert_only(from, |to| {
            to == "api/http" || (of_product && to == "api/ceremony") || of_registers.contains(&to)
        });
    }
}

#[test]
fn no_door_knows_another() {
    let arrows = Arrows::of_everything();
    for door in DOORS {
        let allowed: &[&str] = match door {
            "eid" => &[EID_PROTOCOLS, "host/http-port"],
            "oci" => &["host/http-port"],
            "plugin-host" => &[PUBLIC_KEY, TRACES, CATALOGUE],
            "registers" => &["host/http-port", REGISTER_DATA],
            "trust" => &["host/http-port", PUBLIC_KEY],
            "outbound" => &["host/http-port", TRACES],
            "store" => &[TRACES],
            _ => &[],
        };
        arrows.assert_only(&format!("host/{door}"), |to| allowed.contains(&to));
    }
}

#[test]
fn the_conformance_kit_knows_the_plugin_host_its_authority_and_the_catalogue_alone() {
    let arrows = Arrows::of_everything();
    let allowed = [ISSUING, "host/plugin-host", CATALOGUE];
    arrows.assert_only("host/conformance", |to| allowed.contains(&to));
}

/// Parts of the host above the external interfaces, with our crates that each
/// may depend on.
const PARTS: [(&str, &[&str]); 14] = [
    ("host/listener", &["api/http", TRACES]),
    ("host/answers", &["host/plugin-host", "host/trust"]),
    (
        "host/organisation-signature",
        &[
            "host/answers",
            "host/attorney",
            "host/plugin-host",
            "host/store",
            TRACES,
            "host/trust",
        ],
    ),
    (
        "host/platform",
        &["api/http", REGISTER_DATA, "host/store", TRACES],
    ),
    (
        "host/delivery",
        &[
            "host/http-port",
            "host/outbound",
            "host/platform",
            "host/store",
        ],
    ),
    (
        "host/plugin-store",
        &[
            "host/conformance",
            "host/platform",
            "host/plugin-host",
            PUBLISHER,
            "host/store",
        ],
    ),
    (
        "host/plugin-tools",
        &[
            "api/signing",
            "host/conformance",
            "host/oci",
            "host/outbound",
            "host/plugin-host",
            "host/plugin-store",
            "host/store",
        ],
    ),
    (
        "host/trusted-list",
        &[
            "formats/core",
            "formats/xades",
            "formats/xml",
            PUBLIC_KEY,
            "host/trust",
        ],
    ),
    (
        "host/ceremony",
        &[
            "api/ceremony",
            "api/http",
            "host/delivery",
            "host/domain",
            "host/eid",
            "host/platform",
            "host/plugin-host",
            "host/store",
            TRACES,
            "host/trust",
        ],
    ),
    (
        "host/signing",
        &[
            "api/http",
            "api/signing",
            "host/answers",
            "host/ceremony",
            "host/delivery",
            "host/domain",
            "host/outbound",
            "host/platform",
            "host/plugin-host",
            "host/store",
            "host/trust",
        ],
    ),
    (
        "host/identification",
        &[
            "api/diligence",
            "api/http",
            "host/attorney",
            "host/ceremony",
            "host/delivery",
            "host/domain",
            "host/organisation-signature",
            "host/platform",
            "host/plugin-host",
            "host/register-data",
            "host/registers",
            "host/store",
            "host/trust",
        ],
    ),
    (
        "host/diligence",
        &[
            "api/diligence",
            "api/http",
            "host/identification",
            "host/interpretation",
            "host/organisation-signature",
            "host/outbound",
            "host/platform",
            "host/register-data",
            "host/registers",
            "host/store",
        ],
    ),
    (
        "host/auth",
        &[
            "api/auth",
            "api/http",
            "host/domain",
            "host/eid",
            "host/platform",
            "host/store",
            "host/trust",
        ],
    ),
    (
        "host/operator",
        &[
            "api/http",
            "api/signing",
            "host/auth",
            "host/ceremony",
            "host/domain",
            LOGO,
            "host/platform",
            "host/plugin-store",
            REGISTER_DATA,
            "host/signing",
            "host/store",
        ],
    ),
];

#[test]
fn a_part_of_the_host_knows_only_what_is_below_it() {
    let arrows = Arrows::of_everything();
    for (part, allowed) in PARTS {
        arrows.assert_only(part, |to| allowed.contains(&to));
    }
}

#[test]
fn nothing_knows_the_server() {
    let arrows = Arrows::of_everything();
    for (from, to) in &arrows.0 {
        assert!(!to.contains("host/server"), "{from} depends on the server");
    }
}

#[test]
fn formats_know_formats_alone_and_their_core_the_catalogue() {
    let arrows = Arrows::of_everything();
    for from in arrows.below("formats/") {
        arrows.assert_only(from, |to| {
            to.starts_with("formats/") || (from == "formats/core" && to == CATALOGUE)
        });
    }
}

#[test]
fn trusted_lists_are_the_only_documents_that_the_host_reads() {
    let arrows = Arrows::of_everything();
    for part in ["api/", "host/"] {
        for from in arrows.below(part) {
            if from != "host/trusted-list" {
                arrows.assert_only(from, |to| !to.starts_with("formats/"));
            }
        }
    }
}

#[test]
fn what_every_format_of_signatures_shares_knows_no_format() {
    let arrows = Arrows::of_everything();
    arrows.assert_only("formats/pki", |to| to == "formats/core");
    arrows.assert_only("formats/ades", |to| {
        to == "formats/core" || to == "formats/pki"
    });
}

#[test]
fn the_layers_of_containers_know_nothing_above_them() {
    let arrows = Arrows::of_everything();
    for from in ["formats/xml", "formats/zip"] {
        arrows.assert_only(from, |to| to == "formats/core");
    }
    let below = ["formats/ades", "formats/core", "formats/pki", "formats/xml"];
    arrows.assert_only("formats/xades", |to| below.contains(&to));
    arrows.assert_only("formats/container", |to| {
        below.contains(&to) || to == "formats/xades" || to == "formats/zip"
    });
}

#[test]
fn json_web_signatures_know_neither_xml_nor_cms_but_as_time_stamps() {
    let arrows = Arrows::of_everything();
    let below = ["formats/ades", "formats/core", "formats/pki"];
    arrows.assert_only("formats/jades", |to| below.contains(&to));
}

#[test]
fn plugins_are_the_only_crates_that_know_both_the_contract_and_the_formats() {
    let arrows = Arrows::of_everything();
    arrows.assert_only("plugins/sdk", |to| to.starts_with("formats/"));
    for from in arrows.below("plugins/") {
        arrows.assert_only(from, |to| to == "plugins/sdk" || to.starts_with("formats/"));
    }
    for (from, to) in &arrows.0 {
        let knows_plugins = to.iter().any(|to| to.starts_with("plugins/"));
        assert!(
            !knows_plugins || from.starts_with("plugins/"),
            "{from} depends on {to:?}"
        );
    }
}

#[test]
fn the_server_sees_the_host_and_the_apis_but_no_format() {
    let arrows = Arrows::of_everything();
    arrows.assert_only("host/server", |to| {
        to.starts_with("host/") || to.starts_with("api/")
    });
}

#[test]
fn a_library_with_a_door_of_its_own_is_named_there_alone() {
    for package in packages() {
        let folder = folder(&package);
        for (library, home) in GUARDED {
            let named = package.dependencies.iter().any(|dependency| {
                dependency.name == library && dependency.kind != DependencyKind::Development
            });
            assert!(
                !named || folder == home,
                "{folder} names {library}, which belongs to {home}"
            );
        }
    }
}

#[test]
fn a_library_that_is_not_compiled_for_tests_has_none_beside_its_code() {
    for package in packages() {
        for library in package.targets.iter().filter(|target| target.is_lib()) {
            let code = library.src_path.parent().expect("a folder");
            assert!(
                library.test || !has_tests(code.as_std_path()),
                "{} has `test = false`, and tests in {code}",
                package.manifest_path
            );
        }
    }
}

/// Returns true if a file, or any file of a folder, has tests.
fn has_tests(path: &Path) -> bool {
    if path.is_dir() {
        let mut entries = fs::read_dir(path).expect("a folder");
        return entries.any(|entry| has_tests(&entry.expect("an entry").path()));
    }
    let is_code = path.extension().is_some_and(|extension| extension == "rs");
    let marks = ["#[test]", "::test]", "::test(", "cfg(test)", "proptest!"];
    is_code && {
        let code = fs::read_to_string(path).expect("code");
        marks.iter().any(|mark| code.contains(mark))
    }
}

/// From each crate's folder to the folders of the crates of ours that it
/// depends on, but for tests.
struct Arrows(BTreeMap<String, BTreeSet<String>>);

impl Arrows {
    fn of_everything() -> Self {
        let packages = packages();
        let folders: BTreeMap<String, String> = packages
            .iter()
            .map(|package| (package.name.to_string(), folder(package)))
            .collect();
        let arrows = packages.iter().map(|package| {
            let to = package
                .dependencies
                .iter()
                .filter(|dependency| dependency.kind != DependencyKind::Development)
                .filter_map(|dependency| folders.get(&dependency.name).cloned());
            (folder(package), to.collect())
        });
        Self(arrows.collect())
    }

    fn below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .keys()
            .map(String::as_str)
            .filter(move |folder| folder.starts_with(prefix))
    }

    #[track_caller]
    fn assert_only(&self, from: &str, allowed: impl Fn(&str) -> bool) {
        let to = self
            .0
            .get(from)
            .unwrap_or_else(|| panic!("there is no crate in {from}"));
        let wrong: Vec<&String> = to.iter().filter(|to| !allowed(to)).collect();
        assert!(wrong.is_empty(), "{from} depends on {wrong:?}");
    }
}

/// Returns the crates of both workspaces.
fn packages() -> Vec<Package> {
    ["Cargo.toml", "plugins/Cargo.toml"]
        .into_iter()
        .flat_map(|manifest| metadata(manifest).packages)
        .collect()
}

fn metadata(manifest: &str) -> Metadata {
    MetadataCommand::new()
        .manifest_path(root().join(manifest))
        .no_deps()
        .exec()
        .unwrap_or_else(|error| panic!("{manifest}: {error}"))
}

fn folder(package: &Package) -> String {
    let folder = package
        .manifest_path
        .parent()
        .expect("a manifest stands in a folder");
    folder
        .as_std_path()
        .strip_prefix(root())
        .expect("the crates are in the checkout")
        .display()
        .to_string()
}
