//! Composition of documents from files.

use parafa_container::{
    Limits, MANIFEST, about, bad_request, check_files, check_request, content, manifest,
};
use parafa_format_core::{
    Blob, ComposeRequest, Environment, Made, Refusal, Sink, SourceFile, compose_params,
};
use parafa_zip::{Archive, Content, MIMETYPE, Writer};

use crate::MEDIA_TYPE;
use crate::metadata::{USUAL_CATEGORY, is_category, line, write_document, write_environment};
use crate::relations::{self, Addition, Kind, RELATIONS, ROOT};
use crate::sign::XML_MEDIA_TYPE;

/// Folder of all documents except the main one.
const APPENDICES: &str = "appendices/";
/// Signed and unsigned metadata.
const SIGNABLE: &str = "metadata/signableMetadata0.xml";
const UNSIGNABLE: &str = "metadata/unsignableMetadata0.xml";

/// Creates an unsigned document of `.pdf` and `.xlsx` files; the first is the
/// main one, the others are its appendices. Parameters: `title`, by default the
/// name of the main file; `author`, the name of the author; `category`, by
/// default BeDOC.
///
/// # Errors
/// `bad-request` when the request cannot be used, its category does not exist,
/// or a file has no media type; `too-many-members` when there is no file or too
/// many; `member-name` when a name is invalid in documents; `duplicate-member`
/// when names repeat; `empty-member` when a file is empty; `member-type` when a
/// file is of another kind; `xlsx-invalid` when one is no workbook;
/// `document-too-long` when the document would be.
pub fn compose<E: Environment, S: Sink<E::Blob>>(
    environment: &E,
    files: &[SourceFile<'_, E::Blob>],
    request: &ComposeRequest,
    out: &mut S,
) -> Result<Made, Refusal> {
    check_request(request, MEDIA_TYPE)?;
    let category = category(request)?;
    let limits = Limits::default();
    check_files(files, &limits)?;
    let names = names(files);
    check_names(files, &names, &limits)?;
    check_types(files, &limits)?;

    let signable = write_document(&title(request, &names), author(request).as_deref());
    let unsignable = write_environment(&category);
    let relations = relations::write(&relations_of(&names));
    let manifest = manifest_of(files, &names);
    let mut writer = Writer::new(out, request.time);
    writer.add(MIMETYPE, &Content::Bytes(MEDIA_TYPE.as_bytes()))?;
    writer.add(MANIFEST, &Content::Bytes(manifest.as_bytes()))?;
    writer.add(RELATIONS, &Content::Bytes(relations.as_bytes()))?;
    for (file, name) in files.iter().zip(&names) {
        writer.add(name, &content(environment, file.content))?;
    }
    writer.add(SIGNABLE, &Content::Bytes(signable.as_bytes()))?;
    writer.add(UNSIGNABLE, &Content::Bytes(unsignable.as_bytes()))?;
    writer.finish(b"")?;
    Ok(Made::new(MEDIA_TYPE))
}

/// Returns the member names of files.
fn names<B: Blob>(files: &[SourceFile<'_, B>]) -> Vec<String> {
    let names = files.iter().enumerate().map(|(place, file)| {
        let folder = if place == 0 { "" } else { APPENDICES };
        format!("{folder}{}", file.name)
    });
    names.collect()
}

/// Requires a main document outside folders, and names that fit with their
/// folder.
fn check_names<B: Blob>(
    files: &[SourceFile<'_, B>],
    names: &[String],
    limits: &Limits,
) -> Result<(), Refusal> {
    let wrong: Vec<&str> = files
        .iter()
        .zip(names)
        .enumerate()
        .filter(|(place, (_, name))| {
            name.len() > limits.zip.name_bytes || (*place == 0 && name.contains('/'))
        })
        .map(|(_, (file, _))| file.name)
        .collect();
    refuse(
        "member-name",
        "Files have names that cannot be those of documents in an ADOC.",
        wrong,
    )
}

/// Requires file types that readers of ADOC show.
fn check_types<B: Blob>(files: &[SourceFile<'_, B>], limits: &Limits) -> Result<(), Refusal> {
    let named = |is_wrong: &dyn Fn(&SourceFile<'_, B>) -> bool| {
        let wrong = files.iter().filter(|file| is_wrong(file));
        wrong.map(|file| file.name).collect::<Vec<_>>()
    };
    refuse(
        "member-type",
        "Files are neither PDF nor XLSX by their names.",
        named(&|file| !has_extension(file.name, "pdf") && !has_extension(file.name, "xlsx")),
    )?;
    refuse(
        "xlsx-invalid",
        "Files are no workbooks of Office Open XML.",
        named(&|file| has_extension(file.name, "xlsx") && !is_workbook(file.content, limits)),
    )
}

fn has_extension(name: &str, extension: &str) -> bool {
    let of_name = name.rsplit_once('.').map(|(_, extension)| extension);
    of_name.is_some_and(|of_name| of_name.eq_ignore_ascii_case(extension))
}

/// Returns whether it is an Open Packaging Conventions package (ECMA-376 part
/// 2, 10).
fn is_workbook<B: Blob>(content: &B, limits: &Limits) -> bool {
    const CONTENT_TYPES: &str = "[Content_Types].xml";

    let archive = Archive::read(content, &limits.zip);
    archive.is_ok_and(|archive| archive.member(CONTENT_TYPES).is_some())
}

fn refuse(code: &'static str, detail: &str, subjects: Vec<&str>) -> Result<(), Refusal> {
    if subjects.is_empty() {
        Ok(())
    } else {
        Err(about(code, detail, subjects))
    }
}

fn title(request: &ComposeRequest, names: &[String]) -> String {
    let main = names.first().map_or("", |name| name.as_str());
    let stem = main.rsplit_once('.').map_or(main, |(stem, _)| stem);
    param(request, compose_params::TITLE).unwrap_or_else(|| line(stem))
}

fn author(request: &ComposeRequest) -> Option<String> {
    param(request, compose_params::AUTHOR)
}

fn category(request: &ComposeRequest) -> Result<String, Refusal> {
    let category = param(request, compose_params::CATEGORY);
    let category = category.unwrap_or_else(|| USUAL_CATEGORY.to_owned());
    if is_category(&category) {
        Ok(category)
    } else {
        let detail = format!("There is no category {category:?} of documents.");
        Err(bad_request(detail))
    }
}

fn param(request: &ComposeRequest, name: &str) -> Option<String> {
    let mut params = request.params.iter();
    let (_, value) = params.find(|(known, _)| known == name)?;
    Some(line(value)).filter(|value| !value.is_empty())
}

fn relations_of(names: &[String]) -> Vec<Addition<'_>> {
    let relation = |source, target, kind| Addition {
        source,
        target,
        kind,
        elements: Vec::new(),
    };
    let (main, appendices) = names
        .split_first()
        .map_or(("", names), |(main, rest)| (main.as_str(), rest));
    let mut relations = vec![
        relation(ROOT, main, Kind::Main),
        relation(ROOT, SIGNABLE, Kind::Signable),
        relation(ROOT, UNSIGNABLE, Kind::Unsignable),
    ];
    let appendices = appendices.iter();
    relations.extend(appendices.map(|appendix| relation(main, appendix, Kind::Appendix)));
    relations
}

fn manifest_of<B: Blob>(files: &[SourceFile<'_, B>], names: &[String]) -> String {
    let content = files.iter().zip(names);
    let content = content.map(|(file, name)| (name.as_str(), file.media_type));
    let others = [
        ("META-INF/", ""),
        (RELATIONS, XML_MEDIA_TYPE),
        (
            "metadata/",
            "application/vnd.lt.archyvai.adoc-2008#metadata-folder",
        ),
        (SIGNABLE, XML_MEDIA_TYPE),
        (UNSIGNABLE, XML_MEDIA_TYPE),
    ];
    manifest::write(MEDIA_TYPE, None, others.into_iter().chain(content))
}
