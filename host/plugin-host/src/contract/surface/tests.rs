use parafa_fixtures::component;
use wasmtime::component::{Component, Linker, ResourceType, Val};
use wasmtime::{Engine, Store};
use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
use wit_parser::ManglingAndAbi;

use super::*;

/// Returns the text of this version: that of 0.2.0 but for its number and the additions of 0.2.1.
fn text_of(version: &str) -> Vec<(&'static str, String)> {
    let mut files: Vec<_> = V0_2
        .iter()
        .map(|(name, text)| (*name, text.replace("@0.2.0", &format!("@{version}"))))
        .collect();
    if version == "0.2.1" {
        for (name, text) in &mut files {
            if *name == "host.wit" {
                text.push_str("interface weather { sunny: func() -> bool; }");
            }
            *text = text.replace("import log;", "import log; import weather;");
        }
    }
    files
}

fn contracts(versions: &[&str]) -> Contracts {
    let texts: Vec<_> = versions.iter().map(|version| text_of(version)).collect();
    let texts = texts.iter().map(|files| {
        let files = files.iter();
        let files: Vec<_> = files.map(|(name, text)| (*name, text.as_str())).collect();
        Contract::parse(&files)
    });
    Contracts(texts.collect())
}

/// Builds a component of the world `plugin` against these versions of the contract. All its
/// functions trap.
fn dummy(versions: &[&str], world: &str) -> Vec<u8> {
    let mut resolve = Resolve::new();
    for version in versions {
        let mut files = SourceMap::new();
        for (name, text) in text_of(version) {
            files.push(Path::new(name), text);
        }
        resolve
            .push_group(files.parse().map_err(|(_, error)| error).unwrap())
            .unwrap();
    }
    let package = resolve
        .push_str(
            "plugin.wit",
            &format!("package test:plugin; world plugin {{ {world} }}"),
        )
        .unwrap();
    let world = resolve.packages[package].worlds["plugin"];
    let mut module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8, false).unwrap();
    ComponentEncoder::default()
        .module(&module)
        .and_then(ComponentEncoder::encode)
        .unwrap()
}

/// Returns a component that describes itself and inspects.
fn inspector(version: &str) -> Vec<u8> {
    let world = format!(
        "include parafa:format/describe@{version}; include parafa:format/inspect@{version};"
    );
    dummy(&[version], &world)
}

fn terms(known: &[&str], wasm: &[u8]) -> Result<Terms, AdmissionError> {
    contracts(known).terms(wasm, &Surface::read(wasm).unwrap())
}

fn refusal(known: &[&str], wasm: &[u8]) -> String {
    terms(known, wasm).unwrap_err().to_string()
}

#[test]
fn what_a_plugin_cannot_do_is_told_in_words() {
    let told = crate::FaultKind::Unsupported(Capability::Contents).to_string();

    assert_eq!(told, "it cannot list what a document contains");
}

#[test]
fn the_contract_has_the_worlds_that_the_host_knows() {
    let [before, today] = CONTRACTS.0.as_slice() else {
        panic!("there are two versions")
    };
    let versions = [before, today].map(|contract| contract.version.to_string());
    assert_eq!(versions, ["0.2.0", "1.0.0"]);
    let platform = |contract: &Contract| Vec::from_iter(contract.imports("platform"));
    assert_eq!(platform(before), ["crypto", "documents", "log", "types"]);
    assert_eq!(
        platform(today),
        ["companions", "crypto", "documents", "log", "types"]
    );
    for contract in [before, today] {
        for capability in Capability::ALL {
            assert_eq!(contract.exports(capability.world()).len(), 1);
        }
    }
}

#[test]
fn a_component_that_imports_companions_reads_the_files_beside_a_document() {
    let reads = |wasm: &[u8]| {
        let terms = CONTRACTS.terms(wasm, &Surface::read(wasm).unwrap());
        terms.unwrap().reads_companions
    };
    let world = "world plugin { include parafa:format/describe@1.0.0; }";
    let (resolve, world) = component::contract_with(world);
    // The dummy imports every interface of the world.
    let module = dummy_module(&resolve, world, ManglingAndAbi::Standard32);

    assert!(reads(&component::encode(module, &resolve, world)));
    assert!(!reads(&component::least()));
}

#[test]
fn versions_stand_side_by_side_and_each_component_has_its_own() {
    for version in ["0.2.0", "0.2.1", "0.3.0"] {
        let terms = terms(&["0.2.0", "0.2.1", "0.3.0"], &inspector(version)).unwrap();

        assert_eq!(terms.version.to_string(), version);
        assert_eq!(terms.capabilities, [Capability::Inspect].into());
    }
}

#[test]
fn a_component_is_admitted_where_only_another_patch_of_its_contract_is_known() {
    for (known, version) in [("0.2.1", "0.2.0"), ("0.2.0", "0.2.3")] {
        let terms = terms(&[known], &inspector(version)).unwrap();
        assert_eq!(terms.version.to_string(), version);
    }
}

#[test]
fn a_component_that_imports_what_a_later_patch_offers_is_told_so() {
    let newer = dummy(
        &["0.2.1"],
        "include parafa:format/describe@0.2.1; import parafa:format/weather@0.2.1;",
    );

    assert!(terms(&["0.2.0", "0.2.1"], &newer).is_ok());
    assert_eq!(
        refusal(&["0.2.0"], &newer),
        "it imports what no plugin may: parafa:format/weather@0.2.1"
    );
}

#[test]
fn a_component_of_a_contract_that_is_not_known_is_refused_with_those_that_are() {
    assert_eq!(
        refusal(&["0.2.0", "0.2.1"], &inspector("0.3.0")),
        "it is written against parafa:format@0.3.0; this program supports 0.2.0, 0.2.1 and \
         compatible versions"
    );
}

#[test]
fn a_pre_release_is_refused() {
    for known in ["0.2.0", "0.2.1-rc.1"] {
        assert_eq!(
            refusal(&[known], &inspector("0.2.1-rc.1")),
            "it is written against the pre-release parafa:format@0.2.1-rc.1, which is not supported"
        );
    }
}

#[test]
fn a_component_of_two_versions_is_refused() {
    let mixed = dummy(
        &["0.2.0", "0.2.1"],
        "export parafa:format/description@0.2.0; export parafa:format/inspection@0.2.1;",
    );

    assert_eq!(
        refusal(&["0.2.0", "0.2.1"], &mixed),
        "it mixes versions of the contract: 0.2.0, 0.2.1"
    );
}

#[test]
fn a_component_without_the_contract_is_none() {
    let other = dummy(&[], "export greet: func() -> string;");

    assert_eq!(
        refusal(&["0.2.0"], &other),
        "it exports nothing of parafa:format"
    );
}

/// Returns the name of a plugin of this version, called through the interface of that one. The host
/// offers 0.2.1 and 0.3.0.
fn called(version: &str, by: &str) -> Option<Val> {
    let engine = Engine::default();
    let mut linker = Linker::<()>::new(&engine);
    for offered in ["0.2.1", "0.3.0"] {
        for interface in ["crypto", "documents", "log", "types"] {
            let name = format!("{PACKAGE}{interface}@{offered}");
            let mut instance = linker.instance(&name).unwrap();
            if interface == "documents" {
                let blob = ResourceType::host::<()>();
                instance.resource("blob", blob, |_, _| Ok(())).unwrap();
            }
        }
    }
    let component = Component::new(&engine, component::least_of(version)).unwrap();
    let mut store = Store::new(&engine, ());
    let instance = linker.instantiate(&mut store, &component).ok()?;
    let interface = format!("{PACKAGE}description@{by}");
    let interface = instance.get_export_index(&mut store, None, &interface)?;
    let describe = instance.get_export_index(&mut store, Some(&interface), "describe");
    let describe = instance.get_func(&mut store, describe?).unwrap();
    let mut told = [Val::Bool(false)];
    describe.call(&mut store, &[], &mut told).unwrap();
    match told {
        [Val::Record(fields)] => fields.into_iter().next().map(|(_, id)| id),
        _ => None,
    }
}

#[test]
fn a_component_is_called_by_a_compatible_contract_and_by_no_other() {
    let least = || Some(Val::String("least".to_owned()));

    for (version, by) in [("0.2.0", "0.2.1"), ("0.2.1", "0.2.1"), ("0.2.7", "0.2.1")] {
        assert_eq!(called(version, by), least(), "{version} by {by}");
    }
    assert_eq!(called("0.3.0", "0.3.0"), least(), "both stand side by side");
    for (version, by) in [("0.3.0", "0.2.1"), ("0.2.0", "0.3.0"), ("0.4.0", "0.4.0")] {
        assert_eq!(called(version, by), None, "{version} by {by}");
    }
    for by in ["0.2.1", "0.2.2-rc.1"] {
        assert_eq!(called("0.2.2-rc.1", by), None, "a pre-release by {by}");
    }
}
