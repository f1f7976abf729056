//! The demo world over real sockets, as its clients and validators see it.

mod cards;
mod certificates;
mod control;
mod mobile_id;
mod ocsp;
mod phone;
mod refusals;
mod register;
mod signing;
mod sinks;
mod support;
mod tsa;
mod worlds;
