//! Logos of workspaces. Files are read with limits and drawn anew; the result
//! is a PNG file written here, which contains nothing of the original but its
//! picture.

mod vector;

use std::error::Error;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use resvg::usvg::roxmltree;
use tiny_skia::{FilterQuality, Pixmap, PixmapPaint, Transform};

/// Maximum size of a file, in bytes.
const MOST_FILE_BYTES: usize = 512 * 1024;
/// Maximum width and height of a picture, in pixels.
const LONGEST_SIDE: u32 = 4096;
/// Maximum size of a stored logo: three pixels for each CSS pixel on pages.
const KEPT_WIDTH: u32 = 480;
const KEPT_HEIGHT: u32 = 144;
/// Maximum size of a stored logo, in bytes. It has to fit into a row of the
/// store, and is attached to each letter.
const MOST_KEPT_BYTES: usize = 32 * 1024;
/// The first bytes of a PNG file (W3C PNG, 5.2).
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Bytes of a chunk besides its content: length, name and checksum (W3C PNG,
/// 5.3).
const CHUNK_FRAME: usize = 12;

/// A logo as stored.
#[derive(Debug)]
pub struct Logo {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// PNG file.
    pub png: Vec<u8>,
}

/// Reasons why a file cannot be used as a logo.
#[derive(Debug, thiserror::Error)]
pub enum LogoFault {
    /// The file cannot be read.
    #[error("the logo cannot be read: {0}")]
    File(#[source] io::Error),
    /// The file is too large.
    #[error("a logo has at most {} KiB", MOST_FILE_BYTES / 1024)]
    Bytes,
    /// The picture is too large.
    #[error("a logo has at most {LONGEST_SIDE} pixels on each side")]
    Pixels,
    /// The file is neither PNG nor SVG.
    #[error("a logo is a PNG or an SVG file")]
    Format,
    /// The PNG file is broken.
    #[error("the logo is not a valid PNG file: {0}")]
    Png(#[source] Box<dyn Error + Send + Sync>),
    /// The XML is broken, or has a document type.
    #[error("the logo is not a valid SVG file, or has a document type: {0}")]
    Xml(#[source] roxmltree::Error),
    /// The SVG file has content that is not allowed in logos.
    #[error(
        "a logo in SVG may have only shapes, and this one has {0}; export it as plain paths, or as PNG"
    )]
    Content(String),
    /// The SVG file cannot be drawn.
    #[error("the logo cannot be drawn: {0}")]
    Svg(#[source] resvg::usvg::Error),
    /// The picture is fully transparent.
    #[error("no part of the logo is visible")]
    Blank,
}

impl Logo {
    /// Reads a file and draws it anew.
    ///
    /// # Errors
    /// [`LogoFault`].
    pub fn read(path: &Path) -> Result<Self, LogoFault> {
        let mut file = Vec::new();
        File::open(path)
            .and_then(|opened| {
                opened
                    .take(MOST_FILE_BYTES as u64 + 1)
                    .read_to_end(&mut file)
            })
            .map_err(LogoFault::File)?;
        Self::of(&file)
    }

    /// Draws a file anew.
    ///
    /// # Errors
    /// [`LogoFault`].
    pub fn of(file: &[u8]) -> Result<Self, LogoFault> {
        if file.len() > MOST_FILE_BYTES {
            return Err(LogoFault::Bytes);
        }
        if file.starts_with(PNG_SIGNATURE) {
            return Self::kept(&decoded(file)?);
        }
        let text = std::str::from_utf8(file).map_err(|_| LogoFault::Format)?;
        if !text
            .trim_start_matches('\u{feff}')
            .trim_start()
            .starts_with('<')
        {
            return Err(LogoFault::Format);
        }
        Self::kept(&vector::drawn(text, KEPT_WIDTH, KEPT_HEIGHT)?)
    }

    /// Scales the picture down to the size for storage.
    fn kept(picture: &Pixmap) -> Result<Self, LogoFault> {
        if picture.pixels().iter().all(|pixel| pixel.alpha() == 0) {
            return Err(LogoFault::Blank);
        }
        let (mut width, mut height) = (KEPT_WIDTH, KEPT_HEIGHT);
        loop {
            let kept = fitted(picture, width, height);
            let png = kept
                .encode_png()
                .map_err(|error| LogoFault::Png(error.into()))?;
            if png.len() <= MOST_KEPT_BYTES {
                return Ok(Self {
                    width: kept.width(),
                    height: kept.height(),
                    png,
                });
            }
            // Photographs compress less than drawings. Even incompressible ones
            // fit at a third of this size.
            (width, height) = (width * 3 / 4, height * 3 / 4);
        }
    }
}

/// Decodes the pixels of a PNG file. Its dimensions, which are in its first
/// chunk (W3C PNG, 5.6), are checked before anything is decoded.
fn decoded(file: &[u8]) -> Result<Pixmap, LogoFault> {
    let picture = picture_alone(file);
    let side = |at: usize| {
        picture
            .get(at..at + 4)
            .and_then(|side| side.try_into().ok())
    };
    let sides = [16, 20].map(|at| side(at).map_or(0, u32::from_be_bytes));
    if sides.iter().any(|side| *side > LONGEST_SIDE) {
        return Err(LogoFault::Pixels);
    }
    Pixmap::decode_png(&picture).map_err(|error| LogoFault::Png(error.into()))
}

/// Returns a PNG file without the chunks that its picture does not need, such
/// as a colour profile: the decoder inflates one to a thousand times its
/// length. The picture is in the critical chunks, whose names begin with a
/// capital letter, and in the transparency chunk (W3C PNG, 5.4 and 11.3.1).
fn picture_alone(file: &[u8]) -> Vec<u8> {
    let (signature, mut rest) = file.split_at(PNG_SIGNATURE.len());
    let mut picture = signature.to_vec();
    while let Some((chunk, after)) = first_chunk(rest) {
        let name = &chunk[4..8];
        if name[0].is_ascii_uppercase() || name == b"tRNS" {
            picture.extend_from_slice(chunk);
        }
        rest = after;
    }
    // The decoder refuses a truncated chunk.
    picture.extend_from_slice(rest);
    picture
}

/// Splits off the first chunk, with its length, name and checksum; `None` if it
/// is truncated.
fn first_chunk(chunks: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = usize::try_from(u32::from_be_bytes(*chunks.first_chunk()?)).ok()?;
    chunks.split_at_checked(length.checked_add(CHUNK_FRAME)?)
}

/// Scales a picture to fit these dimensions, keeping its proportions.
fn fitted(picture: &Pixmap, width: u32, height: u32) -> Pixmap {
    let across = width as f32 / picture.width() as f32;
    let scale = across.min(height as f32 / picture.height() as f32);
    if scale >= 1.0 {
        picture.clone()
    } else if scale < 0.5 {
        // The filter uses adjacent pixels only: halving in steps makes all of
        // them count.
        fitted(
            &smaller(picture, 0.5, FilterQuality::Bilinear),
            width,
            height,
        )
    } else {
        smaller(picture, scale, FilterQuality::Bicubic)
    }
}

fn smaller(picture: &Pixmap, scale: f32, quality: FilterQuality) -> Pixmap {
    let (wide, high) = (picture.width() as f32, picture.height() as f32);
    let across = pixels(wide * scale, picture.width());
    let down = pixels(high * scale, picture.height());
    let mut smaller = Pixmap::new(across, down).expect("there is a larger one");
    let paint = PixmapPaint {
        quality,
        ..PixmapPaint::default()
    };
    let to = Transform::from_scale(across as f32 / wide, down as f32 / high);
    smaller.draw_pixmap(0, 0, picture.as_ref(), &paint, to, None);
    smaller
}

/// Rounds a length to whole pixels, at least one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "floats become the nearest integers that there are, and are clamped"
)]
fn pixels(side: f32, most: u32) -> u32 {
    (side.round() as u32).clamp(1, most)
}

#[cfg(test)]
mod tests;
