use std::num::{NonZeroU16, NonZeroU32};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use http::HeaderValue;
use jiff::SignedDuration;
use parafa_api_http::decode::line_fault;
use parafa_http_port::HttpPort;
use parafa_outbound::{
    AddressPolicy, ClientIdentity, HostPort, OutboundClient, Reach, ServerTrust,
};
use parafa_register_data::Register;
use parafa_registers::{
    BreakerSettings, Clock, Credential, Gateway, GatewayConfig, OpenData, OpenDataConfig,
    RegisterSource, Routes,
};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use serde::Deserialize;
use url::Url;
use zeroize::Zeroizing;

/// Maximum length of a name or contact shown to others, in characters.
const LONGEST_WORDS: usize = 200;

/// Registers for live keys of the due-diligence API, and retention of the log
/// of requests to them.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Diligence {
    /// Gateway to the registers, under a contract with their operators.
    pub gateway_url: Option<Url>,
    /// File with the bearer token for the gateway.
    pub gateway_token_file: Option<PathBuf>,
    /// PEM file with the client certificate for the gateway, and its issuers.
    pub gateway_certificate_file: Option<PathBuf>,
    /// PEM file with the key of that certificate.
    pub gateway_key_file: Option<PathBuf>,
    /// PEM file with the roots for the gateway's own certificate.
    pub gateway_roots_file: Option<PathBuf>,
    /// Time limit for one request to the gateway, in seconds.
    pub gateway_seconds: NonZeroU32,
    /// Retries of a request after a transient failure.
    pub gateway_retries: u8,
    /// Approximate number of consecutive entities for which a register fails
    /// before it is paused.
    pub gateway_failures: NonZeroU16,
    /// Length of the pause, in seconds.
    pub gateway_rest_seconds: NonZeroU32,
    /// The state's open data, for company profiles; a gateway takes precedence.
    pub open_data_url: Option<Url>,
    /// Name of the lawyer who reviewed the interpretation; without it, live
    /// keys get none.
    pub interpretation_reviewed_by: Option<String>,
    /// Contact for subjects of identification orders about their personal data:
    /// the attorney, and the data protection officer, if any.
    pub privacy_contact: Option<String>,
    /// Retention of identification packages after delivery, in days; without
    /// it, until their owners erase them.
    pub packages_kept_days: Option<NonZeroU16>,
    /// Retention of the log of calls, in days.
    pub log_days: NonZeroU16,
    /// Token for the gateway of the demo world.
    #[serde(skip)]
    pub(crate) demo_token: Option<&'static str>,
}

impl Default for Diligence {
    fn default() -> Self {
        Self {
            gateway_url: None,
            gateway_token_file: None,
            gateway_certificate_file: None,
            gateway_key_file: None,
            gateway_roots_file: None,
            gateway_seconds: NonZeroU32::new(10).expect("ten is not zero"),
            gateway_retries: 1,
            gateway_failures: NonZeroU16::new(4).expect("four is not zero"),
            gateway_rest_seconds: NonZeroU32::new(15).expect("fifteen is not zero"),
            open_data_url: None,
            interpretation_reviewed_by: None,
            privacy_contact: None,
            packages_kept_days: None,
            log_days: NonZeroU16::new(2922).expect("eight years are not zero"),
            demo_token: None,
        }
    }
}

impl Diligence {
    /// Returns the addresses in use.
    fn addresses(&self) -> impl Iterator<Item = &Url> {
        self.gateway_url.iter().chain(&self.open_data_url)
    }

    /// Returns the faults of the settings that their files reveal.
    pub(crate) fn faults(&self) -> Vec<anyhow::Error> {
        let found = [
            self.check_that_there_is_a_gateway().err(),
            self.credential().err(),
            self.port().err(),
        ];
        found.into_iter().flatten().collect()
    }

    /// Returns the HTTP port to these addresses.
    ///
    /// # Errors
    /// When a certificate or the key cannot be used.
    pub(crate) fn port(&self) -> anyhow::Result<Arc<dyn HttpPort>> {
        let listed = self.addresses().filter_map(HostPort::of).collect();
        let policy = AddressPolicy::new(listed, Reach::ListedOnly);
        let trust = ServerTrust {
            extra_roots: self.roots()?,
            ..ServerTrust::default()
        };
        let client = match self.identity()? {
            Some(identity) => OutboundClient::with_identity(policy, &trust, &identity),
            None => OutboundClient::new(policy, &trust),
        };
        let client = client.context(match self.gateway_roots_file {
            Some(_) => "diligence.gateway_roots_file",
            None => "the client of the registers cannot be made",
        })?;
        Ok(Arc::new(client))
    }

    /// Returns the sources, which use a port to their addresses.
    ///
    /// # Errors
    /// When the token cannot be read.
    pub(crate) fn sources(
        &self,
        port: &Arc<dyn HttpPort>,
        clock: &Clock,
    ) -> anyhow::Result<Arc<dyn RegisterSource>> {
        if let Some(url) = &self.gateway_url {
            let config = GatewayConfig {
                credential: self.credential()?,
                timeout: Duration::from_secs(self.gateway_seconds.get().into()),
                retries: self.gateway_retries,
                breaker: BreakerSettings {
                    failures: self.gateway_failures.into(),
                    rest: SignedDuration::from_secs(self.gateway_rest_seconds.get().into()),
                },
                ..GatewayConfig::new(url.clone())
            };
            let gateway = Gateway::new(config, port.clone(), clock.clone());
            return Ok(Arc::new(gateway));
        }
        let mut routes = Routes::default();
        if let Some(url) = &self.open_data_url {
            let config = OpenDataConfig::new(url.clone());
            let open_data = OpenData::new(config, port.clone(), clock.clone());
            routes = routes.with(Register::Jar, Arc::new(open_data));
        }
        Ok(Arc::new(routes))
    }

    /// Refuses credentials for a missing gateway, or for one without TLS that
    /// would never request them.
    fn check_that_there_is_a_gateway(&self) -> anyhow::Result<()> {
        let files = [
            ("gateway_token_file", &self.gateway_token_file),
            ("gateway_certificate_file", &self.gateway_certificate_file),
            ("gateway_key_file", &self.gateway_key_file),
            ("gateway_roots_file", &self.gateway_roots_file),
        ];
        let mut set = files.into_iter().filter(|(_, file)| file.is_some());
        match &self.gateway_url {
            None => {
                if let Some((name, _)) = set.next() {
                    bail!(
                        "diligence.{name} is set without diligence.gateway_url: name the gateway"
                    );
                }
            }
            Some(url) if url.scheme() != "https" => {
                if let Some((name, _)) = set.find(|(name, _)| *name != "gateway_token_file") {
                    bail!(
                        "diligence.{name} is set, and diligence.gateway_url {url} is not https: certificates are used with https only"
                    );
                }
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Refuses a reviewer or contact without any content.
    pub(crate) fn check_words(&self) -> anyhow::Result<()> {
        for (setting, what, text) in [
            (
                "interpretation_reviewed_by",
                "the lawyer's name",
                &self.interpretation_reviewed_by,
            ),
            (
                "privacy_contact",
                "an address, a number or both",
                &self.privacy_contact,
            ),
        ] {
            let is_line =
                |text: &String| text.trim() == text && line_fault(text, LONGEST_WORDS).is_none();
            if !text.as_ref().is_none_or(is_line) {
                bail!(
                    "diligence.{setting} is not valid: write {what}, in 1 to {LONGEST_WORDS} characters on one line, or leave it out"
                );
            }
        }
        Ok(())
    }

    /// Returns reminders of settings that an operator with live registers may
    /// have forgotten.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        let asks = self.addresses().next().is_some();
        let forgotten = [
            (
                self.interpretation_reviewed_by.is_none(),
                "diligence.interpretation_reviewed_by is not set: calls of live keys with interpret=1 are answered 400 until it names the lawyer who has reviewed the interpretation",
            ),
            (
                self.privacy_contact.is_none(),
                "diligence.privacy_contact is not set: identification orders give mail.from, or the base URL, as the contact about personal data",
            ),
        ];
        let forgotten = forgotten.into_iter().filter(move |(is, _)| asks && *is);
        forgotten.map(|(_, words)| words.to_owned())
    }

    fn credential(&self) -> anyhow::Result<Credential> {
        const SETTING: &str = "diligence.gateway_token_file";
        let Some(file) = &self.gateway_token_file else {
            let demo = self.demo_token.map(str::to_owned).map(Zeroizing::new);
            return Ok(demo.map_or(Credential::None, Credential::Bearer));
        };
        let text = Zeroizing::new(read(SETTING, file)?);
        let text = str::from_utf8(&text).ok().map(str::trim_end);
        match text.filter(|text| !text.is_empty() && HeaderValue::from_str(text).is_ok()) {
            Some(token) => Ok(Credential::Bearer(Zeroizing::new(token.to_owned()))),
            None => bail!(
                "{SETTING} {} holds no token: a bearer token is one line of letters, digits and signs",
                file.display()
            ),
        }
    }

    fn identity(&self) -> anyhow::Result<Option<ClientIdentity>> {
        const CERTIFICATE: &str = "diligence.gateway_certificate_file";
        const KEY: &str = "diligence.gateway_key_file";
        match (&self.gateway_certificate_file, &self.gateway_key_file) {
            (None, None) => Ok(None),
            (Some(certificate), Some(key)) => {
                let certificates = read(CERTIFICATE, certificate)?;
                let pem = Zeroizing::new(read(KEY, key)?);
                let identity = ClientIdentity::from_pem(&certificates, &pem);
                let identity = identity.with_context(|| {
                    format!(
                        "{CERTIFICATE} {} with {KEY} {}",
                        certificate.display(),
                        key.display()
                    )
                });
                identity.map(Some)
            }
            _ => bail!("{CERTIFICATE} and {KEY} are set together or not at all"),
        }
    }

    fn roots(&self) -> anyhow::Result<Vec<Vec<u8>>> {
        const SETTING: &str = "diligence.gateway_roots_file";
        let Some(file) = &self.gateway_roots_file else {
            return Ok(Vec::new());
        };
        let pem = read(SETTING, file)?;
        let roots: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem)
            .map(|root| root.map(|root| root.to_vec()))
            .collect();
        match roots {
            Ok(roots) if !roots.is_empty() => Ok(roots),
            _ => bail!("{SETTING} {} holds no certificates in PEM", file.display()),
        }
    }
}

fn read(setting: &str, file: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("{setting} {} cannot be read", file.display()))
}

#[cfg(test)]
mod tests;
