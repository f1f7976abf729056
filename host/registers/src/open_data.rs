//! Open data of the state on legal entities at `get.data.gov.lt`, through the universal API (UAPI)
//! of its Spinta servers. They name no persons.

mod profile;
mod uapi;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parafa_http_port::{ExchangeLimits, HttpPort};
use parafa_register_data::{Query, Register, RegisterData, SourceMode};
use url::Url;

use self::uapi::Reading;
use crate::answer::not_offered;
use crate::{Clock, RawAnswer, RegisterAnswer, RegisterSource, SourceError, Unavailable};

/// Connection to the open data service.
#[derive(Clone, Debug)]
pub struct OpenDataConfig {
    /// Such as `https://get.data.gov.lt/`; `datasets/…` is appended.
    pub base_url: Url,
    /// Time limit of one exchange. A profile takes some nine.
    pub timeout: Duration,
    /// Longest accepted answer to one, in bytes.
    pub max_response_bytes: usize,
}

impl OpenDataConfig {
    /// 10 s an exchange, 1 MiB an answer.
    #[must_use]
    pub fn new(base_url: Url) -> Self {
        Self {
            base_url,
            timeout: Duration::from_secs(10),
            max_response_bytes: 1024 * 1024,
        }
    }
}

/// Company profiles from open data; it has nothing else.
#[derive(Clone)]
pub struct OpenData {
    config: Arc<OpenDataConfig>,
    port: Arc<dyn HttpPort>,
    clock: Clock,
}

impl OpenData {
    /// Speaks through `port`, which has to reach the configured address.
    pub fn new(config: OpenDataConfig, port: Arc<dyn HttpPort>, clock: Clock) -> Self {
        Self {
            config: Arc::new(config),
            port,
            clock,
        }
    }

    async fn ask(&self, query: &Query) -> Result<RegisterAnswer, SourceError> {
        let Query::CompanyProfile(code) = query else {
            return Err(not_offered(query));
        };
        let limits = ExchangeLimits {
            timeout: self.config.timeout,
            max_response_bytes: self.config.max_response_bytes,
        };
        let mut reading = Reading::new(&*self.port, &self.config.base_url, limits);
        let profile = profile::read(&mut reading, code).await?;
        let now = (self.clock)();
        let answer = |register| {
            let (reference, raw) = reading.raw_of(register)?;
            let mode = SourceMode::OpenData;
            Some(RawAnswer::json(register, mode, raw, reference, now))
        };
        let own = answer(Register::Jar).ok_or(Unavailable::Member("data"))?;
        let parts = [Register::Vmi, Register::Vda];
        let own = RawAnswer {
            parts: parts.into_iter().filter_map(answer).collect(),
            ..own
        };
        match profile {
            Some(profile) => own.with(query, RegisterData::CompanyProfile(Box::new(profile))),
            None => Err(own.without_data(query, true)),
        }
    }
}

#[async_trait]
impl RegisterSource for OpenData {
    async fn answer(&self, query: &Query) -> Result<RegisterAnswer, SourceError> {
        let answer = self.ask(query).await;
        if let Err(SourceError::Unavailable(error)) = &answer {
            error.tell(query.register(), &self.config.base_url);
        }
        answer
    }
}
