use serde::{Deserialize, Serialize};

/// Path of a session to the person's app: `flowType`, and `deviceLinkType` of a link.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum FlowType {
    /// A scanned code.
    #[serde(rename = "QR")]
    Qr,
    /// A link from another app.
    App2App,
    /// A link from a browser on the same device.
    Web2App,
    /// A push message.
    Notification,
}

impl FlowType {
    /// Flows of device links.
    pub const OF_LINKS: [Self; 3] = [Self::Qr, Self::Web2App, Self::App2App];

    /// Name in links, requests, answers and signed data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Qr => "QR",
            Self::App2App => "App2App",
            Self::Web2App => "Web2App",
            Self::Notification => "Notification",
        }
    }

    /// Returns true if the app was opened on the device that shows the page, and returns there.
    #[must_use]
    pub fn is_same_device(self) -> bool {
        matches!(self, Self::Web2App | Self::App2App)
    }

    /// The URL to which the app returns; empty unless it is on the same device.
    pub(super) fn returns_to(self, initial_callback_url: &str) -> &str {
        if self.is_same_device() {
            initial_callback_url
        } else {
            ""
        }
    }
}
