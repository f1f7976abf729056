//! What a card signs, as the app that talks to it hands it over.

mod signature;

pub use self::signature::{
    CardKey, InvalidCardSignature, SignatureAlgorithm, SignatureEncoding, UnknownName,
    signature_value,
};
