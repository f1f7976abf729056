use bytes::Bytes;
use parafa_fixtures::component as fixtures;
use parafa_plugin_host::{
    AdmissionError, CallError, CallLimits, Capability, FaultKind, Operation, Preservation, Surface,
};
use wit_component::dummy_module;
use wit_parser::{ManglingAndAbi, Resolve};

use crate::support::{component, host, toy};

#[tokio::test]
async fn a_plugin_says_what_it_is() {
    let toy = toy().await;

    assert_eq!(toy.id(), "toy");
    assert_eq!(toy.version(), "0.1.0");
    assert_eq!(toy.contract_version(), "1.0.0");
    assert!(!toy.reads_companions());
    assert_eq!(
        toy.media_types(),
        ["application/x-toy", "application/x-second-toy"]
    );
    assert_eq!(toy.extensions(), ["toy", "sce"]);
    for operation in [Operation::Sign, Operation::Archive] {
        assert_eq!(toy.preservation(operation), Some(Preservation::Whole));
    }
    assert_eq!(toy.levels(Operation::Sign), ["Toy-B-B", "Toy-B-T"]);
    let capabilities = Capability::ALL.into_iter();
    assert!(
        capabilities
            .filter(|capability| *capability != Capability::Contents)
            .eq(toy.capabilities().iter().copied())
    );
}

#[test]
fn the_surface_of_a_component_can_be_read_before_it_is_admitted() {
    let surface = Surface::read(&component("test/toy.wasm")).unwrap();

    assert!(
        surface
            .imports()
            .contains(&"parafa:format/types@1.0.0".to_owned())
    );
    assert!(surface.exports().contains("parafa:format/signing@1.0.0"));
}

#[tokio::test]
async fn what_is_no_component_is_refused() {
    let module = b"\0asm\x01\0\0\0";

    assert!(matches!(
        refusal(&b"garbage"[..]).await,
        AdmissionError::NotAComponent
    ));
    assert!(matches!(
        refusal(&module[..]).await,
        AdmissionError::NotAComponent
    ));
    assert!(matches!(
        refusal(Bytes::new()).await,
        AdmissionError::NotAComponent
    ));
}

#[tokio::test]
async fn an_invalid_component_is_refused() {
    let whole = component("test/toy.wasm");
    let mut flipped = whole.to_vec();
    let middle = flipped.len() / 2;
    flipped[middle..middle + 64].fill(0xff);

    assert!(matches!(
        refusal(whole.slice(..whole.len() - 1)).await,
        AdmissionError::Invalid(_)
    ));
    assert!(matches!(refusal(flipped).await, AdmissionError::Invalid(_)));
}

#[tokio::test]
async fn precompiled_code_is_refused() {
    let engine = wasmtime::Engine::default();
    let code = engine.precompile_component(b"\0asm\x0d\0\x01\0").unwrap();

    assert!(matches!(refusal(code).await, AdmissionError::Precompiled));
}

#[tokio::test]
async fn a_plugin_past_the_size_limit_is_refused() {
    let long = vec![0; 32 * 1024 * 1024 + 1];

    assert!(matches!(
        refusal(long).await,
        AdmissionError::TooLarge {
            bytes: 33_554_433,
            limit: 33_554_432
        }
    ));
}

#[tokio::test]
async fn imports_that_the_contract_does_not_offer_are_named() {
    let wasm = dummy(
        "interface clock { now: func() -> u64; }
         interface secrets { read: func() -> string; }
         world plugin { include parafa:format/describe@1.0.0; import clock; import secrets; }",
    );

    let AdmissionError::ForeignImports(imports) = refusal(wasm).await else {
        panic!("admitted otherwise")
    };
    assert_eq!(imports, ["test:plugin/clock", "test:plugin/secrets"]);
}

#[tokio::test]
async fn a_component_that_does_not_describe_itself_is_refused() {
    let wasm = dummy("world plugin { include parafa:format/inspect@1.0.0; }");

    assert!(matches!(refusal(wasm).await, AdmissionError::NoDescription));
}

#[tokio::test]
async fn a_plugin_that_changes_documents_must_verify() {
    for capability in [
        Capability::Archive,
        Capability::Flatten,
        Capability::Rehearse,
        Capability::Sign,
    ] {
        let wasm = dummy(&format!(
            "world plugin {{ include parafa:format/describe@1.0.0; \
             include parafa:format/{capability}@1.0.0; }}",
        ));

        let refusal = refusal(wasm).await;

        assert!(
            matches!(refusal, AdmissionError::CannotVerify(other) if other == capability),
            "{refusal}"
        );
    }
}

#[tokio::test]
async fn a_plugin_for_any_version_of_a_known_line_of_the_contract_runs() {
    for version in ["0.2.0", "0.2.9", "1.0.0", "1.0.3", "1.4.0"] {
        let host = host(CallLimits::default());
        let plugin = host.admit(fixtures::least_of(version).into());
        let plugin = plugin.await.unwrap();

        assert_eq!(plugin.contract_version(), version);
        assert_eq!(plugin.id(), "least");
        let verified = plugin
            .verify(Bytes::from_static(b"anything"))
            .await
            .unwrap();
        assert_eq!(verified.signatures, []);
    }
}

#[tokio::test]
async fn a_plugin_for_another_contract_or_a_pre_release_is_refused() {
    for version in ["0.1.0", "0.3.0", "2.0.0"] {
        let other = refusal(fixtures::least_of(version)).await;
        assert!(
            matches!(other, AdmissionError::UnknownContract { .. }),
            "{other}"
        );
    }
    for version in ["0.2.1-rc.1", "1.0.0-rc.1", "1.1.0-rc.1"] {
        let unreleased = refusal(fixtures::least_of(version)).await;
        assert!(
            matches!(&unreleased, AdmissionError::PreRelease(told) if told.to_string() == version),
            "{unreleased}"
        );
    }
}

#[tokio::test]
async fn an_export_with_other_types_is_refused() {
    let mut resolve = Resolve::new();
    let package = resolve
        .push_str(
            "other.wit",
            "package parafa:format@1.0.0;
             interface description { describe: func() -> string; }
             world describe { export description; }",
        )
        .unwrap();
    let world = resolve.packages[package].worlds["describe"];

    let refusal = refusal(encode(&resolve, world)).await;

    assert!(
        matches!(
            refusal,
            AdmissionError::OtherTypes {
                world: "describe",
                ..
            }
        ),
        "{refusal}"
    );
}

#[tokio::test]
async fn a_plugin_whose_self_test_fails_is_refused() {
    let wasm = dummy("world plugin { include parafa:format/describe@1.0.0; }");

    let AdmissionError::SelfTest(CallError::Fault(fault)) = refusal(wasm).await else {
        panic!("admitted otherwise")
    };
    assert!(matches!(fault.kind, FaultKind::Trap(_)), "{fault}");
}

async fn refusal(wasm: impl Into<Bytes>) -> AdmissionError {
    host(CallLimits::default())
        .admit(wasm.into())
        .await
        .unwrap_err()
}

/// Builds a component of the world `plugin`. All its functions trap.
fn dummy(wit: &str) -> Vec<u8> {
    let (resolve, world) = fixtures::contract_with(wit);
    encode(&resolve, world)
}

fn encode(resolve: &Resolve, world: wit_parser::WorldId) -> Vec<u8> {
    let module = dummy_module(resolve, world, ManglingAndAbi::Standard32);
    fixtures::encode(module, resolve, world)
}
