//! Clients of configured external services.

use std::sync::Arc;

use anyhow::{Context, bail};
use parafa_api_ceremony::CardApp;
use parafa_attorney::SigningKey;
use parafa_ceremony::ceremonies::Providers;
use parafa_domain::SigningMethod;
use parafa_eid::mobile_id::{MobileIdClient, MobileIdConfig};
use parafa_eid::smart_id::{SmartIdClient, SmartIdConfig};
use parafa_http_port::HttpPort;
use parafa_identification::Registers;
use parafa_outbound::{
    AddressPolicy, HostPort, MailProtection, MailServer, MailSetupError, Mailer, OutboundClient,
    Reach, ServerTrust,
};
use parafa_trust::{
    AuthenticationCheck, OcspClient, OcspPolicy, Ports, SignerCheck, SystemRandom,
    TimestampAuthority, TimestampClient, TimestampPolicy, TrustAnchors, ValidationData,
    ValidationPolicy,
};

use crate::config::{Attorney, Config, Mail, MobileId, Protection, SmartId};

/// Clients of a host for external services.
pub(crate) struct ExternalServices {
    pub(crate) signer_check: SignerCheck,
    pub(crate) authentication_check: AuthenticationCheck,
    pub(crate) timestamps: TimestampClient,
    pub(crate) validation_data: ValidationData,
    /// Attorney's key, if configured.
    pub(crate) attorney: Option<Arc<dyn SigningKey>>,
    /// HTTP port to the sources of registers.
    pub(crate) register_port: Arc<dyn HttpPort>,
    /// Configured eID providers.
    pub(crate) providers: Providers,
    /// App that reads identity cards; without it, cards are not accepted.
    pub(crate) card_app: Option<CardApp>,
    /// Registers for identification orders, in place of the configured sources.
    pub(crate) registers: Option<Arc<dyn Registers>>,
    /// HTTP port for webhooks.
    pub(crate) webhooks: Arc<dyn HttpPort>,
    /// Addresses that webhooks may reach.
    pub(crate) webhook_policy: AddressPolicy,
    pub(crate) mailer: Option<Mailer>,
}

impl ExternalServices {
    /// Creates the clients of the configured services.
    pub(crate) fn open(config: &Config) -> anyhow::Result<Self> {
        let anchors = Arc::new(load_anchors(config)?);
        let authorities = time_stamping_authorities(config)?;
        let ports = service_ports(config, &anchors)?;
        let random = Arc::new(SystemRandom);
        let ocsp = OcspClient::new(ports.clone(), random.clone(), OcspPolicy::default());
        let webhook_policy = webhook_policy(config)?;
        Ok(Self {
            signer_check: SignerCheck::new(anchors.clone(), ocsp.clone()),
            authentication_check: AuthenticationCheck::new(
                anchors.clone(),
                ocsp.clone(),
                config.auth.ocsp_max_age(),
            ),
            timestamps: TimestampClient::new(
                ports.configured,
                random,
                anchors.clone(),
                authorities,
                TimestampPolicy::default(),
            ),
            validation_data: ValidationData::new(anchors, ocsp, ValidationPolicy::default()),
            attorney: config.attorney.as_ref().map(Attorney::key).transpose()?,
            providers: providers(config)?,
            register_port: config.diligence.port()?,
            card_app: config.card.app(),
            registers: None,
            webhooks: Arc::new(client(webhook_policy.clone())?.telling_traces()),
            webhook_policy,
            mailer: config.mail.as_ref().map(mailer).transpose()?,
        })
    }
}

/// Reads the trust anchors.
pub(super) fn load_anchors(config: &Config) -> anyhow::Result<TrustAnchors> {
    let folder = config.trust.folder.as_ref();
    let folder = folder
        .context("trust.folder is not set: name the folder with trust.toml and the certificates")?;
    TrustAnchors::load(folder).with_context(|| {
        format!(
            "trust.folder: the authorities in {} cannot be used",
            folder.display()
        )
    })
}

/// Returns the time-stamping services. At least one is needed: without a
/// time-stamp, a signature made by a device cannot be completed.
pub(super) fn time_stamping_authorities(
    config: &Config,
) -> anyhow::Result<Vec<TimestampAuthority>> {
    if config.timestamps.urls.is_empty() {
        bail!("timestamps.urls is empty: name at least one time-stamping service");
    }
    let urls = config.timestamps.urls.iter().cloned();
    Ok(urls
        .map(|url| TimestampAuthority { url, policy: None })
        .collect())
}

/// Returns the addresses that webhooks and callbacks may reach.
pub(super) fn webhook_policy(config: &Config) -> anyhow::Result<AddressPolicy> {
    let listed = host_ports("outbound.allow", &config.outbound.allow)?;
    Ok(AddressPolicy::new(listed, Reach::PublicHttps))
}

/// Returns the addresses that URLs in certificates may point to.
pub(super) fn certificate_policy(config: &Config) -> anyhow::Result<AddressPolicy> {
    let listed = host_ports("trust.allow", &config.trust.allow)?;
    Ok(AddressPolicy::new(listed, Reach::PublicHttp))
}

fn host_ports(setting: &str, pairs: &[String]) -> anyhow::Result<Vec<HostPort>> {
    let is_malformed = |pair: &&String| pair.parse::<HostPort>().is_err();
    let malformed: Vec<String> = pairs.iter().filter(is_malformed).cloned().collect();
    if !malformed.is_empty() {
        bail!(
            "{setting} lists {}, which is not of the form host:port: write for instance 10.0.0.5:8443",
            malformed.join(", ")
        );
    }
    Ok(pairs.iter().filter_map(|pair| pair.parse().ok()).collect())
}

/// Creates the client of the configured mail server.
pub(super) fn mailer(config: &Mail) -> anyhow::Result<Mailer> {
    let credentials = match (&config.user, &config.password_file) {
        (Some(user), Some(file)) => {
            let password = std::fs::read_to_string(file)
                .with_context(|| format!("mail.password_file {} cannot be read", file.display()))?;
            Some((user.clone(), password.trim_end().to_owned()))
        }
        (None, None) => None,
        _ => bail!("mail.user and mail.password_file are set together or not at all"),
    };
    let server = MailServer {
        host: config.host.clone(),
        port: config.port,
        protection: match config.protection {
            Protection::Tls => MailProtection::Tls,
            Protection::StartTls => MailProtection::StartTls,
            Protection::None => MailProtection::Plain,
        },
        credentials,
        from: config.from.clone(),
    };
    Mailer::new(&server).map_err(|error| {
        let setting = match error {
            MailSetupError::From(_) => "mail.from",
            MailSetupError::Server(_) => "mail.host",
        };
        anyhow::Error::new(error).context(setting)
    })
}

/// Creates the HTTP ports to configured time-stamping services and responders,
/// and to addresses in certificates.
fn service_ports(config: &Config, anchors: &TrustAnchors) -> anyhow::Result<Ports> {
    let responders = anchors.entries().iter();
    let responders = responders.filter_map(|entry| entry.ocsp.url.as_ref());
    let services = config.timestamps.urls.iter().chain(responders);
    let listed = services.filter_map(HostPort::of).collect();
    Ok(Ports {
        configured: outbound_client(AddressPolicy::new(listed, Reach::ListedOnly))?,
        named: outbound_client(certificate_policy(config)?)?,
    })
}

/// Creates the clients of the configured providers.
fn providers(config: &Config) -> anyhow::Result<Providers> {
    let mut providers = Providers::new();
    if let Some(smart_id) = &config.smart_id {
        let client = Arc::new(smart_id_client(smart_id)?);
        providers.insert(SigningMethod::SmartId, client);
    }
    if let Some(mobile_id) = &config.mobile_id {
        let client = Arc::new(mobile_id_client(mobile_id)?);
        providers.insert(SigningMethod::MobileId, client);
    }
    Ok(providers)
}

fn smart_id_client(config: &SmartId) -> anyhow::Result<SmartIdClient> {
    let listed = HostPort::of(&config.base_url).into_iter().collect();
    let port = outbound_client(AddressPolicy::new(listed, Reach::ListedOnly))?;
    let settings = SmartIdConfig {
        is_broker: config.broker,
        ..SmartIdConfig::new(
            config.base_url.clone(),
            config.relying_party_uuid,
            &config.relying_party_name,
            &config.scheme_name,
        )
    };
    Ok(SmartIdClient::new(settings, port))
}

fn mobile_id_client(config: &MobileId) -> anyhow::Result<MobileIdClient> {
    let listed = HostPort::of(&config.base_url).into_iter().collect();
    let port = outbound_client(AddressPolicy::new(listed, Reach::ListedOnly))?;
    let settings = MobileIdConfig::new(
        config.base_url.clone(),
        config.relying_party_uuid,
        &config.relying_party_name,
    );
    Ok(MobileIdClient::new(settings, port))
}

fn outbound_client(policy: AddressPolicy) -> anyhow::Result<Arc<dyn HttpPort>> {
    Ok(Arc::new(client(policy)?))
}

fn client(policy: AddressPolicy) -> anyhow::Result<OutboundClient> {
    OutboundClient::new(policy, &ServerTrust::default())
        .context("the outbound client cannot be made")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use http::Request;
    use parafa_http_port::{ExchangeLimits, HttpPortError};
    use tokio::net::TcpListener;
    use url::Url;

    use super::*;

    const LIMITS: ExchangeLimits = ExchangeLimits {
        timeout: Duration::from_secs(5),
        max_response_bytes: 1024,
    };

    /// Returns whether a port allows this address.
    async fn leads_to(port: &Arc<dyn HttpPort>, address: &Url) -> bool {
        let request = Request::get(address.as_str())
            .body(Bytes::new())
            .expect("a request");
        let answer = port.exchange(request, LIMITS).await;
        !matches!(answer, Err(HttpPortError::Forbidden { .. }))
    }

    /// Returns an address of this machine where nothing listens.
    async fn nobody() -> Url {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound address");
        format!("http://{address}/anything").parse().expect("a URL")
    }

    #[tokio::test]
    async fn certificates_lead_to_no_service_that_is_configured_unless_that_is_allowed() {
        // Another test in this process may have installed the provider.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let [service, other] = [nobody().await, nobody().await];
        let mut config = Config::default();
        config.timestamps.urls = vec![service.clone()];

        let ports = service_ports(&config, &TrustAnchors::default()).expect("ports");
        assert!(leads_to(&ports.configured, &service).await);
        assert!(!leads_to(&ports.configured, &other).await);
        assert!(!leads_to(&ports.named, &service).await);

        let allowed = HostPort::of(&service).expect("a host and a port");
        config.trust.allow = vec![allowed.to_string()];
        let ports = service_ports(&config, &TrustAnchors::default()).expect("ports");
        assert!(leads_to(&ports.named, &service).await);
        assert!(!leads_to(&ports.named, &other).await);
    }
}
