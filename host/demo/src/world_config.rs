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
    /// Folder of keys, certificates, the address and the clock's offset across restarts. An empty
    /// or missing folder makes a new world.
    pub folder: PathBuf,
    /// Clock beneath the world's clock.
    pub clock: Arc<dyn DemoClock>,
    /// Address to listen on. Port 0 means the port of the first start, or a free one at the first
    /// start.
    pub bind: SocketAddr,
    /// Timings of Smart-ID's persons and sessions.
    pub smart_id: SmartIdTimings,
    /// Timings of Mobile-ID's persons and sessions.
    pub mobile_id: MobileIdTimings,
    /// Allows plain http to a loopback host in `initialCallbackUrl`, which the real service
    /// refuses; a demonstration without TLS needs it.
    pub http_callbacks: bool,
}

impl WorldConfig {
    /// The defaults: system clock, a port of the world's own on loopback, persons who answer after
    /// a second, https callbacks only.
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
