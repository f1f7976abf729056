//! Rendering of flattened documents by two renderers.

use std::fs;
use std::path::Path;
use std::process::Command;

use parafa_fixtures::tool::{program, samples};
use parafa_fixtures::{Objects, WidgetPage};

use crate::flatten::{flattened, form, written};
use crate::flatten_samples::comes_out;
use crate::referees::assert_qpdf_accepts;

/// Resolution of the compared pictures, in dots per inch.
const RESOLUTION: &str = "144";

/// Tolerance of a pixel component, out of 255, against the neighbourhood in the
/// other picture: poppler rounds edges of annotations and of page content to
/// different pixels.
const TOLERANCE: u8 = 32;

/// Maximum share of differing pixels of a page, in millionths.
pub(crate) const MAX_DIFFERENCE_PPM: usize = 100;

/// Samples that a renderer shows differently, with the reason.
const REASONED: [(&str, &str); 1] = [
    // MuPDF draws its own marker on an empty signature field.
    ("pyhanko__simple-acroform-states.pdf", "mutool"),
];

pub(crate) type Renderer = fn(&Path, &Path) -> bool;

/// Asserts that every renderer draws both alike.
pub(crate) fn assert_look_alike(document: &[u8], flattened: &[u8], what: &str) {
    for (renderer, render) in renderers() {
        let difference = difference(document, flattened, render).unwrap();
        assert!(
            difference <= MAX_DIFFERENCE_PPM,
            "{renderer}, {what}: {difference} ppm"
        );
    }
}

#[test]
fn every_kind_of_placement_looks_the_same_afterwards() {
    for rotation in [0, 90, 180, 270] {
        let objects = placements(rotation);
        let document = written(&objects);
        let flattened = flattened(&document).unwrap();
        assert_look_alike(&document, &flattened, &format!("turned by {rotation}"));
    }
}

#[test]
fn layers_inside_an_appearance_hide_the_same_afterwards() {
    let mut objects = form(&["/FT /Btn /Ff 65536 /T (a) /AP << /N 60 0 R >>"]);
    objects.set(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [20 0 R] >> \
         /OCProperties << /OCGs [63 0 R 64 0 R] /D << /OFF [63 0 R] >> >> >>",
    );
    objects.set(63, "<< /Type /OCG /Name (hidden) >>");
    objects.set(64, "<< /Type /OCG /Name (shown) >>");
    let space = "/Subtype /Form /BBox [0 0 100 20]";
    objects.set_deflated(
        60,
        &format!(
            "{space} /Resources << /XObject << /A 61 0 R /B 62 0 R >> \
             /Properties << /A 63 0 R /B 64 0 R >> >>"
        ),
        b"0.5 g 0 0 100 20 re f /A Do /B Do /OC /A BDC 1 0 0 rg 50 0 20 20 re f EMC \
          /OC /B BDC 0 0 1 rg 80 0 20 20 re f EMC",
    );
    objects.set_deflated(
        61,
        &format!("{space} /OC 63 0 R"),
        b"0 1 0 rg 0 0 20 20 re f",
    );
    objects.set_deflated(
        62,
        &format!("{space} /OC 64 0 R"),
        b"0 1 1 rg 20 0 20 20 re f",
    );
    let document = written(&objects);

    let flattened = flattened(&document).unwrap();

    assert_look_alike(&document, &flattened, "");
}

#[test]
fn every_kind_of_field_looks_the_same_afterwards() {
    let document = parafa_fixtures::form(35);
    let flattened = flattened(&document).unwrap();
    assert_qpdf_accepts(&flattened);
    assert_look_alike(&document, &flattened, "");
}

#[test]
fn fields_as_near_as_may_be_to_other_annotations_look_the_same_afterwards() {
    for other in [
        "/Subtype /Text /Contents (x)",
        "/Subtype /FileAttachment /FS << /Type /Filespec /F (a.txt) >>",
        "/Subtype /Link",
        "/Subtype /Link /Border [0 0 4]",
        "/Subtype /Stamp",
    ] {
        for rotation in [0, 90, 180, 270] {
            let columns = [-1.0, 0.0, 1.0];
            let directions = columns.map(|x| columns.map(|y| (x, y)));
            let places = directions.as_flattened().iter();
            let fields: Vec<String> = places
                .filter_map(|direction| nearest(other, rotation, *direction))
                .collect();
            // No field lies where the annotation itself is.
            assert_eq!(fields.len(), 8, "{other}, turned by {rotation}");
            let document = beside(other, rotation, &fields);
            let flattened = flattened(&document).unwrap();
            assert_look_alike(
                &document,
                &flattened,
                &format!("{other}, turned by {rotation}"),
            );
        }
    }
}

/// Returns the field with the minimum permitted distance from this annotation
/// in a direction.
fn nearest(other: &str, rotation: u32, (x, y): (f64, f64)) -> Option<String> {
    let mut fields = (0..80).map(|distance| {
        let distance = f64::from(distance);
        let (left, bottom) = (100.0 + x * distance, 100.0 + y * distance);
        format!(
            "/FT /Btn /Ff 65536 /T (at {left} {bottom}) /Rect [{left} {bottom} {} {}] \
             /AP << /N 60 0 R >>",
            left + 20.0,
            bottom + 20.0
        )
    });
    fields.find(|field| flattened(&beside(other, rotation, std::slice::from_ref(field))).is_ok())
}

/// Returns a page with this annotation below these fields.
fn beside(other: &str, rotation: u32, fields: &[String]) -> Vec<u8> {
    let numbers = (20..).zip(fields);
    let references: String = numbers
        .map(|(number, _)| format!("{number} 0 R "))
        .collect();
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    let mut objects = form(&fields);
    objects.set(
        40,
        format!("<< /Type /Annot {other} /Rect [100 100 120 120] >>"),
    );
    objects.set(
        WidgetPage::PAGE,
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 220 220] /Rotate {rotation} \
             /Annots [40 0 R {references}] >>"
        ),
    );
    objects.set_deflated(
        60,
        "/Subtype /Form /BBox [0 0 9 9]",
        b"0.9 0.2 0.1 rg 0 0 9 9 re f",
    );
    written(&objects)
}

#[test]
fn every_sample_looks_the_same_afterwards() {
    let Some(folder) = samples() else {
        return;
    };
    let renderers = renderers();
    if renderers.is_empty() {
        return;
    }
    let list = fs::read_to_string(folder.join("pdf.tsv")).unwrap();
    let mut differences = Vec::new();
    let mut compared = 0;
    for line in list.lines().skip(1).filter(|line| comes_out(line)) {
        let file = line.split('\t').next().unwrap();
        let document = fs::read(folder.join("pdf").join(file)).unwrap();
        let flattened = match flattened(&document) {
            Ok(flattened) if flattened == document => continue,
            Ok(flattened) => flattened,
            Err(refusal) => {
                differences.push(format!("{file}: {refusal}"));
                continue;
            }
        };
        for (renderer, render) in &renderers {
            if REASONED.contains(&(file, *renderer)) {
                continue;
            }
            compared += 1;
            match difference(&document, &flattened, *render) {
                Some(difference) if difference <= MAX_DIFFERENCE_PPM => {}
                other => differences.push(format!("{file}, {renderer}: {other:?} ppm")),
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(compared > 0);
}

/// Returns widgets with boxes, matrices and flags that affect placement.
fn placements(rotation: u32) -> Objects {
    let places: Vec<String> = [
        "/Rect [100 100 200 150] /AP << /N 60 0 R >>",
        "/Rect [300 160 250 100] /AP << /N 61 0 R >>",
        "/Rect [100 300 180 420] /AP << /N 62 0 R >>",
        "/Rect [300 300 380 340] /F 16 /AP << /N 60 0 R >>",
        "/Rect [300.5 420.25 380 470] /F 20 /AP << /N 62 0 R >>",
        "/Rect [40 500 240 540] /F 4 /AP << /N 63 0 R >>",
    ]
    .iter()
    .zip(1..)
    .map(|(place, number)| format!("/FT /Btn /Ff 65536 /T (b{number}) {place}"))
    .collect();
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    let mut objects = form(&places);
    objects.set(
        2,
        format!("<< /Type /Pages /Count 1 /Kids [5 0 R] /Rotate {rotation} >>"),
    );
    let shape = b"0.9 0.2 0.1 rg 0 0 40 20 re f 0.1 0.2 0.9 rg 10 5 m 40 5 l 40 40 l h f";
    let fonts = "/Resources << /Font << /F1 3 0 R >> >>";
    for (number, space) in [
        (60, "/BBox [0 0 40 40]"),
        (61, "/BBox [10 5 30 25] /Matrix [2 0 0 1 7 3]"),
        (62, "/BBox [0 0 40 30] /Matrix [0 1 -1 0 0 0]"),
    ] {
        objects.set_deflated(number, &format!("/Subtype /Form {space}"), shape);
    }
    objects.set_deflated(
        63,
        &format!("/Subtype /Form /BBox [0 0 50 10] /Matrix [0.7 0.7 -0.7 0.7 0 0] {fonts}"),
        b"0.5 g 0 0 50 10 re f 0 g BT /F1 8 Tf 2 2 Td (Sutinku) Tj ET",
    );
    // The page leaves a transformation and a colour in its state.
    objects.set_stream(6, "", *b"0.5 0 0 0.5 100 0 cm 0 1 0 rg 20 20 50 50 re f");
    objects
}

/// Returns the maximum share of differing pixels per page, in millionths;
/// `None` if the pictures cannot be compared.
pub(crate) fn difference(before: &[u8], after: &[u8], render: Renderer) -> Option<usize> {
    let pages = [before, after].map(|document| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("document.pdf");
        fs::write(&file, document).unwrap();
        if !render(&file, folder.path()) {
            return Vec::new();
        }
        let pictures = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let mut pictures: Vec<_> = pictures
            .filter(|path| path.extension().is_some_and(|extension| extension == "ppm"))
            .collect();
        pictures.sort();
        pictures
            .iter()
            .map(|path| fs::read(path).unwrap())
            .collect::<Vec<_>>()
    });
    let [before, after] = pages;
    if before.is_empty() || before.len() != after.len() {
        return None;
    }
    let differences = before.iter().zip(&after).map(|(before, after)| {
        let (before, after) = (Picture::parse(before), Picture::parse(after));
        let differing = before
            .differing_from(&after)?
            .max(after.differing_from(&before)?);
        Some(differing * 1_000_000 / (before.width * before.height).max(1))
    });
    differences.collect::<Option<Vec<_>>>()?.into_iter().max()
}

/// A portable pixmap.
struct Picture<'p> {
    width: usize,
    height: usize,
    components: &'p [u8],
}

impl<'p> Picture<'p> {
    fn parse(bytes: &'p [u8]) -> Self {
        // Magic number, width, height and maximum value, each followed by one
        // blank.
        let mut header = bytes.splitn(5, u8::is_ascii_whitespace);
        let mut number = || {
            let digits = header.next().unwrap();
            std::str::from_utf8(digits).unwrap().to_owned()
        };
        assert_eq!(number(), "P6");
        let [width, height, greatest] = std::array::from_fn(|_| number().parse().unwrap());
        assert_eq!(greatest, 255);
        Self {
            width,
            height,
            components: header.next().unwrap(),
        }
    }

    fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let start = 3 * (y * self.width + x);
        self.components[start..start + 3].try_into().unwrap()
    }

    /// Returns the number of differing pixels; `None` if the sizes differ.
    fn differing_from(&self, other: &Self) -> Option<usize> {
        if (self.width, self.height) != (other.width, other.height) {
            return None;
        }
        let places = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        let differing = places.filter(|(x, y)| {
            self.pixel(*x, *y) != other.pixel(*x, *y)
                && !other.comes_near(*x, *y, self.pixel(*x, *y))
        });
        Some(differing.count())
    }

    /// Returns whether a pixel is within the range of those around a place.
    fn comes_near(&self, x: usize, y: usize, pixel: [u8; 3]) -> bool {
        let columns = x.saturating_sub(1)..=(x + 1).min(self.width - 1);
        let around = (y.saturating_sub(1)..=(y + 1).min(self.height - 1))
            .flat_map(|y| columns.clone().map(move |x| self.pixel(x, y)));
        let around: Vec<_> = around.collect();
        pixel.iter().enumerate().all(|(component, value)| {
            let values = around.iter().map(|pixel| pixel[component]);
            let least = values.clone().min().unwrap_or(0).saturating_sub(TOLERANCE);
            let greatest = values.max().unwrap_or(255).saturating_add(TOLERANCE);
            (least..=greatest).contains(value)
        })
    }
}

/// Returns the installed renderers; a missing one counts as a skip.
pub(crate) fn renderers() -> Vec<(&'static str, Renderer)> {
    let all: [(&str, Renderer); 2] = [("mutool", mutool), ("pdftoppm", poppler)];
    all.into_iter()
        .filter(|(name, _)| program(name).is_some())
        .collect()
}

fn mutool(file: &Path, folder: &Path) -> bool {
    Command::new("mutool")
        .args([
            "draw", "-q", "-F", "ppm", "-c", "rgb", "-r", RESOLUTION, "-o",
        ])
        .arg(folder.join("page%06d.ppm"))
        .arg(file)
        .output()
        .unwrap()
        .status
        .success()
}

fn poppler(file: &Path, folder: &Path) -> bool {
    Command::new("pdftoppm")
        .args(["-r", RESOLUTION, "-cropbox"])
        .arg(file)
        .arg(folder.join("page"))
        .output()
        .unwrap()
        .status
        .success()
}
