use serde::{Deserialize, Serialize};

/// Authentication method.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthenticationMethod {
    /// A card in a reader.
    Physical,
    /// A card over NFC, by an app that is paired.
    Nfc,
    /// Smart-ID.
    SmartId,
    /// Mobile-ID.
    MobileId,
}

impl AuthenticationMethod {
    /// All methods, in listing order.
    pub const ALL: [Self; 4] = [Self::Physical, Self::Nfc, Self::SmartId, Self::MobileId];

    /// The name at the interface.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Physical => "physical",
            Self::Nfc => "nfc",
            Self::SmartId => "smart_id",
            Self::MobileId => "mobile_id",
        }
    }

    /// Returns true if the client has a card sign and no provider is involved.
    #[must_use]
    pub fn is_card(self) -> bool {
        matches!(self, Self::Physical | Self::Nfc)
    }
}
