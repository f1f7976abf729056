use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use parafa_catalogue::{Operation, Preservation};
use semver::Version;

use crate::contents::Basis;
use crate::contract::Terms;
use crate::convert::{Ability, About};
use crate::guest::Guest;
use crate::{
    Answer, Answerer, ArchiveRequest, ArchiveStep, ArchivedDocument, CallError, CallPriority,
    Capability, ComposeRequest, ContractBreach, DeriveRequest, Document, Evidence, Fault,
    MadeDocument, Member, MemoryMeter, PluginDigest, Progress, Report, SignRequest, SignStep,
    SourceFile, archiving, contents, making, signing,
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

    /// Version of the contract that it is written against, such as `0.2.0`.
    #[must_use]
    pub fn contract_version(&self) -> String {
        self.contract.to_string()
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

    /// What a document is, one of the plugin's media types, and whether it may
    /// be signed.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document, or its fault.
    pub async fn inspect(&self, document: impl Into<Document>) -> Result<Report, CallError> {
        let report = self.guest.inspect(document.into()).await?;
        self.check_media_type(Capability::Inspect, &report.media_type)?;
        contents::check_strengthened(self, &report)
            .map_err(|breach| self.broken(Capability::Inspect, breach))?;
        Ok(report)
    }

    /// What a document holds that a signer is shown, in its order.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document, or its fault.
    pub async fn members(&self, document: impl Into<Document>) -> Result<Vec<Member>, CallError> {
        contents::members(self, document.into()).await
    }

    /// The bytes of a member, which are those that [`Plugin::members`] tells of.
    ///
    /// # Errors
    ///
    /// The plugin's refusal, such as `no-such-member`, or its fault.
    pub async fn extract(
        &self,
        document: impl Into<Document>,
        id: &str,
    ) -> Result<Bytes, CallError> {
        contents::extract(self, document.into(), id).await
    }

    /// Evidence about every signature of a document.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document, or its fault.
    pub async fn verify(&self, document: impl Into<Document>) -> Result<Evidence, CallError> {
        self.guest.verify(document.into()).await
    }

    /// One step of signing, with the answers so far. An output is checked to
    /// keep its input as declared; [`Plugin::drive_sign`] checks the rest.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document or request, or its fault.
    pub async fn sign(
        &self,
        document: impl Into<Document>,
        request: &SignRequest,
        answers: &[Answer],
    ) -> Result<SignStep, CallError> {
        let document = document.into();
        let basis = Basis::of(self, Capability::Sign, document.clone()).await?;
        self.sign_on(&basis, document, request, answers).await
    }

    /// The same of a document of which the basis is known.
    pub(crate) async fn sign_on(
        &self,
        basis: &Basis,
        document: Document,
        request: &SignRequest,
        answers: &[Answer],
    ) -> Result<SignStep, CallError> {
        self.guest
            .sign(document, request, &basis.covers(), answers, basis.kept)
            .await
    }

    /// Signs as far as the answers go: asks `answerer` for whatever the plugin
    /// needs until there is a signed document or nothing more can be answered
    /// now. To go on later, call it again with the same document and request
    /// and the answers of the [`crate::Suspension`], with new ones added.
    ///
    /// A document comes out only if there is exactly one new signature, which
    /// signs what was asked to be signed, with the value that was answered,
    /// under the request's certificate, covers all that the document holds, and
    /// if every earlier signature and member is as it was. Whoever knows the document's media type checks that it is the
    /// same one ([`Plugin::check_same_media_type`]), here as of whatever else
    /// is made of a document.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document or request, or its fault, which
    /// includes everything above that does not hold.
    pub async fn drive_sign(
        &self,
        document: impl Into<Document>,
        request: &SignRequest,
        answers: Vec<Answer>,
        answerer: &dyn Answerer,
    ) -> Result<Progress, CallError> {
        signing::drive(self, document.into(), request, answers, answerer).await
    }

    /// [`Plugin::drive_sign`] for a document that whoever calls made, so that
    /// nobody has signed it: the plugin is not asked which signatures it has,
    /// and how it is kept is as the description says.
    ///
    /// A document comes out only if it has one signature in all.
    ///
    /// # Errors
    ///
    /// As of [`Plugin::drive_sign`].
    pub async fn drive_first_sign(
        &self,
        document: impl Into<Document>,
        request: &SignRequest,
        answerer: &dyn Answerer,
    ) -> Result<Progress, CallError> {
        signing::drive_first(self, document.into(), request, answerer).await
    }

    /// One step of archiving, with the answers so far. An output is checked to
    /// keep its input as declared; [`Plugin::drive_archive`] checks the rest.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document or request, or its fault.
    pub async fn archive(
        &self,
        document: impl Into<Document>,
        request: &ArchiveRequest,
        answers: &[Answer],
    ) -> Result<ArchiveStep, CallError> {
        let document = document.into();
        let basis = Basis::of(self, Capability::Archive, document.clone()).await?;
        self.archive_on(&basis, document, request, answers).await
    }

    /// The same of a document of which the basis is known.
    pub(crate) async fn archive_on(
        &self,
        basis: &Basis,
        document: Document,
        request: &ArchiveRequest,
        answers: &[Answer],
    ) -> Result<ArchiveStep, CallError> {
        self.guest
            .archive(document, request, answers, basis.kept)
            .await
    }

    /// Raises a document's signatures to level B-LT as far as the answers go,
    /// as [`Plugin::drive_sign`] signs.
    ///
    /// A document comes out only if it has the signatures and members that it
    /// had, as they were, and no other one, if the lowest of their levels is an
    /// archival one and the one that the plugin claims, and if it has the
    /// revocation data and time-stamps that it had and of others exactly those
    /// that were answered. That holds also where the plugin says that there is
    /// nothing to do.
    ///
    /// # Errors
    ///
    /// The plugin's refusal of the document or request, or its fault, which
    /// includes everything above that does not hold.
    pub async fn drive_archive(
        &self,
        document: impl Into<Document>,
        request: &ArchiveRequest,
        answers: Vec<Answer>,
        answerer: &dyn Answerer,
    ) -> Result<Progress<ArchivedDocument>, CallError> {
        archiving::drive(self, document.into(), request, answers, answerer).await
    }

    /// Turns what can be filled in into what can only be read. The output has
    /// the signatures of the document, as they were, and no other one.
    ///
    /// # Errors
    ///
    /// The plugin's refusal, which names all fields that cannot be drawn, or
    /// its fault.
    pub async fn flatten(
        &self,
        document: impl Into<Document>,
        request: &DeriveRequest,
    ) -> Result<MadeDocument, CallError> {
        making::flatten(self, document.into(), request).await
    }

    /// Makes the unsigned document that the sandbox answers. It has no
    /// signature; a document that has some comes out as it is.
    ///
    /// # Errors
    ///
    /// The plugin's refusal, or its fault.
    pub async fn rehearse(
        &self,
        document: impl Into<Document>,
        request: &DeriveRequest,
    ) -> Result<MadeDocument, CallError> {
        making::rehearse(self, document.into(), request).await
    }

    /// Makes a document of files. It has the media type that was asked for, and
    /// a plugin that can inspect accepts it.
    ///
    /// # Errors
    ///
    /// The plugin's refusal, or its fault.
    pub async fn compose(
        &self,
        files: &[SourceFile],
        request: &ComposeRequest,
    ) -> Result<MadeDocument, CallError> {
        making::compose(self, files, request).await
    }

    /// `flatten` or `rehearse`, without a look at what comes out.
    pub(crate) async fn derive(
        &self,
        operation: Capability,
        document: Document,
        request: &DeriveRequest,
    ) -> Result<MadeDocument, CallError> {
        let kept = Basis::kept(self, operation, document.clone()).await?;
        self.guest.derive(operation, document, request, kept).await
    }

    /// `compose`, without a look at what comes out.
    pub(crate) async fn compose_unchecked(
        &self,
        files: &[SourceFile],
        request: &ComposeRequest,
    ) -> Result<MadeDocument, CallError> {
        self.guest.compose(files, request).await
    }

    /// What `verify` says in the course of another operation: a plugin that
    /// works on a document cannot refuse it, nor what it made of it.
    pub(crate) async fn evidence(
        &self,
        operation: Capability,
        document: Document,
    ) -> Result<Evidence, CallError> {
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

    /// Calls that say what a document holds.
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
