//! PDF documents composed from a description of their content.
//!
//! [`compose`] takes a JSON file and lays it out on A4 pages. The output is
//! tagged, embeds all fonts, and conforms to PDF/A-2a (ISO 19005-2) and
//! PDF/UA-1 (ISO 14289-1); with attachments it is PDF/A-3a (ISO 19005-3). The
//! same request and files give the same bytes.
//!
//! # The description
//! ```json
//! {
//!   "title": "Tapatybės patvirtinimas",
//!   "language": "lt",
//!   "author": "UAB „Pavyzdys“",
//!   "header": "Užsakymas 0192-7f3a",
//!   "footer": "Sudaryta automatiškai",
//!   "attachments": [
//!     { "name": "payload.json", "description": "Duomenys", "relationship": "data" }
//!   ],
//!   "content": [
//!     { "type": "heading", "level": 2, "text": "Asmuo" },
//!     { "type": "paragraph", "text": "Asmuo patvirtino savo tapatybę." },
//!     { "type": "facts", "items": [ { "label": "Vardas", "value": "Ona" } ] },
//!     { "type": "list", "ordered": true, "items": [ "Pirma", "Antra" ] },
//!     { "type": "table",
//!       "columns": [ { "title": "Kada" }, { "title": "Suma", "align": "end", "width": 1 } ],
//!       "rows": [ [ "2026-11-21", "12,50 €" ] ] },
//!     { "type": "pageBreak" }
//!   ]
//! }
//! ```
//! `title`, `language` (`lt` or `en`) and `content` are required. The title is
//! the heading of level 1; headings in the content have level 2 or 3 and form
//! the outline. `header`, `footer` and the page number appear on every page;
//! the two texts must fit on one line. A line feed in a text starts a new line.
//! Columns of a table have relative widths, or widths by content when none is
//! given. The header row is repeated on every page, and a row may be longer
//! than a page. Files other than the description are attached exactly when
//! `attachments` names them. Unknown members are refused, and so is text with
//! characters that the fonts lack.

mod description;
mod fonts;
mod layout;
mod limits;
mod lines;
mod sheet;
mod write;

use parafa_format_core::{
    Blob, ComposeRequest, Environment, Made, Refusal, Sink, SourceFile, expect_no_params,
    parse_seed, refusal,
};

use description::Description;
use fonts::Fonts;

pub use limits::Limits;

/// Media type of the output (RFC 8118).
const MEDIA_TYPE: &str = "application/pdf";

/// Media type of the description (RFC 8259).
const DESCRIPTION_MEDIA_TYPE: &str = "application/json";

/// Writes a PDF from the description in the first file; the others may be
/// attachments.
///
/// # Errors
/// `bad-request` when the request cannot be used; `description-invalid` when
/// the description is invalid; `characters-missing` when the fonts lack
/// characters, which are the subjects; `document-too-long` when a limit is
/// exceeded.
pub fn compose<E: Environment, S: Sink<E::Blob>>(
    _environment: &E,
    files: &[SourceFile<'_, E::Blob>],
    request: &ComposeRequest,
    out: &mut S,
) -> Result<Made, Refusal> {
    check(request)?;
    let limits = Limits::default();
    let (description, attachments) = read(files, &limits)?;
    let fonts = Fonts::load();
    description.check(&fonts, &limits)?;
    let sheet = layout::lay_out(&description, &fonts, &limits)?;
    let document = write::write(&sheet, &description, &attachments, request)?;
    out.write(&document);
    Ok(Made::new(MEDIA_TYPE))
}

/// An attachment, in the order of the description.
struct Attachment {
    name: String,
    media_type: String,
    description: String,
    relationship: description::Relationship,
    content: Vec<u8>,
}

fn check(request: &ComposeRequest) -> Result<(), Refusal> {
    if request.media_type != MEDIA_TYPE {
        return Err(Refusal::new(
            refusal::BAD_REQUEST,
            format!("The media type {:?} is not made here.", request.media_type),
        ));
    }
    parse_seed(&request.seed)?;
    expect_no_params(&request.params)
}

fn read<B: Blob>(
    files: &[SourceFile<'_, B>],
    limits: &Limits,
) -> Result<(Description, Vec<Attachment>), Refusal> {
    let Some((first, others)) = files.split_first() else {
        return Err(Refusal::new(refusal::BAD_REQUEST, "There is no file."));
    };
    if first.media_type != DESCRIPTION_MEDIA_TYPE {
        return Err(Refusal::new(
            refusal::BAD_REQUEST,
            format!("The first file is not of the media type {DESCRIPTION_MEDIA_TYPE}."),
        ));
    }
    if first.content.len() > limits.description_bytes {
        return Err(limits::passed(format!(
            "The description is longer than {} bytes.",
            limits.description_bytes
        )));
    }
    let description = Description::parse(&first.content.read_all())?;
    let unnamed: Vec<String> = others
        .iter()
        .filter(|file| {
            description
                .attachments
                .iter()
                .all(|wanted| wanted.name != file.name)
        })
        .map(|file| file.name.to_owned())
        .collect();
    if !unnamed.is_empty() {
        return Err(Refusal {
            subjects: unnamed,
            ..Refusal::new(
                refusal::BAD_REQUEST,
                "The description names no attachments for some files.",
            )
        });
    }
    let attachments = description
        .attachments
        .iter()
        .map(|wanted| {
            let mut found = others.iter().filter(|file| file.name == wanted.name);
            match (found.next(), found.next()) {
                (Some(file), None) => Ok(Attachment {
                    name: wanted.name.clone(),
                    media_type: file.media_type.to_owned(),
                    description: wanted.description.clone(),
                    relationship: wanted.relationship,
                    content: file.content.read_all(),
                }),
                _ => Err(Refusal {
                    subjects: vec![wanted.name.clone()],
                    ..Refusal::new(
                        refusal::BAD_REQUEST,
                        "An attachment is not exactly one of the files.",
                    )
                }),
            }
        })
        .collect::<Result<_, _>>()?;
    Ok((description, attachments))
}
