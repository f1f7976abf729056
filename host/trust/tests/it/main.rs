//! The trust checks against an authority, OCSP responders and time-stamping
//! authorities that live in this process.

#![allow(missing_docs, unreachable_pub)]

mod anchors;
mod asn1;
mod authentications;
mod authority;
mod certificates;
mod hostile;
mod ocsp;
mod outage;
mod port;
mod responder;
mod revocation;
mod revocation_list;
mod signers;
mod stamper;
mod timestamps;
mod validation;
mod world;
