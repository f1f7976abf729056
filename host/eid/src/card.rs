//! A card's signatures, as handed over by the app that talks to it.

mod signature;
mod verification_code;

pub use self::signature::{
    CardKey, InvalidCardSignature, SignatureAlgorithm, SignatureEncoding, UnknownName,
    signature_value,
};
pub use self::verification_code::verification_code;
pub(crate) use self::verification_code::verification_code_of;
