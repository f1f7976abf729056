//! What the members of a container are to it, by their names (EN 319 162-1,
//! 4.4).

/// What a member is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Part {
    /// A data file.
    Data,
    /// The manifest (EN 319 162-1, A.5).
    Manifest,
    /// Signatures in XML.
    Signatures,
    /// Named as signatures in XML but for capitals, which no other program takes
    /// for them.
    MisnamedSignatures,
    /// Signatures in CMS, or what these sign.
    CmsSignatures,
    /// Named as signatures, but of a kind that is not known.
    UnknownSignatures,
    /// What makes the container as a whole last longer, behind which nothing can
    /// be added: a time-stamp, an archive manifest, an evidence record.
    Seal,
    /// The `mimetype` member, or something else that is no data file.
    Other,
}

/// Where everything stands that is no data file.
pub(crate) const META_INF: &str = "META-INF/";

/// Where ADOC-V2.0, which is an ASiC-E, has its relations. They change whenever
/// somebody signs.
pub const ADOC_V2_RELATIONS: &str = "META-INF2/relations.xml";

/// Where ADOC-V1.0 has its relations.
pub const ADOC_RELATIONS: &str = "META-INF/relations.xml";

/// The member that names the data files.
pub const MANIFEST: &str = "META-INF/manifest.xml";

impl Part {
    /// By its name.
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

    /// By the path within the folder. Programs know signature files by more
    /// than one pattern: one that any of them finds is one here, so that nobody
    /// sees other signatures than are seen here.
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

/// As DSS finds them; digidoc4j asks for `signatures`, in lower case too.
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
