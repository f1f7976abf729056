use url::Url;

use crate::vocabulary::SigningMethod;

/// What bodies are held against that nobody can tell of the request alone; see
/// [`SigningApi`](crate::SigningApi).
pub(crate) struct Rules<'a> {
    pub(crate) methods: Vec<SigningMethod>,
    pub(crate) further_extensions: &'a [String],
    pub(crate) webhook_target: &'a dyn Fn(&Url) -> Result<(), String>,
}
