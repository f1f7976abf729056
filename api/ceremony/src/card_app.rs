//! The app that signers with a card need.

/// The app that reads identity cards on signers' phones.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CardApp {
    /// Name of the app.
    pub name: String,
    /// URL of the app for iPhones.
    pub url_ios: Option<String>,
    /// URL of the app for Android.
    pub url_android: Option<String>,
}
