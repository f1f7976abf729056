use tiny_skia::ColorU8;

use super::*;

const SVG: &str = r##"<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 60">
  <title>Ąžuolas</title>
  <style>.st0 { fill: url(#g); }</style>
  <defs>
    <linearGradient id="g"><stop offset="0" stop-color="#0a5"/><stop offset="1" stop-color="#05a"/></linearGradient>
    <clipPath id="c"><rect width="200" height="60"/></clipPath>
  </defs>
  <g clip-path="url(#c)"><rect class="st0" width="200" height="60"/></g>
</svg>"##;

fn png(width: u32, height: u32, pixel: fn(u32, u32) -> [u8; 4]) -> Vec<u8> {
    let mut picture = Pixmap::new(width, height).unwrap();
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    for (place, (x, y)) in picture.pixels_mut().iter_mut().zip(places) {
        let [red, green, blue, alpha] = pixel(x, y);
        *place = ColorU8::from_rgba(red, green, blue, alpha).premultiply();
    }
    picture.encode_png().unwrap()
}

fn green(_: u32, _: u32) -> [u8; 4] {
    [20, 83, 45, 255]
}

/// Returns a different value for every pixel, like incompressible content.
fn noise(x: u32, y: u32) -> [u8; 4] {
    let mixed = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x2c1b_3c6d);
    (mixed ^ mixed >> 12).to_be_bytes()
}

/// Inserts a chunk after the header of a file.
fn with_chunk(file: &[u8], kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    const HEADER_END: usize = 33;
    let (head, rest) = file.split_at(HEADER_END);
    [head, &chunk(kind, content), rest].concat()
}

fn chunk(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_be_bytes();
    let body = [&kind[..], content].concat();
    let sum = crc(&body).to_be_bytes();
    [&length[..], &body, &sum].concat()
}

/// Computes the CRC-32 (W3C PNG, annex D).
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg())
        })
    })
}

fn color(logo: &Logo, x: u32, y: u32) -> [u8; 4] {
    let picture = decoded(&logo.png).unwrap();
    let color = picture.pixel(x, y).unwrap().demultiply();
    [color.red(), color.green(), color.blue(), color.alpha()]
}

#[test]
fn a_small_png_stays_as_it_looks_and_loses_what_it_says_beside() {
    let file = with_chunk(&png(90, 30, green), b"tEXt", b"Author\0Ona");
    assert!(file.windows(3).any(|bytes| bytes == b"Ona"));

    let logo = Logo::of(&file).unwrap();

    assert_eq!((logo.width, logo.height), (90, 30));
    assert!(!logo.png.windows(4).any(|bytes| bytes == b"tEXt"));
    for (x, y) in [(0, 0), (45, 15), (89, 29)] {
        assert_eq!(color(&logo, x, y), green(0, 0));
    }
}

#[test]
fn nothing_of_a_png_reaches_the_decoder_but_what_its_picture_is_made_of() {
    let sound = picture_alone(&png(9, 3, green));
    let mut file = sound.clone();
    for kind in [b"iCCP", b"zTXt", b"iTXt", b"tEXt", b"eXIf", b"acTL"] {
        file = with_chunk(&file, kind, b"name\0\0inflated without end");
    }
    assert!(Pixmap::decode_png(&sound).is_ok());

    assert_eq!(picture_alone(&file), sound);
    let transparent = with_chunk(&sound, b"tRNS", &[0, 0]);
    assert_eq!(picture_alone(&transparent), transparent);
    let cut_off = &file[..file.len() - 1];
    assert_eq!(picture_alone(cut_off), sound[..sound.len() - 1]);
}

#[test]
fn a_large_png_is_made_smaller_in_its_proportions() {
    let logo = Logo::of(&png(2000, 1000, green)).unwrap();

    assert_eq!((logo.width, logo.height), (288, 144));
    for (x, y) in [(0, 0), (144, 72), (287, 143)] {
        assert_eq!(color(&logo, x, y), green(0, 0));
    }
}

#[test]
fn each_pixel_of_a_large_png_counts_in_what_is_kept_of_it() {
    let stripes = |x: u32, _: u32| [0, 0, 0, if x.is_multiple_of(2) { 255 } else { 0 }];

    let logo = Logo::of(&png(1920, 576, stripes)).unwrap();

    assert_eq!((logo.width, logo.height), (480, 144));
    let alpha = color(&logo, 240, 72)[3];
    assert!((120..136).contains(&alpha), "{alpha}");
}

#[test]
fn a_picture_that_cannot_be_compressed_still_fits() {
    let logo = Logo::of(&png(330, 144, noise)).unwrap();

    assert!(logo.png.len() <= MOST_KEPT_BYTES, "{}", logo.png.len());
    assert!(logo.width >= 100, "{}", logo.width);
}

#[test]
fn an_svg_is_drawn_to_pixels() {
    let logo = Logo::of(SVG.as_bytes()).unwrap();

    assert_eq!((logo.width, logo.height), (480, 144));
    assert!(logo.png.starts_with(PNG_SIGNATURE));
    let [left, right] = [2, 477].map(|x| color(&logo, x, 72));
    assert!(left[1] > 140 && right[2] > 140, "{left:?} {right:?}");
}

#[test]
fn a_png_of_monstrous_dimensions_is_refused_before_it_is_decoded() {
    for (width, height) in [(60_000_u32, 60_000_u32), (4097, 1), (1, u32::MAX >> 1)] {
        let mut file = png(1, 1, green);
        file[16..20].copy_from_slice(&width.to_be_bytes());
        file[20..24].copy_from_slice(&height.to_be_bytes());
        let sum = crc(&file[12..29]).to_be_bytes();
        file[29..33].copy_from_slice(&sum);

        let behind_a_text = [&file[..8], &chunk(b"tEXt", b"Author\0Ona"), &file[8..]].concat();

        for file in [file, behind_a_text] {
            let refused = Logo::of(&file).unwrap_err();

            assert!(matches!(refused, LogoFault::Pixels), "{refused}");
        }
    }
}

#[test]
fn a_broken_png_is_refused_wherever_it_ends() {
    let file = png(64, 64, noise);
    for length in (8..file.len() - 16).step_by(97) {
        let refused = Logo::of(&file[..length]).unwrap_err();
        assert!(matches!(refused, LogoFault::Png(_)), "{length}: {refused}");
    }
}

#[test]
fn a_file_of_many_bytes_or_of_another_kind_is_refused() {
    let large = vec![b' '; MOST_FILE_BYTES + 1];
    assert!(matches!(Logo::of(&large), Err(LogoFault::Bytes)));
    for other in [
        &b""[..],
        b"GIF89a",
        b"\xff\xd8\xff\xe0",
        b"%PDF-1.7",
        b"\x1f\x8b\x08",
    ] {
        assert!(
            matches!(Logo::of(other), Err(LogoFault::Format)),
            "{other:?}"
        );
    }
    let page = br#"<html xmlns="http://www.w3.org/1999/xhtml"/>"#;
    assert!(matches!(Logo::of(page), Err(LogoFault::Format)));
}

#[test]
fn a_logo_that_shows_nothing_is_refused() {
    let clear = png(10, 10, |_, _| [0; 4]);
    let empty = br#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>"#;
    for file in [&clear[..], empty] {
        let refused = Logo::of(file).unwrap_err();
        assert!(matches!(refused, LogoFault::Blank), "{refused}");
    }
}

#[test]
fn an_svg_with_more_than_shapes_is_refused() {
    for content in [
        "<script>alert(1)</script>",
        r#"<rect width="9" height="9" onload="alert(1)"/>"#,
        r#"<image href="https://example.com/a.png" width="9" height="9"/>"#,
        r#"<image href="file:///etc/hostname" width="9" height="9"/>"#,
        r#"<image href="data:image/svg+xml;base64,AA==" width="9" height="9"/>"#,
        r##"<use href="#a"/>"##,
        r#"<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">a</p></foreignObject>"#,
        "<text>Bankas</text>",
        r#"<a href="https://example.com/"><rect width="9" height="9"/></a>"#,
        "<style>@import url(https://example.com/a.css);</style>",
        r#"<rect width="9" height="9" style="fill: url( 'https://example.com/a.svg#b')"/>"#,
        r#"<rect width="9" height="9" fill="url(file:///a.svg#b)"/>"#,
        r#"<linearGradient id="g" href="other.svg#g"/>"#,
        r#"<filter id="f"><feGaussianBlur stdDeviation="9999"/></filter>"#,
        r##"<clipPath id="a"><rect width="9" height="9" clip-path="url(#a)"/></clipPath>"##,
        r#"<?xml-stylesheet href="https://example.com/a.css"?>"#,
    ] {
        let file = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/>{content}</svg>"#
        );
        let refused = Logo::of(file.as_bytes()).unwrap_err();
        assert!(
            matches!(refused, LogoFault::Content(_)),
            "{content}: {refused}"
        );
    }
}

#[test]
fn an_svg_with_entities_or_without_end_is_refused() {
    let entity = r#"<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/hostname">]>
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><desc>&a;</desc></svg>"#;
    let many = "<g/>".repeat(MOST_FILE_BYTES / 8);
    let many = format!(r#"<svg xmlns="http://www.w3.org/2000/svg">{many}</svg>"#);
    let broken = r#"<svg xmlns="http://www.w3.org/2000/svg"><g>"#;
    for file in [entity, &many, broken] {
        let refused = Logo::of(file.as_bytes()).unwrap_err();
        assert!(matches!(refused, LogoFault::Xml(_)), "{refused}");
    }
}

#[test]
fn an_svg_nested_without_end_is_refused() {
    let nested = |depth| {
        let (open, close) = ("<g>".repeat(depth), "</g>".repeat(depth));
        format!(r#"<svg xmlns="http://www.w3.org/2000/svg">{open}{close}</svg>"#)
    };

    let deep = Logo::of(nested(900).as_bytes()).unwrap_err();
    let deeper = Logo::of(nested(70_000).as_bytes()).unwrap_err();

    assert!(matches!(deep, LogoFault::Content(_)), "{deep}");
    assert!(matches!(deeper, LogoFault::Xml(_)), "{deeper}");
}
