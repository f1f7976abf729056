use alloc::borrow::ToOwned;
use alloc::string::String;
use core::error::Error;
use core::fmt;

/// A name that is not in the catalogue.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnknownName {
    /// The expected kind of name, such as `digest algorithm`.
    pub what: &'static str,
    /// The name.
    pub name: String,
}

impl UnknownName {
    pub(crate) fn new(what: &'static str, name: &str) -> Self {
        Self {
            what,
            name: name.to_owned(),
        }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} {:?}", self.what, self.name)
    }
}

impl Error for UnknownName {}

/// Defines an enumeration whose variants have names at the boundary.
macro_rules! named {
    (
        $(#[$about:meta])*
        pub enum $Name:ident($what:literal) {
            $($(#[$meaning:meta])* $Variant:ident = $name:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
        pub enum $Name {
            $($(#[$meaning])* $Variant,)+
        }

        impl $Name {
            /// All variants.
            pub const ALL: &[Self] = &[$(Self::$Variant),+];

            /// Returns the catalogue name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Variant => $name,)+
                }
            }
        }

        $crate::named::read_and_written!($Name($what), $Name::ALL.iter().copied());
    };
}

/// Implements parsing and formatting of a named type, with all values.
macro_rules! read_and_written {
    ($Name:ident($what:literal), $all:expr) => {
        impl core::fmt::Display for $Name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl core::str::FromStr for $Name {
            type Err = $crate::UnknownName;

            fn from_str(name: &str) -> Result<Self, $crate::UnknownName> {
                $all.find(|known: &Self| known.name() == name)
                    .ok_or_else(|| $crate::UnknownName::new($what, name))
            }
        }

        #[cfg(feature = "serde")]
        $crate::stored::stored!($Name);
    };
}

pub(crate) use {named, read_and_written};
