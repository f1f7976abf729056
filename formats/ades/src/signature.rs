use parafa_format_core::Integrity;
use parafa_pki::TimestampToken;

/// A signature, as far as its chains are followed.
pub trait Signature {
    /// What it is called where something about it is said.
    fn name(&self) -> &str;

    /// Whether it still says what it said.
    fn integrity(&self) -> Integrity;

    /// Whether its profile has levels. The chains of one that has none are
    /// followed only where all have to be complete.
    fn has_levels(&self) -> bool;

    /// DER of the signer's certificate.
    fn signer_certificate(&self) -> Option<&[u8]>;

    /// The time-stamps over its value, those with that imprint.
    fn timestamps(&self) -> &[TimestampToken];

    /// The place just after what it covers: archive time-stamps that end there
    /// or before do not cover it.
    fn end(&self) -> usize;
}
