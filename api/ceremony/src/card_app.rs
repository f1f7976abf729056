//! The app that signers with a card need.

/// The app that reads identity cards on signers' phones.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CardApp {
    /// What it is called.
    pub name: String,
    /// Where it is to be had for iPhones.
    pub url_ios: Option<String>,
    /// Where it is to be had for Android.
    pub url_android: Option<String>,
}
