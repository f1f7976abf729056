/// Limits on containers; beyond them a container is refused.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Limits {
    /// Limits on the archive.
    pub zip: parafa_zip::Limits,
    /// Limits on every XML member.
    pub xml: parafa_xml::Limits,
    /// Bytes of the manifest.
    pub manifest_bytes: u64,
    /// Bytes of all signature files together.
    pub signature_bytes: u64,
    /// Number of signatures.
    pub signatures: usize,
    /// Certificates, revocation data and data files listed in evidence, over
    /// all signatures, with repetitions.
    pub evidence_places: usize,
    /// Bytes inflated for one operation, with repetitions: a member is inflated
    /// again for every digest.
    pub inflated_bytes: u64,
    /// Bytes of members digested for time-stamps, with repetitions: every
    /// archive time-stamp covers everything its signature covers.
    pub stamped_bytes: u64,
    /// Number of files in a new container.
    pub composed_files: usize,
    /// Total bytes of these files; with the archive's overhead they stay below
    /// the output limit.
    pub composed_bytes: u64,
}

impl Limits {
    /// Bytes reserved for a new signature; a longer one is refused.
    pub const NEW_SIGNATURE_BYTES: u64 = 1024 * 1024;
    /// Usual bytes of a signature.
    pub const USUAL_SIGNATURE_BYTES: u64 = 64 * 1024;
    /// Certificates reserved for a new signature and its time-stamp.
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
