//! Text and pictures of a document from two renderers.

use std::fs;
use std::process::{Command, Output};

use parafa_fixtures::tool::program;

/// Resolution of pictures in dots per inch: enough to locate colours.
const RESOLUTION: &str = "36";

/// A program that extracts text and draws pages.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Renderer {
    MuPdf,
    Poppler,
}

impl Renderer {
    /// Returns the installed renderers.
    pub(crate) fn all() -> Vec<Self> {
        let all = [Self::MuPdf, Self::Poppler];
        let is_there = |renderer: &Self| match renderer {
            Self::MuPdf => program("mutool").is_some(),
            Self::Poppler => program("pdftotext").is_some() && program("pdftoppm").is_some(),
        };
        all.into_iter().filter(is_there).collect()
    }

    /// Returns the text, with a form feed after every page.
    pub(crate) fn text(self, document: &[u8]) -> String {
        let said = match self {
            Self::MuPdf => run("mutool", &["draw", "-q", "-F", "txt"], document, &[]),
            Self::Poppler => run("pdftotext", &[], document, &["-"]),
        };
        String::from_utf8_lossy(&said.stdout).into_owned()
    }

    /// Renders the first page.
    pub(crate) fn picture(self, document: &[u8]) -> Picture {
        let drawn = match self {
            Self::MuPdf => run(
                "mutool",
                &[
                    "draw", "-q", "-F", "ppm", "-c", "rgb", "-r", RESOLUTION, "-o", "-",
                ],
                document,
                &["1"],
            ),
            Self::Poppler => run(
                "pdftoppm",
                &["-r", RESOLUTION, "-cropbox", "-singlefile"],
                document,
                &[],
            ),
        };
        Picture::parse(&drawn.stdout)
    }
}

/// A portable pixmap.
pub(crate) struct Picture {
    width: usize,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    fn parse(bytes: &[u8]) -> Self {
        // Magic number, width, height and maximum value, each followed by one
        // blank.
        let mut header = bytes.splitn(5, u8::is_ascii_whitespace);
        let mut word = || String::from_utf8(header.next().unwrap().to_vec()).unwrap();
        assert_eq!(word(), "P6");
        let width = word().parse().unwrap();
        let height: usize = word().parse().unwrap();
        assert_eq!(word(), "255");
        let (pixels, rest) = header.next().unwrap().as_chunks::<3>();
        assert!(rest.is_empty());
        assert_eq!(pixels.len(), width * height);
        Self {
            width,
            pixels: pixels.to_vec(),
        }
    }

    /// Returns the pixels of the upper edge, without its rim, from the left to
    /// a quarter of the width.
    pub(crate) fn upper_left(&self) -> impl Iterator<Item = [u8; 3]> {
        let row = self.pixels.chunks_exact(self.width).nth(2).unwrap();
        row.iter().copied().skip(2).take(self.width / 4)
    }
}

fn run(program: &str, options: &[&str], document: &[u8], then: &[&str]) -> Output {
    let file = tempfile::Builder::new().suffix(".pdf").tempfile().unwrap();
    fs::write(file.path(), document).unwrap();
    Command::new(program)
        .args(options)
        .arg(file.path())
        .args(then)
        .output()
        .unwrap()
}
