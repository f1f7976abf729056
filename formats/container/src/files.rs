//! Files of a new container.

use std::collections::HashSet;

use parafa_format_core::{
    Blob, ComposeRequest, Environment, HashFunction, Hasher, Refusal, SourceFile, compose_params,
    expect_params_among, parse_seed, refusal,
};
use parafa_zip::{Content, MIMETYPE, is_usable};

use crate::limits::Limits;
use crate::part::Part;
use crate::refusals::{about, bad_request};

/// Accepts a request for a container with a media type.
///
/// # Errors
/// `bad-request` for another type or an unusable request.
pub fn check_request(request: &ComposeRequest, media_type: &str) -> Result<(), Refusal> {
    parse_seed(&request.seed)?;
    expect_params_among(&request.params, compose_params::ALL)?;
    if request.media_type == media_type {
        Ok(())
    } else {
        Err(bad_request(format!(
            "Only {media_type} is made here, not {:?}.",
            request.media_type
        )))
    }
}

/// Accepts the files of a new container.
///
/// # Errors
/// `too-many-members` when there is no file or too many; `member-name` when a
/// name is invalid in containers; `duplicate-member` when names repeat;
/// `bad-request` when a file has no media type; `empty-member` when a file is
/// empty; `document-too-long` when the files together are too long.
pub fn check_files<B: Blob>(files: &[SourceFile<'_, B>], limits: &Limits) -> Result<(), Refusal> {
    if files.is_empty() || files.len() > limits.composed_files {
        let detail = format!(
            "A container is composed of 1 to {} files, not of {}.",
            limits.composed_files,
            files.len()
        );
        return Err(Refusal::new("too-many-members", detail));
    }
    let named = |is_wrong: &dyn Fn(&SourceFile<'_, B>) -> bool| {
        let wrong = files.iter().filter(|file| is_wrong(file));
        wrong.map(|file| file.name.to_owned()).collect::<Vec<_>>()
    };
    let refuse = |code, detail: &str, subjects: Vec<String>| {
        if subjects.is_empty() {
            Ok(())
        } else {
            Err(about(code, detail, subjects))
        }
    };
    refuse(
        "member-name",
        "Files have names that cannot be those of files in a container.",
        named(&|file| !is_file_name(file.name, limits)),
    )?;
    let mut seen = HashSet::new();
    let twice = files.iter().filter(|file| !seen.insert(file.name));
    refuse(
        "duplicate-member",
        "Several files have one name.",
        twice.map(|file| file.name.to_owned()).collect(),
    )?;
    refuse(
        refusal::BAD_REQUEST,
        "Files have no media type of visible ASCII.",
        named(&|file| !is_media_type(file.media_type)),
    )?;
    refuse(
        "empty-member",
        "Files are empty.",
        named(&|file| file.content.is_empty()),
    )?;
    let bytes: u64 = files.iter().map(|file| file.content.len()).sum();
    if bytes > limits.composed_bytes {
        let detail = format!(
            "Files with {bytes} bytes are more than the {} of which a container is composed.",
            limits.composed_bytes
        );
        return Err(Refusal::new(refusal::DOCUMENT_TOO_LONG, detail));
    }
    Ok(())
}

/// Returns whether a file may have a name: a relative path, outside the
/// container's own members ignoring case, and representable in the manifest
/// (XML 1.0, 2.2).
fn is_file_name(name: &str, limits: &Limits) -> bool {
    let folded = name.to_ascii_lowercase();
    name.len() <= limits.zip.name_bytes
        && is_usable(name)
        && !name.ends_with('/')
        && !name.contains(['\u{fffe}', '\u{ffff}'])
        && folded.split('/').next() != Some("meta-inf")
        && folded != MIMETYPE
        && Part::of(name) == Part::Data
}

/// Returns whether a text has the form of a media type, in visible ASCII.
pub(crate) fn is_media_type(media_type: &str) -> bool {
    let media_type = without_blanks(media_type);
    media_type.contains('/') && media_type.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Removes white space around the parameters of a media type (RFC 2045, 5.1),
/// as in Slovak state forms.
pub(crate) fn without_blanks(media_type: &str) -> String {
    let parts = media_type.split(';').map(str::trim_ascii);
    parts.collect::<Vec<_>>().join(";")
}

/// Returns the content of a new member.
pub fn content<'a, E: Environment>(environment: &E, source: &'a E::Blob) -> Content<'a, E::Blob> {
    let mut hasher = environment.hasher(HashFunction::Crc32);
    hasher.update_blob(source, 0, source.len());
    let digest = hasher.finish();
    let crc32 = digest
        .into_iter()
        .fold(0, |sum, byte| sum << 8 | u32::from(byte));
    Content::Blob { source, crc32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_folder_of_the_container_itself_is_no_place_for_files() {
        let limits = Limits::default();

        assert!(is_file_name("Meta-informacija.pdf", &limits));
        assert!(is_file_name("a/META-INF", &limits));
        for name in ["META-INF", "meta-inf/a.pdf", "Meta-Inf/a.pdf"] {
            assert!(!is_file_name(name, &limits), "{name}");
        }
    }
}
