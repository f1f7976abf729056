use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use parafa_catalogue::{Operation, Preservation};
use semver::Version;

use super::guest::Guest;
use crate::contract::convert::{Ability, About};
use crate::contract::surface::Terms;
use crate::{
    CallError, CallPriority, Capability, ContractBreach, Document, Evidence, Fault, MemoryMeter,
    PluginDigest,
};

/// An admitted plugin. Every call of it runs in a fresh instance.
pub struct Plugin {
    about: About,
    capabilities: BTreeSet<Capability>,
    contract: Version,
    guest: Arc<Guest>,
}

impl Plugin {
    pub(crate) fn new(guest: Guest, about: About, terms: Terms) -> Result<Self, ContractBreach> {
        let plugin = Self {
            guest: Arc::new(guest.named(&about.id)),
            about,
            capabilities: terms.capabilities,
            contract: terms.version,
        };
        for operation in plugin.capabilities.iter().filter_map(|one| one.operation()) {
            plugin.check_ability(operation)?;
        }
        Ok(plugin)
    }

    /// Checks that an operation has exactly one ability, with levels if the operation reaches any.
    fn check_ability(&self, operation: Operation) -> Result<(), ContractBreach> {
        let abilities = self.about.abilities.iter();
        let mut abilities = abilities.filter(|ability| ability.operation == operation);
        let ability = match (abilities.next(), abilities.next()) {
            (Some(ability), None) => ability,
            (None, _) => return Err(ContractBreach::Missing("the ability of an operation")),
            (Some(_), Some(_)) => {
                return Err(ContractBreach::unknown("only ability", operation.name()));
            }
        };
        let reaches_levels = matches!(operation, Operation::Archive | Operation::Sign);
        if reaches_levels && ability.levels.is_empty() {
            return Err(ContractBreach::Missing("the levels of an operation"));
        }
        Ok(())
    }

    /// Returns a handle whose calls report their memory use to `meter`.
    #[must_use]
    pub fn metered(&self, meter: &MemoryMeter) -> Self {
        self.with(self.guest.metered(meter))
    }

    /// Returns a handle whose calls wait for slots with this priority. By default, calls have the
    /// usual urgency and no party.
    #[must_use]
    pub fn prioritized(&self, priority: CallPriority) -> Self {
        self.with(self.guest.prioritized(priority))
    }

    /// Returns a handle for conformance runs: failures are not reported to the operator.
    #[must_use]
    pub fn on_trial(&self) -> Self {
        self.with(self.guest.on_trial())
    }

    /// Returns a handle whose calls run on the calling thread, which must be allowed to block. It
    /// avoids waking another thread, which takes longer than a short call.
    #[must_use]
    pub fn in_place(&self) -> Self {
        self.with(self.guest.in_place())
    }

    fn with(&self, guest: Guest) -> Self {
        Self {
            about: self.about.clone(),
            capabilities: self.capabilities.clone(),
            contract: self.contract.clone(),
            guest: Arc::new(guest),
        }
    }

    /// Returns the format's name, such as `pdf`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.about.id
    }

    /// Returns the plugin's own version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.about.version
    }

    /// Returns the SHA-256 of the component.
    #[must_use]
    pub fn digest(&self) -> PluginDigest {
        self.guest.digest()
    }

    /// Returns the version of the contract that the plugin is written against, such as `1.0.0`.
    #[must_use]
    pub fn contract_version(&self) -> String {
        self.contract.to_string()
    }

    /// Returns true if its signatures cover files outside the document
    /// ([`Document::with_companions`]). Otherwise each call with such files is refused.
    #[must_use]
    pub fn reads_companions(&self) -> bool {
        self.guest.reads_companions()
    }

    /// Returns the media types of its input.
    #[must_use]
    pub fn media_types(&self) -> &[String] {
        &self.about.media_types
    }

    /// Returns the lower-case file name extensions of its input, without the dot.
    #[must_use]
    pub fn extensions(&self) -> &[String] {
        &self.about.extensions
    }

    /// Returns true if the plugin accepts this file name extension, in any case.
    #[must_use]
    pub fn takes_extension(&self, extension: &str) -> bool {
        let mut own = self.extensions().iter();
        own.any(|own| own.eq_ignore_ascii_case(extension))
    }

    /// Returns the plugin's capabilities.
    #[must_use]
    pub fn capabilities(&self) -> &BTreeSet<Capability> {
        &self.capabilities
    }

    /// Returns the least preservation of an operation's input; documents may need a stronger one.
    #[must_use]
    pub fn preservation(&self, operation: Operation) -> Option<Preservation> {
        self.ability(operation).map(|ability| ability.preservation)
    }

    /// Returns the levels that an operation reaches, such as `PAdES-B-LT`, the lowest first.
    #[must_use]
    pub fn levels(&self, operation: Operation) -> &[String] {
        self.ability(operation)
            .map_or(&[], |ability| ability.levels.as_slice())
    }

    fn ability(&self, operation: Operation) -> Option<&Ability> {
        let mut abilities = self.about.abilities.iter();
        abilities.find(|ability| ability.operation == operation)
    }

    /// Returns true if at least two slots are free, or one if there is only one. Background work
    /// should wait otherwise. The answer may change before the call.
    #[must_use]
    pub fn has_slot_to_spare(&self) -> bool {
        self.guest.has_slot_to_spare()
    }

    /// Returns evidence about every signature of a document.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document, or its fault.
    pub async fn verify(&self, document: impl Into<Document>) -> Result<Evidence, CallError> {
        self.guest.verify(document.into()).await
    }

    /// Calls `verify` within another operation: a plugin that works on a document may refuse
    /// neither it nor the output. A known answer about these bytes is reused.
    pub(crate) async fn evidence(
        &self,
        operation: Capability,
        document: Document,
    ) -> Result<Evidence, CallError> {
        if let Some(said) = document.answers().by(self.digest()).evidence {
            return Ok(Arc::unwrap_or_clone(said));
        }
        match self.verify(document).await {
            Err(CallError::Refused(refusal)) => Err(self.broken(
                operation,
                ContractBreach::VerifyRefuses(refusal.code.into_owned()),
            )),
            verified => verified,
        }
    }

    pub(crate) fn max_rounds(&self) -> u32 {
        self.guest.limits().rounds
    }

    /// Creates a fault that a caller found in the plugin's answer. It is reported to the operator
    /// and counted like the host's own findings.
    #[must_use]
    pub fn fault(&self, operation: Capability, breach: ContractBreach) -> Fault {
        self.guest.failed(operation.world(), breach.into())
    }

    pub(crate) fn broken(&self, operation: Capability, breach: ContractBreach) -> CallError {
        self.fault(operation, breach).into()
    }

    /// Returns its unchecked calls.
    pub(crate) fn guest(&self) -> &Arc<Guest> {
        &self.guest
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin")
            .field("about", &self.about)
            .field("digest", &self.digest())
            .field("capabilities", &self.capabilities)
            .finish_non_exhaustive()
    }
}
