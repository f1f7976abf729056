use parafa_ades::{ArchiveTimestamp, Rules, Signature, SignaturePosition, ValidationMaterial};
use parafa_format_core::{BaselineLevel, Environment, Integrity, TimestampEvidence, TimestampKind};
use parafa_pki::{SignedData, TimestampToken};

use crate::level;
use crate::material::{BEFORE_ALL, Material, Stored};
use crate::stamps::Stamp;
use crate::time_marks::{MAX_TIME_MARKS, time_mark};
use crate::verifier::Verified;

/// Content and integrity of a signature, before its chains are followed.
#[derive(Clone, Debug)]
pub(crate) struct Examined {
    /// Name of the file, and identifier of the signature.
    pub(crate) name: String,
    /// Without level and time-stamps.
    pub(crate) verified: Verified,
    pub(crate) is_baseline: bool,
    pub(crate) is_time_marked: bool,
    /// The value, as written.
    pub(crate) raw_value: Vec<u8>,
    pub(crate) material: Material,
    pub(crate) stamps: Vec<Stamp>,
    pub(crate) signature_tokens: Vec<TimestampToken>,
}

/// Returns the tokens of time-stamps of a kind with a matching imprint.
pub(crate) fn tokens(stamps: &[Stamp], kind: TimestampKind) -> Vec<TimestampToken> {
    let stamps = stamps.iter().filter_map(|stamp| stamp.stamps(kind));
    stamps.cloned().collect()
}

impl Examined {
    /// Adds the material of the signature and its time-stamps.
    pub(crate) fn add_to<'d, E>(&'d self, material: &mut ValidationMaterial<'d, E>)
    where
        E: Environment,
    {
        for certificate in &self.material.key_info {
            material.add_certificate(certificate, BEFORE_ALL);
        }
        for stamp in &self.stamps {
            let token = stamp.token.iter().map(TimestampToken::signed_data);
            for certificate in token.flat_map(SignedData::certificates) {
                material.add_certificate(certificate, stamp.place);
            }
        }
        let certificates = self.material.certificates.iter().map(Stored::with_place);
        let revocation = self.material.revocation.iter().map(Stored::with_place);
        material.add_stored(certificates, revocation);
    }

    /// Returns its position, given material that includes its own.
    pub(crate) fn position<E: Environment>(
        &self,
        material: &ValidationMaterial<'_, E>,
        rules: Rules,
    ) -> SignaturePosition {
        // Level T needs a time-stamp over the value, even if there is an
        // archive time-stamp (EN 319 132-1, 6.3).
        let later = if self.signature_tokens.is_empty() {
            Vec::new()
        } else {
            self.archive_timestamps()
        };
        let has_store = self.material.has_store || rules == Rules::Complete;
        SignaturePosition::of(material, self, &later, has_store, rules)
    }

    /// Returns the archive time-stamps with a matching imprint.
    pub(crate) fn archive_timestamps(&self) -> Vec<ArchiveTimestamp<'_>> {
        let stamps = self.stamps.iter().filter_map(|stamp| {
            let token = stamp.stamps(TimestampKind::Archive)?.clone();
            Some(ArchiveTimestamp::new(&self.name, token, stamp.place))
        });
        stamps.collect()
    }

    /// Returns evidence about its time-stamps and time-marks.
    pub(crate) fn timestamps<E: Environment>(
        &self,
        environment: &E,
        material: &ValidationMaterial<'_, E>,
    ) -> Vec<TimestampEvidence> {
        let stamps = self.stamps.iter().map(|stamp| stamp.evidence(material));
        let data = self.verified.revocation.iter();
        let marks = data
            .filter(|_| self.is_time_marked)
            .filter_map(|der| time_mark(environment, self, der))
            .take(MAX_TIME_MARKS);
        stamps.chain(marks).collect()
    }

    pub(crate) fn level_name(&self, level: Option<BaselineLevel>) -> &'static str {
        level::name(self.is_baseline, level)
    }
}

impl Signature for Examined {
    fn name(&self) -> &str {
        &self.name
    }

    fn integrity(&self) -> Integrity {
        self.verified.integrity
    }

    /// An invalid signature has no level.
    fn has_levels(&self) -> bool {
        self.verified.integrity == Integrity::Intact
    }

    fn signer_certificate(&self) -> Option<&[u8]> {
        self.verified.signer_certificate.as_deref()
    }

    fn timestamps(&self) -> &[TimestampToken] {
        &self.signature_tokens
    }

    fn end(&self) -> usize {
        BEFORE_ALL
    }
}
