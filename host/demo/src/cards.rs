//! Identity cards of the demo world: each has a signing key and an authentication key. A program
//! that plays the app reads a card's certificates and has it sign digests, as over NFC once the PIN
//! is given.

mod cast;

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{Path, State},
    http::StatusCode,
    routing::{get, post},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use der::Encode as _;
use openssl::hash::MessageDigest;
use serde::{Deserialize, Serialize};

use self::cast::{ROLES, Role};
use crate::{
    clock::DemoClock,
    device_signature::DeviceSignature,
    enrolment::Enrolment,
    error::WorldError,
    folder::Folder,
    persona::Persona,
    pki::{Credential, Pki},
};

/// All cards; clones share them.
#[derive(Clone)]
pub(crate) struct Cards(Enrolment);

/// One of a card's two keys.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CardKeyUse {
    Signing,
    Authentication,
}

impl CardKeyUse {
    const ALL: [Self; 2] = [Self::Signing, Self::Authentication];
}

impl Cards {
    pub(crate) fn open(
        folder: &Folder,
        pki: Arc<Pki>,
        clock: Arc<dyn DemoClock>,
    ) -> Result<Self, WorldError> {
        let keys = ROLES
            .iter()
            .flat_map(|role| CardKeyUse::ALL.map(|key_use| role.entitlement(key_use)));
        Ok(Self(Enrolment::open(folder.clone(), pki, clock, keys)?))
    }

    /// All persons with a card.
    pub(crate) fn personas(&self) -> Vec<Persona> {
        ROLES.iter().map(Role::persona).collect()
    }

    /// `GET /cards/{persona}/{use}` and `POST /cards/{persona}/{use}/sign`.
    pub(crate) fn router(self) -> Router {
        Router::new()
            .route("/cards/{persona}/{use}", get(certificate))
            .route("/cards/{persona}/{use}/sign", post(sign))
            .with_state(self)
    }

    async fn credential(
        &self,
        persona: &str,
        key_use: CardKeyUse,
    ) -> Result<Arc<Credential>, StatusCode> {
        let role = ROLES.iter().find(|role| role.id == persona);
        let role = role.ok_or(StatusCode::NOT_FOUND)?;
        let credential = self.0.credential(&role.file_name(key_use)).await;
        credential.map_err(|error| damaged(&error))
    }
}

#[derive(Serialize)]
struct CardCertificate {
    /// Base64 of the DER.
    certificate: String,
}

/// A digest for a card to sign.
#[derive(Deserialize)]
struct Digest {
    /// Base64 of a SHA-256 digest.
    sha256: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CardSignature {
    /// Base64: ECDSA's r and s concatenated, or RSA's octets.
    signature: String,
    signature_algorithm: &'static str,
    signature_encoding: &'static str,
}

async fn certificate(
    State(cards): State<Cards>,
    Path((persona, key_use)): Path<(String, CardKeyUse)>,
) -> Result<Json<CardCertificate>, StatusCode> {
    let credential = cards.credential(&persona, key_use).await?;
    let der = credential.certificate().to_der();
    let der = der.map_err(|error| damaged(&error.into()))?;
    Ok(Json(CardCertificate {
        certificate: STANDARD.encode(der),
    }))
}

async fn sign(
    State(cards): State<Cards>,
    Path((persona, key_use)): Path<(String, CardKeyUse)>,
    Json(digest): Json<Digest>,
) -> Result<Json<CardSignature>, StatusCode> {
    let credential = cards.credential(&persona, key_use).await?;
    let digest = STANDARD.decode(digest.sha256).ok();
    let digest = digest.filter(|digest| digest.len() == MessageDigest::sha256().size());
    let digest = digest.ok_or(StatusCode::BAD_REQUEST)?;
    let signed = DeviceSignature::over(&digest, MessageDigest::sha256(), credential.key());
    let signed = signed.map_err(|error| damaged(&error.into()))?;
    let (signature_algorithm, signature_encoding) = match signed.kind {
        "EC" => ("ES256", "P1363"),
        _ => ("RS256", "RAW"),
    };
    Ok(Json(CardSignature {
        signature: STANDARD.encode(signed.value),
        signature_algorithm,
        signature_encoding,
    }))
}

fn damaged(error: &WorldError) -> StatusCode {
    tracing::error!(%error, "a card does not work");
    StatusCode::INTERNAL_SERVER_ERROR
}
