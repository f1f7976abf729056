//! The enumerated values of the calls, by the names that go over the wire.

use parafa_api_http::wire_enums;

wire_enums! {
    /// The language of a signer's mails and ceremony page.
    Language {
        /// Lithuanian.
        Lt = "lt",
        /// English.
        En = "en",
    }

    /// The eID method of a signature.
    SigningMethod {
        /// Lithuanian identity card over NFC.
        Nfc = "nfc",
        /// Smart-ID.
        SmartId = "smart_id",
        /// Mobile-ID.
        MobileId = "mobile_id",
    }

    /// Role of a part of the document for the signer.
    MemberRole {
        /// The document itself, or one of several.
        Main = "main",
        /// Attachment of the document.
        Attachment = "attachment",
        /// Metadata about the other parts.
        Metadata = "metadata",
    }

    /// Signature algorithm of a card over a SHA-256 digest, by its JOSE name.
    CardAlgorithm {
        /// ECDSA on the key's curve.
        Es256 = "ES256",
        /// RSASSA-PKCS1-v1_5.
        Rs256 = "RS256",
        /// RSASSA-PSS.
        Ps256 = "PS256",
    }

    /// The form of a card's signature.
    CardEncoding {
        /// ECDSA's r and s one behind the other.
        P1363 = "P1363",
        /// ECDSA-Sig-Value.
        Der = "DER",
        /// RSA's octets.
        Raw = "RAW",
    }

    /// The country of a national code.
    Country {
        /// Lithuania.
        Lithuania = "LT",
        /// Latvia.
        Latvia = "LV",
        /// Estonia.
        Estonia = "EE",
    }

    /// The status of a party of a signing.
    SignerStatus {
        /// Can sign now.
        Pending = "pending",
        /// Has signed.
        Signed = "signed",
        /// Has declined.
        Declined = "declined",
        /// The signing ended without this signer.
        Cancelled = "cancelled",
        /// The hard deadline passed first.
        Expired = "expired",
        /// Completed by a sandbox simulation, without a signature.
        Simulated = "simulated",
        /// The turn has not come yet.
        Waiting = "waiting",
        /// A viewer: recorded and nothing else.
        Recorded = "recorded",
    }

    /// Phase of an attempt.
    Phase {
        /// The signer's certificate is being fetched and checked.
        Certificate = "certificate",
        /// The document is being prepared for this certificate.
        Signing = "signing",
        /// The signer's device waits for the signer.
        WaitingForUser = "waiting_for_user",
        /// The device has signed; time-stamp and finishing go on.
        Completing = "completing",
        /// The signature is in the document.
        Done = "done",
        /// The attempt has ended without a signature.
        Failed = "failed",
    }

    /// Why an attempt ended without a signature.
    AttemptFailure {
        /// The device's signature is not one over what was to be signed.
        BadSignature = "bad_signature",
        /// Given up by the signer or retracted by the caller.
        Cancelled = "cancelled",
        /// The certificate's validity has ended.
        CertificateExpired = "certificate_expired",
        /// The certificate is not one for signing.
        CertificatePurpose = "certificate_purpose",
        /// The certificate is revoked.
        CertificateRevoked = "certificate_revoked",
        /// The certificate leads to no authority that is accepted, or is that of a
        /// card without a Lithuanian personal code.
        CertificateUntrusted = "certificate_untrusted",
        /// The device or the signer's account cannot be used.
        DeviceError = "device_error",
        /// The document is no longer the one that was shown.
        DocumentChanged = "document_changed",
        /// The certificate belongs to somebody else than the signing, what the
        /// signer entered, or the card that was read first says.
        IdentityMismatch = "identity_mismatch",
        /// The provider does not know the person.
        NoAccount = "no_account",
        /// The account or certificate makes no qualified signatures.
        NotQualified = "not_qualified",
        /// The document could not be prepared for the signature, or not be finished.
        PluginFailed = "plugin_failed",
        /// The provider does not answer as it should.
        ProviderUnavailable = "provider_unavailable",
        /// Another signer has the turn, and kept it for too long.
        SigningInProgress = "signing_in_progress",
        /// Nobody answered in time.
        Timeout = "timeout",
        /// No time-stamp could be had.
        TimestampUnavailable = "timestamp_unavailable",
        /// The person is asked by too many attempts already.
        TooManyAttempts = "too_many_attempts",
        /// The signer refused on the device.
        UserRefused = "user_refused",
        /// The signer chose another verification code.
        WrongCode = "wrong_code",
    }
}

impl SigningMethod {
    /// All methods, in listing order.
    pub const EVERY: [Self; 3] = [Self::Nfc, Self::SmartId, Self::MobileId];
}
