//! Documentation of the API as a whole.

use parafa_api_http::{Reference, Security, SetUp, webhooks};

use crate::api::SigningApi;
use crate::examples;
use crate::guide::GUIDE;
use crate::operations::TAGS;
use crate::problem::ProblemKind;
use crate::record::SANDBOX_HEADER;
use crate::vocabulary::SigningEventKind;

/// Name of the API.
pub(crate) const NAME: &str = "Signing orchestration";
/// Summary in one line.
pub(crate) const SUMMARY: &str =
    "Qualified electronic signatures on PDF, ASiC-E and ADOC documents";
/// The version of the interface.
const VERSION: &str = "1.2.1";

const INTRODUCTION: &str = "Gets documents signed with qualified electronic signatures: post a document and the list of its signers, and each of them signs on a ceremony page with their own eID.\n\n\
    Every refusal is a problem document (RFC 9457) whose type leads to a page on it. A key that starts with `tsk_live_` acts on production, one that starts with `tsk_test_` on the sandbox; neither sees the other's records. `GET /v1/capabilities` lists the formats and methods that are available here.";

pub(crate) fn reference<A: SigningApi>() -> Reference<A> {
    Reference {
        folder: "",
        title: "Parafa signing orchestration API",
        version: VERSION,
        summary: SUMMARY,
        description: INTRODUCTION,
        tags: TAGS,
        security: Security::Bearer("An API key, as it was shown when it was issued."),
        problems: ProblemKind::problem_types(),
        advice_on_long_bodies: "Store documents with POST /v1/files first and name them by their fileToken.",
        headers: &[SANDBOX_HEADER],
        set_up,
        example: examples::of,
        refusal: examples::problem,
        demo_key: ".signing.test",
        guide: GUIDE,
        webhooks: webhooks::operations::<SigningEventKind>,
    }
}

fn set_up<A: SigningApi>(api: &A) -> Vec<SetUp> {
    let capabilities = api.capabilities();
    let extensions = capabilities.formats.iter().flat_map(|one| &one.extensions);
    let methods = capabilities.methods.iter();
    let containers = capabilities.containers.iter();
    vec![
        SetUp {
            title: "Documents",
            names: extensions
                .map(|extension| format!(".{extension}"))
                .collect(),
        },
        SetUp {
            title: "Methods",
            names: methods.map(|method| method.as_str().to_owned()).collect(),
        },
        SetUp {
            title: "Containers that are composed",
            names: containers
                .map(|format| format.as_str().to_owned())
                .collect(),
        },
    ]
}
