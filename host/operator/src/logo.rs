//! Logos of workspaces: read with limits, drawn anew, and kept as PNG files that
//! were written here, with nothing of the file but its picture.

mod vector;

use std::error::Error;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use resvg::usvg::roxmltree;
use tiny_skia::{FilterQuality, Pixmap, PixmapPaint, Transform};

/// Most bytes of a file.
const MOST_FILE_BYTES: usize = 512 * 1024;
/// Most pixels of a picture on each side.
const LONGEST_SIDE: u32 = 4096;
/// Most pixels of what is kept: three for each that pages show.
const KEPT_WIDTH: u32 = 480;
const KEPT_HEIGHT: u32 = 144;
/// Most bytes of what is kept, which has to fit into a row of the store, and goes
/// along with each letter.
const MOST_KEPT_BYTES: usize = 32 * 1024;
/// The first bytes of a PNG file (W3C PNG, 5.2).
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Bytes of a chunk beside its content: length, name and checksum (W3C PNG, 5.3).
const CHUNK_FRAME: usize = 12;

/// A logo as it is kept.
#[derive(Debug)]
pub(crate) struct Logo {
    /// In pixels.
    pub(crate) width: u32,
    /// In pixels.
    pub(crate) height: u32,
    /// The file.
    pub(crate) png: Vec<u8>,
}

/// Why a file makes no logo.
#[derive(Debug, thiserror::Error)]
pub enum LogoFault {
    /// It cannot be read.
    #[error("the logo cannot be read: {0}")]
    File(#[source] io::Error),
    /// It is too large.
    #[error("a logo has at most {} KiB", MOST_FILE_BYTES / 1024)]
    Bytes,
    /// The picture is too large.
    #[error("a logo has at most {LONGEST_SIDE} pixels on each side")]
    Pixels,
    /// It is neither a PNG nor an SVG file.
    #[error("a logo is a PNG or an SVG file")]
    Format,
    /// It is a broken PNG file.
    #[error("the logo is not a valid PNG file: {0}")]
    Png(#[source] Box<dyn Error + Send + Sync>),
    /// It is broken XML, or has a document type.
    #[error("the logo is not a valid SVG file, or has a document type: {0}")]
    Xml(#[source] roxmltree::Error),
    /// There is something in the SVG file that logos do not have.
    #[error(
        "a logo in SVG has shapes alone, and this one has {0}; export it as plain paths, or as PNG"
    )]
    Content(String),
    /// The SVG file cannot be drawn.
    #[error("the logo cannot be drawn: {0}")]
    Svg(#[source] resvg::usvg::Error),
    /// Nothing can be seen of it.
    #[error("nothing can be seen of the logo")]
    Blank,
}

impl Logo {
    /// Reads a file and draws it anew.
    ///
    /// # Errors
    /// [`LogoFault`].
    pub(crate) fn read(path: &Path) -> Result<Self, LogoFault> {
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

    fn of(file: &[u8]) -> Result<Self, LogoFault> {
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

    /// Makes the picture as small as it is kept.
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
            // Photographs take more than drawings do. They fit at a third of this
            // size even where nothing of them can be compressed.
            (width, height) = (width * 3 / 4, height * 3 / 4);
        }
    }
}

/// The pixels of a PNG file, whose dimensions are looked at before anything is
/// decoded. They are in its first chunk (W3C PNG, 5.6).
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

/// A PNG file without what its picture does without, such as a colour profile, which
/// the decoder inflates to a thousand times its length. The picture is in the
/// critical chunks, whose names begin with a capital letter, and in that of
/// transparency (W3C PNG, 5.4 and 11.3.1).
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
    // What is cut off is for the decoder to refuse.
    picture.extend_from_slice(rest);
    picture
}

/// The first chunk, with its length, name and checksum, and what follows it; none
/// where it is cut off.
fn first_chunk(chunks: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = usize::try_from(u32::from_be_bytes(*chunks.first_chunk()?)).ok()?;
    chunks.split_at_checked(length.checked_add(CHUNK_FRAME)?)
}

/// A picture within these sides, in its proportions.
fn fitted(picture: &Pixmap, width: u32, height: u32) -> Pixmap {
    let across = width as f32 / picture.width() as f32;
    let scale = across.min(height as f32 / picture.height() as f32);
    if scale >= 1.0 {
        picture.clone()
    } else if scale < 0.5 {
        // A pixel is made of its neighbours alone, so that all count only in steps.
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

/// A side in whole pixels, at least one.
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
