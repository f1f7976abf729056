//! What the `export!` macro calls: conversions around a format's functions.

use parafa_format_core as core;

use crate::bindings::{Answer, Blob, Refusal, Sink, describe, inspect, sign, verify};
use crate::convert;
use crate::host::{Host, HostSink, report_panics};

pub fn describe(about: impl FnOnce() -> core::About) -> describe::About {
    report_panics();
    about().into()
}

pub fn inspect(
    document: &Blob,
    inspect: impl FnOnce(&Host, &Blob) -> Result<core::Report, core::Refusal>,
) -> Result<inspect::Report, Refusal> {
    report_panics();
    Ok(inspect(&Host, document)?.into())
}

pub fn sign<'a>(
    document: &Blob,
    request: sign::Request,
    answers: Vec<Answer>,
    out: &'a Sink,
    sign: impl FnOnce(
        &Host,
        &Blob,
        &core::SignRequest,
        &[core::Answer],
        &mut HostSink<'a>,
    ) -> Result<core::Step, core::Refusal>,
) -> Result<sign::Step, Refusal> {
    report_panics();
    let request = convert::sign_request(request)?;
    let answers: Vec<core::Answer> = answers.into_iter().map(Into::into).collect();
    Ok(sign(&Host, document, &request, &answers, &mut HostSink::new(out))?.into())
}

pub fn verify(
    document: &Blob,
    verify: impl FnOnce(&Host, &Blob) -> Result<Vec<core::SignatureEvidence>, core::Refusal>,
) -> Result<Vec<verify::SignatureEvidence>, Refusal> {
    report_panics();
    Ok(verify(&Host, document)?
        .into_iter()
        .map(Into::into)
        .collect())
}
