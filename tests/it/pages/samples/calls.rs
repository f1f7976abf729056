//! All calls of the references, each with what has to be there before its
//! samples run.

use self::Needs::{
    Batch, Delivery, EndedOrder, File, KycDelivery, Login, Nothing, Order, SignedSigning, Signing,
    SimulatedSigning,
};

/// Calls of the three APIs.
pub(super) static APIS: [Api; 3] = [
    Api {
        folder: "",
        calls: SIGNING,
    },
    Api {
        folder: "dd/",
        calls: DILIGENCE,
    },
    Api {
        folder: "auth/",
        calls: AUTHENTICATION,
    },
];

/// Calls of one reference, in the order in which their samples run.
pub(super) struct Api {
    /// Folder of its description and pages.
    pub(super) folder: &'static str,
    pub(super) calls: &'static [Call],
}

/// One call.
pub(super) struct Call {
    /// Its operation id.
    pub(super) id: &'static str,
    pub(super) needs: Needs,
    /// The problem with which its samples are refused, if they are.
    pub(super) refusal: Option<&'static str>,
}

/// Prerequisite of a sample. Each sample gets a new record, as some samples end
/// or erase theirs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Needs {
    /// Credentials alone.
    Nothing,
    /// A signing in the sandbox, which nobody has signed.
    Signing,
    /// A signing in the sandbox, with the result of a simulation.
    SimulatedSigning,
    /// A signing in production that a person has signed, and the key to it. All
    /// samples share one.
    SignedSigning,
    /// A batch.
    Batch,
    /// A stored file.
    File,
    /// A delivered event of the signing API.
    Delivery,
    /// An order that awaits its subject.
    Order,
    /// An order with its package.
    EndedOrder,
    /// A delivered event of the due-diligence API.
    KycDelivery,
    /// A request for a card in a reader, with its client token.
    Login,
}

const SIGNING: &[Call] = &[
    runs("listSignings", Nothing),
    runs("createSigning", Nothing),
    runs("readSigning", Signing),
    runs("updateDeadline", Signing),
    runs("eraseSigning", Signing),
    runs("cancelSigning", Signing),
    runs("downloadDocument", SimulatedSigning),
    // The sandbox makes no signatures, and what has none cannot be archived.
    runs("archiveSigning", SignedSigning),
    runs("readEvidence", Signing),
    runs("simulateOutcome", Signing),
    runs("addSigner", Signing),
    runs("updateSigner", Signing),
    runs("removeSigner", Signing),
    runs("remindSigner", Signing),
    runs("createBatch", Nothing),
    runs("readBatch", Batch),
    runs("storeFile", Nothing),
    runs("readFile", File),
    runs("deleteFile", File),
    runs("listComments", Signing),
    runs("addComment", Signing),
    runs("listDeliveries", Nothing),
    runs("sendTestEvent", Nothing),
    runs("readDelivery", Delivery),
    runs("resendDelivery", Delivery),
    runs("readCapabilities", Nothing),
    // Last: it may erase what the others need.
    runs("eraseEndedSignings", Nothing),
];

const DILIGENCE: &[Call] = &[
    runs("readCompanyProfile", Nothing),
    runs("readParticipants", Nothing),
    runs("readBeneficialOwners", Nothing),
    runs("readRealEstate", Nothing),
    runs("readPropertyExtract", Nothing),
    runs("readSeizures", Nothing),
    runs("readCases", Nothing),
    runs("readReport", Nothing),
    runs("createKycPackage", Nothing),
    runs("readKycPackage", Order),
    runs("eraseKycPackage", EndedOrder),
    runs("downloadKycArtifact", EndedOrder),
    runs("simulateKycPackage", Order),
    runs("listDeliveries", Nothing),
    runs("sendTestEvent", Nothing),
    runs("readDelivery", KycDelivery),
    runs("resendDelivery", KycDelivery),
];

const AUTHENTICATION: &[Call] = &[
    runs("createAuthentication", Nothing),
    runs("readAuthentication", Login),
    runs("cancelAuthentication", Login),
    runs("readAssertionKeys", Nothing),
    runs("readOpenIdConfiguration", Nothing),
    // Status 422: the certificate has to come from a card.
    refused("submitCertificate", Login, "certificate_chain"),
    // Status 409: the token has to come from the answer to a certificate.
    refused("completeAuthentication", Login, "operation_token_spent"),
    // Status 404: the code has to come from a request of its own, and works once.
    refused("pairClient", Nothing, "not_found"),
];

/// A call whose samples succeed.
const fn runs(id: &'static str, needs: Needs) -> Call {
    Call {
        id,
        needs,
        refusal: None,
    }
}

/// A call whose samples are refused with this problem.
const fn refused(id: &'static str, needs: Needs, problem: &'static str) -> Call {
    Call {
        id,
        needs,
        refusal: Some(problem),
    }
}
