//! Colours of a workspace, made readable on the backgrounds of pages and
//! letters.

use std::fmt;

/// A colour of the sRGB space, as red, green and blue.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Colour(pub [u8; 3]);

/// Minimum contrast of text with its background (WCAG 2.2, 1.4.3, level AA).
const LEAST_CONTRAST: f64 = 4.5;
/// Number of steps from a colour to black or to white.
const STEPS: u8 = 100;

impl Colour {
    /// Black.
    pub const BLACK: Self = Self([0; 3]);
    /// White.
    pub const WHITE: Self = Self([255; 3]);

    /// Relative luminance, from 0 to 1 (WCAG 2.2, definitions).
    fn luminance(self) -> f64 {
        let linear = self.0.map(|channel| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    /// Contrast ratio, from 1 to 21 (WCAG 2.2, definitions).
    #[must_use]
    pub fn contrast(self, other: Self) -> f64 {
        let (one, other) = (self.luminance(), other.luminance());
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// Black or white, whichever is read better on this colour. That is always at
    /// least 4.58, the square root of the contrast of the two.
    #[must_use]
    pub fn text_on(self) -> Self {
        if self.contrast(Self::BLACK) >= self.contrast(Self::WHITE) {
            Self::BLACK
        } else {
            Self::WHITE
        }
    }

    /// This colour, or the nearest one on the way to `towards` that is readable on all of the
    /// backgrounds.
    #[must_use]
    pub fn readable_on(self, backgrounds: &[Self], towards: Self) -> Self {
        let mixed = (0..=STEPS).map(|step| self.mixed(towards, step));
        let is_readable = |colour: &Self| {
            let mut backgrounds = backgrounds.iter();
            backgrounds.all(|background| colour.contrast(*background) >= LEAST_CONTRAST)
        };
        mixed.into_iter().find(is_readable).unwrap_or(towards)
    }

    /// This percentage of another colour, and the rest of this one.
    fn mixed(self, other: Self, hundredths: u8) -> Self {
        let share = u16::from(hundredths);
        let mut mixed = self.0;
        for (channel, other) in mixed.iter_mut().zip(other.0) {
            let sum = u16::from(*channel) * (100 - share) + u16::from(other) * share;
            *channel = u8::try_from(sum / 100).unwrap_or(u8::MAX);
        }
        Self(mixed)
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// Backgrounds of text in a scheme of the common style sheet, and the colour towards which others
/// are moved to be readable there.
struct Scheme {
    card: Colour,
    paper: Colour,
    note: Colour,
    towards: Colour,
    /// Hundredths of the accent in the background of selected elements.
    tint: u8,
}

const LIGHT: Scheme = Scheme {
    card: Colour::WHITE,
    paper: Colour([0xf3, 0xf5, 0xf4]),
    note: Colour([0xff, 0xf4, 0xd6]),
    towards: Colour::BLACK,
    tint: 10,
};
const DARK: Scheme = Scheme {
    card: Colour([0x1b, 0x22, 0x2c]),
    paper: Colour([0x12, 0x17, 0x1e]),
    note: Colour([0x3a, 0x31, 0x15]),
    towards: Colour::WHITE,
    tint: 15,
};

impl Scheme {
    /// The style sheet's variables with this accent.
    fn variables(&self, accent: Colour) -> String {
        let soft = self.card.mixed(accent, self.tint);
        let behind = [self.card, self.paper, self.note, soft];
        let accent = accent.readable_on(&behind, self.towards);
        let on_accent = accent.text_on();
        format!(":root {{ --accent: {accent}; --on-accent: {on_accent}; --soft: {soft}; }}")
    }
}

/// Style sheet after the common one, with this accent instead.
pub(crate) fn style_sheet(accent: Colour) -> String {
    let (light, dark) = (LIGHT.variables(accent), DARK.variables(accent));
    format!("{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text colour of both schemes, as in the common style sheet.
    const INKS: [(&Scheme, Colour); 2] = [
        (&LIGHT, Colour([0x16, 0x20, 0x2c])),
        (&DARK, Colour([0xe8, 0xed, 0xf3])),
    ];
    const STYLE: &str = include_str!("../../http/src/pages/assets/style.css");

    fn all_sorts() -> impl Iterator<Item = Colour> {
        let channel = || (0..=255u8).step_by(51);
        let pairs = channel().flat_map(move |red| channel().map(move |green| (red, green)));
        pairs.flat_map(move |(red, green)| channel().map(move |blue| Colour([red, green, blue])))
    }

    fn variable(sheet: &str, name: &str) -> Colour {
        let (_, rest) = sheet.split_once(&format!("{name}: #")).expect("it is set");
        let number = u32::from_str_radix(&rest[..6], 16).expect("six digits");
        let [_, red, green, blue] = number.to_be_bytes();
        Colour([red, green, blue])
    }

    #[test]
    fn contrast_is_that_of_the_guidelines() {
        let contrast = |one, other| (Colour(one).contrast(Colour(other)) * 100.0).round() / 100.0;

        assert_eq!(contrast([0; 3], [255; 3]), 21.0);
        assert_eq!(contrast([255; 3], [255; 3]), 1.0);
        // Known greys at both sides of the limit on white.
        assert_eq!(contrast([0x76; 3], [255; 3]), 4.54);
        assert_eq!(contrast([0x77; 3], [255; 3]), 4.48);
    }

    #[test]
    fn whatever_the_accent_everything_can_be_read() {
        for accent in all_sorts() {
            for (scheme, ink) in INKS {
                let sheet = scheme.variables(accent);
                let [shown, on_shown, soft] =
                    ["--accent", "--on-accent", "--soft"].map(|name| variable(&sheet, name));
                for behind in [scheme.card, scheme.paper, scheme.note, soft] {
                    assert!(shown.contrast(behind) >= 4.5, "{accent}: {sheet}");
                }
                assert!(on_shown.contrast(shown) >= 4.5, "{accent}: {sheet}");
                assert!(ink.contrast(soft) >= 4.5, "{accent}: {sheet}");
            }
        }
    }

    #[test]
    fn an_accent_that_can_be_read_stays_as_it_is() {
        let accent = Colour([0x14, 0x53, 0x2d]);
        assert_eq!(variable(&LIGHT.variables(accent), "--accent"), accent);
        assert_ne!(variable(&DARK.variables(accent), "--accent"), accent);
    }

    #[test]
    fn the_backgrounds_are_those_of_the_common_style_sheet() {
        for (scheme, ink) in INKS {
            let card = match scheme.card {
                Colour::WHITE => "--card: #fff;".to_owned(),
                card => format!("--card: {card};"),
            };
            let others = [
                ("--paper", scheme.paper),
                ("--note", scheme.note),
                ("--ink", ink),
            ];
            let others = others.map(|(name, colour)| format!("{name}: {colour};"));
            for part in others.iter().chain([&card]) {
                assert!(STYLE.contains(part), "{part}");
            }
        }
    }
}
