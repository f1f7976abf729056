//! A container of files small enough to misbehave on demand, for the tests of
//! the host.
//!
//! A document is the line `BOX <behaviour>` and its entries, each a line and so
//! many bytes as that says:
//!
//! ```text
//! member <stored|deflated> <role> <size> <bytes> <name>
//! signature <bytes>
//! validation <bytes>
//! timestamp <bytes>
//! ```
//! A signature is over a list of members with their digests, a time-stamp over
//! everything before it. The behaviour `honest` does what the contract asks;
//! [`Behaviour`](behaviour::Behaviour) lists the others.

mod archive;
mod behaviour;
mod document;
mod pieces;
mod sign;
mod verify;
mod words;

use parafa_plugin_sdk::core::{
    Ability, About, Environment, Member, Operation, Preservation, Refusal, Report,
    SignatureSummary, Sink, refusal,
};

use crate::archive::archive;
use crate::behaviour::{Behaviour, Rule};
use crate::document::Document;
use crate::sign::{obstacle, sign};
use crate::verify::verify;
use crate::words::{LEVEL_B, LEVEL_LTA, LEVEL_T, MEDIA_TYPE, OTHER_TYPE};

parafa_plugin_sdk::export!(
    about = about,
    inspect = inspect,
    members = members,
    extract = extract,
    sign = sign,
    verify = verify,
    archive = archive,
);

fn about() -> About {
    About {
        id: "toy-container",
        version: env!("CARGO_PKG_VERSION"),
        media_types: &[MEDIA_TYPE],
        // The second one is a signing API's way to it.
        extensions: &["toybox", "bdoc"],
        abilities: &[
            Ability {
                operation: Operation::Sign,
                preservation: Preservation::Whole,
                levels: &[LEVEL_B, LEVEL_T],
            },
            Ability {
                operation: Operation::Archive,
                preservation: Preservation::Rewrite,
                levels: &[LEVEL_LTA],
            },
        ],
    }
}

fn inspect<E: Environment>(environment: &E, blob: &E::Blob) -> Result<Report, Refusal> {
    let document = Document::read(blob)?;
    if let Behaviour::Refuses(code) = &document.behaviour {
        return Err(Refusal {
            code: code.clone().into(),
            detail: "The document says so.".to_owned(),
            subjects: vec![OTHER_TYPE.to_owned()],
        });
    }
    document.digests(environment, blob)?;
    let signatures = document
        .signatures
        .iter()
        .map(|signature| SignatureSummary {
            id: signature.id.clone(),
            signer: None,
            claimed_time: None,
        });
    Ok(Report {
        signatures: signatures.collect(),
        obstacles: obstacle(&document).into_iter().collect(),
        preservation: preservation(&document).into_iter().collect(),
        ..Report::new(MEDIA_TYPE, "1")
    })
}

/// A document that was stamped is archived by adding to it.
fn preservation(document: &Document) -> Option<(Operation, Preservation)> {
    if document.breaks(Rule::WeakensPreservation) {
        Some((Operation::Sign, Preservation::Rewrite))
    } else if document.is_stamped() || document.breaks(Rule::ClaimsWhole) {
        Some((Operation::Archive, Preservation::Whole))
    } else {
        None
    }
}

fn members<E: Environment>(environment: &E, blob: &E::Blob) -> Result<Vec<Member>, Refusal> {
    let document = Document::read(blob)?;
    let digests = document.digests(environment, blob)?;
    let told = document.files.iter().zip(digests);
    let mut told: Vec<_> = told.map(|(file, digest)| file.told(digest)).collect();
    if let Some(first) = told.first_mut() {
        if document.breaks(Rule::LiesAboutADigest) {
            first.digest.value.reverse();
        }
        if document.breaks(Rule::LiesAboutASize) {
            first.size += 1;
        }
    }
    if document.breaks(Rule::SharesAMemberId) {
        for member in &mut told {
            member.id = "shared".to_owned();
        }
    }
    Ok(told)
}

fn extract<E: Environment, S: Sink<E::Blob>>(
    _: &E,
    blob: &E::Blob,
    id: &str,
    out: &mut S,
) -> Result<(), Refusal> {
    let document = Document::read(blob)?;
    let file = document.files.iter().find(|file| file.name == id);
    let Some(file) = file else {
        return Err(Refusal::new(
            refusal::NO_SUCH_MEMBER,
            format!("There is no member {id:?}."),
        ));
    };
    file.content(&document).write(blob, out)
}
