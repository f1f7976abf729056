/// How much of a container is taken before it is refused.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Limits {
    /// Of the archive.
    pub zip: parafa_zip::Limits,
    /// Of every XML member.
    pub xml: parafa_xml::Limits,
    /// Bytes of the manifest.
    pub manifest_bytes: u64,
    /// Bytes of all signature files together.
    pub signature_bytes: u64,
    /// Signatures.
    pub signatures: usize,
    /// Certificates, revocation data and data files that all signatures name
    /// together, each time counted: evidence lists them.
    pub evidence_places: usize,
    /// Bytes that deflated members are inflated to for one operation, each time
    /// counted: a member is inflated anew for every digest.
    pub inflated_bytes: u64,
    /// Bytes of members that are digested for time-stamps over them, each time
    /// counted: every archive time-stamp is over all that its signature is over.
    pub stamped_bytes: u64,
    /// Files that a container is composed of.
    pub composed_files: usize,
    /// Bytes of these files together: with what is around them they are no longer
    /// than an output may be.
    pub composed_bytes: u64,
}

impl Limits {
    /// Bytes of a signature that is yet to be added; one that turns out longer
    /// is refused then.
    pub const NEW_SIGNATURE_BYTES: u64 = 1024 * 1024;
    /// Bytes that a signature has as a rule.
    pub const USUAL_SIGNATURE_BYTES: u64 = 64 * 1024;
    /// Certificates of a signature that is yet to be added, and of its
    /// time-stamp.
    pub const NEW_SIGNATURE_CERTIFICATES: usize = 32;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            zip: parafa_zip::Limits::default(),
            xml: parafa_xml::Limits::default(),
            manifest_bytes: 1024 * 1024,
            signature_bytes: 8 * 1024 * 1024,
            signatures: 128,
            evidence_places: 100_000,
            inflated_bytes: 448 * 1024 * 1024,
            stamped_bytes: 2 * 1024 * 1024 * 1024,
            composed_files: 20,
            composed_bytes: 63 * 1024 * 1024,
        }
    }
}
