//! Composition of containers from files.

use parafa_container::{Limits, MANIFEST, check_files, check_request, content, manifest};
use parafa_format_core::{ComposeRequest, Environment, Made, Refusal, Sink, SourceFile};
use parafa_zip::{Content, MIMETYPE, Writer};

use crate::MEDIA_TYPE;

/// Creates an unsigned container of files with the given names; the first file
/// is the main one.
///
/// # Errors
/// `bad-request` when the request cannot be used or a file has no media type;
/// `too-many-members` when there is no file or too many; `member-name` when a
/// name is invalid in containers; `duplicate-member` when names repeat;
/// `empty-member` when a file is empty; `document-too-long` when the container
/// would be.
pub fn compose<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    files: &[SourceFile<'_, E::Blob>],
    request: &ComposeRequest,
    out: &mut S,
) -> Result<Made, Refusal> {
    check_request(request, MEDIA_TYPE)?;
    check_files(files, &Limits::default())?;

    let entries = files.iter().map(|file| (file.name, file.media_type));
    let manifest = manifest::write(MEDIA_TYPE, Some("1.2"), entries);
    let mut writer = Writer::new(out, request.time);
    writer.add(MIMETYPE, &Content::Bytes(MEDIA_TYPE.as_bytes()))?;
    writer.add(MANIFEST, &Content::Bytes(manifest.as_bytes()))?;
    for file in files {
        writer.add(file.name, &content(environment, file.content))?;
    }
    writer.finish(b"")?;
    Ok(Made::new(MEDIA_TYPE))
}
