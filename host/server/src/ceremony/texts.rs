//! What the signer's device shows.

use parafa_domain::Language;

/// What the signer's device shows, at most 60 characters.
pub(crate) fn device_prompt(language: Language) -> &'static str {
    match language {
        Language::En => "Sign the document shown on the page?",
        Language::Lt => "Pasirašyti puslapyje rodomą dokumentą?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_device_shows_fits_its_screen() {
        for language in [Language::Lt, Language::En] {
            assert!(device_prompt(language).chars().count() <= 60);
        }
    }
}
