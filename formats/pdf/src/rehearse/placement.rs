//! Where on a page the banner goes.

use lopdf::{Object, ObjectId};

use super::banner;
use super::page_attributes::{PageAttributes, dictionary};
use crate::structure::PdfFile;

/// The box of a page whose own is empty, as viewers assume it: US Letter.
const FALLBACK_BOX: Rectangle = Rectangle {
    left: 0.0,
    bottom: 0.0,
    right: 612.0,
    top: 792.0,
};

/// The shorter side of A4 in points: here and on smaller pages the banner has
/// its own size, on larger ones it grows with the page.
const REFERENCE_SIDE: f64 = 595.0;

/// Most that the banner's text takes of the width of a page.
const MAX_SHARE_OF_WIDTH: f64 = 0.9;

/// Most that the banner takes of the height of a page.
const MAX_SHARE_OF_HEIGHT: f64 = 0.1;

/// Coordinates beyond this are no page.
const MAX_COORDINATE: f64 = 1e9;

/// A page as viewers show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DisplayedPage {
    /// What is shown of user space.
    visible: Rectangle,
    rotation: Rotation,
    /// Points in a unit of user space (ISO 32000-2, table 31, `/UserUnit`).
    user_unit: f64,
}

/// A rectangle that is not empty.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rectangle {
    left: f64,
    bottom: f64,
    right: f64,
    top: f64,
}

/// How far a page is turned clockwise when it is shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Rotation {
    None,
    Quarter,
    Half,
    ThreeQuarters,
}

impl DisplayedPage {
    pub(super) fn read(file: &PdfFile<'_>, attributes: &PageAttributes, page: ObjectId) -> Self {
        let attribute = |key: &[u8]| {
            attributes
                .find(file, page, key)
                .map(|attribute| attribute.value)
        };
        let rectangle = |key| attribute(key).and_then(|value| Rectangle::read(file, value));
        let media_box = rectangle(b"MediaBox").unwrap_or(FALLBACK_BOX);
        let visible = rectangle(b"CropBox")
            .and_then(|crop_box| crop_box.intersection(&media_box))
            .unwrap_or(media_box);
        let user_unit = dictionary(file, page)
            .and_then(|page| number(file.entry(page, b"UserUnit")?))
            .filter(|unit| *unit > 0.0);
        Self {
            visible,
            rotation: attribute(b"Rotate").map_or(Rotation::None, Rotation::read),
            user_unit: user_unit.unwrap_or(1.0),
        }
    }

    /// The matrix (ISO 32000-2, 8.3.4) that takes the middle of the banner's
    /// upper edge to the middle of the page's upper edge.
    pub(super) fn banner_matrix(&self) -> [f64; 6] {
        let Rectangle {
            left,
            bottom,
            right,
            top,
        } = self.visible;
        let (center, middle) = (f64::midpoint(left, right), f64::midpoint(bottom, top));
        let scale = self.scale();
        let height = scale * banner::HEIGHT;
        match self.rotation {
            Rotation::None => [scale, 0.0, 0.0, scale, center, top - height],
            Rotation::Quarter => [0.0, scale, -scale, 0.0, left + height, middle],
            Rotation::Half => [-scale, 0.0, 0.0, -scale, center, bottom + height],
            Rotation::ThreeQuarters => [0.0, -scale, scale, 0.0, right - height, middle],
        }
    }

    /// Units of user space in a unit of the banner.
    fn scale(&self) -> f64 {
        let across = self.visible.right - self.visible.left;
        let up = self.visible.top - self.visible.bottom;
        let (width, height) = match self.rotation {
            Rotation::None | Rotation::Half => (across, up),
            Rotation::Quarter | Rotation::ThreeQuarters => (up, across),
        };
        let preferred = (width.min(height) / REFERENCE_SIDE).max(1.0 / self.user_unit);
        preferred
            .min(MAX_SHARE_OF_WIDTH * width / banner::TEXT_WIDTH)
            .min(MAX_SHARE_OF_HEIGHT * height / banner::HEIGHT)
    }
}

impl Rectangle {
    /// Two opposite corners, whichever they are (7.9.5).
    fn read(file: &PdfFile<'_>, value: &Object) -> Option<Self> {
        let [x1, y1, x2, y2] = value.as_array().ok()?.as_slice() else {
            return None;
        };
        let coordinate = |value| {
            number(file.resolve(value)?).filter(|coordinate| coordinate.abs() <= MAX_COORDINATE)
        };
        let (x1, y1, x2, y2) = (
            coordinate(x1)?,
            coordinate(y1)?,
            coordinate(x2)?,
            coordinate(y2)?,
        );
        Self {
            left: x1.min(x2),
            bottom: y1.min(y2),
            right: x1.max(x2),
            top: y1.max(y2),
        }
        .unless_empty()
    }

    fn intersection(&self, other: &Self) -> Option<Self> {
        Self {
            left: self.left.max(other.left),
            bottom: self.bottom.max(other.bottom),
            right: self.right.min(other.right),
            top: self.top.min(other.top),
        }
        .unless_empty()
    }

    fn unless_empty(self) -> Option<Self> {
        (self.left < self.right && self.bottom < self.top).then_some(self)
    }
}

impl Rotation {
    /// Anything but a multiple of 90 degrees turns nothing.
    fn read(value: &Object) -> Self {
        let Some(degrees) = number(value) else {
            return Self::None;
        };
        match degrees.rem_euclid(360.0) {
            90.0 => Self::Quarter,
            180.0 => Self::Half,
            270.0 => Self::ThreeQuarters,
            _ => Self::None,
        }
    }
}

fn number(value: &Object) -> Option<f64> {
    value
        .as_float()
        .ok()
        .map(f64::from)
        .filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(visible: [f64; 4], rotation: Rotation, user_unit: f64) -> DisplayedPage {
        let [left, bottom, right, top] = visible;
        DisplayedPage {
            visible: Rectangle {
                left,
                bottom,
                right,
                top,
            },
            rotation,
            user_unit,
        }
    }

    /// Where a point of the banner comes to be on the page.
    fn placed([a, b, c, d, e, f]: [f64; 6], (x, y): (f64, f64)) -> (f64, f64) {
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
            let matrix = page(a4, rotation, 1.0).banner_matrix();
            assert_eq!(placed(matrix, upper_edge), expected, "{rotation:?}");
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
