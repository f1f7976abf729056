//! Rows of cells; a row may be longer than a page.

use parafa_format_core::Refusal;

use super::{BOTTOM, HAIRLINE, HAIRLINE_HEIGHT, Layout, MARGIN, TOP, WIDTH};
use crate::description::Align;
use crate::sheet::{Color, Role, Style};

/// Space between a row's text and its lines, in points.
const PADDING: f32 = 4.0;

pub(super) struct Row {
    /// At least one; all cells use the leading of the first.
    pub(super) cells: Vec<Cell>,
    pub(super) shade: Option<Color>,
}

pub(super) struct Cell {
    pub(super) lines: Vec<String>,
    pub(super) left: f32,
    pub(super) width: f32,
    pub(super) style: Style,
    pub(super) align: Align,
    pub(super) role: Role,
}

impl Layout<'_> {
    /// Adds a row with a line below it; breaks it only if it does not fit on a
    /// page. `header` is repeated on every further page.
    pub(super) fn row(&mut self, row: &Row, header: Option<&Row>) -> Result<(), Refusal> {
        let count = row.line_count();
        let mut from = 0;
        while from < count {
            let left = count - from;
            let room = row.lines_within(BOTTOM - self.top);
            let header_height = header.map_or(0.0, Row::height);
            let room_of_page = row.lines_within(BOTTOM - TOP - header_height);
            let is_worth_a_page =
                from == 0 && left <= room_of_page && self.top > TOP + header_height;
            if left > room && (is_worth_a_page || room == 0) {
                self.begin_page()?;
                if let Some(header) = header {
                    self.part_of_row(&header.repeated(), 0, header.line_count());
                }
                continue;
            }
            let take = left.min(room);
            self.part_of_row(row, from, take);
            from += take;
        }
        Ok(())
    }

    fn part_of_row(&mut self, row: &Row, from: usize, take: usize) {
        let height = row.height_of(take);
        if let Some(shade) = row.shade {
            self.fill(MARGIN, self.top, WIDTH, height, shade);
        }
        for cell in &row.cells {
            let mut top = self.top + PADDING;
            for line in cell.lines.iter().skip(from).take(take) {
                let left = match cell.align {
                    Align::Start => cell.left,
                    Align::End => {
                        let width = self.width_of(cell.style, line.trim_end());
                        (cell.left + cell.width - width).max(cell.left)
                    }
                };
                // An empty cell would be missing from the structure.
                let line = if line.is_empty() { " " } else { line };
                self.text(line, left, top, cell.style, cell.role);
                top += row.leading();
            }
        }
        self.top += height;
        self.fill(
            MARGIN,
            self.top - HAIRLINE_HEIGHT,
            WIDTH,
            HAIRLINE_HEIGHT,
            HAIRLINE,
        );
    }
}

impl Row {
    pub(super) fn height(&self) -> f32 {
        self.height_of(self.line_count())
    }

    fn line_count(&self) -> usize {
        self.cells
            .iter()
            .map(|cell| cell.lines.len())
            .max()
            .unwrap_or(0)
    }

    fn leading(&self) -> f32 {
        self.cells.first().map_or(0.0, |cell| cell.style.leading)
    }

    fn height_of(&self, lines: usize) -> f32 {
        let text: f32 = std::iter::repeat_n(self.leading(), lines).sum();
        text + 2.0 * PADDING
    }

    /// Returns the number of lines that fit into a height.
    fn lines_within(&self, height: f32) -> usize {
        (1..)
            .take_while(|lines| self.height_of(*lines) <= height)
            .last()
            .unwrap_or(0)
    }

    /// Returns the row for repetition on further pages.
    fn repeated(&self) -> Self {
        let cells = self.cells.iter().map(|cell| Cell {
            lines: cell.lines.clone(),
            role: Role::Repetition,
            ..*cell
        });
        Self {
            cells: cells.collect(),
            shade: self.shade,
        }
    }
}
