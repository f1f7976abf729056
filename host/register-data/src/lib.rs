//! Queries to Lithuanian registers, and their answers in one normalized form. Nothing here reaches
//! a register.
//!
//! A [`Query`] names the register and the subject; its answer is a [`RegisterData`]. The types of
//! [`data`] are given to callers. [`RoleHolder`] is compared with identities and never leaves the
//! service. [`synthetic`] answers for entities and persons that do not exist.

mod check_digit;
pub mod classifier;
pub mod data;
mod entity_code;
mod held_as_text;
mod personal_code;
mod property_number;
mod query;
mod register;
mod role_holder;
mod source;
pub mod synthetic;

pub use crate::{
    entity_code::{EntityCode, InvalidEntityCode},
    personal_code::{InvalidPersonalCode, PersonalCode},
    property_number::{InvalidPropertyNumber, PropertyNumber},
    query::{Query, RegisterData, Role, UnknownRole, UnreadableAnswer},
    register::{Operator, Register, SourceMode},
    role_holder::{HolderIdentity, RoleHolder, RoleHolders},
    source::{PartSource, Source},
};
