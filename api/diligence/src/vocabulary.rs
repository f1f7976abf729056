//! The enumerated values of the contract, by the names that go over the wire.

use parafa_api_http::wire_enums;

wire_enums! {
    /// The purpose of a call. It is logged with the call.
    Purpose {
        /// Customer due diligence under the law on the prevention of money
        /// laundering and terrorist financing.
        AmlKyc = "AML_KYC",
        /// Due diligence before or during a business relationship.
        BusinessRelationship = "BUSINESS_RELATIONSHIP_DD",
        /// Due diligence of one transaction.
        Transaction = "TRANSACTION_DD",
        /// A legal claim.
        LegalClaim = "LEGAL_CLAIM",
        /// Another lawful purpose.
        Other = "OTHER",
    }

    /// The signature level of a JSON answer.
    SignatureTier {
        /// JAdES baseline T: with a qualified time-stamp.
        JadesT = "jades-t",
        /// JAdES baseline LT: with the certificate chain and revocation data
        /// too.
        JadesLt = "jades-lt",
    }

    /// The packaging of an answer.
    AnswerFormat {
        /// Nothing: it is JSON.
        Json = "json",
        /// An ASiC-E container with the answer, the raw register answers and one
        /// qualified signature over all of them.
        Asice = "asice",
    }
}
