//! Tests that see the whole product: the built `parafa` with its demo world,
//! over real sockets, judged by validators that others made.

mod ceremony_page;
mod device_link;
mod pades;
mod samples;
mod signing_flow;
mod support;
mod workspace;
