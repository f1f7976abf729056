//! Components that misbehave before any call with a document: while they are read, compiled,
//! started, or describe themselves.

use std::fmt::Write;
use std::time::Duration;

use bytes::Bytes;
use parafa_fixtures::component as fixtures;
use parafa_plugin_host::{AdmissionError, CallError, CallLimits, FaultKind};
use wasmparser::{Parser, Payload};

use crate::support::{component, host, hosts};

const MIB: usize = 1024 * 1024;
/// The limits of every test here.
const LIMITS: fn() -> CallLimits = || CallLimits {
    memory_bytes: 32 * MIB,
    wall: Duration::from_millis(500),
    ..CallLimits::default()
};

/// A component that only describes itself.
#[derive(Default)]
struct Stub<'a> {
    /// Pages of memory that it begins with, beyond the first.
    more_pages: u32,
    /// Other fields of its module.
    fields: &'a str,
    /// Instructions of its start function.
    on_start: &'a str,
    /// Instructions that run before it describes itself.
    on_describe: &'a str,
    /// Another module, and the number of its instances.
    beside: Option<(&'a str, u8)>,
}

#[tokio::test]
async fn a_stub_that_behaves_is_admitted() {
    for host in hosts(&LIMITS()) {
        let admitted = host.admit(Stub::default().build()).await;

        assert_eq!(admitted.unwrap().id(), "stub");
    }
}

#[tokio::test]
async fn a_loop_while_starting_or_describing_ends_at_the_deadline() {
    let forever = "(loop br 0)";
    for stub in [
        Stub {
            on_start: forever,
            ..Stub::default()
        },
        Stub {
            on_describe: forever,
            ..Stub::default()
        },
    ] {
        assert_eq!(
            self_test_fault(stub).await,
            FaultKind::TimedOut { limit_ms: 500 }
        );
    }
}

#[tokio::test]
async fn memory_past_the_limit_while_starting_is_not_given() {
    let growing = "(loop i32.const 16 memory.grow drop br 0)";

    let grown = self_test_fault(Stub {
        on_start: growing,
        ..Stub::default()
    });
    let begun_with = Stub {
        more_pages: 32 * 16,
        ..Stub::default()
    };

    assert_eq!(grown.await.name(), "memory");
    let fault = unpooled_fault(begun_with).await;
    assert_eq!(fault.name(), "memory");
}

#[tokio::test]
async fn more_memories_than_a_component_may_have_are_not_made() {
    let filled = "(module
        (memory 320)
        (func $fill i32.const 0 i32.const 1 i32.const 20971520 memory.fill)
        (start $fill))";

    let fault = unpooled_fault(Stub {
        beside: Some((filled, 2)),
        ..Stub::default()
    })
    .await;
    let fault = fault.to_string();
    assert!(fault.contains("memory count too high at 2"), "{fault}");
}

#[tokio::test]
async fn more_instances_than_a_component_may_have_are_not_made() {
    let with = |instances| Stub {
        beside: Some(("(module)", instances)),
        ..Stub::default()
    };
    // The component has two instances of its own: of its module, and of the one that initializes
    // it.
    for host in hosts(&LIMITS()) {
        host.admit(with(2).build()).await.unwrap();
    }

    let fault = unpooled_fault(with(3)).await;
    let fault = fault.to_string();
    assert!(fault.contains("instance count too high at 5"), "{fault}");
}

#[tokio::test]
async fn tables_past_the_limit_are_not_given() {
    // Continues only if a table grew, which it must not do without end.
    let growing = "(loop ref.null func i32.const 1000 table.grow $t i32.const -1 i32.ne br_if 0)
                   unreachable";
    let grown = self_test_fault(Stub {
        fields: "(table $t 1 funcref)",
        on_start: growing,
        ..Stub::default()
    });
    let begun_with = Stub {
        fields: "(table $t 10000000 funcref)",
        ..Stub::default()
    };

    assert!(matches!(grown.await, FaultKind::Trap(_)));
    refusals(begun_with).await;
}

#[tokio::test]
async fn tables_of_all_instances_have_one_limit() {
    let growing = "(module
        (table $t 1 funcref)
        (func $grow
            ref.null func i32.const 14999 table.grow $t
            i32.const -1 i32.eq if unreachable end)
        (start $grow))";
    for module in ["(module (table 15000 funcref))", growing] {
        let with = |instances| Stub {
            beside: Some((module, instances)),
            ..Stub::default()
        };
        for host in hosts(&LIMITS()) {
            host.admit(with(1).build()).await.unwrap();
        }

        let fault = self_test_fault(with(2)).await;

        assert!(matches!(fault, FaultKind::Trap(_)), "{fault}");
    }
}

#[tokio::test]
async fn recursion_while_starting_ends() {
    let fault = self_test_fault(Stub {
        fields: "(func $again call $again)",
        on_start: "call $again",
        ..Stub::default()
    });

    assert_eq!(fault.await, FaultKind::TooDeeplyNested);
}

#[tokio::test]
async fn kinds_of_memory_that_no_limit_is_made_for_are_refused() {
    for fields in ["(memory $second 1)", "(memory $wide i64 1)"] {
        let refused = refusal(
            Stub {
                fields,
                ..Stub::default()
            }
            .build(),
        );

        assert!(
            matches!(
                refused.await,
                AdmissionError::Invalid(_) | AdmissionError::Uncompilable(_)
            ),
            "{fields}"
        );
    }
}

#[tokio::test]
async fn a_component_of_components_of_components_is_refused() {
    const PREAMBLE: &[u8] = b"\0asm\x0d\0\x01\0";
    const COMPONENT_SECTION: u8 = 4;

    for depth in [10, 1_000, 20_000] {
        let mut nested = PREAMBLE.to_vec();
        for _ in 0..depth {
            nested = [PREAMBLE, &section(COMPONENT_SECTION, &nested)].concat();
        }

        let refused = refusal(nested).await;

        assert!(
            matches!(
                refused,
                AdmissionError::Invalid(_) | AdmissionError::NoContract
            ),
            "{depth}: {refused:?}"
        );
    }
}

#[tokio::test]
async fn types_of_types_of_types_are_refused() {
    for depth in [10, 1_000, 50_000] {
        let mut text = String::from(
            "(component
               (core module $m
                 (memory (export \"memory\") 1)
                 (func (export \"describe\") (result i32) unreachable))
               (core instance $i (instantiate $m))
               (type $t0 (list u8))",
        );
        for level in 0..depth {
            writeln!(text, "(type $t{} (list $t{level}))", level + 1).unwrap();
        }
        write!(
            text,
            "(func $d (result $t{depth}) (canon lift (core func $i \"describe\") (memory (core memory $i \"memory\"))))
             (instance $e (export \"describe\" (func $d)))
             (export \"parafa:format/description@1.0.0\" (instance $e)))"
        )
        .unwrap();

        let refused = refusal(wat::parse_str(&text).unwrap()).await;

        assert!(
            matches!(
                refused,
                AdmissionError::Invalid(_) | AdmissionError::OtherTypes { .. }
            ),
            "{depth}: {refused:?}"
        );
    }
}

#[tokio::test]
async fn a_component_with_a_turned_bit_is_refused_or_contained() {
    let whole = component("test/toy.wasm");
    let host = host(LIMITS());
    let mut refused = 0;
    // Fixed places across the file, another bit each time.
    for number in 0..8 {
        let mut flipped = whole.to_vec();
        let place = flipped.len() / 8 * number + 7 * number;
        flipped[place] ^= 1 << (number % 8);

        // A component that is still valid may describe itself, even wrongly.
        refused += usize::from(host.admit(flipped.into()).await.is_err());
    }

    assert!(refused > 0);
}

#[tokio::test]
async fn a_component_that_is_cut_off_is_refused() {
    let whole = component("test/toy.wasm");
    for eighth in 0..8 {
        let part = whole.slice(..whole.len() / 8 * eighth);

        let refused = refusal(part).await;

        assert!(
            matches!(
                refused,
                AdmissionError::Invalid(_) | AdmissionError::NotAComponent
            ),
            "{eighth}: {refused:?}"
        );
    }
}

impl Stub<'_> {
    fn build(&self) -> Bytes {
        let module = format!(
            r#"(module
                (memory (export "cm32p2_memory") {pages})
                {fields}
                (func $start {on_start})
                (start $start)
                (func (export "cm32p2|parafa:format/description@1|describe") (result i32)
                    {on_describe}
                    i32.const 64)
                (func (export "cm32p2|parafa:format/description@1|describe_post") (param i32))
                (func (export "cm32p2_realloc") (param i32 i32 i32 i32) (result i32) unreachable)
                (func (export "cm32p2_initialize"))
                (data (i32.const 0) "stub0.1.0application/x-stub")
                (data (i32.const 64) "{about}")
                (data (i32.const 128) "{media_type}"))"#,
            pages = 1 + self.more_pages,
            fields = self.fields,
            on_start = self.on_start,
            on_describe = self.on_describe,
            // Addresses and lengths of id, version, media types, extensions
            // and preservation.
            about = words(&[0, 4, 4, 5, 128, 1, 0, 0, 0, 0]),
            media_type = words(&[9, 18]),
        );
        let world = "world plugin { include parafa:format/describe@1.0.0; }";
        let own = fixtures::component(&module, world);
        match self.beside {
            Some((module, instances)) => with_instances(own, module, instances).into(),
            None => own.into(),
        }
    }
}

/// Returns the component with this many instances of another module, which import nothing.
fn with_instances(mut component: Vec<u8>, module: &str, instances: u8) -> Vec<u8> {
    const CORE_MODULE_SECTION: u8 = 1;
    const CORE_INSTANCE_SECTION: u8 = 2;
    const INSTANTIATED: u8 = 0;
    const NO_ARGUMENTS: u8 = 0;

    let own_modules = Parser::new(0)
        .parse_all(&component)
        .filter(|payload| matches!(payload, Ok(Payload::ModuleSection { .. })))
        .count();
    let instance = [INSTANTIATED, own_modules.try_into().unwrap(), NO_ARGUMENTS];
    let list = [&[instances], &*instance.repeat(instances.into())].concat();
    let module = wat::parse_str(module).unwrap();
    component.extend(section(CORE_MODULE_SECTION, &module));
    component.extend(section(CORE_INSTANCE_SECTION, &list));
    component
}

fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [&[id], &*leb128(content.len()), content].concat()
}

/// Encodes little-endian words in the text format.
fn words(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.map(|byte| format!("\\{byte:02x}")).collect()
}

fn leb128(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = u8::try_from(value & 0x7f).unwrap();
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

/// Returns the fault of the self-test, which is the same for pooled and on-demand instances.
async fn self_test_fault(stub: Stub<'_>) -> FaultKind {
    let [pooled, on_demand] = refusals(stub).await.map(self_test);
    assert_eq!(pooled, on_demand);
    pooled
}

/// Returns the fault of the self-test with on-demand instances; a pool has no room for the
/// component.
async fn unpooled_fault(stub: Stub<'_>) -> FaultKind {
    let [pooled, on_demand] = refusals(stub).await;
    let is_too_large = matches!(pooled, AdmissionError::Uncompilable(_));
    assert!(is_too_large, "{pooled:?}");
    self_test(on_demand)
}

fn self_test(refused: AdmissionError) -> FaultKind {
    match refused {
        AdmissionError::SelfTest(CallError::Fault(fault)) => fault.kind,
        other => panic!("refused otherwise: {other:?}"),
    }
}

/// Returns the refusals with pooled and with on-demand instances.
async fn refusals(stub: Stub<'_>) -> [AdmissionError; 2] {
    let wasm = stub.build();
    let [pooled, on_demand] = hosts(&LIMITS());
    [
        pooled.admit(wasm.clone()).await.unwrap_err(),
        on_demand.admit(wasm).await.unwrap_err(),
    ]
}

async fn refusal(wasm: impl Into<Bytes>) -> AdmissionError {
    host(LIMITS()).admit(wasm.into()).await.unwrap_err()
}
