//! The demo world over real sockets, as its clients and validators see it.

mod certificates;
mod control;
mod ocsp;
mod phone;
mod refusals;
mod signing;
mod sinks;
mod support;
mod tsa;
mod worlds;
