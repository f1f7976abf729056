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
    reads_companions: bool,
    guest: Arc<Guest>,
}

impl Plugin {
    pub(crate) fn new(guest: Guest, about: About, terms: Terms) -> Result<Self, ContractBreach> {
        let plugin = Self {
            guest: Arc::new(guest.named(&about.id)),
            about,
            capabilities: terms.capabilities,
            contract: terms.version,
            reads_companions: terms.reads_companions,
        };
        for operation in plugin.capabilities.iter().filter_map(|one| one.operation()) {
            plugin.check_ability(operation)?;
        }
        Ok(plugin)
    }

    /// Checks that there is one ability for an operation that it has, with
    /// levels where some are reached.
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

    /// The same plugin, whose calls tell `meter` how much memory they take.
    #[must_use]
    pub fn metered(&self, meter: &MemoryMeter) -> Self {
        self.with(self.guest.metered(meter))
    }

    /// The same plugin, whose calls have their turns by this priority while
    /// there is no free slot. Others are of usual urgency and nobody's.
    #[must_use]
    pub fn prioritized(&self, priority: CallPriority) -> Self {
        self.with(self.guest.prioritized(priority))
    }

    /// The same plugin, of which is seen what it does with all that it may be
    /// given: how it fails then is no operator's concern.
    #[must_use]
    pub fn on_trial(&self) -> Self {
        self.with(self.guest.on_trial())
    }

    /// The same plugin, whose calls run on the thread that asks for them. It has
    /// to be one that may block; nobody need be woken then, which takes longer
    /// than a short call.
    #[must_use]
    pub fn in_place(&self) -> Self {
        self.with(self.guest.in_place())
    }

    fn with(&self, guest: Guest) -> Self {
        Self {
            about: self.about.clone(),
            capabilities: self.capabilities.clone(),
            contract: self.contract.clone(),
            reads_companions: self.reads_companions,
            guest: Arc::new(guest),
        }
    }

    /// The format's name, such as `pdf`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.about.id
    }

    /// The plugin's own version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.about.version
    }

    /// SHA-256 of the component.
    #[must_use]
    pub fn digest(&self) -> PluginDigest {
        self.guest.digest()
    }

    /// Version of the contract that it is written against, such as `1.0.0`.
    #[must_use]
    pub fn contract_version(&self) -> String {
        self.contract.to_string()
    }

    /// Whether its signatures are over files beside the document
    /// ([`Document::with_companions`]).
    #[must_use]
    pub fn reads_companions(&self) -> bool {
        self.reads_companions
    }

    /// Media types that it takes.
    #[must_use]
    pub fn media_types(&self) -> &[String] {
        &self.about.media_types
    }

    /// Lower-case file name extensions that it takes, without the dot.
    #[must_use]
    pub fn extensions(&self) -> &[String] {
        &self.about.extensions
    }

    /// Whether it takes this file name extension, in any case.
    #[must_use]
    pub fn takes_extension(&self, extension: &str) -> bool {
        let mut own = self.extensions().iter();
        own.any(|own| own.eq_ignore_ascii_case(extension))
    }

    /// What it can do.
    #[must_use]
    pub fn capabilities(&self) -> &BTreeSet<Capability> {
        &self.capabilities
    }

    /// How an operation keeps the bytes of its input at least; a document may
    /// have it kept better.
    #[must_use]
    pub fn preservation(&self, operation: Operation) -> Option<Preservation> {
        self.ability(operation).map(|ability| ability.preservation)
    }

    /// The levels that an operation comes to, such as `PAdES-B-LT`, the lowest
    /// first.
    #[must_use]
    pub fn levels(&self, operation: Operation) -> &[String] {
        self.ability(operation)
            .map_or(&[], |ability| ability.levels.as_slice())
    }

    fn ability(&self, operation: Operation) -> Option<&Ability> {
        let mut abilities = self.about.abilities.iter();
        abilities.find(|ability| ability.operation == operation)
    }

    /// Whether a call now would wait for none and leave a slot to the next one,
    /// or, where there is only one slot at a time, would not wait: what is not
    /// urgent is better put off otherwise. It may change before the call.
    #[must_use]
    pub fn has_slot_to_spare(&self) -> bool {
        self.guest.has_slot_to_spare()
    }

    /// Evidence about every signature of a document.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document, or its fault.
    pub async fn verify(&self, document: impl Into<Document>) -> Result<Evidence, CallError> {
        self.guest.verify(document.into()).await
    }

    /// What `verify` says in the course of another operation: a plugin that
    /// works on a document cannot refuse it, nor what it made of it. What it has
    /// said of these bytes it is not asked again.
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

    /// A fault that whoever called the plugin finds of its answer. It is told
    /// to the operator and counted like those that are found here.
    #[must_use]
    pub fn fault(&self, operation: Capability, breach: ContractBreach) -> Fault {
        self.guest.failed(operation.world(), breach.into())
    }

    pub(crate) fn broken(&self, operation: Capability, breach: ContractBreach) -> CallError {
        self.fault(operation, breach).into()
    }

    /// Its calls, without a look at what comes out.
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
