//! Logos of workspaces.

use parafa_logo::{Logo, LogoFault};

use crate::target::Target;

/// The reader of logos, PNG or SVG.
///
/// A logo that is taken has the size of stored ones, and can be taken again, no larger.
pub const LOGO: Target = Target {
    name: "logo",
    run,
    seeds,
};

/// Limits of stored logos: pixels, and bytes.
const WIDEST: u32 = 480;
const HIGHEST: u32 = 144;
const LONGEST: usize = 32 * 1024;

const SHAPES: &str = r##"<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 60"><title>Ąžuolas</title>
<style>.a { fill: url(#g); }</style><defs>
<linearGradient id="g"><stop offset="0" stop-color="#0a5"/><stop offset="1" stop-color="#05a"/></linearGradient>
<clipPath id="c"><rect width="200" height="60"/></clipPath></defs>
<g clip-path="url(#c)"><rect class="a" width="200" height="60"/></g></svg>"##;
const PATHS: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30">
<path d="M5 5h80v20z" fill="none" stroke="#14532d" stroke-width="3" stroke-dasharray="4 2" transform="rotate(3)"/>
<polygon points="1,1 9,1 5,9"/><circle cx="60" cy="15" r="9" opacity=".5"/></svg>"##;
const FOREIGN: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><image href="https://example.com/a.png"/></svg>"#;

fn run(input: &[u8]) {
    let Ok(logo) = Logo::of(input) else {
        return;
    };
    assert!(logo.png.len() <= LONGEST, "{}", logo.png.len());
    assert!((1..=WIDEST).contains(&logo.width) && (1..=HIGHEST).contains(&logo.height));
    match Logo::of(&logo.png) {
        Ok(again) => assert!(again.width <= logo.width && again.height <= logo.height),
        // Scaling may leave nothing of a few pixels that can hardly be seen.
        Err(LogoFault::Blank) => {}
        Err(fault) => panic!("a stored logo is refused: {fault}"),
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let drawn = Logo::of(PATHS.as_bytes()).expect("a sound logo");
    let texts = [SHAPES, PATHS, FOREIGN].map(|text| text.as_bytes().to_vec());
    texts.into_iter().chain([drawn.png]).collect()
}
