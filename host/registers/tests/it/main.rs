//! Sources of register data before services over real sockets, good and bad.

mod gateway;
mod open_data;
mod sources;
mod support;
