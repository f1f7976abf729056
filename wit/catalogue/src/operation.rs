use crate::named::named;

named! {
    /// Operations on a document; each is also the name of its world.
    pub enum Operation("operation") {
        /// Raises signatures to an archival level.
        Archive = "archive",
        /// Replaces fillable content by read-only content.
        Flatten = "flatten",
        /// Makes the sandbox's unsigned artifact.
        Rehearse = "rehearse",
        /// Adds a signature.
        Sign = "sign",
    }
}

named! {
    /// The preservation of the input's bytes by an operation, the weakest first.
    #[derive(Ord, PartialOrd)]
    pub enum Preservation("kind of preservation") {
        /// The output is a rewrite: `verify` and `members` prove it, before and
        /// after.
        Rewrite = "rewrite",
        /// The output begins with the input up to its ZIP central directory.
        ToCentralDirectory = "to-central-directory",
        /// The output begins with the whole input.
        Whole = "whole",
    }
}

named! {
    /// Needs of plugins: operations that they cannot do themselves.
    pub enum NeedKind("kind of need") {
        /// The issuer of a certificate.
        Certificate = "certificate",
        /// OCSP response or CRL for a certificate.
        Revocation = "revocation",
        /// A signature, by a person or a key.
        Signature = "signature",
        /// An RFC 3161 token.
        Timestamp = "timestamp",
    }
}
