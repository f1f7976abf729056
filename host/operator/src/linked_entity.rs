//! Entity that is billed for a workspace.

use std::str::FromStr;

use parafa_register_data::EntityCode;
use serde::{Deserialize, Serialize};

/// Entity to bill from now on.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkedEntity {
    /// The entity with this code.
    Code(EntityCode),
    /// No entity.
    Nobody,
}

/// Text that is not an entity code.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not an entity's code: nine digits, the last of them a check digit")]
pub struct NoEntityCode(String);

impl FromStr for LinkedEntity {
    type Err = NoEntityCode;

    fn from_str(text: &str) -> Result<Self, NoEntityCode> {
        match text {
            "none" => Ok(Self::Nobody),
            code => match code.parse() {
                Ok(code) => Ok(Self::Code(code)),
                Err(_) => Err(NoEntityCode(code.to_owned())),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entity_is_linked_by_a_code_with_its_check_digit() {
        for code in ["188659752", "188764867", "110003978", "999000009"] {
            let Ok(LinkedEntity::Code(linked)) = code.parse() else {
                panic!("{code} is a code")
            };
            assert_eq!(linked.to_string(), code);
        }
        for text in [
            "",
            "18865975",
            "188659753",
            "1886597520",
            "18865975a",
            "٣88659752",
        ] {
            assert!(text.parse::<LinkedEntity>().is_err(), "{text}");
        }
    }
}
