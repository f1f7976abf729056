//! Device links, for a person who is not identified beforehand: a code to scan, or
//! an address on the device that shows the relying party's page.

use jiff::Timestamp;
use parafa_api_auth::requests::AppReturn;
use parafa_api_auth::views;
use parafa_domain::AuthenticationMethod;
use parafa_eid::{DeviceLinks, LinkedAuthentication, ProviderSession};
use parafa_platform::PlatformError;
use parafa_store::jobs;
use parafa_store::keys::KeyError;
use url::Url;
use uuid::Uuid;

use crate::authentications::{Authentications, request_in};
use crate::challenge::Challenge;
use crate::drive::{self, LANE};
use crate::error::AuthError;
use crate::metrics::service_failed;
use crate::records::{OpenDeviceLink, PrivatePart, ProviderRow};

/// Language of the page to which links lead where there is no app (ISO 639-2).
const LANGUAGE: &str = "lit";
/// The method whose app opens links.
const METHOD: AuthenticationMethod = AuthenticationMethod::SmartId;

impl Authentications {
    /// Opens the link of a new request, and the session to poll.
    pub(crate) async fn open_link(
        &self,
        provider: &ProviderRow,
        challenge: &Challenge,
        return_url: Option<String>,
    ) -> Result<(OpenDeviceLink, ProviderSession), AuthError> {
        let links = self.device_links(METHOD)?;
        let callback = format!("{}/auth/return/{}", self.settings.issuer, challenge.request);
        let callback = Url::parse(&callback)
            .map_err(|_| PlatformError::Inconsistent("the public address is none"))?;
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|_| KeyError::Random)?;
        let asked = LinkedAuthentication {
            message: &challenge.without_certificate(),
            relying_party: &provider.name,
            callback: &callback,
            random,
        };
        let opened = links.open_authentication(asked).await;
        let opened = opened.map_err(|error| {
            if let Some(service) = self.eid.get(&METHOD) {
                service_failed(challenge.request, METHOD, &**service, &error);
            }
            AuthError::ProviderDown(error)
        })?;
        let link = OpenDeviceLink {
            session: opened.choice,
            opened_at: self.records.store.now().await?,
            return_url,
        };
        Ok((link, opened.session))
    }

    /// Returns the present link of a request, while it waits for the app.
    pub(crate) fn shown_link(
        &self,
        method: AuthenticationMethod,
        private: &PrivatePart,
        now: Timestamp,
    ) -> Result<Option<views::DeviceLink>, AuthError> {
        let open = private.device_link.as_ref();
        let Some(open) = open.filter(|_| private.session.is_some()) else {
            return Ok(None);
        };
        let elapsed = now.duration_since(open.opened_at);
        let elapsed = elapsed.try_into().unwrap_or_default();
        let links = self.device_links(method)?;
        let links = links.links(&open.session, elapsed, LANGUAGE);
        let links = links.map_err(AuthError::DeviceLink)?;
        Ok(Some(views::DeviceLink {
            qr: links.qr,
            same_device: links.same_device,
        }))
    }

    /// Accepts the app's return from a request's link. A return without the link's
    /// secrets changes nothing. Returns the relying party's address for the
    /// person's browser, if it gave one.
    ///
    /// # Errors
    /// [`AuthError`].
    pub async fn return_from_app(
        &self,
        id: Uuid,
        returned: &AppReturn,
    ) -> Result<Option<String>, AuthError> {
        let admitted = self
            .records
            .transact(|tx| {
                Box::pin(async move {
                    let mut row = request_in(tx, id).await?;
                    let mut private = row.open(&self.records.master)?;
                    let Some(link) = &private.device_link else {
                        return Ok(None);
                    };
                    let is_own = self.device_links(row.state.method())?.admits_callback(
                        &link.session,
                        &returned.value,
                        &returned.session_secret_digest,
                    );
                    if !is_own.map_err(AuthError::DeviceLink)? {
                        tracing::warn!(authentication.id = %id, "a return from the app does not fit its request");
                        return Ok(None);
                    }
                    let leads_to = link.return_url.clone();
                    let now = tx.now();
                    if private.returned_with.is_none() && !row.state.status(now).is_terminal() {
                        private.returned_with = Some(returned.user_challenge_verifier.clone());
                        row.private = private.seal(&self.records.master, id)?;
                        tx.put(&row).await?;
                        jobs::hasten(tx, LANE, &drive::unique(id), now).await?;
                    }
                    Ok::<_, AuthError>(leads_to)
                })
            })
            .await?;
        self.work.notify_one();
        Ok(admitted.map(|address| {
            let separator = if address.contains('?') { '&' } else { '?' };
            let code = self.return_code(id);
            format!("{address}{separator}requestId={id}&returnCode={code}")
        }))
    }

    /// Returns the code that only the person's browser brings to the relying
    /// party.
    pub(crate) fn return_code(&self, request: Uuid) -> String {
        let token = self
            .records
            .master
            .token("authentication-return", request, 0);
        token.reveal().to_owned()
    }

    fn device_links(&self, method: AuthenticationMethod) -> Result<&dyn DeviceLinks, AuthError> {
        let provider = self.eid.get(&method);
        let links = provider.and_then(|provider| provider.device_links());
        links.ok_or_else(|| AuthError::ForbiddenMethod(crate::api::views::method(method)))
    }
}
