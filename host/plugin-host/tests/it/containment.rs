use std::io;
use std::iter;
use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use parafa_plugin_host::{
    CallError, CallLimits, CallObserver, ComposeRequest, ContractBreach, EndedCall, Fault,
    FaultKind, KnownDocuments, LogLevel, MemoryMeter, Note, Parameter, Plugin, PluginHost,
    PluginHostConfig, Refusal, SignStep, TargetLevel,
};

use crate::support::{
    Nobody, Signer, answered, archive_request, component, config, derive_request, done, fault,
    host, hosts, suspended, toy, toy_document,
};

const MIB: usize = 1024 * 1024;
/// A custom section, which changes nothing but the bytes of a component: kind,
/// length, and a name.
const CUSTOM_SECTION: [u8; 6] = *b"\x00\x04\x03toy";

#[tokio::test]
async fn every_bad_ending_of_every_call_is_contained() {
    let roomy = CallLimits {
        memory_bytes: 32 * MIB,
        ..CallLimits::default()
    };
    let brief = CallLimits {
        wall: Duration::from_millis(200),
        ..roomy.clone()
    };
    for (brief, roomy) in iter::zip(limited_toys(&brief).await, limited_toys(&roomy).await) {
        for call in [
            "archive", "compose", "finish", "flatten", "inspect", "prepare", "rehearse", "verify",
        ] {
            for (ending, kind) in [
                ("busy", "time-out"),
                ("exhaust", "memory"),
                ("hoard", "trap"),
                ("loop", "time-out"),
                ("panic", "panic"),
                ("recurse", "stack"),
            ] {
                let behaviour = format!("{ending}@{call}");
                // A short deadline is only for endless calls: on a busy machine others may miss it.
                let toy = if kind == "time-out" { &brief } else { &roomy };

                let fault = fault_of(toy, call, &behaviour).await;

                assert_eq!(fault.name(), kind, "{behaviour}: {fault}");
            }
        }
    }
}

#[tokio::test]
async fn a_loop_ends_at_the_deadline_which_is_told() {
    let limits = CallLimits {
        wall: Duration::from_millis(50),
        ..CallLimits::default()
    };

    assert_eq!(
        inspect(&limited(limits).await, "loop").await,
        FaultKind::TimedOut { limit_ms: 50 }
    );
}

#[tokio::test]
async fn memory_past_the_limit_ends_the_call() {
    let limits = CallLimits {
        memory_bytes: 32 * MIB,
        ..CallLimits::default()
    };

    for toy in limited_toys(&limits).await {
        let FaultKind::MemoryLimit { wanted, limit } = inspect(&toy, "exhaust").await else {
            panic!("ended otherwise")
        };
        assert_eq!(limit, 32 * MIB);
        assert!(wanted > limit);
    }
}

#[tokio::test]
async fn a_meter_sees_how_much_memory_calls_take() {
    let limits = CallLimits {
        memory_bytes: 32 * MIB,
        ..CallLimits::default()
    };
    for toy in limited_toys(&limits).await {
        let meter = MemoryMeter::default();
        let metered = toy.metered(&meter);

        metered.inspect(toy_document("honest")).await.unwrap();
        let modest = meter.peak_bytes();
        metered.inspect(toy_document("exhaust")).await.unwrap_err();
        toy.inspect(toy_document("honest")).await.unwrap();

        assert!((1..4 * MIB).contains(&modest), "{modest}");
        assert!((30 * MIB..=32 * MIB).contains(&meter.peak_bytes()));
    }
}

#[tokio::test]
async fn a_panic_is_reported_with_its_message_and_place() {
    let toy = toy().await;

    let Err(CallError::Fault(Fault {
        plugin,
        digest,
        kind: FaultKind::Panicked { message },
    })) = toy.inspect(toy_document("panic")).await
    else {
        panic!("ended otherwise")
    };
    assert_eq!((plugin.as_str(), digest), ("toy", toy.digest()));
    assert!(
        message.starts_with("the document asked for it ("),
        "{message}"
    );
    assert!(message.contains("behaviour.rs:"), "{message}");
}

#[tokio::test]
async fn what_a_panic_says_is_one_line_and_kept_though_the_log_is_full() {
    let FaultKind::Panicked { message } = inspect(&toy().await, "panic-loudly").await else {
        panic!("ended otherwise")
    };

    assert!(
        message.starts_with(r"the document\nasked for it\u{1b}[2J ("),
        "{message}"
    );
}

#[tokio::test]
async fn endless_recursion_is_too_deep_nesting() {
    assert_eq!(
        inspect(&toy().await, "recurse").await,
        FaultKind::TooDeeplyNested
    );
}

#[tokio::test]
async fn a_range_behind_the_document_breaks_the_contract() {
    assert_eq!(
        inspect(&toy().await, "out-of-range").await,
        FaultKind::ContractBroken(ContractBreach::OutOfRange {
            offset: 19,
            len: 25,
            document: 24
        })
    );
}

#[tokio::test]
async fn an_endless_output_ends_at_the_limit() {
    let limits = CallLimits {
        output_bytes: MIB as u64,
        sink_writes: 1000,
        ..CallLimits::default()
    };
    let toy = limited(limits).await;

    assert_eq!(
        output_fault(&toy, "flood-write").await,
        FaultKind::OutputLimit {
            limit: MIB as u64,
            unit: "bytes"
        }
    );
    assert_eq!(
        output_fault(&toy, "flood-copy").await,
        FaultKind::OutputLimit {
            limit: 1000,
            unit: "writes"
        }
    );
}

#[tokio::test]
async fn a_copy_cannot_be_forged() {
    assert_not_preserved("forge-copy", 0, 22).await;
    assert_not_preserved("rewrite-prefix", 0, 26).await;
    assert_not_preserved("truncate-copy", 24, 25).await;
}

/// Asserts that a signature is refused that does not begin with a copy of all of its input.
async fn assert_not_preserved(behaviour: &str, copied: u64, required: u64) {
    let breach = ContractBreach::NotPreserved { copied, required };
    let toy = toy().await;
    let fault = output_fault(&toy, behaviour).await;
    assert_eq!(fault, FaultKind::ContractBroken(breach));
}

#[tokio::test]
async fn log_lines_are_capped_and_carry_the_digest() {
    static LOG: LazyLock<Captured> = LazyLock::new(Captured::default);
    tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(|| &*LOG)
        .init();
    // Another digest than that of the toys in other tests, which may write many log lines, too.
    let marked = [&component("test/toy.wasm")[..], &CUSTOM_SECTION].concat();
    let toy = host(CallLimits::default()).admit(marked.into()).await;
    let toy = toy.unwrap();

    toy.inspect(toy_document("chatter")).await.unwrap();

    let log = String::from_utf8(LOG.0.lock().unwrap().clone()).unwrap();
    let digest = format!("plugin.digest={}", toy.digest());
    let of_this_toy = || log.lines().filter(|line| line.contains(&digest));
    let mut forged = log.lines().filter(|line| line.contains("forged line"));
    assert!(forged.all(|line| line.contains("plugin.digest=") && line.contains(": line ")));
    let forged = of_this_toy().filter(|line| line.contains("forged line"));
    assert_eq!(forged.count(), CallLimits::default().log_lines);
    assert!(of_this_toy().any(|line| line.contains("logs too much")));
}

#[tokio::test]
async fn a_refusal_is_an_answer_and_names_all_subjects() {
    let refused = toy().await.inspect(toy_document("refuse")).await;

    assert_eq!(
        refused,
        Err(CallError::Refused(Refusal {
            code: "encrypted".into(),
            detail: "the document says so".into(),
            subjects: vec!["first".into(), "second".into()],
        }))
    );
}

#[tokio::test]
async fn a_refusal_without_a_code_breaks_the_contract() {
    assert_eq!(
        inspect(&toy().await, "refuse-oddly").await,
        FaultKind::ContractBroken(ContractBreach::UnknownValue {
            what: "refusal code",
            value: r"no\ncode".to_owned(),
        })
    );
}

#[tokio::test]
async fn a_refusal_is_short_and_without_control_characters() {
    let refused = toy().await.inspect(toy_document("refuse-rudely")).await;

    let Err(CallError::Refused(Refusal { detail, .. })) = refused else {
        panic!("ended otherwise")
    };
    assert!(
        detail.starts_with(r"\u{1b}[2Jthe document says so again "),
        "{detail}"
    );
    assert!(detail.len() < 1100, "{} bytes", detail.len());
}

#[tokio::test]
async fn what_a_plugin_on_trial_fails_at_is_told_to_who_asked_alone() {
    let told = Arc::new(Observed::default());
    let toy = observed(told.clone()).await;

    let failed = toy.on_trial().inspect(toy_document("panic")).await;
    assert!(matches!(failed, Err(CallError::Fault(_))));
    assert_eq!(told.faults.lock().unwrap()[..], [""; 0]);

    toy.inspect(toy_document("panic")).await.unwrap_err();
    assert_eq!(told.faults.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn every_call_and_every_fault_is_told_to_the_observer() {
    let told = Arc::new(Observed::default());
    let toy = observed(told.clone()).await;
    let signer = Signer::named("Ona");
    let request = signer.request(TargetLevel::BB);

    toy.inspect(toy_document("honest")).await.unwrap();
    toy.inspect(toy_document("refuse")).await.unwrap_err();
    toy.verify(toy_document("panic@verify")).await.unwrap_err();
    toy.drive_sign(
        toy_document("swap-signed-bytes"),
        &request,
        Vec::new(),
        &signer,
    )
    .await
    .unwrap_err();

    assert_eq!(
        told.calls.lock().unwrap()[..],
        [
            "describe ok",
            "inspect ok",
            "inspect refusal",
            "verify panic",
            "verify ok",
            "sign ok",
            "sign ok",
            "verify ok",
        ]
    );
    assert_eq!(
        told.faults.lock().unwrap()[..],
        [
            format!("verify panic {}", toy.digest()),
            format!("sign contract-broken {}", toy.digest()),
        ]
    );
    let lines = told.lines.lock().unwrap();
    let [line] = &lines[..] else {
        panic!("another number of lines: {lines:?}")
    };
    assert!(
        line.starts_with("error the document asked for it ("),
        "{line}"
    );
}

#[tokio::test]
async fn what_a_document_was_before_a_signature_is_asked_once_for_all_its_steps() {
    let told = Arc::new(Observed::default());
    let toy = observed(told.clone()).await;
    let signer = Signer::named("Ona");
    let request = signer.request(TargetLevel::BB);
    let known = KnownDocuments::new(NonZeroUsize::MIN);
    let read = || known.document(1, toy_document("honest"));

    let asked = toy.drive_sign(read(), &request, Vec::new(), &Nobody);
    let asked = suspended(asked.await.unwrap());
    let value = signer.sign(&asked.needs[0].payload);
    let signed = toy.drive_sign(read(), &request, answered(asked, Ok(value)), &Nobody);
    done(signed.await.unwrap());

    assert_eq!(
        told.calls.lock().unwrap()[..],
        [
            "describe ok",
            "verify ok",
            "sign ok",
            "sign ok",
            "verify ok"
        ]
    );
}

#[tokio::test]
async fn a_failure_touches_no_other_call() {
    let toy = toy().await;
    let sound = async {
        for _ in 0..20 {
            toy.inspect(toy_document("honest")).await.unwrap();
        }
    };
    let failing = async {
        for behaviour in ["panic", "recurse", "out-of-range"].repeat(5) {
            toy.inspect(toy_document(behaviour)).await.unwrap_err();
        }
    };

    tokio::join!(sound, failing);
}

#[tokio::test]
async fn the_host_hashes_and_verifies_for_the_plugin() {
    let report = toy().await.inspect(toy_document("honest")).await.unwrap();

    let digest = openssl::sha::sha256(b"hello")
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(
        report.notes,
        [
            Note {
                code: "body-digest".into(),
                detail: digest
            },
            Note {
                code: "no-key".into(),
                detail: "the public key cannot be read".into()
            },
        ]
    );
}

async fn limited(limits: CallLimits) -> Arc<Plugin> {
    host(limits)
        .admit(component("test/toy.wasm"))
        .await
        .unwrap()
}

/// Returns a toy whose instances are from a pool, and one whose instances are made on demand.
async fn limited_toys(limits: &CallLimits) -> [Arc<Plugin>; 2] {
    let toy = component("test/toy.wasm");
    let [pooled, on_demand] = hosts(limits);
    [
        pooled.admit(toy.clone()).await.unwrap(),
        on_demand.admit(toy).await.unwrap(),
    ]
}

/// Returns the fault of a call, or of a step of `sign`.
async fn fault_of(toy: &Arc<Plugin>, call: &str, behaviour: &str) -> FaultKind {
    let document = toy_document(behaviour);
    let request = derive_request();
    match call {
        "archive" => {
            let request = archive_request();
            fault(toy.archive(document, &request, &[]).await.unwrap_err())
        }
        "compose" => compose_fault(toy, behaviour).await,
        "finish" => output_fault(toy, behaviour).await,
        "flatten" => fault(toy.flatten(document, &request).await.unwrap_err()),
        "inspect" => inspect(toy, behaviour).await,
        "prepare" => prepare_fault(toy, behaviour).await,
        "rehearse" => fault(toy.rehearse(document, &request).await.unwrap_err()),
        _ => fault(toy.verify(document).await.unwrap_err()),
    }
}

async fn inspect(toy: &Arc<Plugin>, behaviour: &str) -> FaultKind {
    fault(toy.inspect(toy_document(behaviour)).await.unwrap_err())
}

/// Returns the fault of the first step of `sign`.
async fn prepare_fault(toy: &Plugin, behaviour: &str) -> FaultKind {
    let request = Signer::named("Jonas").request(TargetLevel::BB);
    match toy.sign(toy_document(behaviour), &request, &[]).await {
        Err(error) => fault(error),
        Ok(SignStep::Done { .. } | SignStep::Needs(_)) => panic!("no fault"),
    }
}

/// Returns the fault of the step of `sign` that writes the output.
async fn output_fault(toy: &Plugin, behaviour: &str) -> FaultKind {
    let signer = Signer::named("Jonas");
    let request = signer.request(TargetLevel::BB);
    let document = toy_document(behaviour);
    let progress = toy
        .drive_sign(document.clone(), &request, Vec::new(), &Nobody)
        .await
        .unwrap();
    let answers = answered(suspended(progress), Ok(b"any value".to_vec()));

    match toy.sign(document, &request, &answers).await {
        Err(error) => fault(error),
        Ok(SignStep::Done { .. } | SignStep::Needs(_)) => panic!("no fault"),
    }
}

/// Returns the fault of composing an empty document.
async fn compose_fault(toy: &Plugin, behaviour: &str) -> FaultKind {
    let request = ComposeRequest {
        time: 0,
        seed: [0; 32],
        media_type: "application/x-toy".to_owned(),
        params: vec![Parameter {
            name: "behaviour".to_owned(),
            value: behaviour.to_owned(),
        }],
    };
    fault(toy.compose(&[], &request).await.unwrap_err())
}

async fn observed(observer: Arc<dyn CallObserver>) -> Arc<Plugin> {
    let host = PluginHost::new(PluginHostConfig {
        observer,
        ..config()
    });
    let toy = component("test/toy.wasm");
    Arc::new(host.unwrap()).admit(toy).await.unwrap()
}

/// The events that an observer received.
#[derive(Debug, Default)]
struct Observed {
    calls: Mutex<Vec<String>>,
    faults: Mutex<Vec<String>>,
    lines: Mutex<Vec<String>>,
}

impl CallObserver for Observed {
    fn ended(&self, call: &EndedCall<'_>) {
        let call = format!("{} {}", call.operation, call.end.name());
        self.calls.lock().unwrap().push(call);
    }

    fn failed(&self, operation: &'static str, fault: &Fault) {
        let fault = format!("{operation} {} {}", fault.kind.name(), fault.digest);
        self.faults.lock().unwrap().push(fault);
    }

    fn logged(&self, level: LogLevel, line: &str) {
        let line = format!("{} {line}", level.name());
        self.lines.lock().unwrap().push(line);
    }
}

/// The log of the whole test run.
#[derive(Default)]
struct Captured(Mutex<Vec<u8>>);

impl io::Write for &'static Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
