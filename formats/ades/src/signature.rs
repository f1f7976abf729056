use parafa_format_core::Integrity;
use parafa_pki::TimestampToken;

/// A signature, as needed for following its chains.
pub trait Signature {
    /// Returns its name for messages.
    fn name(&self) -> &str;

    /// Returns its integrity.
    fn integrity(&self) -> Integrity;

    /// Returns whether its profile has levels. Without levels, its chains are
    /// followed only for [`Rules::Complete`](crate::Rules::Complete).
    fn has_levels(&self) -> bool;

    /// Returns the DER-encoded signer certificate.
    fn signer_certificate(&self) -> Option<&[u8]>;

    /// Returns the time-stamps over its value with a matching imprint.
    fn timestamps(&self) -> &[TimestampToken];

    /// Returns the end of the covered places, exclusive; an archive time-stamp
    /// that ends there or before does not cover the signature.
    fn end(&self) -> usize;
}
