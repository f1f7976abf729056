//! DER of messages from honest and hostile services.

use parafa_issuing::{ObjectIdentifier, der};

pub use parafa_issuing::der::{
    ENUMERATED, GENERALIZED_TIME, INTEGER, NULL, context as explicit, octets, sequence, set, tlv,
};

pub fn oid(text: &str) -> Vec<u8> {
    der::oid(ObjectIdentifier::new_unwrap(text))
}

pub fn algorithm(text: &str) -> Vec<u8> {
    sequence(&[&oid(text)])
}

pub fn time(text: &str) -> Vec<u8> {
    tlv(GENERALIZED_TIME, &[text.as_bytes()])
}
