//! The demo world: the services' other side, over real sockets.
//!
//! [`World::start`] starts services on one loopback address, all over one persisted certificate
//! hierarchy:
//!
//! - a protocol-strict Smart-ID relying-party service and a Mobile-ID service;
//! - identity cards;
//! - a time-stamping authority (RFC 3161), OCSP responders (RFC 6960), and a repository of
//!   certificates and revocation lists (RFC 5280);
//! - a gateway to a synthetic register;
//! - a mail server and a receiver of webhooks, which show what they received.
//!
//! Each service has a module of its own; only [`World`] sees all of them. A remote control on the
//! same address moves the world's clock, plans faults and lists requests. [`Control`] is its
//! client, and [`DemoCommand`] the commands on a running world.

mod arrivals;
mod attorney;
mod cards;
mod clock;
mod commands;
mod control;
mod date_time;
mod device_signature;
mod enrolment;
mod error;
mod fault;
mod folder;
mod hooks;
mod journal;
mod mail;
mod mobile_id;
mod newest;
mod ocsp;
mod persona;
mod pki;
mod random;
mod register;
mod relying_party;
mod replacements;
mod repository;
mod service;
mod shutdown;
mod smart_id;
mod trust;
mod tsa;
mod world;
mod world_config;

pub use crate::{
    attorney::AttorneyFiles,
    clock::{DemoClock, SystemClock, WorldClock},
    commands::{CardCommand, CommandError, DemoCommand, KnownWorld, Told},
    control::{ClockState, Control, ControlError},
    error::WorldError,
    fault::{Fault, FaultPlan},
    mobile_id::{MobileIdSwitches, MobileIdTimings},
    persona::{KeyType, Method, Outcome, Persona},
    register::REGISTER_TOKEN,
    relying_party::RelyingParty,
    service::Service,
    smart_id::{EndResult, InteractionType, SmartIdSwitches, SmartIdTimings},
    tsa::TsaSwitches,
    world::{Addresses, World},
    world_config::WorldConfig,
};
