//! The dossier signed by a subject: its signature, and the addition of
//! validation data.

use bytes::Bytes;
use jiff::Timestamp;
use parafa_ceremony::CeremonyError;
use parafa_ceremony::records::CeremonyRow;
use parafa_plugin_host::{
    CoverageKind, Integrity, Plugin, SignatureKind, TimestampKind, TimestampStatus,
};
use parafa_trust::Certificate;

use crate::Identifications;
use crate::error::IdentificationError;
use crate::evidence::SubjectSignature;
use crate::records::OrderRow;
use crate::verify::NotVerified;

impl Identifications {
    /// Returns the signed dossier, or the sandbox's substitute.
    pub(crate) async fn signed(&self, row: &OrderRow) -> Result<Bytes, IdentificationError> {
        let ceremony = self.records.store.get::<CeremonyRow>(&row.ceremony).await?;
        let ceremony = ceremony.ok_or(CeremonyError::Inconsistent("an order has no ceremony"))?;
        let output = ceremony
            .output()
            .ok_or(CeremonyError::NotYetSigned(ceremony.ceremony.status))?;
        Ok(self.reader.version_bytes(&ceremony, output.version).await?)
    }

    /// Returns the only signature of the dossier, which covers all of it.
    pub(crate) async fn signature(
        plugin: &Plugin,
        dossier: Bytes,
    ) -> Result<SubjectSignature, NotVerified> {
        let evidence = plugin.verify(dossier).await.map_err(NotVerified::Plugin)?;
        let signatures = evidence.signatures;
        let [signature] = <[_; 1]>::try_from(signatures)
            .map_err(|_| NotVerified::Unverified("there is not exactly one signature"))?;
        if signature.kind != SignatureKind::Signature
            || signature.integrity != Integrity::Intact
            || signature.coverage.kind != CoverageKind::EntireFile
        {
            return Err(NotVerified::Unverified(
                "the signature does not cover all of it",
            ));
        }
        let certificate = signature.signer_certificate.as_deref().unwrap_or_default();
        let certificate = Certificate::from_der(certificate)
            .map_err(|_| NotVerified::Unverified("the certificate cannot be read"))?;
        let stamps = signature.timestamps.iter();
        let mut stamps = stamps.filter(|stamp| {
            stamp.kind == TimestampKind::Signature && stamp.status == TimestampStatus::Intact
        });
        let at = stamps.next().and_then(|stamp| stamp.time);
        Ok(SubjectSignature {
            certificate,
            level: signature.level,
            at: at.and_then(|seconds| Timestamp::from_second(seconds).ok()),
        })
    }

    /// Returns the dossier with the validation data of its signature, so that
    /// it can be verified offline as long as the container can.
    pub(crate) async fn raised(
        &self,
        row: &OrderRow,
        plugin: &Plugin,
        dossier: Bytes,
        signature: SubjectSignature,
    ) -> Result<(Bytes, SubjectSignature), NotVerified> {
        let signer = self.signer(row.mode).map_err(NotVerified::Signed)?;
        let raised = signer.raise(plugin, dossier).await;
        let raised = raised.map_err(|error| NotVerified::Evidence(error.into()))?;
        let level = raised.level;
        Ok((raised.content, SubjectSignature { level, ..signature }))
    }
}
