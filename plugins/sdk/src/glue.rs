//! Functions that the `export!` macro calls: conversions around a format's functions.

use parafa_format_core as core;

use crate::bindings::{
    Answer, Blob, Derivation, Made, Refusal, Sink, archive, compose, contents, describe, inspect,
    sign, verify,
};
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

pub fn members(
    document: &Blob,
    members: impl FnOnce(&Host, &Blob) -> Result<Vec<core::Member>, core::Refusal>,
) -> Result<Vec<contents::Member>, Refusal> {
    report_panics();
    Ok(members(&Host, document)?
        .into_iter()
        .map(Into::into)
        .collect())
}

pub fn extract<'a>(
    document: &Blob,
    id: &str,
    out: &'a Sink,
    extract: impl FnOnce(&Host, &Blob, &str, &mut HostSink<'a>) -> Result<(), core::Refusal>,
) -> Result<(), Refusal> {
    report_panics();
    Ok(extract(&Host, document, id, &mut HostSink::new(out))?)
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
    verify: impl FnOnce(&Host, &Blob) -> Result<core::Evidence, core::Refusal>,
) -> Result<verify::Evidence, Refusal> {
    report_panics();
    Ok(verify(&Host, document)?.into())
}

pub fn archive<'a>(
    document: &Blob,
    request: archive::Request,
    answers: Vec<Answer>,
    out: &'a Sink,
    archive: impl FnOnce(
        &Host,
        &Blob,
        &core::ArchiveRequest,
        &[core::Answer],
        &mut HostSink<'a>,
    ) -> Result<core::ArchiveStep, core::Refusal>,
) -> Result<archive::Step, Refusal> {
    report_panics();
    let answers: Vec<core::Answer> = answers.into_iter().map(Into::into).collect();
    let request = request.into();
    Ok(archive(&Host, document, &request, &answers, &mut HostSink::new(out))?.into())
}

/// Calls `flatten` or `rehearse`.
pub fn derive<'a>(
    document: &Blob,
    request: Derivation,
    out: &'a Sink,
    derive: impl FnOnce(
        &Host,
        &Blob,
        &core::DeriveRequest,
        &mut HostSink<'a>,
    ) -> Result<core::Made, core::Refusal>,
) -> Result<Made, Refusal> {
    report_panics();
    Ok(derive(&Host, document, &request.into(), &mut HostSink::new(out))?.into())
}

pub fn compose<'a>(
    files: &[compose::SourceFile],
    request: compose::Request,
    out: &'a Sink,
    compose: impl FnOnce(
        &Host,
        &[core::SourceFile<'_, Blob>],
        &core::ComposeRequest,
        &mut HostSink<'a>,
    ) -> Result<core::Made, core::Refusal>,
) -> Result<Made, Refusal> {
    report_panics();
    let files: Vec<_> = files
        .iter()
        .map(|file| core::SourceFile {
            name: &file.name,
            media_type: &file.media_type,
            content: &file.content,
        })
        .collect();
    Ok(compose(&Host, &files, &request.into(), &mut HostSink::new(out))?.into())
}
