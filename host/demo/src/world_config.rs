//! How a world is started.

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

/// How a world is started.
#[derive(Clone)]
pub struct WorldConfig {
    /// Keeps keys, certificates, the address and the clock's offset across
    /// restarts. An empty or absent folder makes a new world.
    pub folder: PathBuf,
    /// What the world's clock runs with.
    pub clock: Arc<dyn DemoClock>,
    /// Address to listen on. Port 0 takes the port of the first start, or a
    /// free one when this is the first.
    pub bind: SocketAddr,
    /// How fast Smart-ID's people and sessions are.
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
