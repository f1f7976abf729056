//! A world in another process, for commands.

use super::outcome::CommandError;
use crate::{persona::Persona, world::Addresses};

/// A world in another process, and the server in it.
#[derive(Clone, Copy, Debug)]
pub struct KnownWorld<'a> {
    /// URL of the server's APIs and pages, without a slash at the end.
    pub server: &'a str,
    /// URLs of the world's services.
    pub addresses: &'a Addresses,
    /// Personas of the world.
    pub personas: &'a [Persona],
}

impl<'a> KnownWorld<'a> {
    /// A persona by id, among those who satisfy a condition.
    pub(super) fn persona(
        self,
        id: &str,
        what: &str,
        has: impl Fn(&Persona) -> bool,
    ) -> Result<&'a Persona, CommandError> {
        let those: Vec<&Persona> = self.personas.iter().filter(|one| has(one)).collect();
        let named = those.iter().find(|one| one.id == id);
        named.copied().ok_or_else(|| {
            let known: Vec<&str> = those.iter().map(|one| one.id.as_str()).collect();
            CommandError::Refused(format!(
                "{id} is not a persona with {what}; there are {}",
                known.join(", ")
            ))
        })
    }
}
