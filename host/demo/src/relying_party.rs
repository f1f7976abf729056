use uuid::{Uuid, uuid};

/// A client of a service.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RelyingParty {
    /// `relyingPartyUUID`.
    pub uuid: Uuid,
    /// `relyingPartyName`, compared without regard to case.
    pub name: String,
}

impl RelyingParty {
    /// The published relying party of Smart-ID's demo environment.
    pub fn smart_id() -> Self {
        Self {
            uuid: uuid!("00000000-0000-4000-8000-000000000000"),
            name: "DEMO".into(),
        }
    }

    /// The one of Mobile-ID.
    pub fn mobile_id() -> Self {
        Self {
            uuid: Uuid::nil(),
            name: "DEMO".into(),
        }
    }
}
