//! Coordinates (ISO 32000-2, 8.3).

use std::fmt;

use lopdf::Object;

use crate::structure::PdfFile;
use crate::write::number;

/// Maximum absolute value of a coordinate; larger numbers cannot be computed
/// with.
const LARGEST_COORDINATE: f64 = 1e9;

/// A transformation `[a b c d e f]` (8.3.4): x' = ax + cy + e, y' = bx + dy + f.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matrix(pub(crate) [f64; 6]);

impl Matrix {
    /// The identity.
    pub(crate) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// Returns a translation.
    pub(crate) const fn translation(x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// Returns a scaling from the origin.
    pub(crate) const fn scaling(x: f64, y: f64) -> Self {
        Self([x, 0.0, 0.0, y, 0.0, 0.0])
    }

    /// Returns this transformation followed by `next`.
    pub(crate) fn then(&self, next: &Self) -> Self {
        let [a, b, c, d, e, f] = self.0;
        let [na, nb, nc, nd, ne, nf] = next.0;
        Self([
            a * na + b * nc,
            a * nb + b * nd,
            c * na + d * nc,
            c * nb + d * nd,
            e * na + f * nc + ne,
            e * nb + f * nd + nf,
        ])
    }

    /// Returns whether it would be written as the identity.
    pub(crate) fn is_identity(&self) -> bool {
        let differences = self.0.iter().zip(Self::IDENTITY.0);
        let greatest = differences.map(|(own, one)| (own - one).abs());
        // Larger differences are always written differently.
        greatest.fold(0.0, f64::max) < 1e-3 && self.0.map(number) == Self::IDENTITY.0.map(number)
    }

    /// Transforms a point.
    pub(crate) fn applied_to(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let [a, b, c, d, e, f] = self.0;
        (a * x + c * y + e, b * x + d * y + f)
    }

    /// Returns the mean scale factor of lengths over all directions.
    pub(crate) fn scale(&self) -> f64 {
        let [a, b, c, d, ..] = self.0;
        (a * d - b * c).abs().sqrt()
    }

    /// Returns the axis-aligned bounding box of a transformed rectangle.
    pub(crate) fn bounds(&self, rectangle: &Rectangle) -> Rectangle {
        let Rectangle {
            left,
            bottom,
            right,
            top,
        } = *rectangle;
        let corners = [(left, bottom), (left, top), (right, bottom), (right, top)]
            .map(|corner| self.applied_to(corner));
        let [first, ..] = corners;
        let point = Rectangle {
            left: first.0,
            bottom: first.1,
            right: first.0,
            top: first.1,
        };
        corners.iter().fold(point, |bounds, (x, y)| Rectangle {
            left: bounds.left.min(*x),
            bottom: bounds.bottom.min(*y),
            right: bounds.right.max(*x),
            top: bounds.top.max(*y),
        })
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.map(number).join(" "))
    }
}

/// A normalized rectangle (7.9.5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rectangle {
    pub(crate) left: f64,
    pub(crate) bottom: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
}

impl Rectangle {
    /// Creates the rectangle with these two opposite corners.
    pub(crate) fn of_corners([x1, y1, x2, y2]: [f64; 4]) -> Self {
        Self {
            left: x1.min(x2),
            bottom: y1.min(y2),
            right: x1.max(x2),
            top: y1.max(y2),
        }
    }

    /// Reads a rectangle from an array (7.9.5).
    pub(crate) fn read(file: &PdfFile<'_>, array: &Object) -> Option<Self> {
        coordinates(file, array).map(Self::of_corners)
    }

    /// Returns the width.
    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    /// Returns the height.
    pub(crate) fn height(&self) -> f64 {
        self.top - self.bottom
    }

    /// Returns the centre.
    pub(crate) fn center(&self) -> (f64, f64) {
        (
            f64::midpoint(self.left, self.right),
            f64::midpoint(self.bottom, self.top),
        )
    }

    /// Returns whether a point lies inside or on the edge.
    pub(crate) fn contains(&self, (x, y): (f64, f64)) -> bool {
        (self.left..=self.right).contains(&x) && (self.bottom..=self.top).contains(&y)
    }

    /// Returns whether the area is zero.
    pub(crate) fn is_empty(&self) -> bool {
        self.width() <= 0.0 || self.height() <= 0.0
    }

    /// Returns the smallest rectangle around both.
    pub(crate) fn with(&self, other: &Self) -> Self {
        Self {
            left: self.left.min(other.left),
            bottom: self.bottom.min(other.bottom),
            right: self.right.max(other.right),
            top: self.top.max(other.top),
        }
    }

    /// Returns the intersection; `None` if it has no interior.
    pub(crate) fn intersection(&self, other: &Self) -> Option<Self> {
        let common = Self {
            left: self.left.max(other.left),
            bottom: self.bottom.max(other.bottom),
            right: self.right.min(other.right),
            top: self.top.min(other.top),
        };
        (!common.is_empty()).then_some(common)
    }

    /// Returns whether the interiors intersect.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.bottom < other.top
            && other.bottom < self.top
    }
}

impl fmt::Display for Rectangle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let corners = [self.left, self.bottom, self.right, self.top];
        write!(formatter, "[{}]", corners.map(number).join(" "))
    }
}

/// Clockwise rotation of a displayed page (`/Rotate`, 7.7.3.3).
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Rotation {
    /// Upright.
    None,
    /// 90 degrees.
    Quarter,
    /// 180 degrees.
    Half,
    /// 270 degrees.
    ThreeQuarters,
}

impl Rotation {
    /// Reads an angle. Only multiples of 90 degrees are valid; readers ignore
    /// others.
    pub(crate) fn of(degrees: &Object) -> Self {
        match degrees.as_float().unwrap_or(0.0).rem_euclid(360.0) {
            90.0 => Self::Quarter,
            180.0 => Self::Half,
            270.0 => Self::ThreeQuarters,
            _ => Self::None,
        }
    }
}

/// Returns the numbers of an array with exactly this length, references
/// followed; `None` if any is no valid coordinate.
pub(crate) fn coordinates<const COUNT: usize>(
    file: &PdfFile<'_>,
    array: &Object,
) -> Option<[f64; COUNT]> {
    let items = array.as_array().ok()?;
    let items: &[Object; COUNT] = items.as_slice().try_into().ok()?;
    let mut numbers = [0.0; COUNT];
    for (number, item) in numbers.iter_mut().zip(items) {
        *number = f64::from(file.resolve(item)?.as_float().ok()?);
        if !number.is_finite() || number.abs() > LARGEST_COORDINATE {
            return None;
        }
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transformations_are_applied_one_after_the_other() {
        let scaled_then_moved = Matrix::scaling(2.0, 3.0).then(&Matrix::translation(10.0, 20.0));

        assert_eq!(scaled_then_moved.to_string(), "2 0 0 3 10 20");
        assert!(!scaled_then_moved.is_identity());
        assert!(Matrix::IDENTITY.then(&Matrix::IDENTITY).is_identity());
        assert!(!Matrix([1.0, 2e-7, 0.0, 1.0, 0.0, 0.0]).is_identity());
    }

    #[test]
    fn the_bounds_of_a_turned_rectangle_are_upright() {
        let quarter = Matrix([0.0, 1.0, -1.0, 0.0, 0.0, 0.0]);

        let bounds = quarter.bounds(&Rectangle::of_corners([4.0, 2.0, 0.0, 0.0]));

        assert_eq!(bounds.to_string(), "[-2 0 0 4]");
    }
}
