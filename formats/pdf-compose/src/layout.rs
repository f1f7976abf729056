//! Layout of a description on pages.

mod blocks;
mod page_edges;
mod rows;
mod tables;

use parafa_format_core::Refusal;

use crate::description::Description;
use crate::fonts::{Face, Fonts};
use crate::limits::{Limits, passed};
use crate::lines::broken;
use crate::sheet::{Color, Mark, PAGE_HEIGHT, PAGE_WIDTH, Role, Sheet, Style};

/// Left and right margin.
const MARGIN: f32 = 56.7;
/// Upper edge of the text.
const TOP: f32 = 72.0;
/// Lower edge of the text.
const BOTTOM: f32 = PAGE_HEIGHT - 70.0;
/// Width of the text.
const WIDTH: f32 = PAGE_WIDTH - 2.0 * MARGIN;

const INK: Color = Color(28, 32, 38);
const ACCENT: Color = Color(27, 58, 96);
const MUTED: Color = Color(90, 98, 110);
const HAIRLINE: Color = Color(205, 211, 219);
const SHADE: Color = Color(240, 243, 246);

/// Height of a hairline in points.
const HAIRLINE_HEIGHT: f32 = 0.5;

/// Height of capital letters in units of the font size.
const CAP_HEIGHT: f32 = 0.714;

const BODY: Style = style(Face::Regular, 10.0, 14.5, INK);

/// Lays out a description on the required number of pages.
pub(crate) fn lay_out(
    description: &Description,
    fonts: &Fonts,
    limits: &Limits,
) -> Result<Sheet, Refusal> {
    let mut layout = Layout {
        fonts,
        limits,
        sheet: Sheet::default(),
        top: TOP,
    };
    layout.sheet.pages.push(Vec::new());
    layout.title(&description.title)?;
    for block in &description.content {
        layout.block(block)?;
    }
    layout.page_edges(description)?;
    Ok(layout.sheet)
}

struct Layout<'a> {
    fonts: &'a Fonts,
    limits: &'a Limits,
    sheet: Sheet,
    /// Upper edge of the next block on the last page.
    top: f32,
}

impl Layout<'_> {
    /// Starts a new page unless the last one has this much room.
    fn require(&mut self, height: f32) -> Result<(), Refusal> {
        if self.top + height > BOTTOM && self.top > TOP {
            self.begin_page()?;
        }
        Ok(())
    }

    fn begin_page(&mut self) -> Result<(), Refusal> {
        if self.sheet.pages.len() >= self.limits.pages {
            return Err(passed(format!(
                "The document takes more than {} pages.",
                self.limits.pages
            )));
        }
        self.sheet.pages.push(Vec::new());
        self.top = TOP;
        Ok(())
    }

    /// Adds vertical space, except at the top of a page.
    fn space(&mut self, height: f32) {
        if self.top > TOP {
            self.top += height;
        }
    }

    /// Adds lines, on as many pages as needed.
    fn lines(
        &mut self,
        lines: &[String],
        left: f32,
        style: Style,
        role: Role,
    ) -> Result<(), Refusal> {
        for line in lines {
            self.require(style.leading)?;
            self.text(line, left, self.top, style, role);
            self.top += style.leading;
        }
        Ok(())
    }

    /// Adds one line at an upper edge.
    fn text(&mut self, text: &str, left: f32, top: f32, style: Style, role: Role) {
        if text.is_empty() {
            return;
        }
        let baseline = top + f32::midpoint(style.leading, CAP_HEIGHT * style.size);
        self.mark(Mark::Text {
            left,
            baseline,
            text: text.to_owned(),
            style,
            role,
        });
    }

    fn fill(&mut self, left: f32, top: f32, width: f32, height: f32, color: Color) {
        self.mark(Mark::Fill {
            left,
            top,
            width,
            height,
            color,
        });
    }

    fn mark(&mut self, mark: Mark) {
        if let Some(page) = self.sheet.pages.last_mut() {
            page.push(mark);
        }
    }

    fn broken(&self, style: Style, text: &str, width: f32) -> Vec<String> {
        broken(self.fonts, style.face, style.size, text, width)
    }

    fn width_of(&self, style: Style, text: &str) -> f32 {
        self.fonts.width(style.face, text) * style.size
    }
}

const fn style(face: Face, size: f32, leading: f32, color: Color) -> Style {
    Style {
        face,
        size,
        leading,
        color,
    }
}
