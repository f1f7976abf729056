use parafa_format_core::{Environment, Need, Refusal, refusal};
use parafa_pki::Certificate;

use crate::answers::{Answers, IssuerAnswer};
use crate::chain::{Chain, Contents, MissingEvidence, MissingItem};
use crate::questions::{Needs, Question};
use crate::signature_position::{Obstacle, SignaturePosition};
use crate::validation_material::ValidationMaterial;

/// Most faults that are told.
const MAX_FAULTS: usize = 100;

/// What it takes to raise signatures, as far as it is not there.
#[derive(Debug, Default)]
pub struct Plan {
    needs: Needs,
    faults: Vec<String>,
}

impl Plan {
    /// Takes notice of what the chains of a signature or time-stamp lack.
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

    /// What has to be asked first; nothing when all is there.
    ///
    /// # Errors
    /// `archive-incomplete` when there is nothing left to ask, and something
    /// cannot be had or would not help; one subject for each.
    pub fn into_needs(self) -> Result<Vec<Need>, Refusal> {
        if self.needs.is_empty() {
            refuse(self.faults)?;
        }
        Ok(self.needs.into_list())
    }
}

/// Refuses signatures that nothing that is added would raise.
///
/// # Errors
/// `archive-incomplete` with one subject for each of them.
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

/// Refuses to archive because of faults, if there are any.
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

/// What a gap comes to.
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

/// Revocation data that were asked for.
struct Asked {
    certificate: usize,
    issuer: usize,
    time: i64,
}

impl Asked {
    /// Why an answer does not tell of the certificate at the time that counts.
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

/// Which certificate of which chain. The signer's is told by its number alone:
/// its subject is a person.
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
