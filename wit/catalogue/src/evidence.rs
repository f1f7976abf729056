use crate::named::named;

named! {
    /// The signer: a person or organisation, or a clock.
    pub enum SignatureKind("kind of signature") {
        /// A time-stamp over the document (ETSI EN 319 142-1, 5.4.3; ETSI EN
        /// 319 162-1, 4.3.4).
        DocumentTimestamp = "document-timestamp",
        /// A signature.
        Signature = "signature",
    }
}

named! {
    /// The part of a document that a signature covers.
    pub enum CoverageKind("coverage") {
        /// Everything but the signature value.
        EntireFile = "entire-file",
        /// Everything up to the end of its own revision.
        EntireRevision = "entire-revision",
        /// The named members, each whole.
        Members = "members",
        /// Less than that.
        Partial = "partial",
    }
}

named! {
    /// The verdict on a signature's integrity.
    pub enum Integrity("verdict of integrity") {
        /// The covered ranges are invalid.
        ByteRange = "byte-range",
        /// The covered bytes have another digest.
        DigestMismatch = "digest-mismatch",
        /// Everything is unchanged since the signature.
        Intact = "intact",
        /// The signature cannot be read.
        Malformed = "malformed",
        /// Later revisions made changes that are not permitted.
        Modified = "modified",
        /// The value does not verify under the certificate.
        SignatureMismatch = "signature-mismatch",
        /// Unknown, because an algorithm or a curve is not supported.
        Unsupported = "unsupported",
    }
}

named! {
    /// Kinds of changes by revisions after a signature, the least first: each may include those
    /// before it.
    #[derive(Ord, PartialOrd)]
    pub enum ChangeKind("kind of later changes") {
        /// Nothing.
        None = "none",
        /// Data for long-term verification, such as a security store or a document time-stamp, and
        /// invisible data, such as metadata.
        ValidationData = "validation-data",
        /// Signature fields, and signatures in them.
        Signing = "signing",
        /// Values of form fields.
        FormFilling = "form-filling",
        /// Annotations.
        Annotations = "annotations",
        /// Something else.
        Other = "other",
        /// The kind is unknown: the signature is not intact, or the revisions cannot be compared.
        Unknown = "unknown",
    }
}

named! {
    /// Kinds of time-stamps, by the data that they stamp.
    pub enum TimestampKind("kind of time-stamp") {
        /// The signature value (ETSI EN 319 122-1, 5.3; XAdES's
        /// `SignatureTimeStamp`).
        Signature = "signature",
        /// The data to be signed, before the signature (ETSI EN 319 122-1, 5.2.8;
        /// `AllDataObjectsTimeStamp`).
        Content = "content",
        /// A signature with its validation data (ETSI EN 319 122-1, 5.5.3; `ArchiveTimeStamp`).
        Archive = "archive",
        /// A document, in a signature's place.
        Document = "document",
        /// An OCSP response in the place of a time-stamp (BDOC-TM).
        TimeMark = "time-mark",
    }
}

named! {
    /// The verdict on a time-stamp.
    pub enum TimestampStatus("status of a time-stamp") {
        /// Stamps the right data, and its signature verifies.
        Intact = "intact",
        /// Stamps other data.
        ImprintMismatch = "imprint-mismatch",
        /// The token cannot be read.
        Malformed = "malformed",
        /// Its signature does not verify.
        SignatureMismatch = "signature-mismatch",
        /// The authority's certificate is missing, or an algorithm is not supported.
        Unverifiable = "unverifiable",
    }
}

named! {
    /// The role of a container's member for its signers.
    pub enum MemberRole("role of a member") {
        /// The document, or one of several.
        Main = "main",
        /// Belongs to a main document.
        Attachment = "attachment",
        /// Describes the others.
        Metadata = "metadata",
    }
}
