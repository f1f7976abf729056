//! Archiving with an authority that always gives the same, but for what the
//! input puts in its place.
//!
//! The first byte says whether the rest is a document or an answer. What is
//! written begins with the document, is made the same twice, has the level that
//! `verify` finds, and stays as it is when it is archived again.

use std::sync::LazyLock;

use parafa_fixtures::PdfBuilder;
use parafa_format_core::{
    ArchiveRequest, Archived, MemoryBlob, MemorySink, Need, NeedKind, Refusal, Step,
};

use super::ceremony::{Level, TrustingEnvironment, sign};
use super::documents::{signed, verified};
use crate::answers::{response, sound};
use crate::authority::{Identity, WORLD};
use crate::refusal::assert_listed;

/// Most calls: the chains of this world are short.
const MAX_CALLS: usize = 6;

static SIGNED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    sign(&PdfBuilder::new().build(), Level::Timestamped).expect("fixtures can be signed")
});

pub(super) fn run(input: &[u8]) {
    let Some((selector, rest)) = input.split_first() else {
        return;
    };
    match selector % 3 {
        0 => archives(rest, &sound),
        1 => archives(&SIGNED, &|need| instead(need, &WORLD.signer, rest)),
        _ => archives(&SIGNED, &|need| instead(need, &WORLD.stamper, rest)),
    }
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let (_, archived) = archive(&SIGNED, &sound).expect("what is sound can be archived");
    let documents = signed().into_iter().chain([archived]);
    let documents = documents.map(|document| (0, document));
    let answers = [(1, response(&WORLD.signer)), (2, response(&WORLD.stamper))];
    documents
        .chain(answers)
        .map(|(selector, rest)| [&[selector], rest.as_slice()].concat())
        .collect()
}

fn archives(document: &[u8], answer: &dyn Fn(&Need) -> Vec<u8>) {
    let (outcome, archived) = match archive(document, answer) {
        Ok(made) => made,
        Err(refusal) => return assert_listed(&refusal),
    };
    assert_eq!(
        archive(document, answer),
        Ok((outcome.clone(), archived.clone()))
    );
    let after = if outcome.changed {
        assert!(archived.starts_with(document), "the input is not kept");
        &archived
    } else {
        assert!(archived.is_empty(), "what is unchanged was written");
        document
    };
    let evidence = match verified(after) {
        Ok(evidence) => evidence,
        Err(refusal) => panic!("what archive wrote, verify refuses: {refusal}"),
    };
    let mut levels: Vec<&str> = evidence
        .iter()
        .map(|signature| signature.level.as_str())
        .filter(|level| *level != "unknown")
        .collect();
    levels.sort_unstable();
    assert_eq!(levels.first(), Some(&outcome.level.as_str()));
    let anchors_alone = |need: &Need| match need.kind {
        NeedKind::Certificate => sound(need),
        _ => panic!("{need:?} after archiving"),
    };
    match archive(after, &anchors_alone) {
        Ok((again, _)) => assert!(!again.changed),
        // The addition took the last of the room.
        Err(refusal) => assert_listed(&refusal),
    }
}

fn archive(
    document: &[u8],
    answer: &dyn Fn(&Need) -> Vec<u8>,
) -> Result<(Archived, Vec<u8>), Refusal> {
    let document = MemoryBlob(document.to_vec());
    let request = ArchiveRequest {
        time: 1_795_276_860,
        seed: vec![9; 32],
        target_level: "B-LT".to_owned(),
        params: Vec::new(),
    };
    let mut answers = Vec::new();
    for _ in 0..MAX_CALLS {
        let mut out = MemorySink::default();
        let step = parafa_format_pdf::archive(
            &TrustingEnvironment,
            &document,
            &request,
            &answers,
            &mut out,
        )?;
        match step {
            Step::Done(outcome) => return Ok((outcome, out.0)),
            Step::Needs(needs) => {
                assert!(out.0.is_empty(), "a step with needs has written something");
                answers.extend(needs.iter().map(|need| need.answer(Ok(answer(need)))));
            }
        }
    }
    panic!("{MAX_CALLS} calls were not enough");
}

fn instead(need: &Need, of: &Identity, answer: &[u8]) -> Vec<u8> {
    if need.kind == NeedKind::Revocation && need.payload.as_bytes() == Some(&of.certificate[..]) {
        answer.to_vec()
    } else {
        sound(need)
    }
}
