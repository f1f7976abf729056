//! Settings of a world.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
};

use crate::{
    clock::{DemoClock, SystemClock},
    mobile_id::MobileIdTimings,
    smart_id::SmartIdTimings,
};

/// Settings of a world.
#[derive(Clone)]
pub struct WorldConfig {
    /// Keeps keys, certificates, the address and the clock's offset across
    /// restarts. An empty or absent folder makes a new world.
    pub folder: PathBuf,
    /// Clock beneath the world's clock.
    pub clock: Arc<dyn DemoClock>,
    /// Address to listen on. Port 0 takes the port of the first start, or a
    /// free one when this is the first.
    pub bind: SocketAddr,
    /// Timings of Smart-ID's persons and sessions.
    pub smart_id: SmartIdTimings,
    /// The same of Mobile-ID.
    pub mobile_id: MobileIdTimings,
    /// Lets `initialCallbackUrl` be plain http to a loopback host, which the
    /// real service refuses; a demonstration without TLS needs it.
    pub http_callbacks: bool,
}

impl WorldConfig {
    /// The defaults: system clock, a port of the world's own on loopback,
    /// people who answer after a second, https callbacks only.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            clock: Arc::new(SystemClock),
            bind: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            smart_id: SmartIdTimings::default(),
            mobile_id: MobileIdTimings::default(),
            http_callbacks: false,
        }
    }
}
