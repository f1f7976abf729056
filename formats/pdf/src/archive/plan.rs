use parafa_ades::{
    Answers, Contents, NOWHERE, RevocationEntry, Rules, Signature, SignaturePosition,
    ValidationMaterial, due_chains, require_raisable, too_much_to_verify,
};
use parafa_format_core::{Environment, Need, Refusal, refusal};

use super::store_update::Additions;
use crate::limits::Limits;
use crate::long_term::{document_timestamps, positions};
use crate::verify::CheckedSignature;

/// Steps that raise all signatures.
pub(super) struct Plan {
    /// Needs to be answered first.
    pub(super) needs: Vec<Need>,
    certificates: Vec<usize>,
    data: Vec<usize>,
}

impl Plan {
    /// Makes the plan; refuses if a need cannot be met, or if meeting it would
    /// not help.
    pub(super) fn make<E: Environment>(
        material: &ValidationMaterial<'_, E>,
        signatures: &[CheckedSignature<'_>],
        answers: &Answers<'_>,
    ) -> Result<Self, Refusal> {
        let positions = positions(material, signatures, true, Rules::Complete);
        require_all_found_out(material)?;
        let positions: Vec<(&str, SignaturePosition)> = signatures
            .iter()
            .zip(positions)
            .filter_map(|(signature, position)| Some((signature.name(), position?)))
            .collect();
        if positions
            .iter()
            .all(|(_, position)| position.level.is_none())
        {
            let detail = "The document has no signature that could be archived.";
            return Err(Refusal::new(refusal::ARCHIVE_INCOMPLETE, detail));
        }
        require_raisable(positions.iter().map(|(name, position)| (*name, position)))?;
        // Signatures of other profiles have no level to raise, but their chains
        // are archived as well.
        let mut chains: Vec<(&str, Contents)> = positions
            .into_iter()
            .flat_map(|(signature, position)| {
                [position.signer, position.timestamps].map(|contents| (signature, contents))
            })
            .collect();
        let timestamps = document_timestamps(signatures);
        chains.extend(due_chains(material, signatures, timestamps, &chains));
        require_all_found_out(material)?;

        let mut missing = parafa_ades::Plan::default();
        for (signature, contents) in &chains {
            missing.add(material, signature, contents, answers);
        }
        let mut plan = Self {
            needs: missing.into_needs()?,
            certificates: Vec::new(),
            data: Vec::new(),
        };
        for (_, contents) in &chains {
            add_new(&mut plan.certificates, &contents.certificates);
            add_new(&mut plan.data, &contents.data);
        }
        Ok(plan)
    }

    /// Returns whether the document contains all material, in its store or
    /// elsewhere.
    pub(super) fn is_in_document<E: Environment>(
        &self,
        material: &ValidationMaterial<'_, E>,
    ) -> bool {
        let mut certificates = self.certificates.iter();
        let mut data = self.data.iter();
        certificates.all(|index| material.place_of(*index) != NOWHERE)
            && data.all(|index| material.datum(*index).place != NOWHERE)
    }

    /// Returns the material missing from the store.
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
            |data: Vec<&RevocationEntry<'d>>| data.into_iter().map(|datum| datum.der).collect();
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

/// Returns the refusal of additions that exceed the limits.
pub(super) fn no_room(additions: &Additions<'_>) -> Refusal {
    let detail = format!(
        "{} certificates and revocation data with {} bytes are more than can be added.",
        additions.len(),
        additions.bytes()
    );
    Refusal::new(refusal::ARCHIVE_NO_ROOM, detail)
}

fn add_new(known: &mut Vec<usize>, found: &[usize]) {
    for index in found {
        if !known.contains(index) {
            known.push(*index);
        }
    }
}

fn require_all_found_out<E: Environment>(
    material: &ValidationMaterial<'_, E>,
) -> Result<(), Refusal> {
    if material.is_exhausted() {
        return Err(too_much_to_verify());
    }
    Ok(())
}
