//! Names of open sets: plugins may use others, unknown to the host.

macro_rules! words {
    (
        $(#[$about:meta])*
        pub mod $module:ident {
            $($(#[$meaning:meta])* $CONSTANT:ident = $word:literal,)+
        }
    ) => {
        $(#[$about])*
        pub mod $module {
            $(
                $(#[$meaning])*
                pub const $CONSTANT: &str = $word;
            )+

            /// All names.
            pub const ALL: &[&str] = &[$($CONSTANT),+];
        }
    };
}

words! {
    /// Levels that signatures reach, in the formats of ETSI.
    pub mod levels {
        /// ETSI EN 319 142-1, level B-B.
        PADES_B_B = "PAdES-B-B",
        /// ETSI EN 319 142-1, level B-T.
        PADES_B_T = "PAdES-B-T",
        /// ETSI EN 319 142-1, level B-LT.
        PADES_B_LT = "PAdES-B-LT",
        /// ETSI EN 319 142-1, level B-LTA.
        PADES_B_LTA = "PAdES-B-LTA",
        /// ETSI EN 319 132-1, level B-B.
        XADES_B_B = "XAdES-B-B",
        /// ETSI EN 319 132-1, level B-T.
        XADES_B_T = "XAdES-B-T",
        /// ETSI EN 319 132-1, level B-LT.
        XADES_B_LT = "XAdES-B-LT",
        /// ETSI EN 319 132-1, level B-LTA.
        XADES_B_LTA = "XAdES-B-LTA",
        /// A signature of ETSI TS 101 903 with a time-stamp, as in ADOC.
        XADES_T = "XAdES-T",
        /// A signature of ETSI TS 101 903 with a time-stamp and its validation data.
        XADES_LT = "XAdES-LT",
        /// ETSI TS 119 182-1, level B-B.
        JADES_B_B = "JAdES-B-B",
        /// ETSI TS 119 182-1, level B-T.
        JADES_B_T = "JAdES-B-T",
        /// ETSI TS 119 182-1, level B-LT.
        JADES_B_LT = "JAdES-B-LT",
        /// ETSI TS 119 182-1, level B-LTA.
        JADES_B_LTA = "JAdES-B-LTA",
        /// Another profile.
        UNKNOWN = "unknown",
    }
}

words! {
    /// Refusal codes with the same meaning in every format; `wit/CATALOGUE.md` lists those that a
    /// host treats specially.
    pub mod refusal {
        /// A signature cannot be raised; one subject for each missing item.
        ARCHIVE_INCOMPLETE = "archive-incomplete",
        /// The additions exceed the document's limits.
        ARCHIVE_NO_ROOM = "archive-no-room",
        /// The request itself cannot be used.
        BAD_REQUEST = "bad-request",
        /// The fonts lack characters of the text.
        CHARACTERS_MISSING = "characters-missing",
        /// The container is marked as finalized.
        CONTAINER_FINALIZED = "container-finalized",
        /// The container has no signature, and is only countersigned.
        CONTAINER_UNSIGNED = "container-unsigned",
        /// The container's structure violates its format.
        CONTAINER_UNSOUND = "container-unsound",
        /// The description of the document to compose cannot be used.
        DESCRIPTION_INVALID = "description-invalid",
        /// A limit of `compose` is passed.
        DOCUMENT_TOO_LONG = "document-too-long",
        /// Fields cannot be drawn; one subject for each.
        FLATTEN_REFUSED = "flatten-refused",
        /// An MDOC accepts only a first signature.
        MDOC_NOT_ACCEPTED = "mdoc-not-accepted",
        /// Signature, certificates and time-stamp need more bytes than were
        /// reserved.
        NO_ROOM = "no-room",
        /// The document has no member of that id.
        NO_SUCH_MEMBER = "no-such-member",
        /// The document has another plugin's media type, which is the one subject.
        OTHER_FORMAT = "other-format",
        /// Signatures and their validation data exceed the work limit of one document.
        TOO_MUCH_TO_VERIFY = "too-much-to-verify",
        /// The container is sound, as far as checked, and of an unsupported kind.
        UNSUPPORTED_CONTAINER = "unsupported-container",
    }
}

words! {
    /// Codes of checks that are broken or unknown, beside the names of
    /// [`Integrity`](crate::Integrity) and
    /// [`TimestampStatus`](crate::TimestampStatus).
    pub mod check {
        /// Unknown: the object to check is missing.
        MISSING = "missing",
        /// Broken: the certificate differs from the one that the signature names.
        OTHER_CERTIFICATE = "other-certificate",
        /// Unknown: the signature does not name a certificate.
        UNNAMED = "unnamed",
    }
}

words! {
    /// Reasons in place of the answer to a need.
    pub mod reason {
        /// A chain may end at this certificate.
        ANCHOR = "anchor",
        /// No service could be asked, or none answered.
        UNAVAILABLE = "unavailable",
        /// Its chain ends in a root that is not configured.
        UNTRUSTED = "untrusted",
    }
}

words! {
    /// Parameters of needs.
    pub mod need_params {
        /// `revocation`: DER of the issuer's certificate, in base64.
        ISSUER = "issuer",
        /// `timestamp`: the stamped data, by the name of its kind. By default, `sign` means
        /// `signature` and `archive` means `archive`.
        KIND = "kind",
        /// `revocation`: the time that the answer has to cover, in decimal seconds since
        /// 1970-01-01T00:00:00Z.
        TIME = "time",
    }
}

words! {
    /// Parameters of `compose`, which formats may ignore.
    pub mod compose_params {
        /// The author of the document, by the name of the workspace.
        AUTHOR = "author",
        /// The category of documents of the workspace, by the format's own name; optional.
        CATEGORY = "category",
        /// The title shown to signers.
        TITLE = "title",
    }
}

words! {
    /// Notes that a host passes on by name.
    pub mod note {
        /// `inspect`: the document has scripts, which viewers may run.
        JAVASCRIPT = "javascript",
        /// `inspect`: an action of the document starts a program or opens a file.
        LAUNCH = "launch",
        /// `flatten`: the form asked readers to generate its appearances anew.
        NEED_APPEARANCES = "need-appearances",
        /// `inspect`: the number of further signatures for which the document has room, in decimal,
        /// if these may be too few.
        ROOM = "signatures-fit",
        /// `inspect`: an existing signature is not intact.
        SIGNATURE_BROKEN = "signature-broken",
        /// `inspect`: the integrity of an existing signature is unknown.
        SIGNATURE_UNSUPPORTED = "signature-unsupported",
        /// `inspect`: an existing RSA signature lacks the NULL of its digest algorithm.
        SIGNATURE_WITHOUT_NULL = "signature-without-null",
        /// `flatten`: the document granted rights to fill in its form, which flattening removes.
        USAGE_RIGHTS = "usage-rights",
    }
}
