//! Logos of workspaces: read with limits, drawn anew, and kept as PNG files that
//! were written here, with nothing of the file but its picture.

mod vector;

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat, ImageReader, Limits, RgbaImage};
use resvg::usvg::roxmltree;

/// Most bytes of a file.
const MOST_FILE_BYTES: u64 = 512 * 1024;
/// Most pixels of a picture on each side.
const LONGEST_SIDE: u32 = 4096;
/// Most bytes that decoding one may take: its pixels, and as much again.
const MOST_DECODED_BYTES: u64 = 2 * 4 * (LONGEST_SIDE as u64) * (LONGEST_SIDE as u64);
/// Most pixels of what is kept: three for each that pages show.
const KEPT_WIDTH: u32 = 480;
const KEPT_HEIGHT: u32 = 144;
/// Most bytes of what is kept, which has to fit into a row of the store, and goes
/// along with each letter.
const MOST_KEPT_BYTES: usize = 32 * 1024;
/// The first bytes of a PNG file (W3C PNG, 5.2).
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

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
    #[error("the logo is no sound PNG file: {0}")]
    Png(#[source] image::ImageError),
    /// It is broken XML, or has a document type.
    #[error("the logo is no sound SVG file, or has a document type: {0}")]
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
            .and_then(|opened| opened.take(MOST_FILE_BYTES + 1).read_to_end(&mut file))
            .map_err(LogoFault::File)?;
        Self::of(&file)
    }

    fn of(file: &[u8]) -> Result<Self, LogoFault> {
        if file.len() as u64 > MOST_FILE_BYTES {
            return Err(LogoFault::Bytes);
        }
        if file.starts_with(PNG_SIGNATURE) {
            return Self::kept(decoded(file)?);
        }
        let text = std::str::from_utf8(file).map_err(|_| LogoFault::Format)?;
        if !text
            .trim_start_matches('\u{feff}')
            .trim_start()
            .starts_with('<')
        {
            return Err(LogoFault::Format);
        }
        Self::kept(vector::drawn(text, KEPT_WIDTH, KEPT_HEIGHT)?)
    }

    /// Makes the picture as small as it is kept.
    fn kept(picture: RgbaImage) -> Result<Self, LogoFault> {
        if picture.pixels().all(|pixel| pixel.0[3] == 0) {
            return Err(LogoFault::Blank);
        }
        let picture = DynamicImage::from(picture);
        let (mut width, mut height) = (KEPT_WIDTH, KEPT_HEIGHT);
        loop {
            let kept = if picture.width() > width || picture.height() > height {
                picture.resize(width, height, FilterType::Lanczos3)
            } else {
                picture.clone()
            };
            let mut png = Cursor::new(Vec::new());
            kept.write_to(&mut png, ImageFormat::Png)
                .map_err(LogoFault::Png)?;
            let png = png.into_inner();
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
/// decoded.
fn decoded(file: &[u8]) -> Result<RgbaImage, LogoFault> {
    let (width, height) = ImageReader::with_format(Cursor::new(file), ImageFormat::Png)
        .into_dimensions()
        .map_err(LogoFault::Png)?;
    if width > LONGEST_SIDE || height > LONGEST_SIDE {
        return Err(LogoFault::Pixels);
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST_SIDE);
    limits.max_image_height = Some(LONGEST_SIDE);
    limits.max_alloc = Some(MOST_DECODED_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(file), ImageFormat::Png);
    reader.limits(limits);
    Ok(reader.decode().map_err(LogoFault::Png)?.into_rgba8())
}

#[cfg(test)]
mod tests;
