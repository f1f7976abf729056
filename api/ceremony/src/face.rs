//! Branding of a workspace on the pages of its ceremonies.

use maud::{Markup, html};

use crate::colour::Colour;
use crate::messages::Messages;

/// Branding of a workspace.
#[derive(Clone, Debug, Default)]
pub struct Face {
    /// The name that it is registered under.
    pub registered_name: String,
    /// Name shown instead of the registered one.
    pub display_name: Option<String>,
    /// Its colour, as it was chosen.
    pub accent: Option<Colour>,
    /// Size of its logo, if it has one.
    pub logo: Option<LogoSize>,
    /// Email address for signers' questions.
    pub contact: Option<String>,
}

/// Size of a logo in a page or letter, in its units.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct LogoSize {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl LogoSize {
    /// The largest size of at most 160 by 48 units with the proportions of a picture of this many
    /// pixels. A smaller picture is not enlarged.
    #[must_use]
    pub fn of_pixels(width: u32, height: u32) -> Self {
        let (width, height) = (f64::from(width.max(1)), f64::from(height.max(1)));
        let scale = (160.0 / width).min(48.0 / height).min(1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most 160, and no less than 0"
        )]
        let units = |pixels: f64| ((pixels * scale).round() as u32).max(1);
        Self {
            width: units(width),
            height: units(height),
        }
    }
}

impl Face {
    /// Name shown.
    #[must_use]
    pub fn name(&self) -> &str {
        self.display_name
            .as_deref()
            .unwrap_or(&self.registered_name)
    }

    /// The registered name, if another one is shown.
    #[must_use]
    pub fn other_registered_name(&self) -> Option<&str> {
        let is_other = self.display_name.is_some();
        is_other.then_some(&self.registered_name)
    }

    /// The paths of the style sheets that a page of a link has for it.
    pub(crate) fn styles(&self, base: &str) -> Vec<String> {
        let accent = self.accent.iter();
        accent.map(|_| format!("{base}/face.css")).collect()
    }

    /// The logo; the name is beside it as text.
    pub(crate) fn shown_logo(&self, base: &str) -> Markup {
        html! {
            @if let Some(LogoSize { width, height }) = self.logo {
                p.logo { img src={ (base) "/logo.png" } alt="" width=(width) height=(height); }
            }
        }
    }

    /// The registered name, if another one is shown.
    pub(crate) fn registered(&self, texts: &Messages) -> Markup {
        html! {
            @if let Some(name) = self.other_registered_name() {
                p.hint { (texts.registered_name) ": " bdi { (name) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logo_fills_its_space_and_is_not_made_larger() {
        for (pixels, units) in [
            ((480, 144), (160, 48)),
            ((480, 48), (160, 16)),
            ((144, 144), (48, 48)),
            ((30, 20), (30, 20)),
            ((480, 1), (160, 1)),
        ] {
            let size = LogoSize::of_pixels(pixels.0, pixels.1);
            assert_eq!((size.width, size.height), units, "{pixels:?}");
        }
    }
}
