//! The protocol in front of tools: in process, and over a socket for programs
//! that others made.

mod asking;
mod calls;
mod conformance;
mod diligence;
mod fixture;
mod library;
mod messages;
mod openness;
