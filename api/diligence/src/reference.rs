//! Documentation of the API as a whole.

use parafa_api_http::{BaseUrl, Problem, ProblemType, Reference, Security, webhooks};

use crate::api::DiligenceApi;
use crate::guide::GUIDE;
use crate::kyc::KycEventKind;
use crate::operations::TAGS;
use crate::problem::ProblemKind;
use crate::{FOLDER, examples};

/// Name of the API.
pub(crate) const NAME: &str = "Due diligence";
/// Summary in one line.
pub(crate) const SUMMARY: &str = "Register data on Lithuanian legal entities";
/// The version of the interface.
const VERSION: &str = "1.0.0";

const INTRODUCTION: &str = "Answers due-diligence questions about Lithuanian legal entities from state registers, by the entity's code. It is a legal service of an attorney-at-law, who vouches for the origin and integrity of the data, on request with a qualified electronic signature.\n\n\
    Keys that begin with `ddk_test_` get synthetic data, reach no register and cost nothing. Each answer to a live key is billed. A call is not billed if a register holds nothing or does not answer, if a signature cannot be made, or if the caller disconnects before the answer is ready. With an `Idempotency-Key`, a call can be repeated for 24 hours: the answer is the same, and billed once.\n\n\
    `interpret=1` adds what the data mean under Lithuanian law, item by item with the provisions: standardized, the same for the same data, and never a score. `sign=` wraps the JSON in a JAdES signature, `format=asice` packs it with the raw register answers into a signed container.";

pub(crate) fn reference<A: DiligenceApi>() -> Reference<A> {
    Reference {
        folder: FOLDER,
        title: "Parafa due-diligence API",
        version: VERSION,
        summary: SUMMARY,
        description: INTRODUCTION,
        tags: TAGS,
        security: Security::Bearer("An API key that begins with `ddk_test_` or `ddk_live_`."),
        problems: ProblemKind::problem_types(),
        advice_on_long_bodies: "",
        headers: &[],
        demo_key: ".diligence.test",
        guide: GUIDE,
        set_up: |_| Vec::new(),
        example: examples::of,
        refusal,
        webhooks: webhooks::operations::<KycEventKind>,
    }
}

/// A refusal as it is shown in the description.
fn refusal(kind: ProblemType, _: &BaseUrl) -> Problem {
    Problem::of(kind)
}
