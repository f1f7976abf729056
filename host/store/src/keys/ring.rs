//! The keys that the configuration names: the master key, and others that may wrap something still.

use std::iter;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aws_lc_rs::aead::LessSafeKey;

use super::DataKey;
use super::aead::{self, Secret};

/// Some keys of which one wraps whatever is new. The first is the configured master key.
pub(super) struct Ring {
    keys: Vec<WrappingKey>,
    active: AtomicUsize,
}

/// A key that wraps others.
pub(super) struct WrappingKey {
    secret: Secret,
    /// What data keys are wrapped and unwrapped with, once one was.
    of_data_keys: OnceLock<LessSafeKey>,
}

impl Ring {
    /// A key and others, the first of which wraps until another one is told to.
    pub(super) fn of(first: Secret, others: impl IntoIterator<Item = Secret>) -> Self {
        let keys = iter::once(first).chain(others);
        Self {
            keys: keys.map(WrappingKey::of).collect(),
            active: AtomicUsize::new(0),
        }
    }

    /// All keys, the configured one first.
    pub(super) fn keys(&self) -> &[WrappingKey] {
        &self.keys
    }

    /// The configured key.
    pub(super) fn first(&self) -> &WrappingKey {
        &self.keys[0]
    }

    /// The key that wraps.
    pub(super) fn active(&self) -> &WrappingKey {
        &self.keys[self.active.load(Ordering::Relaxed)]
    }

    /// All keys, the one that wraps first, each with whether it is that one.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (&WrappingKey, bool)> {
        let active = self.active.load(Ordering::Relaxed);
        let first = iter::once((&self.keys[active], true));
        let others = self.keys.iter().enumerate();
        let others = others.filter(move |(at, _)| *at != active);
        first.chain(others.map(|(_, key)| (key, false)))
    }

    /// Has the key at this place wrap from now on.
    pub(super) fn activate(&self, at: usize) {
        debug_assert!(at < self.keys.len());
        self.active.store(at, Ordering::Relaxed);
    }
}

impl WrappingKey {
    fn of(secret: Secret) -> Self {
        Self {
            secret,
            of_data_keys: OnceLock::new(),
        }
    }

    pub(super) fn secret(&self) -> &Secret {
        &self.secret
    }

    /// What a store keeps to recognise the key.
    pub(super) fn check_value(&self) -> String {
        hex::encode(aead::derive(&self.secret, "check", "").as_ref())
    }

    pub(super) fn of_data_keys(&self) -> &LessSafeKey {
        self.of_data_keys
            .get_or_init(|| aead::cipher(&aead::derive(&self.secret, "wrap", "")))
    }

    /// What a store's root secret is wrapped with.
    pub(super) fn of_root(&self) -> DataKey {
        DataKey::from_secret(aead::derive(&self.secret, "root", ""))
    }
}
