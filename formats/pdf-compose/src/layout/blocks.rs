//! Title, headings, paragraphs, lists and facts.

use parafa_format_core::Refusal;

use super::rows::{Cell, Row};
use super::{ACCENT, BODY, INK, Layout, MARGIN, MUTED, WIDTH, style};
use crate::description::{Align, Block, Fact};
use crate::fonts::Face;
use crate::sheet::{OutlineEntry, Role, Style, TagKind};

const TITLE: Style = style(Face::Bold, 20.0, 26.0, ACCENT);
const HEADING_2: Style = style(Face::Bold, 13.0, 18.0, ACCENT);
const HEADING_3: Style = style(Face::Bold, 10.5, 15.0, INK);
const LABEL: Style = style(Face::Regular, 9.5, 13.5, MUTED);
const VALUE: Style = style(Face::Regular, 9.5, 13.5, INK);

/// Width and height of the bar below the title, in points.
const BAR: (f32, f32) = (36.0, 2.5);

/// Width of the labels of facts in points.
const LABEL_WIDTH: f32 = 150.0;

/// Indentation of items from their labels, in points.
const INDENT: f32 = 18.0;

/// Minimum number of paragraph lines kept together on a page.
const LINES_TOGETHER: usize = 2;

impl Layout<'_> {
    pub(super) fn title(&mut self, title: &str) -> Result<(), Refusal> {
        self.heading_lines(title, 1, TITLE)?;
        self.fill(MARGIN, self.top + 6.0, BAR.0, BAR.1, ACCENT);
        self.top += 24.0;
        Ok(())
    }

    pub(super) fn block(&mut self, block: &Block) -> Result<(), Refusal> {
        match block {
            Block::Facts { items } => self.facts(items),
            Block::Heading { level, text } => self.heading(*level, text),
            Block::List { ordered, items } => self.list(*ordered, items),
            Block::PageBreak {} => self.begin_page(),
            Block::Paragraph { text } => self.paragraph(text),
            Block::Table { columns, rows } => self.table(columns, rows),
        }
    }

    fn heading(&mut self, level: u8, text: &str) -> Result<(), Refusal> {
        let (style, before, after) = if level == 2 {
            (HEADING_2, 16.0, 5.0)
        } else {
            (HEADING_3, 10.0, 3.0)
        };
        self.space(before);
        self.heading_lines(text, level.into(), style)?;
        self.top += after;
        Ok(())
    }

    /// A heading stays with the block below it.
    fn heading_lines(&mut self, text: &str, level: u16, style: Style) -> Result<(), Refusal> {
        let lines = self.broken(style, text, WIDTH);
        let own: f32 = lines.iter().map(|_| style.leading).sum();
        self.require(own + 3.0 * BODY.leading)?;
        let kind = TagKind::Heading {
            level,
            text: text.to_owned(),
        };
        let tag = self.sheet.tag(None, kind);
        self.sheet.outline.push(OutlineEntry {
            text: text.to_owned(),
            level,
            page: self.sheet.pages.len().saturating_sub(1),
            top: self.top,
        });
        self.lines(&lines, MARGIN, style, Role::Content(tag))
    }

    fn paragraph(&mut self, text: &str) -> Result<(), Refusal> {
        let lines = self.broken(BODY, text, WIDTH);
        let together = lines.iter().take(LINES_TOGETHER);
        self.require(together.map(|_| BODY.leading).sum())?;
        let tag = self.sheet.tag(None, TagKind::Paragraph);
        self.lines(&lines, MARGIN, BODY, Role::Content(tag))?;
        self.top += 8.0;
        Ok(())
    }

    fn list(&mut self, ordered: bool, items: &[String]) -> Result<(), Refusal> {
        let list = self.sheet.tag(None, TagKind::List { ordered });
        for (number, text) in (1_usize..).zip(items) {
            let lines = self.broken(BODY, text, WIDTH - INDENT);
            self.require(BODY.leading)?;
            let item = self.sheet.tag(Some(list), TagKind::Item);
            let label = if ordered {
                format!("{number}.")
            } else {
                "•".to_owned()
            };
            let label_tag = self.sheet.tag(Some(item), TagKind::ItemLabel);
            self.text(&label, MARGIN, self.top, BODY, Role::Content(label_tag));
            let body = self.sheet.tag(Some(item), TagKind::ItemBody);
            self.lines(&lines, MARGIN + INDENT, BODY, Role::Content(body))?;
            self.top += 2.0;
        }
        self.top += 6.0;
        Ok(())
    }

    fn facts(&mut self, items: &[Fact]) -> Result<(), Refusal> {
        let table = self.sheet.tag(None, TagKind::Table);
        let body = self.sheet.tag(Some(table), TagKind::TableBody);
        for Fact { label, value } in items {
            let row = self.sheet.tag(Some(body), TagKind::Row);
            let cell = |layout: &mut Self, text: &str, left, width, style, kind| Cell {
                lines: layout.broken(style, text, width),
                left,
                width,
                style,
                align: Align::Start,
                role: Role::Content(layout.sheet.tag(Some(row), kind)),
            };
            let value_left = MARGIN + LABEL_WIDTH + 12.0;
            let cells = vec![
                cell(self, label, MARGIN, LABEL_WIDTH, LABEL, TagKind::RowHeader),
                cell(
                    self,
                    value,
                    value_left,
                    MARGIN + WIDTH - value_left,
                    VALUE,
                    TagKind::Cell,
                ),
            ];
            self.row(&Row { cells, shade: None }, None)?;
        }
        self.top += 10.0;
        Ok(())
    }
}
