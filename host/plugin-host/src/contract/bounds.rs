//! Limits on the answers of plugins. A host keeps parts of answers in rows of its store, which are
//! short. An answer too long to store is a failure of the plugin, not of the host.

use parafa_catalogue::{Member, NeedKind};

use super::evidence_pool::Placed;
use crate::{ContractBreach, Need};

/// Longest version of a plugin, in bytes.
const VERSION_BYTES: usize = 64;
/// Longest media type, in bytes.
const MEDIA_TYPE_BYTES: usize = 128;
/// Longest level of a signature, in bytes.
const LEVEL_BYTES: usize = 64;
/// Longest identifier of a new signature, in bytes. It may be a name from the document.
const SIGNATURE_ID_BYTES: usize = 1024;
/// Most entries of each list in a plugin's description.
const LIST_ENTRIES: usize = 16;
/// Longest parameters of a need for a signature, names and values, in bytes.
const SIGNATURE_PARAMS_BYTES: usize = 1024;

/// Most members of a document.
const MEMBERS: usize = 4096;
/// Longest id or name of a member, in bytes.
const MEMBER_NAME_BYTES: usize = 1024;
/// Most places that evidence names in its lists of certificates and revocation
/// data, and most members that its signatures cover, in all.
const EVIDENCE_PLACES: usize = 100_000;
/// Most signatures of a document, and most time-stamps of all of them: the host compares each with
/// the earlier ones.
const EVIDENCE_SIGNATURES: usize = 4096;
const EVIDENCE_TIMESTAMPS: usize = 4096;

/// Checks a plugin's own version.
pub(crate) fn version(version: &str) -> Result<(), ContractBreach> {
    word("version", version, VERSION_BYTES)
}

/// Checks a media type.
pub(crate) fn media_type(media_type: &str) -> Result<(), ContractBreach> {
    word("media type", media_type, MEDIA_TYPE_BYTES)
}

/// Checks the level of a signature.
pub(crate) fn level(level: &str) -> Result<(), ContractBreach> {
    word("level", level, LEVEL_BYTES)
}

/// Checks the identifier of a new signature.
pub(crate) fn signature_id(id: &str) -> Result<(), ContractBreach> {
    at_most("signature id", id.len(), SIGNATURE_ID_BYTES)
}

/// Checks that a list of a description is short.
pub(crate) fn list(what: &'static str, entries: usize) -> Result<(), ContractBreach> {
    few(what, entries, LIST_ENTRIES)
}

/// Checks a need for a signature. Other needs are answered at once and not stored. Neither are the
/// bytes to be signed, unless a person signs; they are long where they include the signed data.
pub(crate) fn need(need: &Need) -> Result<(), ContractBreach> {
    if need.kind != NeedKind::Signature {
        return Ok(());
    }
    let params = need.params.iter();
    let params = params.map(|param| param.name.len() + param.value.len());
    let params = params.sum();
    at_most("parameters of a signature", params, SIGNATURE_PARAMS_BYTES)
}

/// Checks a member of a document.
pub(crate) fn member(member: &Member) -> Result<(), ContractBreach> {
    if member.id.is_empty() {
        return Err(ContractBreach::Missing("the id of a member"));
    }
    media_type(&member.media_type)?;
    at_most("member id", member.id.len(), MEMBER_NAME_BYTES)?;
    at_most("member name", member.name.len(), MEMBER_NAME_BYTES)
}

/// Checks the number of members.
pub(crate) fn members(entries: usize) -> Result<(), ContractBreach> {
    few("members", entries, MEMBERS)
}

/// Checks that evidence does not multiply few objects: each may be listed for every signature.
pub(crate) fn evidence(signatures: &[Placed]) -> Result<(), ContractBreach> {
    let places = signatures.iter().map(|signature| {
        let objects = signature.certificates.len() + signature.revocation.len();
        objects + signature.coverage.members.len()
    });
    few("places in the evidence", places.sum(), EVIDENCE_PLACES)?;
    let digests = signatures.iter().map(|signature| signature.digests.len());
    few("digests in the evidence", digests.sum(), EVIDENCE_PLACES)?;
    let timestamps = signatures.iter();
    let timestamps = timestamps.map(|signature| signature.timestamps.len()).sum();
    few(
        "time-stamps in the evidence",
        timestamps,
        EVIDENCE_TIMESTAMPS,
    )?;
    few(
        "signatures in the evidence",
        signatures.len(),
        EVIDENCE_SIGNATURES,
    )
}

fn few(what: &'static str, entries: usize, limit: usize) -> Result<(), ContractBreach> {
    if entries <= limit {
        return Ok(());
    }
    Err(ContractBreach::TooMany {
        what,
        entries,
        limit,
    })
}

/// Checks for visible ASCII, which has the same length in every encoding.
fn word(what: &'static str, text: &str, limit: usize) -> Result<(), ContractBreach> {
    at_most(what, text.len(), limit)?;
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(());
    }
    Err(ContractBreach::unknown(what, text))
}

fn at_most(what: &'static str, bytes: usize, limit: usize) -> Result<(), ContractBreach> {
    if bytes <= limit {
        return Ok(());
    }
    Err(ContractBreach::TooLong { what, bytes, limit })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parameter;

    #[test]
    fn a_word_is_short_and_visible() {
        for level_name in ["PAdES-B-LT", "unknown", &"T".repeat(LEVEL_BYTES)] {
            assert_eq!(level(level_name), Ok(()));
        }
        for other in ["", "a b", "a\n", "ž"] {
            assert_eq!(level(other), Err(ContractBreach::unknown("level", other)));
        }
        assert_eq!(
            media_type(&"x".repeat(MEDIA_TYPE_BYTES + 1)),
            Err(ContractBreach::TooLong {
                what: "media type",
                bytes: MEDIA_TYPE_BYTES + 1,
                limit: MEDIA_TYPE_BYTES,
            })
        );
    }

    fn asked(kind: NeedKind, payload: usize, param: usize) -> Need {
        Need {
            id: "one".to_owned(),
            kind,
            payload: vec![0; payload].into(),
            digest_algorithm: None,
            params: vec![Parameter {
                name: "n".to_owned(),
                value: "v".repeat(param - 1),
            }],
        }
    }

    #[test]
    fn parameters_of_a_signature_are_short_and_its_payload_need_not_be() {
        let limit = SIGNATURE_PARAMS_BYTES;
        let most = asked(NeedKind::Signature, 1024 * 1024, limit);
        assert_eq!(need(&most), Ok(()));
        let long = asked(NeedKind::Signature, 0, limit + 1);
        assert_eq!(
            need(&long),
            Err(ContractBreach::TooLong {
                what: "parameters of a signature",
                bytes: limit + 1,
                limit,
            })
        );
        assert_eq!(need(&asked(NeedKind::Timestamp, 0, limit + 1)), Ok(()));
    }
}
