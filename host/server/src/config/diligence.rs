use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use parafa_http_port::HttpPort;
use parafa_register_data::Register;
use parafa_registers::{
    Clock, Credential, Gateway, GatewayConfig, OpenData, OpenDataConfig, RegisterSource, Routes,
};
use serde::Deserialize;
use url::Url;
use zeroize::Zeroizing;

/// Where registers are asked for live keys of the due-diligence API.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Diligence {
    /// A gateway to the registers, under a contract with their operators.
    pub gateway_url: Option<Url>,
    /// File with the bearer token that the gateway is shown.
    pub gateway_token_file: Option<PathBuf>,
    /// The state's open data, for company profiles; where there is a gateway it
    /// is asked instead.
    pub open_data_url: Option<Url>,
    /// What the gateway of the demo world is shown.
    #[serde(skip)]
    pub(crate) demo_token: Option<&'static str>,
}

impl Diligence {
    /// The addresses that are reached.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = &Url> {
        self.gateway_url.iter().chain(&self.open_data_url)
    }

    /// The sources, through a port that reaches their addresses.
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

    fn credential(&self) -> anyhow::Result<Credential> {
        let Some(file) = &self.gateway_token_file else {
            let demo = self.demo_token.map(str::to_owned).map(Zeroizing::new);
            return Ok(demo.map_or(Credential::None, Credential::Bearer));
        };
        let text = std::fs::read_to_string(file).with_context(|| {
            format!(
                "diligence.gateway_token_file {} cannot be read",
                file.display()
            )
        })?;
        Ok(Credential::Bearer(Zeroizing::new(
            text.trim_end().to_owned(),
        )))
    }
}
