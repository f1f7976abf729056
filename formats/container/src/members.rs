use parafa_format_core::{
    Digest, DigestAlgorithm, Environment, Member, MemberRole, Part, Refusal, Sink, refusal,
};

use crate::container::Container;
use crate::files::without_blanks;
use crate::refusals::about;

/// Media type reported for a file whose manifest entry has an invalid one.
const ANY_MEDIA_TYPE: &str = "application/octet-stream";

/// Maximum length of a reported media type, in bytes.
const LONGEST_MEDIA_TYPE: usize = 128;

/// Media type of elements.
const XML_MEDIA_TYPE: &str = "text/xml";

/// Returns the data files, in order, with what is stated about them and signed;
/// the first is the main one. The id of a file is its name; that of an element
/// is the member name with the element's `ID`.
///
/// # Errors
/// A file cannot be digested.
pub fn members<E: Environment>(container: &Container<'_, E>) -> Result<Vec<Member>, Refusal> {
    let files = container.files().iter().enumerate().map(|(place, file)| {
        let value = container.digest_of(file, DigestAlgorithm::Sha256)?;
        let size = container.member(&file.name).map_or(0, |member| member.size);
        let role = if place == 0 {
            MemberRole::Main
        } else {
            MemberRole::Attachment
        };
        let id = file.name.clone();
        let media_type = media_type(&file.media_type);
        Ok(member(id, media_type, size, value, role))
    });
    let elements = container.elements().iter().map(|element| {
        let octets = &element.octets;
        let value = container
            .environment
            .digest(DigestAlgorithm::Sha256, &[Part::Bytes(octets)]);
        let size = octets.len() as u64;
        let id = element.member_id();
        Ok(member(
            id,
            XML_MEDIA_TYPE.to_owned(),
            size,
            value,
            MemberRole::Metadata,
        ))
    });
    files.chain(elements).collect()
}

fn member(id: String, media_type: String, size: u64, digest: Vec<u8>, role: MemberRole) -> Member {
    Member {
        name: id.clone(),
        id,
        media_type,
        size,
        digest: Digest {
            algorithm: DigestAlgorithm::Sha256,
            value: digest,
        },
        role,
    }
}

/// Writes the bytes of a data file, or the canonical form of an element.
///
/// # Errors
/// `no-such-member` when the id does not exist, or the error of inflating the
/// file.
pub fn extract<E: Environment, S: Sink<E::Blob>>(
    container: &Container<'_, E>,
    id: &str,
    out: &mut S,
) -> Result<(), Refusal> {
    let mut elements = container.elements().iter();
    if let Some(element) = elements.find(|element| element.member_id() == id) {
        out.write(&element.octets);
        return Ok(());
    }
    match container.member(id).filter(|_| container.holds(id, None)) {
        Some(member) => Ok(member.extract(container.document, out)?),
        None => Err(about(
            refusal::NO_SUCH_MEMBER,
            format!("The container holds no file {id:?}."),
            [id],
        )),
    }
}

fn media_type(written: &str) -> String {
    let written = without_blanks(written);
    let is_plain = !written.is_empty()
        && written.len() <= LONGEST_MEDIA_TYPE
        && written.bytes().all(|byte| byte.is_ascii_graphic());
    if is_plain {
        written
    } else {
        ANY_MEDIA_TYPE.to_owned()
    }
}
