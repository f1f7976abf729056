//! Orders as requested, checked for form.

use parafa_api_diligence::Purpose;
use parafa_ceremony::records::Delivery;
use parafa_register_data::{EntityCode, Role};

/// A requested order.
#[derive(Clone, Debug)]
pub struct OrderForm {
    /// The entity.
    pub entity: EntityCode,
    /// The role that the subject claims.
    pub role: Role,
    /// The purpose of the identification.
    pub purpose: Purpose,
    /// Delivery of the link to the subject.
    pub delivery: OrderDelivery,
    /// Address for the outcome, allowed for webhooks.
    pub callback_url: Option<String>,
}

/// Delivery of the link to the subject.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum OrderDelivery {
    /// The caller passes it on.
    Link,
    /// The link is mailed to this address.
    Email(String),
}

impl OrderDelivery {
    pub(crate) fn of_ceremony(&self) -> Delivery {
        match self {
            Self::Link => Delivery::Link,
            Self::Email(_) => Delivery::Email,
        }
    }
}

/// Serialization of a purpose in rows, by its name in the API.
pub(crate) mod stored_purpose {
    use parafa_api_diligence::Purpose;
    use parafa_api_http::WireName;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        purpose: &Purpose,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        purpose.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Purpose, D::Error> {
        let text = String::deserialize(deserializer)?;
        let named = Purpose::ALL.iter();
        let mut named = named.filter(|(name, _)| *name == text || earlier(name) == text);
        let (_, purpose) = named
            .next()
            .ok_or_else(|| D::Error::custom("no purpose has this name"))?;
        Ok(*purpose)
    }

    /// Returns the name used by earlier programs.
    fn earlier(name: &str) -> String {
        name.trim_end_matches("_DD").to_lowercase()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[derive(Debug, Deserialize, PartialEq, Serialize)]
        struct Row(#[serde(with = "super")] Purpose);

        #[test]
        fn a_purpose_is_read_by_its_name_of_now_and_of_earlier_programs() {
            for (name, purpose) in Purpose::ALL {
                let stored = serde_json::to_value(Row(*purpose)).unwrap();
                assert_eq!(stored, *name);
                assert_eq!(serde_json::from_value::<Row>(stored).unwrap().0, *purpose);
            }
            let earlier = [
                ("aml_kyc", Purpose::AmlKyc),
                ("business_relationship", Purpose::BusinessRelationship),
                ("transaction", Purpose::Transaction),
                ("legal_claim", Purpose::LegalClaim),
                ("other", Purpose::Other),
            ];
            for (name, purpose) in earlier {
                let read: Row = serde_json::from_value(name.into()).unwrap();
                assert_eq!(read.0, purpose);
            }
            assert!(serde_json::from_value::<Row>("pleasure".into()).is_err());
        }
    }
}
