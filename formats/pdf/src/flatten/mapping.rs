//! Placement of an appearance on its page (ISO 32000-2, 12.5.5, algorithm 8).

use crate::page_content::{Matrix, Rectangle, Rotation};

/// The box and matrix of a form XObject (8.10.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FormSpace {
    /// `/BBox`.
    pub(super) bounding_box: Rectangle,
    /// `/Matrix`.
    pub(super) matrix: Matrix,
}

/// Returns the transformation that maps an appearance, after its own matrix,
/// into the annotation's rectangle; `None` if it has no extent. On a rotated
/// page, `rotation` turns back an annotation that stays upright.
pub(super) fn placement(
    form: &FormSpace,
    rectangle: &Rectangle,
    rotation: Rotation,
) -> Option<Matrix> {
    let upright = turn_back(rotation);
    let rectangle = turned_back(rectangle, rotation);
    let bounds = form.matrix.then(&upright).bounds(&form.bounding_box);
    if bounds.is_empty() {
        return None;
    }
    let (x, y) = (
        rectangle.width() / bounds.width(),
        rectangle.height() / bounds.height(),
    );
    let placed = upright
        .then(&Matrix::translation(-bounds.left, -bounds.bottom))
        .then(&Matrix::scaling(x, y))
        .then(&Matrix::translation(rectangle.left, rectangle.bottom));
    placed
        .0
        .iter()
        .all(|number| number.is_finite())
        .then_some(placed)
}

/// Returns the rotation that makes content upright on a rotated page.
fn turn_back(rotation: Rotation) -> Matrix {
    match rotation {
        Rotation::None => Matrix::IDENTITY,
        Rotation::Quarter => Matrix([0.0, 1.0, -1.0, 0.0, 0.0, 0.0]),
        Rotation::Half => Matrix([-1.0, 0.0, 0.0, -1.0, 0.0, 0.0]),
        Rotation::ThreeQuarters => Matrix([0.0, -1.0, 1.0, 0.0, 0.0, 0.0]),
    }
}

/// Enlarges a rectangle by this much on every side.
pub(super) fn grown(rectangle: &Rectangle, by: f64) -> Rectangle {
    Rectangle {
        left: rectangle.left - by,
        bottom: rectangle.bottom - by,
        right: rectangle.right + by,
        top: rectangle.top + by,
    }
}

/// Rotates the rectangle around its upper left corner (12.5.3).
pub(super) fn turned_back(rectangle: &Rectangle, rotation: Rotation) -> Rectangle {
    let (x, y) = (rectangle.left, rectangle.top);
    let (width, height) = (rectangle.width(), rectangle.height());
    match rotation {
        Rotation::None => *rectangle,
        Rotation::Quarter => Rectangle::of_corners([x, y, x + height, y + width]),
        Rotation::Half => Rectangle::of_corners([x - width, y, x, y + height]),
        Rotation::ThreeQuarters => Rectangle::of_corners([x - height, y - width, x, y]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECTANGLE: Rectangle = Rectangle {
        left: 100.0,
        bottom: 200.0,
        right: 300.0,
        top: 250.0,
    };

    fn placed(bounding_box: [f64; 4], matrix: Matrix, rotation: Rotation) -> String {
        let form = FormSpace {
            bounding_box: Rectangle::of_corners(bounding_box),
            matrix,
        };
        placement(&form, &RECTANGLE, rotation).unwrap().to_string()
    }

    #[test]
    fn an_appearance_of_the_same_size_is_only_moved() {
        let placed = placed([0.0, 0.0, 200.0, 50.0], Matrix::IDENTITY, Rotation::None);

        assert_eq!(placed, "1 0 0 1 100 200");
    }

    #[test]
    fn an_appearance_away_from_the_origin_is_stretched_from_its_own_corner() {
        let placed = placed([10.0, 20.0, 110.0, 70.0], Matrix::IDENTITY, Rotation::None);

        assert_eq!(placed, "2 0 0 1 80 180");
    }

    #[test]
    fn the_matrix_of_the_appearance_counts_before_its_extent_does() {
        let quarter = Matrix([0.0, 1.0, -1.0, 0.0, 0.0, 0.0]);

        let placed = placed([0.0, 0.0, 50.0, 200.0], quarter, Rotation::None);

        assert_eq!(placed, "1 0 0 1 300 200");
    }

    #[test]
    fn an_upright_annotation_is_turned_around_its_upper_left_corner() {
        let bounding_box = [0.0, 0.0, 200.0, 50.0];
        let placed = |rotation| placed(bounding_box, Matrix::IDENTITY, rotation);

        assert_eq!(placed(Rotation::Quarter), "0 1 -1 0 150 250");
        assert_eq!(placed(Rotation::Half), "-1 0 0 -1 100 300");
        assert_eq!(placed(Rotation::ThreeQuarters), "0 -1 1 0 50 250");
    }

    #[test]
    fn an_appearance_without_extent_has_no_place() {
        let flat = FormSpace {
            bounding_box: Rectangle::of_corners([0.0, 0.0, 10.0, 10.0]),
            matrix: Matrix([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        };

        assert_eq!(placement(&flat, &RECTANGLE, Rotation::None), None);
    }
}
