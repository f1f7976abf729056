//! The enumerated values of the contract, by the names that go over the wire.

use parafa_api_http::wire_enums;

wire_enums! {
    /// A method of authentication.
    AuthenticationMethod {
        /// A card in a reader, by a client in the person's hands.
        Physical = "physical",
        /// A card over NFC, by an app that is paired with the request.
        Nfc = "nfc",
        /// Smart-ID, on the server side.
        SmartId = "smart_id",
        /// Mobile-ID, on the server side.
        MobileId = "mobile_id",
    }

    /// The status of a request.
    AuthenticationStatus {
        /// Nobody has done anything yet.
        Pending = "pending",
        /// A card's certificate is accepted.
        CertificateReceived = "certificate_received",
        /// A provider asks the person.
        InProgress = "in_progress",
        /// The person is authenticated.
        Completed = "completed",
        /// The person was not authenticated, and will not be by this request.
        Failed = "failed",
        /// The request expired before it was completed.
        Expired = "expired",
        /// The request was cancelled.
        Cancelled = "cancelled",
    }
}
