use std::collections::BTreeMap;
use std::fmt;

use parafa_store::BoxFuture;
use parafa_store::jobs::ClaimedJob;

/// Handler of a job claimed by this host.
type Handler =
    Box<dyn for<'j> Fn(&'j mut ClaimedJob) -> BoxFuture<'j, anyhow::Result<()>> + Send + Sync>;

/// Handlers by kind of job.
#[derive(Default)]
pub struct JobHandlers(BTreeMap<&'static str, Handler>);

/// Mismatch between kinds of jobs and their handlers.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum JobKindError {
    /// A kind has two handlers.
    #[error("two handlers do jobs of the kind {0}")]
    Duplicate(&'static str),
    /// A kind that is enqueued has no handler.
    #[error("no handler does jobs of the kind {0}")]
    Missing(&'static str),
    /// A kind with a handler is never enqueued.
    #[error("jobs of the kind {0} have a handler and are not declared")]
    Undeclared(&'static str),
}

impl JobHandlers {
    /// Registers the handler of a kind.
    ///
    /// # Errors
    /// [`JobKindError::Duplicate`] when it already has one.
    pub fn register<F>(&mut self, kind: &'static str, handler: F) -> Result<(), JobKindError>
    where
        F: for<'j> Fn(&'j mut ClaimedJob) -> BoxFuture<'j, anyhow::Result<()>>
            + Send
            + Sync
            + 'static,
    {
        match self.0.insert(kind, Box::new(handler)) {
            None => Ok(()),
            Some(_) => Err(JobKindError::Duplicate(kind)),
        }
    }

    /// Checks that the declared kinds are exactly those with handlers.
    ///
    /// # Errors
    /// [`JobKindError`] for the first mismatch.
    pub fn check(&self, declared: &[&[&'static str]]) -> Result<(), JobKindError> {
        let mut kinds = declared.iter().copied().flatten();
        if let Some(kind) = kinds.find(|kind| !self.0.contains_key(*kind)) {
            return Err(JobKindError::Missing(kind));
        }
        let is_declared = |kind: &&&str| declared.iter().any(|kinds| kinds.contains(*kind));
        match self.0.keys().find(|kind| !is_declared(kind)) {
            Some(kind) => Err(JobKindError::Undeclared(kind)),
            None => Ok(()),
        }
    }

    pub(super) fn of(&self, kind: &str) -> Option<&Handler> {
        self.0.get(kind)
    }
}

impl fmt::Debug for JobHandlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registered(kinds: &[&'static str]) -> Result<JobHandlers, JobKindError> {
        let mut handlers = JobHandlers::default();
        for kind in kinds {
            handlers.register(kind, |_| Box::pin(async { Ok(()) }))?;
        }
        Ok(handlers)
    }

    #[test]
    fn two_handlers_of_one_kind_are_refused() {
        let twice = registered(&["a", "b", "a"]);

        assert_eq!(twice.unwrap_err(), JobKindError::Duplicate("a"));
    }

    #[test]
    fn every_kind_that_is_enqueued_has_a_handler_and_every_handler_a_kind() {
        let handlers = registered(&["a", "b"]).unwrap();

        assert_eq!(handlers.check(&[&["a"], &["b"]]), Ok(()));
        assert_eq!(
            handlers.check(&[&["a", "b"], &["c"]]),
            Err(JobKindError::Missing("c"))
        );
        assert_eq!(
            handlers.check(&[&["b"]]),
            Err(JobKindError::Undeclared("a"))
        );
    }
}
