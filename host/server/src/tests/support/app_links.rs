//! Links to the app, on the side of a signer's page and app.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use parafa_ceremony::CeremonyError;
use parafa_ceremony::records::{AttemptRow, CeremonyRow, OpenDeviceLink};
use parafa_ceremony::sealing;
use parafa_domain::Phase;
use parafa_eid::ChoiceLinks;
use parafa_signing::SigningError;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::host::Host;
use super::one_signing::Stage;

/// Parameters of an app's return to the page that opened it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Return {
    /// Value of the callback.
    pub(crate) value: String,
    /// Digest of the session's secret.
    pub(crate) digest: String,
}

impl Return {
    /// Makes up a return of an app without knowledge of the attempt.
    pub(crate) fn forged() -> Self {
        Self {
            value: "made".to_owned(),
            digest: "up".to_owned(),
        }
    }
}

impl Host {
    /// Returns the attempt and the link that a signer's page shows, if any.
    pub(crate) async fn open_link(
        &self,
        signer: Uuid,
    ) -> Result<Option<(Uuid, ChoiceLinks)>, SigningError> {
        let ceremony = self.app.ceremonies.open_link(&self.link(signer)).await?;
        let state = self.app.ceremonies.state(ceremony).await?;
        Ok(state
            .attempt
            .map(|attempt| attempt.id)
            .zip(state.device_link))
    }

    /// Returns the app's return parameters. Fails once the attempt has ended.
    pub(crate) async fn return_of(&self, attempt: Uuid) -> Result<Return, SigningError> {
        let store = &self.app.records.store;
        let attempt = store.get::<AttemptRow>(&attempt).await?;
        let attempt = attempt.ok_or(CeremonyError::NotFound)?;
        let Some(sealed) = &attempt.device_link else {
            return Ok(Return::default());
        };
        let signing = store.get::<CeremonyRow>(&attempt.ceremony).await?;
        let signing = signing.ok_or(CeremonyError::NotFound)?;
        let key = self.app.records.data_key(signing.data_key).await?;
        let open: OpenDeviceLink = sealing::open(&key, attempt.id, sealed)?;
        let session = serde_json::to_value(&open.session).unwrap();
        let secret = STANDARD.decode(session["secret"].as_str().unwrap());
        Ok(Return {
            value: session["callback"]["value"].as_str().unwrap().to_owned(),
            digest: URL_SAFE_NO_PAD.encode(Sha256::digest(secret.unwrap())),
        })
    }

    /// Lets the app return with these parameters.
    pub(crate) async fn come_back(&self, signer: Uuid, said: &Return) -> Result<(), CeremonyError> {
        let ceremony = self.app.ceremonies.open_link(&self.link(signer)).await?;
        let returned = self
            .app
            .ceremonies
            .return_from_app(&ceremony, &said.value, &said.digest);
        returned.await
    }
}

impl Stage<'_> {
    /// Presses the button that requests a link, and waits for the link.
    pub(crate) async fn open_link(&self) {
        self.host.start_by_link(self.signer).await.unwrap();
        self.until(async || self.newest_attempt().await.awaits_device_link())
            .await;
    }

    /// Returns the link on the page.
    pub(crate) async fn shown_link(&self) -> ChoiceLinks {
        let shown = self.host.open_link(self.signer).await.unwrap();
        shown.expect("a link is shown").1
    }

    /// Signs in an app opened on the device that shows the page. The app has
    /// not returned yet.
    pub(crate) async fn sign_on_this_device(&self) {
        self.open_link().await;
        let link = self.shown_link().await.same_device.unwrap();
        self.site.follow(&link).await;
        self.until(async || {
            let turn = self.signing().await.ceremony.turn;
            turn.is_some_and(|turn| turn.device_signed)
        })
        .await;
        assert_eq!(self.newest_attempt().await.phase, Phase::WaitingForUser);
    }

    /// Lets the app return after the signature.
    pub(crate) async fn come_back(&self) {
        let attempt = self.newest_attempt().await.id;
        let said = self.host.return_of(attempt).await.unwrap();
        self.host.come_back(self.signer, &said).await.unwrap();
    }
}
