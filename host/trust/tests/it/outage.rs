//! Failures of an OCSP responder.

use std::time::Duration;

use parafa_http_port::HttpPortError;

use crate::authority::Template;
use crate::port::FakePort;
use crate::responder::{NonceReply, Responder, Status, refusal};
use crate::world::{OCSP_URL, World, responder_template};

/// Difference between a responder and an honest one.
type Change = fn(&mut Responder);

/// A responder that fails, and how.
pub struct Failure {
    pub name: &'static str,
    pub responder: Box<dyn Fn(FakePort) -> FakePort>,
}

impl Failure {
    fn new(name: &'static str, responder: impl Fn(FakePort) -> FakePort + 'static) -> Self {
        let responder = Box::new(responder);
        Self { name, responder }
    }

    fn broken(name: &'static str, error: HttpPortError) -> Self {
        Self::new(name, move |port| port.broken(OCSP_URL, error.clone()))
    }

    fn bytes(name: &'static str, bytes: &[u8]) -> Self {
        let bytes = bytes.to_vec();
        Self::new(name, move |port| {
            let bytes = bytes.clone();
            port.at(OCSP_URL, move |_| bytes.clone())
        })
    }

    fn answer(name: &'static str, responder: Responder) -> Self {
        Self::new(name, move |port| {
            let responder = responder.clone();
            port.at(OCSP_URL, move |request| responder.answer(request))
        })
    }
}

pub fn failures(world: &World) -> Vec<Failure> {
    let mut failures = vec![
        Failure::broken("refused", HttpPortError::Transport("refused".to_owned())),
        Failure::broken("broken off", HttpPortError::Transport("reset".to_owned())),
        Failure::broken("hangs", HttpPortError::TimedOut(Duration::from_secs(4))),
        Failure::broken(
            "endless",
            HttpPortError::ResponseTooLong {
                status: http::StatusCode::OK,
                limit: 64 * 1024,
            },
        ),
        Failure::bytes("empty", &[]),
        Failure::bytes("a page", b"<html>"),
        Failure::bytes("garbage", b"\x00\xff not what you asked for"),
        Failure::bytes("malformedRequest", &refusal(1)),
        Failure::bytes("internalError", &refusal(2)),
        Failure::bytes("tryLater", &refusal(3)),
        Failure::bytes("sigRequired", &refusal(5)),
        Failure::bytes("unauthorized", &refusal(6)),
    ];
    for (name, status) in [
        ("204", 204),
        ("302", 302),
        ("403", 403),
        ("404", 404),
        ("429", 429),
        ("500", 500),
        ("503", 503),
        ("580", 580),
    ] {
        failures.push(Failure::new(name, move |port| {
            port.failing(OCSP_URL, status)
        }));
    }
    let changes: [(&str, Change); 10] = [
        ("stale", |responder| {
            responder.this_update = "20261101000000Z";
        }),
        ("overdue", |responder| {
            responder.next_update = Some("20261121150000Z");
        }),
        ("of tomorrow", |responder| {
            responder.this_update = "20261122160000Z";
        }),
        ("wrong signature", |responder| {
            responder.corrupt_signature = true;
        }),
        ("wrong nonce", |responder| {
            responder.nonce = NonceReply::Wrong;
        }),
        ("another certificate", |responder| {
            responder.wrong_cert_id = true;
        }),
        ("two answers", |responder| responder.copies = 2),
        ("critical extension", |responder| {
            responder.critical_extension = true;
        }),
        ("no certificate", |responder| responder.embedded.clear()),
        // A forged revocation is not accepted either.
        ("forged revocation", |responder| {
            responder.status = Status::Revoked;
            responder.corrupt_signature = true;
        }),
    ];
    for (name, change) in changes {
        let mut responder = Responder::new(&world.responder);
        change(&mut responder);
        failures.push(Failure::answer(name, responder));
    }
    let expired = responder_template().validity("20200101000000Z", "20261121155959Z");
    let other_purpose = Template::new("Test OCSP").issued_by(&world.issuing);
    for (name, signer) in [
        ("expired responder", expired.issued_by(&world.issuing)),
        ("another issuer's", World::new().responder),
        ("not for OCSP", other_purpose),
    ] {
        failures.push(Failure::answer(name, Responder::new(&signer)));
    }
    failures
}
