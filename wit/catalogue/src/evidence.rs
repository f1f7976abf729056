use crate::named::named;

named! {
    /// What signed: a person or organisation, or a clock.
    pub enum SignatureKind("kind of signature") {
        /// A time-stamp over the document (ETSI EN 319 142-1, 5.4.3; ETSI EN
        /// 319 162-1, 4.3.4).
        DocumentTimestamp = "document-timestamp",
        /// A signature.
        Signature = "signature",
    }
}

named! {
    /// How much of a document a signature covers.
    pub enum CoverageKind("coverage") {
        /// Everything but the signature value.
        EntireFile = "entire-file",
        /// Everything up to the end of its own revision.
        EntireRevision = "entire-revision",
        /// The members that are named, each whole.
        Members = "members",
        /// Less than that.
        Partial = "partial",
    }
}

named! {
    /// Whether a signature still says what it said.
    pub enum Integrity("verdict of integrity") {
        /// The covered ranges are not what they should be.
        ByteRange = "byte-range",
        /// The covered bytes have another digest.
        DigestMismatch = "digest-mismatch",
        /// All is as it was signed.
        Intact = "intact",
        /// The signature cannot be read.
        Malformed = "malformed",
        /// Later revisions changed more than they may.
        Modified = "modified",
        /// The value does not verify under the certificate.
        SignatureMismatch = "signature-mismatch",
        /// It cannot be told, because an algorithm or a curve is not known here.
        Unsupported = "unsupported",
    }
}

named! {
    /// What revisions after a signature changed, the least first: each kind may
    /// come with those before it.
    #[derive(Ord, PartialOrd)]
    pub enum ChangeKind("kind of later changes") {
        /// Nothing.
        None = "none",
        /// What verifying for long takes, such as a security store or a document
        /// time-stamp, and what shows nothing, such as metadata.
        ValidationData = "validation-data",
        /// Places for signatures, and signatures in them.
        Signing = "signing",
        /// Values of form fields.
        FormFilling = "form-filling",
        /// Annotations.
        Annotations = "annotations",
        /// Something else.
        Other = "other",
        /// It was not found out: the signature itself does not hold, or the
        /// revisions cannot be compared.
        Unknown = "unknown",
    }
}

named! {
    /// What a time-stamp stamps, and of what kind it is.
    pub enum TimestampKind("kind of time-stamp") {
        /// The signature value (ETSI EN 319 122-1, 5.3; XAdES's
        /// `SignatureTimeStamp`).
        Signature = "signature",
        /// What is to be signed, before it is (ETSI EN 319 122-1, 5.2.8;
        /// `AllDataObjectsTimeStamp`).
        Content = "content",
        /// A signature with all that it is verified with (ETSI EN 319 122-1,
        /// 5.5.3; `ArchiveTimeStamp`).
        Archive = "archive",
        /// A document, in a signature's place.
        Document = "document",
        /// An OCSP response in the place of a time-stamp (BDOC-TM).
        TimeMark = "time-mark",
    }
}

named! {
    /// Whether a time-stamp is one of what it stands beside.
    pub enum TimestampStatus("status of a time-stamp") {
        /// It is, and says what its maker signed.
        Intact = "intact",
        /// It stamps something else.
        ImprintMismatch = "imprint-mismatch",
        /// It cannot be read.
        Malformed = "malformed",
        /// Its maker did not sign it.
        SignatureMismatch = "signature-mismatch",
        /// The certificate of its maker is not there, or an algorithm is not
        /// known here.
        Unverifiable = "unverifiable",
    }
}

named! {
    /// What a member of a container is to those who sign it.
    pub enum MemberRole("role of a member") {
        /// The document, or one of several.
        Main = "main",
        /// What belongs to a main one.
        Attachment = "attachment",
        /// What is said about the others.
        Metadata = "metadata",
    }
}
