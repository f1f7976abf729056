//! Roles of container members, by name (EN 319 162-1, 4.4).

/// Role of a member.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Part {
    /// A data file.
    Data,
    /// The manifest (EN 319 162-1, A.5).
    Manifest,
    /// Signatures in XML.
    Signatures,
    /// A name that differs from a signature file only in case; no other program
    /// accepts it as one.
    MisnamedSignatures,
    /// CMS signatures, or the files they sign.
    CmsSignatures,
    /// A name like a signature of an unknown kind.
    UnknownSignatures,
    /// Long-term protection of the whole container, after which nothing can be
    /// added: a time-stamp, an archive manifest, an evidence record.
    Seal,
    /// The `mimetype` member, or another member that is no data file.
    Other,
}

/// Folder of members that are no data files.
pub(crate) const META_INF: &str = "META-INF/";

/// Relations of ADOC-V2.0, which is an ASiC-E. They change with every
/// signature.
pub const ADOC_V2_RELATIONS: &str = "META-INF2/relations.xml";

/// Relations of ADOC-V1.0.
pub const ADOC_RELATIONS: &str = "META-INF/relations.xml";

/// Member that names the data files.
pub const MANIFEST: &str = "META-INF/manifest.xml";

impl Part {
    /// Determines the role by name.
    #[must_use]
    pub fn of(name: &str) -> Self {
        if name == parafa_zip::MIMETYPE || name == ADOC_V2_RELATIONS {
            return Self::Other;
        }
        match name.strip_prefix(META_INF) {
            None => Self::Data,
            Some(_) if name == MANIFEST => Self::Manifest,
            Some(within) => match Self::of_meta_inf(&within.to_ascii_lowercase()) {
                Self::Signatures if !is_signature_file(within) => Self::MisnamedSignatures,
                part => part,
            },
        }
    }

    /// Determines the role by the path within the folder. Programs recognize
    /// signature files by different patterns. A match of any pattern counts, so
    /// that no program sees other signatures.
    fn of_meta_inf(within: &str) -> Self {
        let file = within.rsplit('/').next().unwrap_or(within);
        let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
        match extension {
            "p7s" => Self::CmsSignatures,
            "tst" | "ers" => Self::Seal,
            "xml" if stem.starts_with("asicmanifest") => Self::CmsSignatures,
            "xml"
                if [
                    "asicarchivemanifest",
                    "asicevidencerecordmanifest",
                    "evidencerecord",
                ]
                .iter()
                .any(|seal| stem.starts_with(seal)) =>
            {
                Self::Seal
            }
            "xml" if is_signature_file(within) => Self::Signatures,
            _ if within.contains("signatures") => Self::UnknownSignatures,
            _ => Self::Other,
        }
    }
}

/// The pattern of DSS; digidoc4j requires `signatures`, in lower case too.
fn is_signature_file(within: &str) -> bool {
    within.contains("signature") && within.ends_with(".xml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_files_are_found_by_the_patterns_of_other_programs() {
        for name in [
            "META-INF/signatures0.xml",
            "META-INF/signatures001.xml",
            "META-INF/l77Tsignaturesn00B.xml",
            "META-INF/signature1.xml",
            "META-INF/signatures/signatures0.xml",
        ] {
            assert_eq!(Part::of(name), Part::Signatures, "{name}");
            let in_capitals = name.to_ascii_uppercase();
            assert_eq!(Part::of(&in_capitals), Part::MisnamedSignatures);
        }
        for name in ["META-INF/signatures0.XML", "META-INF/Signatures0.xml"] {
            assert_eq!(Part::of(name), Part::MisnamedSignatures, "{name}");
        }
        assert_eq!(Part::of("signatures0.xml"), Part::Data);
        assert_eq!(Part::of("META-INF/signature.txt"), Part::Other);
    }

    #[test]
    fn other_kinds_of_signatures_and_seals_are_told_apart() {
        for (name, part) in [
            ("META-INF/manifest.xml", Part::Manifest),
            ("META-INF/signature001.p7s", Part::CmsSignatures),
            ("META-INF/ASiCManifest001.xml", Part::CmsSignatures),
            ("META-INF/ASiCArchiveManifest.xml", Part::Seal),
            ("META-INF/ASiCEvidenceRecordManifest001.xml", Part::Seal),
            ("META-INF/evidencerecord.ers", Part::Seal),
            ("META-INF/evidencerecord.xml", Part::Seal),
            ("META-INF/timestamp001.tst", Part::Seal),
            ("META-INF/signatures.txt", Part::UnknownSignatures),
            ("META-INF/signatures/0", Part::UnknownSignatures),
            ("META-INF2/relations.xml", Part::Other),
            ("mimetype", Part::Other),
            ("folder/mimetype", Part::Data),
        ] {
            assert_eq!(Part::of(name), part, "{name}");
        }
    }
}
