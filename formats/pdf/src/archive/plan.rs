use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use parafa_cades::Certificate;
use parafa_format_core::{Environment, Need, NeedKind, Refusal};

use super::answers::{Answers, CERTIFICATE, IssuerAnswer, REVOCATION, need_id};
use super::store_update::Additions;
use crate::limits::Limits;
use crate::long_term::{
    Chain, Datum, Gap, Lack, Level, Material, Obstacle, Rules, Standing, standings,
};
use crate::verify::CheckedSignature;

/// Most faults that are told.
const MAX_FAULTS: usize = 100;

/// What it takes to raise all signatures.
pub(super) struct Plan {
    /// What has to be asked first.
    pub(super) needs: Vec<Need>,
    /// The lowest level afterwards.
    pub(super) level: Level,
    certificates: Vec<usize>,
    data: Vec<usize>,
}

impl Plan {
    /// Refuses when something was asked for and cannot be had, or would not
    /// help.
    pub(super) fn make<E: Environment>(
        material: &Material<'_, E>,
        signatures: &[CheckedSignature<'_>],
        answers: &Answers<'_>,
    ) -> Result<Self, Refusal> {
        let standings = standings(material, signatures, true, Rules::Complete);
        let standings: Vec<(&str, Standing)> = signatures
            .iter()
            .zip(standings)
            .filter(|(signature, _)| !signature.dictionary.is_document_timestamp)
            .map(|(signature, standing)| (signature.dictionary.field_name.as_str(), standing))
            .collect();
        refuse(obstacles(&standings))?;
        // Signatures of other profiles have no level that could be raised.
        let standings: Vec<(&str, Standing)> = standings
            .into_iter()
            .filter(|(_, standing)| standing.level != Level::Unknown)
            .collect();
        let Some(level) = standings.iter().map(|(_, standing)| standing.level).min() else {
            let detail = "The document has no signature that could be archived.";
            return Err(Refusal::new(CODE, detail));
        };

        let mut needs = BTreeMap::new();
        let mut order = Vec::new();
        let mut faults = Vec::new();
        for (signature, standing) in &standings {
            for gap in standing.gaps() {
                match Missing::of(material, gap, answers) {
                    Missing::Need(need) => {
                        if !needs.contains_key(&need.id) {
                            order.push(need.id.clone());
                            needs.insert(need.id.clone(), need);
                        }
                    }
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
            needs: order.iter().filter_map(|id| needs.remove(id)).collect(),
            level,
            certificates: Vec::new(),
            data: Vec::new(),
        };
        for (_, standing) in &standings {
            add_new(&mut plan.certificates, &standing.contents.certificates);
            add_new(&mut plan.data, &standing.contents.data);
        }
        Ok(plan)
    }

    /// What the store does not have yet.
    pub(super) fn additions<'d, E: Environment>(
        &self,
        material: &Material<'d, E>,
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
            .filter(|datum| datum.place.is_none());
        let (responses, lists) = data.partition(|datum| datum.parsed.is_ocsp_response());
        let ders = |data: Vec<&Datum<'d>>| data.into_iter().map(|datum| datum.der).collect();
        let additions = Additions {
            certificates: certificates.collect(),
            responses: ders(responses),
            lists: ders(lists),
        };
        if additions.len() > limits.archive_streams || additions.bytes() > limits.archive_bytes {
            let detail = format!(
                "{} certificates and revocation data with {} bytes are more than can be added.",
                additions.len(),
                additions.bytes()
            );
            return Err(Refusal::new(CODE, detail));
        }
        Ok(additions)
    }
}

const CODE: &str = "archive-incomplete";

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

fn obstacles(standings: &[(&str, Standing)]) -> Vec<String> {
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
    Need(Need),
    Fault(String),
}

impl Missing {
    fn of<E: Environment>(material: &Material<'_, E>, gap: &Gap, answers: &Answers<'_>) -> Self {
        let Some(index) = gap.certificate else {
            return Self::Fault("the certificate of its signer is missing".to_owned());
        };
        let certificate = material.certificate(index);
        match gap.lack {
            Lack::Anchor => Self::Fault("its chain does not end".to_owned()),
            Lack::Revoked => Self::Fault("it is revoked".to_owned()),
            Lack::Signer => Self::Fault("it is missing".to_owned()),
            Lack::Issuer => Self::issuer(certificate, answers),
            Lack::Revocation { issuer } => {
                let issuer_der = material.certificate(issuer).as_der();
                match answers.revocation_of(certificate) {
                    None => Self::Need(Need {
                        params: vec![("issuer".to_owned(), STANDARD.encode(issuer_der))],
                        ..need(NeedKind::Revocation, REVOCATION, certificate)
                    }),
                    Some(Err(reason)) => Self::Fault(format!("no revocation data: {reason}")),
                    Some(Ok(der)) => {
                        let fault = unusable(material, der, index, issuer);
                        Self::Fault(format!("no usable revocation data: {fault}"))
                    }
                }
            }
        }
    }

    fn issuer(certificate: &Certificate<'_>, answers: &Answers<'_>) -> Self {
        match answers.issuer_of(certificate) {
            None => Self::Need(need(NeedKind::Certificate, CERTIFICATE, certificate)),
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

fn need(kind: NeedKind, name: &str, certificate: &Certificate<'_>) -> Need {
    Need {
        id: need_id(name, certificate.as_der()),
        kind,
        payload: certificate.as_der().to_vec(),
        params: Vec::new(),
    }
}

/// Why an answer does not tell of a certificate at the time that counts.
fn unusable<E: Environment>(
    material: &Material<'_, E>,
    der: &[u8],
    certificate: usize,
    issuer: usize,
) -> String {
    let Some(datum) = material.index_of_datum(der) else {
        return "it cannot be read".to_owned();
    };
    match material.status(datum, certificate, issuer).as_ref() {
        Ok(_) => "it tells of a time before the signature".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// Which certificate of which chain. The signer's is told by its number alone:
/// its subject is a person.
fn place<E: Environment>(material: &Material<'_, E>, gap: &Gap) -> String {
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
