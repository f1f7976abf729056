//! Placement of the banner on a page.

use lopdf::{Object, ObjectId};
use parafa_format_core::Refusal;

use super::banner;
use crate::page_content::{Matrix, PageTree, Rectangle, Rotation, node_entries};
use crate::structure::PdfFile;
use crate::write::Edits;

/// Minimum side of a box in user space units; some viewers ignore smaller
/// boxes.
const LEAST_SIDE: f64 = 1.0;

/// Assumed box of a page with an empty box, as in some viewers: US Letter.
const FALLBACK_BOX: Rectangle = Rectangle {
    left: 0.0,
    bottom: 0.0,
    right: 612.0,
    top: 792.0,
};

/// Shorter side of A4 in points. Up to this size the banner has its own size;
/// on larger pages it grows with the page.
const REFERENCE_SIDE: f64 = 595.0;

/// Maximum share of the page width for the banner's text.
const MAX_SHARE_OF_WIDTH: f64 = 0.9;

/// Maximum share of the page height for the banner.
const MAX_SHARE_OF_HEIGHT: f64 = 0.1;

fn is_box_to_all(rectangle: &Rectangle) -> bool {
    rectangle.width().min(rectangle.height()) >= LEAST_SIDE
}

/// Returns the smallest enclosing box that all viewers accept.
fn widened(rectangle: Rectangle) -> Rectangle {
    Rectangle {
        right: rectangle.right.max(rectangle.left + LEAST_SIDE),
        top: rectangle.top.max(rectangle.bottom + LEAST_SIDE),
        ..rectangle
    }
}

/// A page as viewers show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DisplayedPage {
    /// Visible part of user space.
    visible: Rectangle,
    rotation: Rotation,
    /// Points per user space unit (ISO 32000-2, table 31, `/UserUnit`).
    user_unit: f64,
    /// Page boxes (14.11.2) that viewers interpret differently.
    unclear_boxes: &'static [&'static [u8]],
}

impl DisplayedPage {
    pub(super) fn read(file: &PdfFile<'_>, tree: &PageTree, page: ObjectId) -> Self {
        let rectangle = |value: &Object| {
            let rectangle = Rectangle::read(file, value);
            rectangle.filter(|rectangle| !rectangle.is_empty())
        };
        let media_box = tree.attribute(file, page, b"MediaBox").and_then(rectangle);
        let crop_box = tree.attribute(file, page, b"CropBox");
        let clear = |crop_box: &Object, media_box: &Rectangle| {
            let common = rectangle(crop_box)?.intersection(media_box)?;
            Some(common).filter(is_box_to_all)
        };
        let (visible, unclear_boxes): (_, &[&[u8]]) = match (media_box, crop_box) {
            (None, _) => (FALLBACK_BOX, &[b"MediaBox", b"CropBox"]),
            (Some(media_box), _) if !is_box_to_all(&media_box) => {
                (widened(media_box), &[b"MediaBox", b"CropBox"])
            }
            (Some(media_box), None) => (media_box, &[]),
            (Some(media_box), Some(crop_box)) => match clear(crop_box, &media_box) {
                Some(visible) => (visible, &[]),
                None => (media_box, &[b"CropBox"]),
            },
        };
        let user_unit = node_entries(file, page)
            .and_then(|page| file.entry(page, b"UserUnit")?.as_float().ok())
            .map(f64::from)
            .filter(|unit| unit.is_finite() && *unit > 0.0);
        let rotation = tree.attribute(file, page, b"Rotate");
        Self {
            visible,
            rotation: rotation.map_or(Rotation::None, Rotation::of),
            user_unit: user_unit.unwrap_or(1.0),
            unclear_boxes,
        }
    }

    /// Makes the visible area of the page explicit if viewers disagree: each
    /// must show the banner.
    pub(super) fn settle_boxes(
        &self,
        page: ObjectId,
        edits: &mut Edits<'_, '_>,
    ) -> Result<(), Refusal> {
        let visible = self.visible.to_string();
        self.unclear_boxes
            .iter()
            .try_for_each(|key| edits.set_entry(page, key, visible.as_bytes()))
    }

    /// Returns the matrix (ISO 32000-2, 8.3.4) from banner space to the upper
    /// edge of the page.
    pub(super) fn banner_matrix(&self) -> Matrix {
        let scale = self.scale();
        let strip = self.strip();
        let (center, middle) = strip.center();
        let (x, y) = match self.rotation {
            Rotation::None => (center, strip.bottom),
            Rotation::Quarter => (strip.right, middle),
            Rotation::Half => (center, strip.top),
            Rotation::ThreeQuarters => (strip.left, middle),
        };
        Matrix::scaling(scale, scale)
            .then(&self.turn())
            .then(&Matrix::translation(x, y))
    }

    /// Returns the part of the page that the banner covers.
    pub(super) fn strip(&self) -> Rectangle {
        let height = self.scale() * banner::HEIGHT;
        let visible = self.visible;
        match self.rotation {
            Rotation::None => Rectangle {
                bottom: visible.top - height,
                ..visible
            },
            Rotation::Quarter => Rectangle {
                right: visible.left + height,
                ..visible
            },
            Rotation::Half => Rectangle {
                top: visible.bottom + height,
                ..visible
            },
            Rotation::ThreeQuarters => Rectangle {
                left: visible.right - height,
                ..visible
            },
        }
    }

    /// Returns the rotation of the banner with the page.
    pub(super) fn turn(&self) -> Matrix {
        match self.rotation {
            Rotation::None => Matrix::IDENTITY,
            Rotation::Quarter => Matrix([0.0, 1.0, -1.0, 0.0, 0.0, 0.0]),
            Rotation::Half => Matrix([-1.0, 0.0, 0.0, -1.0, 0.0, 0.0]),
            Rotation::ThreeQuarters => Matrix([0.0, -1.0, 1.0, 0.0, 0.0, 0.0]),
        }
    }

    /// Returns the page width in the banner's units.
    pub(super) fn width(&self) -> f64 {
        self.displayed_size().0 / self.scale()
    }

    /// Returns width and height of the displayed page, in user space units.
    fn displayed_size(&self) -> (f64, f64) {
        let (across, up) = (self.visible.width(), self.visible.height());
        match self.rotation {
            Rotation::None | Rotation::Half => (across, up),
            Rotation::Quarter | Rotation::ThreeQuarters => (up, across),
        }
    }

    /// Returns user space units per banner unit.
    fn scale(&self) -> f64 {
        let (width, height) = self.displayed_size();
        let preferred = (width.min(height) / REFERENCE_SIDE).max(1.0 / self.user_unit);
        preferred
            .min(MAX_SHARE_OF_WIDTH * width / banner::TEXT_WIDTH)
            .min(MAX_SHARE_OF_HEIGHT * height / banner::HEIGHT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(visible: [f64; 4], rotation: Rotation, user_unit: f64) -> DisplayedPage {
        DisplayedPage {
            visible: Rectangle::of_corners(visible),
            rotation,
            user_unit,
            unclear_boxes: &[],
        }
    }

    /// Transforms a point of the banner to the page.
    fn placed(Matrix([a, b, c, d, e, f]): Matrix, (x, y): (f64, f64)) -> (f64, f64) {
        (a * x + c * y + e, b * x + d * y + f)
    }

    #[test]
    fn the_upper_edge_of_the_banner_lies_on_the_upper_edge_of_the_shown_page() {
        let a4 = [10.0, 20.0, 605.0, 862.0];
        let upper_edge = (0.0, banner::HEIGHT);
        for (rotation, expected) in [
            (Rotation::None, (307.5, 862.0)),
            (Rotation::Quarter, (10.0, 441.0)),
            (Rotation::Half, (307.5, 20.0)),
            (Rotation::ThreeQuarters, (605.0, 441.0)),
        ] {
            let page = page(a4, rotation, 1.0);
            assert_eq!(
                placed(page.banner_matrix(), upper_edge),
                expected,
                "{rotation:?}"
            );
            let half = page.width() / 2.0;
            let banner = Rectangle::of_corners([-half, 0.0, half, banner::HEIGHT]);
            assert_eq!(page.banner_matrix().bounds(&banner), page.strip());
        }
    }

    #[test]
    fn the_banner_fits_every_page_and_grows_with_large_ones() {
        let scale = |visible, user_unit| page(visible, Rotation::None, user_unit).scale();

        assert_eq!(scale([0.0, 0.0, 595.0, 842.0], 1.0), 1.0);
        assert_eq!(scale([0.0, 0.0, 226.0, 1500.0], 1.0), 1.0);
        assert!(scale([0.0, 0.0, 14_400.0, 14_400.0], 1.0) > 20.0);
        let tiny = scale([0.0, 0.0, 10.0, 10.0], 1.0);
        assert!(tiny * banner::TEXT_WIDTH < 10.0 && tiny * banner::HEIGHT <= 1.0);
        assert_eq!(
            scale([0.0, 0.0, 59.5, 84.2], 10.0),
            0.1,
            "a unit of ten points"
        );
    }
}
