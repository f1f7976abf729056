//! Ceremonies as seen by an owning product, and by a signer before any signature.

mod attempts;
mod awaited_state;
mod device_links;
mod downloads;
mod link_addresses;
mod owner;
mod provider_polling;
mod smart_id;
mod support;
mod turn_model;
