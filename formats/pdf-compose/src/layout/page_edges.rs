//! Headers and footers of all pages.

use parafa_format_core::Refusal;

use super::{HAIRLINE, HAIRLINE_HEIGHT, Layout, MARGIN, MUTED, WIDTH, style};
use crate::description::{Description, invalid};
use crate::fonts::Face;
use crate::sheet::{Mark, PAGE_HEIGHT, Role, Style};

const EDGE: Style = style(Face::Regular, 8.0, 11.0, MUTED);

/// Baselines, in points from the upper edge of the page.
const HEADER_BASELINE: f32 = 42.0;
const FOOTER_BASELINE: f32 = PAGE_HEIGHT - 36.0;

/// Line above the footer.
const FOOTER_LINE: f32 = PAGE_HEIGHT - 50.0;

/// Width reserved for the page number, in points.
const NUMBER_WIDTH: f32 = 60.0;

impl Layout<'_> {
    pub(super) fn page_edges(&mut self, description: &Description) -> Result<(), Refusal> {
        let header = description.header.as_deref().unwrap_or_default();
        let footer = description.footer.as_deref().unwrap_or_default();
        for (name, text, room) in [
            ("header", header, WIDTH),
            ("footer", footer, WIDTH - NUMBER_WIDTH),
        ] {
            if text.contains('\n') || self.width_of(EDGE, text) > room {
                return Err(invalid(format!("The {name} is longer than a line.")));
            }
        }
        let total = self.sheet.pages.len();
        for number in 1..=total {
            let number_text = format!("{number} / {total}");
            let number_left = MARGIN + WIDTH - self.width_of(EDGE, &number_text);
            let marks = [
                text(MARGIN, HEADER_BASELINE, header, Role::Header),
                Some(Mark::Fill {
                    left: MARGIN,
                    top: FOOTER_LINE,
                    width: WIDTH,
                    height: HAIRLINE_HEIGHT,
                    color: HAIRLINE,
                }),
                text(MARGIN, FOOTER_BASELINE, footer, Role::Footer),
                text(number_left, FOOTER_BASELINE, &number_text, Role::Footer),
            ];
            if let Some(page) = self.sheet.pages.get_mut(number - 1) {
                // The header comes first in reading order.
                let body = std::mem::take(page);
                let mut marks = marks.into_iter();
                page.extend(marks.next().flatten());
                page.extend(body);
                page.extend(marks.flatten());
            }
        }
        Ok(())
    }
}

fn text(left: f32, baseline: f32, text: &str, role: Role) -> Option<Mark> {
    (!text.is_empty()).then(|| Mark::Text {
        left,
        baseline,
        text: text.to_owned(),
        style: EDGE,
        role,
    })
}
