use parafa_api_http::wire_enums;

wire_enums! {
    /// The status of an order.
    KycStatus {
        /// The subject has not finished the ceremony.
        AwaitingSubject = "awaiting_subject",
        /// The subject has signed; the identity is being compared.
        Verifying = "verifying",
        /// The container can be fetched.
        Delivered = "delivered",
        /// The signer is not the person in the register. Nothing was charged.
        IdentityMismatch = "identity_mismatch",
        /// There is nothing to confirm. Nothing was charged.
        Refused = "refused",
        /// Nobody signed in time. Nothing was charged.
        Expired = "expired",
        /// The service could not do it. Nothing was charged.
        Failed = "failed",
    }

    /// Reason for the refusal of an order.
    KycStatusReason {
        /// The subject declined to sign.
        SubjectDeclined = "subject_declined",
        /// The role was given up since the order was made.
        RoleNoLongerHeld = "role_no_longer_held",
        /// The certificate carries an identifier that is no Lithuanian personal code.
        OutOfScopeIdentifier = "out_of_scope_identifier",
    }

    /// A role in an entity.
    KycRole {
        /// The single-person management body.
        Manager = "manager",
        /// A member of the board.
        BoardMember = "board_member",
        /// A member of the supervisory board.
        SupervisoryBoardMember = "supervisory_board_member",
        /// A procurator.
        Procurator = "procurator",
        /// Somebody with a registered authorisation.
        AuthorisedPerson = "authorised_person",
        /// A shareholder.
        Shareholder = "shareholder",
        /// A member of an entity without shares.
        Member = "member",
        /// A beneficial owner.
        BeneficialOwner = "beneficial_owner",
        /// A liquidator.
        Liquidator = "liquidator",
        /// An insolvency administrator.
        InsolvencyAdministrator = "insolvency_administrator",
    }

    /// Delivery of the link to the subject.
    KycDeliveryKind {
        /// The caller hands it on.
        Link = "link",
        /// The service mails it.
        Email = "email",
    }

    /// The simulated outcome of a sandbox order.
    KycSimulation {
        /// A holder of the role signs.
        Complete = "complete",
        /// Somebody else signs.
        Mismatch = "mismatch",
        /// The subject declines.
        Decline = "decline",
        /// Nobody signs in time.
        Expire = "expire",
        /// The service cannot do it.
        Fail = "fail",
    }

    /// The events of an order.
    KycEventKind {
        /// The container can be fetched.
        Delivered = "kyc.delivered",
        /// The signer is not the person in the register.
        IdentityMismatch = "kyc.identity_mismatch",
        /// There is nothing to confirm.
        Refused = "kyc.refused",
        /// Nobody signed in time.
        Expired = "kyc.expired",
        /// The service could not do it.
        Failed = "kyc.failed",
    }
}
