//! Calls of plugins for one answer.

use std::mem;
use std::sync::{Arc, Mutex};

use parafa_organisation_signature::SignatureLevel;
use parafa_plugin_host::{CallObserver, EndedCall};

use crate::stage::{ANSWER, Stage, files};

/// The calls, in their order.
#[derive(Debug, Default)]
struct Calls(Mutex<Vec<&'static str>>);

impl Calls {
    /// Calls since the last call of this.
    fn take(&self) -> Vec<&'static str> {
        mem::take(&mut *self.0.lock().unwrap())
    }
}

impl CallObserver for Calls {
    fn ended(&self, call: &EndedCall<'_>) {
        self.0.lock().unwrap().push(call.operation);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_is_asked_once_what_it_made_holds_and_once_who_signed_it() {
    let calls = Arc::new(Calls::default());
    let stage = Stage::observed_by(calls.clone()).await;
    let signer = stage.signer();
    calls.take();

    let made = signer.asice(files()).await;

    made.unwrap();
    let asked = calls.take();
    let (composed, signed) = (
        ["compose", "inspect", "members"],
        ["sign", "sign", "sign", "members", "verify"],
    );
    let (raising, raised) = (
        ["inspect", "archive", "archive", "archive"],
        ["members", "verify"],
    );
    assert_eq!(
        asked,
        [&composed[..], &signed, &raising, &raised].concat(),
        "a container"
    );

    let made = signer.jades(ANSWER.into(), SignatureLevel::T).await;

    made.unwrap();
    assert_eq!(calls.take(), [&["members"][..], &signed].concat(), "JSON");
}
