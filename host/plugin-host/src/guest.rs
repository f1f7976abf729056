use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::oneshot;
use tokio::task;
use tracing::Span;
use wasmtime::component::{Component, Linker, Resource};
use wasmtime::{Engine, Store, Trap};

use crate::bindings::describe::DescribePre;
use crate::bindings::inspect::InspectPre;
use crate::bindings::sign::SignPre;
use crate::bindings::types;
use crate::bindings::verify::VerifyPre;
use crate::convert::{About, Step};
use crate::engine;
use crate::guest_log::GuestLog;
use crate::platform::{Abort, CallState};
use crate::resources::{Blob, Sink};
use crate::slots::{Share, Slots};
use crate::{
    Answer, CallEnd, CallError, CallLimits, CallObserver, Capability, ContractBreach, Document,
    EndedCall, Fault, FaultKind, MemoryMeter, PluginDigest, Preservation, Refusal, Report,
    SignRequest, SignStep, SignatureEvidence,
};

/// What all plugins of a host share.
pub(crate) struct Runtime {
    pub(crate) engine: Engine,
    pub(crate) limits: CallLimits,
    pub(crate) slots: Slots,
    pub(crate) observer: Arc<dyn CallObserver>,
}

/// A compiled component, of which every call makes a fresh instance.
#[derive(Clone)]
pub(crate) struct Guest {
    name: String,
    digest: PluginDigest,
    runtime: Arc<Runtime>,
    share: Share,
    meter: MemoryMeter,
    describe: DescribePre<CallState>,
    inspect: Option<InspectPre<CallState>>,
    sign: Option<SignPre<CallState>>,
    verify: Option<VerifyPre<CallState>>,
}

/// What a plugin answers: a value or a refusal.
type Answered<T> = Result<T, Refusal>;

impl Guest {
    /// Links a component; that succeeds only if it exports what `capabilities` say.
    pub(crate) fn link(
        runtime: Arc<Runtime>,
        linker: &Linker<CallState>,
        component: &Component,
        digest: PluginDigest,
        has: impl Fn(Capability) -> bool,
    ) -> wasmtime::Result<Self> {
        let linked = linker.instantiate_pre(component)?;
        let inspect = has(Capability::Inspect)
            .then(|| InspectPre::new(linked.clone()))
            .transpose()?;
        let sign = has(Capability::Sign)
            .then(|| SignPre::new(linked.clone()))
            .transpose()?;
        let verify = has(Capability::Verify)
            .then(|| VerifyPre::new(linked.clone()))
            .transpose()?;
        let describe = DescribePre::new(linked)?;
        Ok(Self {
            name: "?".to_owned(),
            digest,
            share: runtime.slots.share(),
            runtime,
            meter: MemoryMeter::default(),
            describe,
            inspect,
            sign,
            verify,
        })
    }

    pub(crate) fn named(self, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..self
        }
    }

    pub(crate) fn metered(&self, meter: &MemoryMeter) -> Self {
        Self {
            meter: meter.clone(),
            ..self.clone()
        }
    }

    pub(crate) fn digest(&self) -> PluginDigest {
        self.digest
    }

    pub(crate) fn limits(&self) -> &CallLimits {
        &self.runtime.limits
    }

    pub(crate) async fn describe(self: &Arc<Self>) -> Result<About, CallError> {
        self.call("describe", Bytes::new().into(), |guest, store| {
            let called = guest.describe.instantiate(&mut *store).and_then(|plugin| {
                plugin
                    .parafa_format_description()
                    .call_describe(&mut *store)
            });
            Ok(Ok(guest.returned(store, called)?.try_into()?))
        })
        .await
    }

    pub(crate) async fn inspect(self: &Arc<Self>, document: Document) -> Result<Report, CallError> {
        self.call("inspect", document, |guest, store| {
            let plugin = supported(guest.inspect.as_ref(), Capability::Inspect)?;
            let called = plugin.instantiate(&mut *store).and_then(|plugin| {
                let blob = lend_blob(store)?;
                plugin
                    .parafa_format_inspection()
                    .call_inspect(&mut *store, blob)
            });
            match answered(guest.returned(store, called)?)? {
                Ok(report) => Ok(Ok(report.into())),
                Err(refusal) => Ok(Err(refusal)),
            }
        })
        .await
    }

    pub(crate) async fn sign(
        self: &Arc<Self>,
        document: Document,
        request: &SignRequest,
        answers: &[Answer],
        preservation: Preservation,
    ) -> Result<SignStep, CallError> {
        let request = request.into();
        let answers: Vec<types::Answer> = answers.iter().map(Into::into).collect();
        self.call("sign", document.clone(), move |guest, store| {
            let plugin = supported(guest.sign.as_ref(), Capability::Sign)?;
            let called = plugin.instantiate(&mut *store).and_then(|plugin| {
                let blob = lend_blob(store)?;
                let sink = store.data_mut().resources.push(Sink)?;
                let sink = Resource::new_borrow(sink.rep());
                plugin.parafa_format_signing().call_sign(
                    &mut *store,
                    blob,
                    &request,
                    &answers,
                    sink,
                )
            });
            let step = match answered(guest.returned(store, called)?)? {
                Ok(step) => Step::try_from(step)?,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let outcome = match step {
                Step::Done(outcome) => outcome,
                Step::Needs(needs) => return Ok(Ok(SignStep::Needs(needs))),
            };
            let output = &store.data().output;
            preservation.check(document.bytes(), output)?;
            let bytes = output.assemble(document.bytes())?;
            Ok(Ok(SignStep::Done {
                document: document.followed_by(bytes, output.kept_prefix()),
                outcome,
            }))
        })
        .await
    }

    pub(crate) async fn verify(
        self: &Arc<Self>,
        document: Document,
    ) -> Result<Vec<SignatureEvidence>, CallError> {
        self.call("verify", document, |guest, store| {
            let plugin = supported(guest.verify.as_ref(), Capability::Verify)?;
            let called = plugin.instantiate(&mut *store).and_then(|plugin| {
                let blob = lend_blob(store)?;
                plugin
                    .parafa_format_verification()
                    .call_verify(&mut *store, blob)
            });
            match answered(guest.returned(store, called)?)? {
                Ok(evidence) => {
                    let evidence: Result<_, _> = evidence
                        .into_iter()
                        .map(SignatureEvidence::try_from)
                        .collect();
                    Ok(Ok(evidence?))
                }
                Err(refusal) => Ok(Err(refusal)),
            }
        })
        .await
    }

    /// Runs `body` on a blocking thread once a slot is free. The slot stays
    /// taken until the plugin ends, even if nobody waits for it any more.
    async fn call<T: Send + 'static>(
        self: &Arc<Self>,
        operation: &'static str,
        document: Document,
        body: impl FnOnce(&Self, &mut Store<CallState>) -> Result<Answered<T>, FaultKind>
        + Send
        + 'static,
    ) -> Result<T, CallError> {
        let slot = self.share.take().await;
        let guest = Arc::clone(self);
        let span = Span::current();
        let (answer, called) = oneshot::channel();
        task::spawn_blocking(move || {
            let _slot = slot;
            let begun = Instant::now();
            let mut store = guest.store(document);
            let called = span.in_scope(|| body(&guest, &mut store));
            guest.tell(operation, begun.elapsed(), &called);
            // Nobody needs to wait until the memory of the instance is cleared
            // for the next one, which the end of the store does; and nobody
            // may be waiting any more at all.
            let _ = answer.send(called);
        });
        match called.await {
            Ok(Ok(answered)) => Ok(answered?),
            Ok(Err(kind)) => Err(self.failed(operation, kind).into()),
            Err(_) => {
                let kind = FaultKind::Host("the thread of the call panicked".to_owned());
                Err(self.failed(operation, kind).into())
            }
        }
    }

    /// A fault, told to the operator.
    pub(crate) fn failed(&self, operation: &'static str, kind: FaultKind) -> Fault {
        let fault = Fault {
            plugin: self.name.clone(),
            digest: self.digest,
            kind,
        };
        tracing::error!(
            plugin.id = self.name,
            plugin.digest = %self.digest,
            plugin.operation = operation,
            error = &fault.kind as &dyn std::error::Error,
            "plugin failed"
        );
        self.runtime.observer.failed(operation, &fault);
        fault
    }

    fn tell<T>(
        &self,
        operation: &'static str,
        elapsed: Duration,
        called: &Result<Answered<T>, FaultKind>,
    ) {
        self.runtime.observer.ended(&EndedCall {
            plugin: &self.name,
            digest: self.digest,
            operation,
            end: match called {
                Ok(Ok(_)) => CallEnd::Answered,
                Ok(Err(_)) => CallEnd::Refused,
                Err(kind) => CallEnd::Failed(kind),
            },
            elapsed,
        });
    }

    fn store(&self, document: Document) -> Store<CallState> {
        let limits = &self.runtime.limits;
        let observer = Arc::clone(&self.runtime.observer);
        let log = GuestLog::new(self.name.clone(), self.digest, observer, limits);
        let state = CallState::new(document, log, limits, self.meter.clone());
        let mut store = Store::new(&self.runtime.engine, state);
        store.limiter(|state| &mut state.memory);
        store.set_epoch_deadline(engine::ticks(limits.wall));
        store.set_hostcall_fuel(limits.transfer_bytes);
        store.set_max_component_handles(limits.handles);
        store
    }

    fn returned<T>(
        &self,
        store: &Store<CallState>,
        called: wasmtime::Result<T>,
    ) -> Result<T, FaultKind> {
        called.map_err(|error| {
            if let Some(Abort(kind)) = error.downcast_ref() {
                return kind.clone();
            }
            match error.downcast_ref::<Trap>() {
                Some(Trap::Interrupt) => FaultKind::TimedOut {
                    limit_ms: self.runtime.limits.wall.as_millis(),
                },
                // The guest's own stack lies below its data, so running out
                // of it is an access below address zero.
                Some(Trap::MemoryOutOfBounds | Trap::StackOverflow) => FaultKind::TooDeeplyNested,
                Some(Trap::UnreachableCodeReached) => match store.data().log.last_error() {
                    Some(message) => FaultKind::Panicked {
                        message: message.to_owned(),
                    },
                    None => FaultKind::Trap(Trap::UnreachableCodeReached.to_string()),
                },
                Some(trap) => FaultKind::Trap(trap.to_string()),
                None => FaultKind::Trap(error.root_cause().to_string()),
            }
        })
    }
}

fn lend_blob(store: &mut Store<CallState>) -> wasmtime::Result<Resource<Blob>> {
    let blob = store.data_mut().resources.push(Blob)?;
    Ok(Resource::new_borrow(blob.rep()))
}

fn supported<T>(plugin: Option<&T>, capability: Capability) -> Result<&T, FaultKind> {
    plugin.ok_or(FaultKind::Unsupported(capability))
}

fn answered<T>(answer: Result<T, types::Refusal>) -> Result<Answered<T>, ContractBreach> {
    match answer {
        Ok(answer) => Ok(Ok(answer)),
        Err(refusal) => Ok(Err(refusal.try_into()?)),
    }
}
