use parafa_format_core::{Environment, Need, Refusal, refusal};
use parafa_pki::Certificate;

use crate::answers::{Answers, IssuerAnswer};
use crate::chain::{Chain, Contents, MissingEvidence, MissingItem};
use crate::questions::{Needs, Question};
use crate::signature_position::{Obstacle, SignaturePosition};
use crate::validation_material::ValidationMaterial;

/// Maximum number of reported faults.
const MAX_FAULTS: usize = 100;

/// Missing material for raising signatures.
#[derive(Debug, Default)]
pub struct Plan {
    needs: Needs,
    faults: Vec<String>,
}

impl Plan {
    /// Adds the gaps in the chains of a signature or time-stamp.
    pub fn add<E: Environment>(
        &mut self,
        material: &ValidationMaterial<'_, E>,
        name: &str,
        contents: &Contents,
        answers: &Answers<'_>,
    ) {
        for gap in &contents.gaps {
            match Missing::of(material, gap, answers) {
                Missing::Need(need) => self.needs.add(need),
                Missing::Fault(fault) => {
                    let place = place(material, gap);
                    self.faults.push(format!("{name}: {place}: {fault}"));
                }
            }
        }
    }

    /// Returns the needs to be answered first; empty when nothing is missing.
    ///
    /// # Errors
    /// `archive-incomplete` when no needs are left, and items are unavailable
    /// or would not help; one subject per item.
    pub fn into_needs(self) -> Result<Vec<Need>, Refusal> {
        if self.needs.is_empty() {
            refuse(self.faults)?;
        }
        Ok(self.needs.into_list())
    }
}

/// Refuses signatures that no additional material would raise.
///
/// # Errors
/// `archive-incomplete` with one subject per signature.
pub fn require_raisable<'s>(
    positions: impl IntoIterator<Item = (&'s str, &'s SignaturePosition)>,
) -> Result<(), Refusal> {
    let obstacles = positions.into_iter().filter_map(|(name, position)| {
        let obstacle = match position.obstacle? {
            Obstacle::NotIntact(integrity) => format!("it is not intact: {}", integrity.name()),
            Obstacle::NoTimestamp => "it has no time-stamp".to_owned(),
        };
        Some(format!("{name}: {obstacle}"))
    });
    refuse(obstacles.collect())
}

/// Refuses to archive if there are faults.
///
/// # Errors
/// `archive-incomplete` with the faults as subjects.
pub fn refuse(mut faults: Vec<String>) -> Result<(), Refusal> {
    let Some(first) = faults.first() else {
        return Ok(());
    };
    let detail = match faults.len() {
        1 => format!("Something is missing that cannot be had: {first}."),
        len => format!("{len} things are missing that cannot be had; the first is: {first}."),
    };
    faults.truncate(MAX_FAULTS);
    Err(Refusal {
        subjects: faults,
        ..Refusal::new(refusal::ARCHIVE_INCOMPLETE, detail)
    })
}

/// Consequence of a gap.
enum Missing {
    Need(Question),
    Fault(String),
}

impl Missing {
    fn of<E: Environment>(
        material: &ValidationMaterial<'_, E>,
        gap: &MissingEvidence,
        answers: &Answers<'_>,
    ) -> Self {
        let fault = |fault: &str| Self::Fault(fault.to_owned());
        let Some(index) = gap.certificate else {
            return fault("the certificate of its signer is missing");
        };
        let certificate = material.certificate(index);
        match gap.lack {
            MissingItem::Anchor => fault("its chain does not end"),
            MissingItem::PathLength => fault("more authorities are below it than may be"),
            MissingItem::Revoked => fault("it is revoked"),
            MissingItem::Signer => fault("it is missing"),
            MissingItem::Validity => fault("it was not valid at the time of the time-stamp"),
            MissingItem::Issuer => Self::issuer(certificate, answers),
            MissingItem::Trust if answers.issuer_of(certificate).is_none() => {
                Self::Need(Question::of_issuer(certificate))
            }
            MissingItem::Trust => fault(
                "the signer's certificate was revoked later, and nobody trusted says that it was",
            ),
            MissingItem::Revocation { issuer, time } => {
                let asked = Asked {
                    certificate: index,
                    issuer,
                    time,
                };
                match answers.revocation_of(certificate) {
                    None => {
                        let issuer = material.certificate(issuer);
                        Self::Need(Question::of_revocation(certificate, issuer, time))
                    }
                    Some(Err(reason)) => Self::Fault(format!("no revocation data: {reason}")),
                    Some(Ok(der)) => {
                        let fault = asked.unusable(material, der);
                        Self::Fault(format!("no usable revocation data: {fault}"))
                    }
                }
            }
        }
    }

    fn issuer(certificate: &Certificate<'_>, answers: &Answers<'_>) -> Self {
        match answers.issuer_of(certificate) {
            None => Self::Need(Question::of_issuer(certificate)),
            Some(IssuerAnswer::Unavailable(reason)) => {
                Self::Fault(format!("no issuer's certificate: {reason}"))
            }
            Some(IssuerAnswer::Anchor) => {
                Self::Fault("no issuer's certificate: its subject is no authority".to_owned())
            }
            Some(IssuerAnswer::Certificate(_)) => Self::Fault(
                "no issuer's certificate: the one that came did not issue it".to_owned(),
            ),
        }
    }
}

/// Revocation data that was asked for.
struct Asked {
    certificate: usize,
    issuer: usize,
    time: i64,
}

impl Asked {
    /// Returns why an answer does not apply to the certificate at the relevant
    /// time.
    fn unusable<E: Environment>(&self, material: &ValidationMaterial<'_, E>, der: &[u8]) -> String {
        let Some(datum) = material.index_of_datum(der) else {
            return "it cannot be read".to_owned();
        };
        match material
            .status(datum, self.certificate, self.issuer)
            .as_ref()
        {
            Ok(status) if status.this_update < self.time => {
                "it tells of a time before the signature".to_owned()
            }
            Ok(_) => "it was told after the certificate had expired".to_owned(),
            Err(error) => error.to_string(),
        }
    }
}

/// Describes the certificate and chain of a gap. The signer's certificate is
/// described by its serial number only: its subject is a person.
fn place<E: Environment>(material: &ValidationMaterial<'_, E>, gap: &MissingEvidence) -> String {
    let chain = match gap.chain {
        Chain::Signer => "signer's chain",
        Chain::TimeStamp => "time-stamp's chain",
    };
    let Some(index) = gap.certificate else {
        return chain.to_owned();
    };
    let certificate = material.certificate(index);
    let name = match (gap.chain, gap.is_leaf) {
        (Chain::Signer, true) => None,
        _ => certificate.common_name(),
    };
    let name = name.unwrap_or_else(|| {
        let issuer = certificate.issuer_common_name().unwrap_or_default();
        format!("number {} of {issuer}", certificate.serial_number_hex())
    });
    format!("{chain}, certificate {name}")
}
