//! Writes a laid out document as a tagged PDF conforming to PDF/A and PDF/UA.

use std::num::NonZeroU16;
use std::time::Duration;

use krilla::Document;
use krilla::SerializeSettings;
use krilla::color::rgb;
use krilla::configure::{Accessibility, Archival, Configuration, ConfigurationBuilder};
use krilla::destination::XyzDestination;
use krilla::embed::{AssociationKind, EmbeddedFile, MimeType};
use krilla::geom::{PathBuilder, Point, Rect};
use krilla::metadata::{DateTime, Metadata};
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::Fill;
use krilla::surface::Surface;
use krilla::tagging::{
    Artifact, ArtifactType, ContentTag, Identifier, ListNumbering, Node, SpanTag, TableHeaderScope,
    Tag as KrillaTag, TagGroup, TagKind as KrillaTagKind, TagTree,
};
use krilla::text::Font;
use parafa_format_core::{ComposeRequest, Refusal, refusal};
use sha2::{Digest, Sha256};

use crate::Attachment;
use crate::description::{Description, Relationship};
use crate::fonts::{Face, Fonts};
use crate::sheet::{
    Color, Mark, OutlineEntry, PAGE_HEIGHT, PAGE_WIDTH, Role, Sheet, Style, TagId, TagKind,
};

/// Producer in the document metadata.
const PRODUCER: &str = concat!("Parafa ", env!("CARGO_PKG_VERSION"));

/// Writes the document.
pub(crate) fn write(
    sheet: &Sheet,
    description: &Description,
    attachments: &[Attachment],
    request: &ComposeRequest,
) -> Result<Vec<u8>, Refusal> {
    let date = date(request.time)?;
    let mut document = Document::new_with(SerializeSettings {
        configuration: configuration(!attachments.is_empty()),
        enable_tagging: true,
        ..SerializeSettings::default()
    });
    document.set_metadata(metadata(description, &request.seed, date));
    for attachment in attachments {
        embed(&mut document, attachment, date)?;
    }
    let mut pen = Pen {
        fonts: Fonts::load(),
        bold: Face::Bold.embedded(),
        regular: Face::Regular.embedded(),
        content: vec![Vec::new(); sheet.tags().len()],
    };
    for marks in &sheet.pages {
        let settings =
            PageSettings::from_wh(PAGE_WIDTH, PAGE_HEIGHT).expect("a page of A4 has an extent");
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        for mark in marks {
            pen.draw(&mut surface, mark);
        }
        surface.finish();
        page.finish();
    }
    document.set_outline(outline(&sheet.outline));
    document.set_tag_tree(pen.tag_tree(sheet, description));
    document.finish().map_err(|error| {
        Refusal::new(
            refusal::DESCRIPTION_INVALID,
            format!("The document cannot be written: {error}."),
        )
    })
}

/// Draws on pages and records the structure element of each mark.
struct Pen {
    fonts: Fonts,
    bold: Font,
    regular: Font,
    content: Vec<Vec<Identifier>>,
}

impl Pen {
    fn draw(&mut self, surface: &mut Surface<'_>, mark: &Mark) {
        match mark {
            Mark::Fill {
                left,
                top,
                width,
                height,
                color,
            } => {
                let Some(rectangle) = Rect::from_xywh(*left, *top, *width, *height) else {
                    return;
                };
                let mut path = PathBuilder::new();
                path.push_rect(rectangle);
                let Some(path) = path.finish() else { return };
                surface.start_tagged(artifact(ArtifactType::Layout));
                surface.set_fill(Some(fill(*color)));
                surface.draw_path(&path);
                surface.end_tagged();
            }
            Mark::Text {
                left,
                baseline,
                text,
                style,
                role,
            } => {
                let tag = match role {
                    Role::Content(_) => ContentTag::Span(SpanTag::empty()),
                    Role::Footer => artifact(ArtifactType::Footer),
                    Role::Header => artifact(ArtifactType::Header),
                    Role::Repetition => artifact(ArtifactType::PaginationOther),
                };
                let identifier = surface.start_tagged(tag);
                self.text(surface, Point::from_xy(*left, *baseline), text, *style);
                surface.end_tagged();
                if let Role::Content(id) = role
                    && let Some(content) = self.content.get_mut(id.index())
                {
                    content.push(identifier);
                }
            }
        }
    }

    fn text(&self, surface: &mut Surface<'_>, start: Point, text: &str, style: Style) {
        let font = match style.face {
            Face::Bold => &self.bold,
            Face::Regular => &self.regular,
        };
        let glyphs = self.fonts.glyphs(style.face, text);
        surface.set_fill(Some(fill(style.color)));
        surface.draw_glyphs(start, &glyphs, font.clone(), text, style.size, false);
    }

    fn tag_tree(mut self, sheet: &Sheet, description: &Description) -> TagTree {
        let roots = sheet.roots().iter();
        let children: Vec<Node> = roots.map(|id| self.node(sheet, *id).into()).collect();
        TagTree::from(children).with_lang(Some(description.language.tag().to_owned()))
    }

    fn node(&mut self, sheet: &Sheet, id: TagId) -> TagGroup {
        let tag = &sheet.tags()[id.index()];
        let mut group = TagGroup::new(krilla_tag(&tag.kind));
        for identifier in std::mem::take(&mut self.content[id.index()]) {
            group.push(identifier);
        }
        for child in &tag.children {
            let child = self.node(sheet, *child);
            group.push(child);
        }
        group
    }
}

fn configuration(has_attachments: bool) -> Configuration {
    let archival = if has_attachments {
        Archival::A3_A
    } else {
        Archival::A2_A
    };
    ConfigurationBuilder::new()
        .with_archival_validator(archival)
        .with_accessibility_validator(Accessibility::UA1)
        .finish()
        .expect("PDF/A-2, PDF/A-3 and PDF/UA-1 are all of PDF 1.7")
}

fn metadata(description: &Description, seed: &[u8], date: DateTime) -> Metadata {
    let digest = Sha256::new()
        .chain_update(b"PDF document identifier")
        .chain_update(seed)
        .finalize();
    let metadata = Metadata::new()
        .title(description.title.clone())
        .language(description.language.tag().to_owned())
        .creation_date(date)
        .producer(PRODUCER.to_owned())
        .creator(PRODUCER.to_owned())
        .document_id(digest.iter().map(|byte| format!("{byte:02x}")).collect());
    match &description.author {
        Some(author) => metadata.authors(vec![author.clone()]),
        None => metadata,
    }
}

fn embed(document: &mut Document, attachment: &Attachment, date: DateTime) -> Result<(), Refusal> {
    let refused = |detail: &str| Refusal {
        subjects: vec![attachment.name.clone()],
        ..Refusal::new(refusal::BAD_REQUEST, detail)
    };
    let mime_type = MimeType::new(&attachment.media_type)
        .ok_or_else(|| refused("The media type of an attachment is none."))?;
    document
        .embed_file(EmbeddedFile {
            path: attachment.name.clone(),
            mime_type: Some(mime_type),
            description: Some(attachment.description.clone()),
            association_kind: match attachment.relationship {
                Relationship::Alternative => AssociationKind::Alternative,
                Relationship::Data => AssociationKind::Data,
                Relationship::Source => AssociationKind::Source,
                Relationship::Supplement => AssociationKind::Supplement,
                Relationship::Unspecified => AssociationKind::Unspecified,
            },
            data: attachment.content.clone().into(),
            modification_date: Some(date),
            compress: None,
            location: None,
        })
        .ok_or_else(|| refused("Two attachments have one name."))
}

fn outline(entries: &[OutlineEntry]) -> Outline {
    let mut outline = Outline::new();
    let mut entries = entries.iter().peekable();
    while let Some(entry) = entries.next() {
        outline.push_child(outline_node(entry, &mut entries));
    }
    outline
}

/// Returns an outline entry with the following entries below it.
fn outline_node<'e>(
    entry: &OutlineEntry,
    following: &mut std::iter::Peekable<impl Iterator<Item = &'e OutlineEntry>>,
) -> OutlineNode {
    let place = XyzDestination::new(entry.page, Point::from_xy(0.0, entry.top));
    let mut node = OutlineNode::new(entry.text.clone(), place).with_open(true);
    while let Some(below) = following.next_if(|next| next.level > entry.level) {
        node.push_child(outline_node(below, following));
    }
    node
}

fn krilla_tag(kind: &TagKind) -> KrillaTagKind {
    match kind {
        TagKind::Cell => KrillaTag::TD.into(),
        TagKind::ColumnHeader => KrillaTag::TH(TableHeaderScope::Column).into(),
        TagKind::Heading { level, text } => {
            let level = NonZeroU16::new(*level).unwrap_or(NonZeroU16::MIN);
            KrillaTag::Hn(level, Some(text.clone())).into()
        }
        TagKind::Item => KrillaTag::LI.into(),
        TagKind::ItemBody => KrillaTag::LBody.into(),
        TagKind::ItemLabel => KrillaTag::Lbl.into(),
        TagKind::List { ordered: true } => KrillaTag::L(ListNumbering::Decimal).into(),
        TagKind::List { ordered: false } => KrillaTag::L(ListNumbering::Disc).into(),
        TagKind::Paragraph => KrillaTag::P.into(),
        TagKind::Row => KrillaTag::TR.into(),
        TagKind::RowHeader => KrillaTag::TH(TableHeaderScope::Row).into(),
        TagKind::Table => KrillaTag::Table.into(),
        TagKind::TableBody => KrillaTag::TBody.into(),
        TagKind::TableHead => KrillaTag::THead.into(),
    }
}

fn artifact(kind: ArtifactType) -> ContentTag<'static> {
    ContentTag::Artifact(Artifact::with_kind(kind))
}

fn fill(Color(red, green, blue): Color) -> Fill {
    Fill {
        paint: rgb::Color::new(red, green, blue).into(),
        ..Fill::default()
    }
}

fn date(time: i64) -> Result<DateTime, Refusal> {
    let refused = || {
        Refusal::new(
            refusal::BAD_REQUEST,
            format!("The time {time} has no PDF date."),
        )
    };
    let since_epoch = Duration::from_secs(u64::try_from(time).map_err(|_| refused())?);
    let date = der::DateTime::from_unix_duration(since_epoch).map_err(|_| refused())?;
    Ok(DateTime::new(date.year())
        .month(date.month())
        .day(date.day())
        .hour(date.hour())
        .minute(date.minutes())
        .second(date.seconds())
        .utc_offset_hour(0)
        .utc_offset_minute(0))
}
