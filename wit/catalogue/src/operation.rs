use crate::named::named;

named! {
    /// What a document is put through; each is also the name of its world.
    pub enum Operation("operation") {
        /// Raises signatures to an archival level.
        Archive = "archive",
        /// Turns what can be filled in into what can only be read.
        Flatten = "flatten",
        /// Makes the sandbox's unsigned artifact.
        Rehearse = "rehearse",
        /// Adds a signature.
        Sign = "sign",
    }
}

named! {
    /// How an operation keeps the bytes of its input, the weakest first.
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
    /// What a plugin cannot do itself.
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
