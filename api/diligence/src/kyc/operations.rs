use parafa_api_ceremony::problems::QUOTA_EXCEEDED;
use parafa_api_http::{Operation, Path, ProblemType, Tag};

use super::problems::{
    ARTIFACT_NOT_READY, ORDER_ENDED, ORDER_NOT_ENDED, REGISTER_NOT_OFFERED, ROLE_NOT_HELD,
    SIGNATURE_UNAVAILABLE, UPSTREAM_UNAVAILABLE,
};
use super::{CreateKycPackage, KycApi, OrderId, SimulateKycPackage};
use crate::ASICE;

const ORDERS: Path<()> = Path::new("/v1/kyc-packages");
const ORDER: Path<OrderId> = Path::new("/v1/kyc-packages/{orderId}");
const ARTIFACT: Path<OrderId> = Path::new("/v1/kyc-packages/{orderId}/artifact");
const SIMULATE: Path<OrderId> = Path::new("/v1/kyc-packages/{orderId}/simulate");

/// Tag of these operations.
pub const ABOUT_KYC: Tag = Tag {
    name: "Identification packages",
    description: "Identify a person who claims a role in an entity, by their own qualified signature.",
};

/// The operations on identification packages.
#[must_use]
pub fn operations<A: KycApi>() -> Vec<Operation<A>> {
    vec![
        Operation::<A>::post(ORDERS, "createKycPackage")
            .says(
                ABOUT_KYC.name,
                "Order a package",
                "Asks the register whether somebody holds the role, composes the dossier and opens the ceremony in which the subject signs it. Charged on delivery only; until the order ends, its price counts against the usage ceiling.",
            )
            .refuses(&[
                ProblemType::PAYMENT_REQUIRED,
                ROLE_NOT_HELD,
                REGISTER_NOT_OFFERED,
                QUOTA_EXCEEDED,
                UPSTREAM_UNAVAILABLE,
                SIGNATURE_UNAVAILABLE,
            ])
            .body::<CreateKycPackage>()
            .creates(async |call| call.api.create_kyc_package(&call.caller, call.request, &call.request_id).await),
        Operation::<A>::get(ORDER, "readKycPackage")
            .says(
                ABOUT_KYC.name,
                "Read an order",
                "The data of the callback, and what was delivered. An erased order can still be read, without its container.",
            )
            .even_erased()
            .answers(async |call| call.api.read_kyc_package(&call.caller, call.path).await),
        Operation::<A>::delete(ORDER, "eraseKycPackage")
            .says(
                ABOUT_KYC.name,
                "Erase an order",
                "Removes the container, its key and everything else that says who the subject is. What was ordered, its outcome, its times and its charge remain. Repeating it changes nothing.",
            )
            .refuses(&[ORDER_NOT_ENDED])
            .even_erased()
            .answers(async |call| call.api.erase_kyc_package(&call.caller, call.path).await),
        Operation::<A>::get(ARTIFACT, "downloadKycArtifact")
            .says(
                ABOUT_KYC.name,
                "Download the container",
                "The ASiC-E container of a delivered order, as application/vnd.etsi.asic-e+zip. An order that ended otherwise, or was erased, has none: 404.",
            )
            .refuses(&[ARTIFACT_NOT_READY])
            .of_media_type(ASICE)
            .downloads(async |call| call.api.download_kyc_artifact(&call.caller, call.path).await),
        Operation::<A>::post(SIMULATE, "simulateKycPackage")
            .says(
                ABOUT_KYC.name,
                "Simulate an outcome",
                "Ends an order of the sandbox without a signature. With test keys only.",
            )
            .refuses(&[ProblemType::SANDBOX_ONLY, ORDER_ENDED, ORDER_NOT_ENDED])
            .for_callers(A::only_in_the_sandbox)
            .body::<SimulateKycPackage>()
            .answers(async |call| call.api.simulate_kyc_package(&call.caller, call.path, call.request).await),
    ]
}
