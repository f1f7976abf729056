//! Tables with a header row.

use parafa_format_core::Refusal;

use super::rows::{Cell, Row};
use super::{BOTTOM, INK, Layout, MARGIN, SHADE, TOP, WIDTH, style};
use crate::description::Column;
use crate::fonts::Face;
use crate::sheet::{Role, Style, TagId, TagKind};

/// Space between the texts of two columns, in points.
const GAP: f32 = 10.0;

/// Space between the edge of a table and its text, in points.
const INSET: f32 = 4.0;

/// Maximum number of columns with the usual text size.
const FEW_COLUMNS: usize = 5;

/// Number of rows measured for column widths.
const ROWS_MEASURED: usize = 200;

/// Maximum automatic width of a column, in points.
const MAX_WIDTH_ASKED: f32 = 220.0;

/// Minimum automatic width of a column, in points.
const MIN_WIDTH_ASKED: f32 = 24.0;

/// Maximum share of a page for a repeated header row.
const MAX_HEADER_SHARE: f32 = 0.3;

/// A positioned column.
struct PlacedColumn {
    left: f32,
    width: f32,
}

impl Layout<'_> {
    pub(super) fn table(
        &mut self,
        columns: &[Column],
        rows: &[Vec<String>],
    ) -> Result<(), Refusal> {
        let (size, leading) = if columns.len() <= FEW_COLUMNS {
            (9.0, 12.5)
        } else {
            (8.0, 11.0)
        };
        let head_style = style(Face::Bold, size, leading, INK);
        let body_style = style(Face::Regular, size, leading, INK);
        let places = self.places(columns, rows, head_style, body_style);

        let table = self.sheet.tag(None, TagKind::Table);
        let head = self.sheet.tag(Some(table), TagKind::TableHead);
        let titles = columns.iter().map(|column| column.title.as_str());
        let kind = TagKind::ColumnHeader;
        let mut header = self.cells(head, titles, columns, &places, head_style, &kind);
        header.shade = Some(SHADE);
        self.require(header.height() + 2.0 * leading)?;
        self.row(&header, None)?;

        let repeated = header.height() <= MAX_HEADER_SHARE * (BOTTOM - TOP);
        let repeated = repeated.then_some(&header);
        if !rows.is_empty() {
            let body = self.sheet.tag(Some(table), TagKind::TableBody);
            for row in rows {
                let texts = row.iter().map(String::as_str);
                let row = self.cells(body, texts, columns, &places, body_style, &TagKind::Cell);
                self.row(&row, repeated)?;
            }
        }
        self.top += 10.0;
        Ok(())
    }

    fn cells<'t>(
        &mut self,
        parent: TagId,
        texts: impl Iterator<Item = &'t str>,
        columns: &[Column],
        places: &[PlacedColumn],
        style: Style,
        kind: &TagKind,
    ) -> Row {
        let row = self.sheet.tag(Some(parent), TagKind::Row);
        let cells = texts.zip(columns).zip(places);
        let cells = cells.map(|((text, column), place)| Cell {
            lines: self.broken(style, text, place.width),
            left: place.left,
            width: place.width,
            style,
            align: column.align,
            role: Role::Content(self.sheet.tag(Some(row), kind.clone())),
        });
        Row {
            cells: cells.collect(),
            shade: None,
        }
    }

    fn places(
        &self,
        columns: &[Column],
        rows: &[Vec<String>],
        head_style: Style,
        body_style: Style,
    ) -> Vec<PlacedColumn> {
        let is_given = columns.iter().any(|column| column.width.is_some());
        let shares: Vec<f32> = columns
            .iter()
            .enumerate()
            .map(|(index, column)| {
                if is_given {
                    return column.width.unwrap_or(1.0);
                }
                let cells = rows.iter().take(ROWS_MEASURED);
                let cells = cells.filter_map(|row| row.get(index));
                let widest = cells
                    .map(|text| self.width_of(body_style, text))
                    .fold(self.width_of(head_style, &column.title), f32::max);
                widest.clamp(MIN_WIDTH_ASKED, MAX_WIDTH_ASKED)
            })
            .collect();
        let gaps: f32 = columns.iter().skip(1).map(|_| GAP).sum();
        let room = WIDTH - 2.0 * INSET - gaps;
        let all: f32 = shares.iter().sum();
        let mut left = MARGIN + INSET;
        shares
            .into_iter()
            .map(|share| {
                let place = PlacedColumn {
                    left,
                    width: room * share / all,
                };
                left += place.width + GAP;
                place
            })
            .collect()
    }
}
