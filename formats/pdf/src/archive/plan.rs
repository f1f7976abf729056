use parafa_format_core::{Environment, Need, Refusal};
use parafa_pki::Certificate;

use super::answers::{Answers, IssuerAnswer};
use super::questions::{Needs, Question};
use super::store_update::Additions;
use crate::limits::Limits;
use crate::long_term::{
    Chain, Contents, Level, MissingEvidence, MissingItem, NOWHERE, Obstacle, RevocationDatum,
    Rules, SignaturePosition, ValidationMaterial, due_chains, standings,
};
use crate::verify::{CheckedSignature, too_much_to_verify};

/// Most faults that are told.
const MAX_FAULTS: usize = 100;

/// What it takes to raise all signatures.
pub(super) struct Plan {
    /// What has to be asked first.
    pub(super) needs: Vec<Need>,
    certificates: Vec<usize>,
    data: Vec<usize>,
}

impl Plan {
    /// Refuses when something was asked for and cannot be had, or would not
    /// help.
    pub(super) fn make<E: Environment>(
        material: &ValidationMaterial<'_, E>,
        signatures: &[CheckedSignature<'_>],
        answers: &Answers<'_>,
    ) -> Result<Self, Refusal> {
        let standings = standings(material, signatures, true, Rules::Complete);
        require_all_found_out(material)?;
        let standings: Vec<(&str, SignaturePosition)> = signatures
            .iter()
            .zip(standings)
            .filter(|(signature, _)| !signature.dictionary.is_document_timestamp)
            .map(|(signature, standing)| (signature.dictionary.field_name.as_str(), standing))
            .collect();
        let is_baseline =
            |(_, standing): &(&str, SignaturePosition)| standing.level != Level::Unknown;
        if !standings.iter().any(is_baseline) {
            let detail = "The document has no signature that could be archived.";
            return Err(Refusal::new(CODE, detail));
        }
        refuse(obstacles(&standings))?;
        // Signatures of other profiles have no level that could be raised, but
        // chains that people want to follow as long.
        let mut chains: Vec<(&str, Contents)> = standings
            .into_iter()
            .map(|(signature, standing)| (signature, standing.contents))
            .collect();
        let due = due_chains(material, signatures, &chains);
        chains.extend(due);
        require_all_found_out(material)?;

        let mut needs = Needs::default();
        let mut faults = Vec::new();
        for (signature, contents) in &chains {
            for gap in &contents.gaps {
                match Missing::of(material, gap, answers) {
                    Missing::Need(need) => needs.add(need),
                    Missing::Fault(fault) => {
                        let place = place(material, gap);
                        faults.push(format!("{signature}: {place}: {fault}"));
                    }
                }
            }
        }
        if needs.is_empty() {
            refuse(faults)?;
        }
        let mut plan = Self {
            needs: needs.into_list(),
            certificates: Vec::new(),
            data: Vec::new(),
        };
        for (_, contents) in &chains {
            add_new(&mut plan.certificates, &contents.certificates);
            add_new(&mut plan.data, &contents.data);
        }
        Ok(plan)
    }

    /// Whether the document holds everything, in its store or elsewhere.
    pub(super) fn is_in_document<E: Environment>(
        &self,
        material: &ValidationMaterial<'_, E>,
    ) -> bool {
        let mut certificates = self.certificates.iter();
        let mut data = self.data.iter();
        certificates.all(|index| material.place_of(*index) != NOWHERE)
            && data.all(|index| material.datum(*index).place != NOWHERE)
    }

    /// What the store does not have yet.
    pub(super) fn additions<'d, E: Environment>(
        &self,
        material: &ValidationMaterial<'d, E>,
        limits: &Limits,
    ) -> Result<Additions<'d>, Refusal> {
        let certificates = self
            .certificates
            .iter()
            .filter(|index| !material.is_stored(**index))
            .map(|index| material.certificate(*index).as_der());
        let data = self
            .data
            .iter()
            .map(|index| material.datum(*index))
            .filter(|datum| datum.place == NOWHERE);
        let (responses, lists) = data.partition(|datum| datum.parsed.is_ocsp_response());
        let ders =
            |data: Vec<&RevocationDatum<'d>>| data.into_iter().map(|datum| datum.der).collect();
        let additions = Additions {
            certificates: certificates.collect(),
            responses: ders(responses),
            lists: ders(lists),
        };
        if additions.len() > limits.archive_streams || additions.bytes() > limits.archive_bytes {
            return Err(no_room(&additions));
        }
        Ok(additions)
    }
}

/// The code of refusals because of what cannot be had.
pub(super) const CODE: &str = "archive-incomplete";

/// What is added takes more room than there is.
pub(super) fn no_room(additions: &Additions<'_>) -> Refusal {
    let detail = format!(
        "{} certificates and revocation data with {} bytes are more than can be added.",
        additions.len(),
        additions.bytes()
    );
    Refusal::new("archive-no-room", detail)
}

fn add_new(known: &mut Vec<usize>, found: &[usize]) {
    for index in found {
        if !known.contains(index) {
            known.push(*index);
        }
    }
}

fn refuse(mut faults: Vec<String>) -> Result<(), Refusal> {
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
        ..Refusal::new(CODE, detail)
    })
}

fn require_all_found_out<E: Environment>(
    material: &ValidationMaterial<'_, E>,
) -> Result<(), Refusal> {
    if material.is_exhausted() {
        return Err(too_much_to_verify());
    }
    Ok(())
}

fn obstacles(standings: &[(&str, SignaturePosition)]) -> Vec<String> {
    let obstacles = standings.iter().filter_map(|(signature, standing)| {
        let obstacle = match standing.obstacle? {
            Obstacle::NotIntact(integrity) => format!("it is not intact: {}", integrity.name()),
            Obstacle::NoTimestamp => "it has no time-stamp".to_owned(),
        };
        Some(format!("{signature}: {obstacle}"))
    });
    obstacles.collect()
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
