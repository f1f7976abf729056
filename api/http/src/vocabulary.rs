//! Enumerated values, by the names that go over the wire.

/// An enumeration with fixed names of its values.
pub trait WireName: Copy + 'static {
    /// Every value with its name.
    const ALL: &'static [(&'static str, Self)];
}

/// Declares enumerations with the names of their values. Their doc comments become the descriptions
/// for callers.
#[macro_export]
macro_rules! wire_enums {
    ($($(#[doc = $doc:literal])+ $enum:ident {
        $($(#[doc = $value_doc:literal])+ $value:ident = $name:literal,)*
    })*) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
        pub enum $enum {
            $($(#[doc = $value_doc])+ $value,)*
        }

        impl $enum {
            /// The name on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)*
                }
            }
        }

        impl $crate::WireName for $enum {
            const ALL: &'static [(&'static str, Self)] = &[$(($name, Self::$value),)*];
        }

        impl serde::Serialize for $enum {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl schemars::JsonSchema for $enum {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($enum).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let values = [$(concat!("\n- `", $name, "`:", $($value_doc),+)),*].concat();
                schemars::json_schema!({
                    "type": "string",
                    "enum": [$($name),*],
                    "description": format!("{}\n{values}", concat!($($doc),+).trim()),
                })
            }
        }
    )*};
}
