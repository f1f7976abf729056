//! The ceremonies as a product sees them that holds them, and as a signer does before
//! anybody has signed.

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
