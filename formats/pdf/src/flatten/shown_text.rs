//! Text that an appearance provably shows (ISO 32000-2, 9.4).
//!
//! Only operators that programs write for text fields are followed. Text is not
//! certain if readers may see only part of it or nothing. Examples: it lacks
//! contrast to the background, crosses the bounding box or a clipping
//! rectangle, or is too small.

use crate::page_content::{ContentDecoder, Matrix, Operand, Operators, Rectangle};
use crate::structure::as_string;

/// Maximum number of lines accepted as a frame: more could form letters.
const MAX_LINES: usize = 16;

/// Maximum nesting of saved graphics states.
const MAX_SAVED: usize = 28;

/// Maximum line width of a frame, in units of the appearance.
const MAX_LINE_WIDTH: f64 = 4.0;

/// Minimum legible font size, in units of the appearance.
const MIN_FONT_SIZE: f64 = 1.0;

/// Minimum contrast between text and background: difference in luminance, from
/// 0 (black) to 1 (white).
const MIN_CONTRAST: f64 = 0.4;

/// Width of the narrowest glyph of the standard fonts, relative to the font
/// size.
const MIN_LETTER_WIDTH: f64 = 0.2;

/// Returns the strings that a content stream paints, in order. `None` if it
/// draws more than text and a frame, or its text may be invisible.
pub(super) fn shown_text(
    content: &[u8],
    bounding_box: Rectangle,
    decoder: &mut ContentDecoder,
) -> Option<Vec<u8>> {
    decoder.with_operators(content, |operators| {
        let mut text = ShownText::new(bounding_box);
        text.follow_all(operators)?;
        Some(text.shown)
    })
}

/// Parameters saved and restored with the graphics state (8.4).
#[derive(Clone, Copy)]
struct GraphicsState {
    transformation: Matrix,
    clip: Rectangle,
    /// Luminance of the fill colour, which also paints text.
    fill: f64,
    font_size: f64,
    leading: f64,
    character_spacing: f64,
}

/// The path under construction (8.5.2).
#[derive(Clone, Copy)]
enum Path {
    Empty,
    Rectangle(Rectangle),
    Other,
}

struct ShownText {
    shown: Vec<u8>,
    has_begun: bool,
    state: GraphicsState,
    saved: Vec<GraphicsState>,
    /// The text line matrix (9.4.2).
    line: Matrix,
    path: Path,
    clips: bool,
    /// Number of lines in paths so far.
    lines: usize,
    /// Luminance of the darkest area below the text.
    background: f64,
}

impl ShownText {
    fn new(bounding_box: Rectangle) -> Self {
        Self {
            shown: Vec::new(),
            has_begun: false,
            state: GraphicsState {
                transformation: Matrix::IDENTITY,
                clip: bounding_box,
                fill: 0.0,
                font_size: 0.0,
                leading: 0.0,
                character_spacing: 0.0,
            },
            saved: Vec::new(),
            line: Matrix::IDENTITY,
            path: Path::Empty,
            clips: false,
            lines: 0,
            background: 1.0,
        }
    }

    fn follow_all(&mut self, operators: &mut Operators<'_>) -> Option<()> {
        let mut numbers = Vec::new();
        let mut strings = Vec::new();
        while let Some(operand) = operators.next() {
            let written = operators.written();
            match operand {
                Operand::Operator(operator) => {
                    match *strings.as_slice() {
                        [] => self.follow(operator, &numbers)?,
                        // Readers drop surplus operands.
                        [string] if numbers.is_empty() => self.show(operator, string)?,
                        _ => return None,
                    }
                    numbers.clear();
                    strings.clear();
                }
                Operand::String { .. } => strings.push(written),
                Operand::Other => numbers.extend(as_number(written)),
                Operand::Name(_) => {}
            }
        }
        Some(())
    }

    fn follow(&mut self, operator: &[u8], numbers: &[f64]) -> Option<()> {
        let state = &mut self.state;
        match (operator, numbers) {
            (b"q", []) if self.saved.len() < MAX_SAVED => self.saved.push(*state),
            (b"Q", []) => *state = self.saved.pop()?,
            (b"cm", &[a, b, c, d, e, f]) => {
                state.transformation = Matrix([a, b, c, d, e, f]).then(&state.transformation);
            }
            (b"g", &[gray]) => state.fill = gray,
            (b"rg", &[red, green, blue]) => state.fill = luminance(red, green, blue),
            (b"k", &[cyan, magenta, yellow, black]) => {
                state.fill = 1.0 - luminance(cyan, magenta, yellow) - black;
            }
            (b"Tf", &[size]) => state.font_size = size,
            (b"TL", &[leading]) => state.leading = leading,
            (b"Tc", &[spacing]) if spacing >= 0.0 => state.character_spacing = spacing,
            (b"BT", []) => self.line = Matrix::IDENTITY,
            (b"Td", &[x, y]) => self.move_line(x, y),
            (b"TD", &[x, y]) => {
                state.leading = -y;
                self.move_line(x, y);
            }
            (b"T*", []) => self.next_line(),
            (b"Tm", &[a, b, c, d, e, f]) => self.line = Matrix([a, b, c, d, e, f]),
            // Paths painted after text may cover it.
            (b"re", &[x, y, width, height]) if !self.has_begun => {
                let rectangle = Rectangle::of_corners([x, y, x + width, y + height]);
                self.path = match self.path {
                    Path::Empty => Path::Rectangle(state.transformation.bounds(&rectangle)),
                    _ => Path::Other,
                };
                self.lines += 1;
            }
            (b"m" | b"l" | b"c" | b"v" | b"y", _) if !self.has_begun => {
                self.path = Path::Other;
                self.lines += usize::from(operator != b"m");
            }
            (b"W" | b"W*", []) => self.clips = true,
            (b"n" | b"S" | b"s", []) => self.end_path(false)?,
            (b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*", []) => self.end_path(true)?,
            (b"w", &[width]) if width <= MAX_LINE_WIDTH => {}
            (b"Tw", &[0.0]) | (b"h" | b"ET" | b"BMC" | b"BDC" | b"EMC", _) => {}
            (b"G" | b"RG" | b"K" | b"J" | b"j" | b"M" | b"d" | b"i" | b"ri", _) => {}
            _ => return None,
        }
        (self.lines <= MAX_LINES).then_some(())
    }

    fn end_path(&mut self, fills: bool) -> Option<()> {
        if fills {
            self.background = self.background.min(self.state.fill);
        }
        if std::mem::take(&mut self.clips) {
            let Path::Rectangle(rectangle) = self.path else {
                return None;
            };
            self.state.clip = self.state.clip.intersection(&rectangle)?;
        }
        self.path = Path::Empty;
        Some(())
    }

    fn move_line(&mut self, x: f64, y: f64) {
        self.line = Matrix::translation(x, y).then(&self.line);
    }

    fn next_line(&mut self) {
        self.move_line(0.0, -self.state.leading);
    }

    fn show(&mut self, operator: &[u8], string: &[u8]) -> Option<()> {
        match operator {
            b"Tj" => {}
            b"'" => self.next_line(),
            // Marks the language of content.
            b"BDC" => return Some(()),
            _ => return None,
        }
        let characters = as_string(string)?;
        self.has_begun = true;
        let state = &self.state;
        let space = self.line.then(&state.transformation);
        let count = f64::from(u32::try_from(characters.len()).ok()?);
        let advance = MIN_LETTER_WIDTH * state.font_size + state.character_spacing;
        let is_inside = [0.0, count * advance]
            .iter()
            .all(|x| state.clip.contains(space.applied_to((*x, 0.0))));
        let is_seen = is_inside
            && state.font_size * space.scale() >= MIN_FONT_SIZE
            && state.fill + MIN_CONTRAST <= self.background;
        if !characters.trim_ascii().is_empty() && !is_seen {
            return None;
        }
        self.shown.extend(characters);
        Some(())
    }
}

fn luminance(red: f64, green: f64, blue: f64) -> f64 {
    0.3 * red + 0.59 * green + 0.11 * blue
}

/// Parses a number (7.3.3).
fn as_number(written: &[u8]) -> Option<f64> {
    let is_digit = |byte: &u8| byte.is_ascii_digit() || b"+-.".contains(byte);
    let number = written.iter().all(is_digit).then_some(written)?;
    std::str::from_utf8(number).ok()?.parse().ok()
}
