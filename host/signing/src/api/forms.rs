//! Conversion of requests' terms and signers to ceremonies' forms, which are
//! independent of the API.

use parafa_api_signing::SigningMethod;
use parafa_api_signing::requests::{NewSigner, Party, Terms};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::forms::{SignerForm, TermsForm};
use parafa_domain as domain;

use super::vocabulary::IntoDomain;

/// Converts the terms of a ceremony.
pub(crate) fn terms(terms: Terms) -> Result<TermsForm, CeremonyError> {
    Ok(TermsForm {
        title: terms.title,
        delivery: terms.delivery.into_domain(),
        order: terms.signing_order.into_domain(),
        webhook_url: terms.webhook_url.map(String::from),
        external_id: terms.external_id,
        expires_in_days: terms.expires_in_days,
        soft_deadline_in_days: terms.soft_deadline_in_days,
        subject_notice: None,
        signers: terms
            .signers
            .into_iter()
            .map(signer)
            .collect::<Result<_, _>>()?,
    })
}

/// Converts a new party.
pub(crate) fn signer(signer: NewSigner) -> Result<SignerForm, CeremonyError> {
    let (role, methods, personal_code) = match signer.party {
        Party::Signer {
            personal_code,
            methods,
        } => {
            let code = personal_code
                .map(|code| code.expose().parse::<domain::PersonalCode>())
                .transpose();
            let code =
                code.map_err(|_| CeremonyError::Inconsistent("a checked personal code is none"))?;
            (domain::SignerRole::Signer, self::methods(methods), code)
        }
        Party::Viewer => (
            domain::SignerRole::Viewer,
            domain::MethodSet::default(),
            None,
        ),
    };
    Ok(SignerForm {
        role,
        email: signer.email.to_string(),
        name: signer.name,
        language: Some(signer.language.into_domain()),
        methods,
        personal_code,
    })
}

/// Converts methods.
pub(super) fn methods(methods: Vec<SigningMethod>) -> domain::MethodSet {
    methods.into_iter().map(IntoDomain::into_domain).collect()
}
