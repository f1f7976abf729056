//! Tests that see the whole product: the built `parafa` with its demo world,
//! over real sockets, judged by validators that others made.

mod agents;
mod authentication;
mod backups;
mod cards;
mod ceremony_page;
mod containers;
mod crashes;
mod damage;
mod data_folders;
mod device_link;
mod diligence;
mod diligence_page;
mod docs;
mod durability;
mod generated_clients;
mod hostile_plugins;
mod long_term;
mod mobile_id;
mod operator_commands;
mod pades;
mod pages;
mod plugin_lifecycle;
mod plugin_walkthrough;
mod reported;
mod samples;
mod schemathesis;
mod signing_api;
mod signing_flow;
mod support;
mod turns;
mod workspace;
