//! `members` and `extract`: the files in a toy.

use parafa_plugin_sdk::core::{Digest, Environment, Member, Refusal, Sink, refusal};

use crate::behaviour::Rule;
use crate::pieces::DIGEST;
use crate::toy::Toy;

/// Lists the files.
pub fn members<E: Environment>(environment: &E, blob: &E::Blob) -> Result<Vec<Member>, Refusal> {
    let toy = Toy::read(blob)?;
    let digests = toy.digests(environment, blob)?;
    let files = toy.files.iter().zip(digests);
    let told = files.map(|(file, digest)| Member {
        id: file.name.clone(),
        name: file.name.clone(),
        media_type: "text/plain".to_owned(),
        size: file.size,
        digest: Digest {
            algorithm: DIGEST,
            value: digest,
        },
        role: file.role,
    });
    let mut told: Vec<_> = told.collect();
    if let Some(first) = told.first_mut() {
        if toy.breaks(Rule::LiesAboutADigest) {
            first.digest.value.reverse();
        }
        if toy.breaks(Rule::LiesAboutASize) {
            first.size += 1;
        }
    }
    if toy.breaks(Rule::SharesAMemberId) {
        for member in &mut told {
            member.id = "shared".to_owned();
        }
    }
    Ok(told)
}

/// Writes a file.
pub fn extract<E: Environment, S: Sink<E::Blob>>(
    _: &E,
    blob: &E::Blob,
    id: &str,
    out: &mut S,
) -> Result<(), Refusal> {
    let toy = Toy::read(blob)?;
    let file = toy.files.iter().find(|file| file.name == id);
    let Some(file) = file else {
        let detail = format!("There is no member {id:?}.");
        return Err(Refusal::new(refusal::NO_SUCH_MEMBER, detail));
    };
    file.content(&toy).write(blob, out)
}
