//! An instance of a component for every call, with limits of its own.

mod calls;
mod worlds;

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parafa_traces::TARGET;
use tokio::sync::oneshot;
use tokio::task;
use tracing::field::Empty;
use tracing::{Instrument, Span, info_span};
use wasmtime::component::{Component, Linker};
use wasmtime::{Engine, Store, Trap};

use super::call_clock::{self, CallClock};
use super::guest_log::GuestLog;
use super::platform::{Abort, CallState};
use super::slots::{Share, Slots};
use crate::contract::surface::Terms;
use crate::{
    CallEnd, CallError, CallLimits, CallObserver, CallPriority, Capability, Document, EndedCall,
    Fault, FaultKind, MemoryMeter, PluginDigest, Refusal, refusal,
};

use worlds::{Called, Failure, Worlds};

/// State shared by all plugins of a host.
pub(crate) struct Runtime {
    pub(crate) engine: Engine,
    pub(crate) clock: CallClock,
    pub(crate) limits: CallLimits,
    pub(crate) slots: Slots,
    pub(crate) observer: Arc<dyn CallObserver>,
}

/// A compiled component; every call makes a fresh instance.
#[derive(Clone)]
pub(crate) struct Guest {
    name: String,
    digest: PluginDigest,
    reads_companions: bool,
    runtime: Arc<Runtime>,
    share: Share,
    meter: MemoryMeter,
    priority: CallPriority,
    /// True in conformance runs, which also make calls that the plugin should refuse.
    is_on_trial: bool,
    /// True if calls run on the calling thread.
    is_in_place: bool,
    worlds: Arc<dyn Worlds>,
}

/// A plugin's answer: a value or a refusal.
type Answered<T> = Result<T, Refusal>;

impl Guest {
    /// Links a component; succeeds only if it exports the capabilities in its terms.
    pub(crate) fn link(
        runtime: Arc<Runtime>,
        linker: &Linker<CallState>,
        component: &Component,
        digest: PluginDigest,
        terms: &Terms,
    ) -> wasmtime::Result<Self> {
        let has = |capability: Capability| terms.capabilities.contains(&capability);
        Ok(Self {
            name: "?".to_owned(),
            digest,
            reads_companions: terms.reads_companions,
            share: runtime.slots.share(),
            runtime,
            meter: MemoryMeter::default(),
            priority: CallPriority::default(),
            is_on_trial: false,
            is_in_place: false,
            worlds: worlds::link(&terms.version, linker, component, has)?,
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

    pub(crate) fn prioritized(&self, priority: CallPriority) -> Self {
        Self {
            priority,
            ..self.clone()
        }
    }

    pub(crate) fn on_trial(&self) -> Self {
        Self {
            is_on_trial: true,
            ..self.clone()
        }
    }

    pub(crate) fn in_place(&self) -> Self {
        Self {
            is_in_place: true,
            ..self.clone()
        }
    }

    pub(crate) fn digest(&self) -> PluginDigest {
        self.digest
    }

    /// See [`crate::Plugin::reads_companions`].
    pub(crate) fn reads_companions(&self) -> bool {
        self.reads_companions
    }

    pub(crate) fn limits(&self) -> &CallLimits {
        &self.runtime.limits
    }

    /// See [`crate::Plugin::has_slot_to_spare`].
    pub(crate) fn has_slot_to_spare(&self) -> bool {
        self.share.has_slot_to_spare()
    }

    /// Runs `body` once a slot is free: on a blocking thread, or on this one. The slot stays taken
    /// until the plugin ends, even if the caller has stopped waiting. Companions are refused if the
    /// plugin does not read them: the fault is the caller's.
    async fn call<T: Send + 'static>(
        self: &Arc<Self>,
        operation: &'static str,
        documents: Vec<Document>,
        body: impl FnOnce(&Self, &mut Store<CallState>) -> Result<Answered<T>, FaultKind>
        + Send
        + 'static,
    ) -> Result<T, CallError> {
        if companions(&documents) > 0 && !self.reads_companions {
            return Err(CallError::Refused(Refusal {
                code: refusal::BAD_REQUEST.into(),
                detail: "Signatures of this format are inside the document: leave out the files \
                         beside it."
                    .to_owned(),
                subjects: Vec::new(),
            }));
        }
        let trace = info_span!(
            target: TARGET,
            "plugin",
            otel.name = format_args!("plugin {operation}"),
            parafa.plugin.id = self.name.as_str(),
            parafa.plugin.operation = operation,
            "error.type" = Empty,
        );
        // The plugin's log lines belong to the caller's span, as without tracing.
        let span = Span::current();
        let work = async move {
            let asked = Instant::now();
            let slot = self.share.take(self.priority).await;
            let waited = asked.elapsed();
            let guest = Arc::clone(self);
            let run = move || {
                let begun = Instant::now();
                let _timed = guest.runtime.clock.time();
                let mut store = guest.store(documents);
                let called = span.in_scope(|| body(&guest, &mut store));
                guest.tell(operation, (waited, begun.elapsed()), &called);
                (called, (store, slot))
            };
            if self.is_in_place {
                let ran = panic::catch_unwind(AssertUnwindSafe(run));
                return ran.map(|(called, _)| called).map_err(drop);
            }
            let (answer, called) = oneshot::channel();
            // Boxed, since the runtime's part of a task is compiled anew for
            // every closure.
            let work: Box<dyn FnOnce() + Send> = Box::new(move || {
                let (called, _spent) = run();
                // The answer is sent before the end of the store, which clears the instance's
                // memory for the next one. The caller may have stopped waiting.
                let _ = answer.send(called);
            });
            task::spawn_blocking(work);
            called.await.map_err(drop)
        };
        let called = work.instrument(trace.clone()).await;
        let called =
            called.unwrap_or_else(|()| Err(FaultKind::Host("the call panicked".to_owned())));
        match called {
            Ok(answered) => Ok(answered?),
            Err(kind) => {
                trace.record("error.type", kind.name());
                Err(self.failed(operation, kind).into())
            }
        }
    }

    /// Creates a fault and reports it to the operator; on trial it is only returned.
    pub(crate) fn failed(&self, operation: &'static str, kind: FaultKind) -> Fault {
        let fault = Fault {
            plugin: self.name.clone(),
            digest: self.digest,
            kind,
        };
        if self.is_on_trial {
            tracing::debug!(
                plugin.id = self.name,
                plugin.digest = %self.digest,
                plugin.operation = operation,
                error = &fault.kind as &dyn std::error::Error,
                "plugin failed on trial"
            );
            return fault;
        }
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
        (waited, elapsed): (Duration, Duration),
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
            urgency: self.priority.urgency,
            waited,
        });
    }

    fn store(&self, documents: Vec<Document>) -> Store<CallState> {
        let limits = &self.runtime.limits;
        let observer = Arc::clone(&self.runtime.observer);
        let log = GuestLog::new(self.name.clone(), self.digest, observer, limits);
        let handles = documents.len() + companions(&documents);
        let handles = limits.handles.saturating_add(handles);
        let state = CallState::new(documents, log, limits, self.meter.clone());
        let mut store = Store::new(&self.runtime.engine, state);
        store.limiter(|state| &mut state.memory);
        store.set_epoch_deadline(call_clock::ticks(limits.wall));
        store.set_hostcall_fuel(limits.transfer_bytes);
        store.set_max_component_handles(handles);
        store
    }

    /// Returns the answer of a call, or the fault that prevented it.
    fn returned<T>(
        &self,
        store: &Store<CallState>,
        called: Called<T>,
    ) -> Result<Answered<T>, FaultKind> {
        called.map_err(|failure| {
            let error = match failure {
                Failure::Fault(kind) => return kind,
                Failure::Ended(error) => error,
            };
            if let Some(Abort(kind)) = error.downcast_ref() {
                return kind.clone();
            }
            match error.downcast_ref::<Trap>() {
                Some(Trap::Interrupt) => FaultKind::TimedOut {
                    limit_ms: self.runtime.limits.wall.as_millis(),
                },
                // The guest's own stack is below its data, so running out of it is an access below
                // address zero.
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

/// Returns the number of companions in a call: only its first document has any.
fn companions(documents: &[Document]) -> usize {
    documents
        .first()
        .map_or(0, |first| first.companions().len())
}
