use parafa_format_core::{
    Digest, DigestAlgorithm, Environment, Member, MemberRole, Refusal, Sink, refusal,
};

use crate::container::Container;
use crate::refusals::about;

/// What is told of a file whose type the manifest tells in no way that a media
/// type is written in.
const ANY_MEDIA_TYPE: &str = "application/octet-stream";

/// Longest media type that is told, in bytes.
const LONGEST_MEDIA_TYPE: usize = 128;

/// The data files, in the order of the manifest, the first of which is the main
/// one. The id of a file is its name.
///
/// # Errors
/// The refusals of containers that are not taken.
pub fn members<E: Environment>(
    environment: &E,
    document: &E::Blob,
) -> Result<Vec<Member>, Refusal> {
    let container = Container::read(environment, document)?;
    let files = container.files.iter().enumerate();
    files
        .map(|(place, file)| {
            let value = container.digest_of(file, DigestAlgorithm::Sha256)?;
            let size = container.member(&file.name).map_or(0, |member| member.size);
            Ok(Member {
                id: file.name.clone(),
                name: file.name.clone(),
                media_type: media_type(&file.media_type).to_owned(),
                size,
                digest: Digest {
                    algorithm: DigestAlgorithm::Sha256,
                    value,
                },
                role: if place == 0 {
                    MemberRole::Main
                } else {
                    MemberRole::Attachment
                },
            })
        })
        .collect()
}

/// Writes the bytes of a data file.
///
/// # Errors
/// `no-such-member` when there is none of that name, and the refusals of
/// containers that are not taken.
pub fn extract<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    document: &E::Blob,
    id: &str,
    out: &mut S,
) -> Result<(), Refusal> {
    let container = Container::read(environment, document)?;
    match container.member(id).filter(|_| container.is_file(id)) {
        Some(member) => Ok(member.extract(document, out)?),
        None => Err(about(
            refusal::NO_SUCH_MEMBER,
            format!("The container holds no file {id:?}."),
            [id],
        )),
    }
}

fn media_type(written: &str) -> &str {
    let is_plain = !written.is_empty()
        && written.len() <= LONGEST_MEDIA_TYPE
        && written.bytes().all(|byte| byte.is_ascii_graphic());
    if is_plain { written } else { ANY_MEDIA_TYPE }
}
