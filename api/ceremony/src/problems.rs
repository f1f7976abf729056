//! Refusals because of a ceremony's state: of signers' calls, and of the APIs of products that hold
//! ceremonies.

parafa_api_http::problem_types! {
    SIGNING_ENDED: CONFLICT, "signing-ended", "The signing has ended",
        "The signing is completed, declined, expired, cancelled or failed.",
        "Read the signing for its outcome; create a new one if signatures are still needed.";
    NOT_YET_SIGNED: CONFLICT, "not-yet-signed", "Nobody has signed yet",
        "The call needs a signed document, and nobody has signed yet.",
        "Wait for the first signature; a webhook announces it.";
    SIGNING_IN_PROGRESS: CONFLICT, "signing-in-progress", "A signature is being made",
        "A signer is signing now, at the latest until busyUntil in the state of a signer's link, if it is there; usually only for seconds.",
        "Try again after the time in the Retry-After header, more than once if need be, or once busy is false in the state of a signer's link.";
    SIGNER_NOT_OPEN: CONFLICT, "signer-not-open", "The signer can no longer be changed",
        "The signer has finished, or there is nothing that this call can change.",
        "Read the signing for the signer's status.";
    LAST_SIGNER: CONFLICT, "last-signer", "The last signer cannot be removed",
        "A signing needs at least one party of role signer.",
        "Cancel the signing, or add another signer first.";
    TOO_MANY_SIGNERS: CONFLICT, "too-many-signers", "There are too many parties",
        "A signing has at most 20 parties.",
        "Remove a party first, or create another signing.";
    NOT_REMINDABLE: CONFLICT, "not-remindable", "The party cannot be reminded",
        "The party cannot sign now, is a viewer, or was not invited by email.",
        "Send the ceremony link to the signer yourself, or wait until it is their turn.";
    SANDBOX_NEVER_SIGNS: CONFLICT, "sandbox-never-signs", "The sandbox never signs",
        "The signing was created with a sandbox key, so that no signature can be made.",
        "Use the simulate call, or create the signing with a live key.";
    DOCUMENT_CHANGED: CONFLICT, "document-changed", "The document has changed",
        "Another signature was added after the document was read.",
        "Read the current version and start again.";
    CARD_REFUSED: UNPROCESSABLE_ENTITY, "validation-failed", "The card app's data were refused",
        "This attempt cannot continue with this certificate or signature.",
        "Read errors for the reason; if the attempt has ended, start another one.";
    QUOTA_EXCEEDED: TOO_MANY_REQUESTS, "quota-exceeded", "A quota of the workspace is used up",
        "The workspace has reached its quota of stored bytes or of open signings; nothing was created.",
        "Read the detail; erase what you no longer need, wait until it expires, or ask the operator for a larger quota.";
    REMINDER_TOO_SOON: TOO_MANY_REQUESTS, "reminder-too-soon", "The signer was reminded already",
        "A reminder went to this signer less than an hour ago.",
        "Wait for the time in the Retry-After header.";
}
