//! The protocol in front of tools: in process, and over a socket for third-party programs.

mod asking;
mod calls;
mod conformance;
mod diligence;
mod fixture;
mod library;
mod messages;
mod openness;
