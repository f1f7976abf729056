//! Codes as texts in JSON.

/// Shows the text that a code holds, and converts a code to it and from one, which is parsed.
macro_rules! held_as_text {
    ($code:ident, $invalid:ident) => {
        impl $code {
            /// The text, in its canonical form.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $code {
            type Error = $invalid;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$code> for String {
            fn from(code: $code) -> Self {
                code.0
            }
        }
    };
}

pub(crate) use held_as_text;
