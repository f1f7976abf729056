//! Documentation of the API as a whole.

use parafa_api_http::{Problem, Reference, Security, SetUp};
use serde_json::Map;

use crate::api::AuthApi;
use crate::guide::GUIDE;
use crate::operations::TAGS;
use crate::problem::ErrorCode;
use crate::{FOLDER, examples};

/// Name of the API.
pub(crate) const NAME: &str = "eID authentication";
/// Summary in one line.
pub(crate) const SUMMARY: &str = "Persons authenticate with their eID";
/// The version of the interface.
const VERSION: &str = "1.0.0";

const INTRODUCTION: &str = "Authenticates persons with their eID for relying parties, called providers. The provider's backend creates a request for one method, and the person authenticates. The provider then reads the verified identity, and gets it as a signed JWT.\n\n\
    A refusal is an object `error` with a `code` for programs, a `message` for people, the `requestId` and whether the same request is worth repeating later. The documentation of the service specifies the data to be signed byte by byte, with test vectors.";

pub(crate) fn reference<A: AuthApi>() -> Reference<A> {
    Reference {
        folder: FOLDER,
        title: "Parafa eID authentication API",
        version: VERSION,
        summary: SUMMARY,
        description: INTRODUCTION,
        tags: TAGS,
        security: Security::Basic(
            "The key's id and secret, as they were shown when the provider was made.",
        ),
        problems: ErrorCode::problem_types(),
        advice_on_long_bodies: "",
        headers: &[],
        set_up,
        example: examples::of,
        refusal: |kind, _| Problem::of(kind),
        demo_key: ".auth | .keyId + \":\" + .keySecret",
        guide: GUIDE,
        webhooks: |_| Map::new(),
    }
}

fn set_up<A: AuthApi>(api: &A) -> Vec<SetUp> {
    let methods = api.methods().into_iter();
    vec![SetUp {
        title: "Methods",
        names: methods.map(|method| method.as_str().to_owned()).collect(),
    }]
}
