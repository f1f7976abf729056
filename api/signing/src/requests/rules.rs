use url::Url;

use crate::vocabulary::SigningMethod;

/// Rules for bodies that depend on more than the request; see [`SigningApi`](crate::SigningApi).
pub(crate) struct Rules<'a> {
    pub(crate) methods: Vec<SigningMethod>,
    pub(crate) further_extensions: &'a [String],
    pub(crate) webhook_target: &'a dyn Fn(&Url) -> Result<(), String>,
}
