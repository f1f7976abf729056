use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Kind of thing that an [`Id`] identifies; only a tag.
pub trait IdKind: 'static {
    /// The kind's name, for `Debug`.
    const NAME: &'static str;
}

/// A UUID that cannot be confused with the id of another kind. New ids are version 7 (RFC 9562), so
/// that they sort by creation.
#[derive(Deserialize, Serialize)]
#[serde(transparent)]
pub struct Id<K: IdKind> {
    uuid: Uuid,
    #[serde(skip)]
    kind: PhantomData<fn() -> K>,
}

impl<K: IdKind> Id<K> {
    /// The id with this value.
    #[must_use]
    pub fn new(uuid: Uuid) -> Self {
        Self {
            uuid,
            kind: PhantomData,
        }
    }

    /// Its value.
    #[must_use]
    pub fn uuid(self) -> Uuid {
        self.uuid
    }
}

impl<K: IdKind> Clone for Id<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: IdKind> Copy for Id<K> {}

impl<K: IdKind> Eq for Id<K> {}

impl<K: IdKind> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.uuid == other.uuid
    }
}

impl<K: IdKind> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.uuid.cmp(&other.uuid)
    }
}

impl<K: IdKind> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: IdKind> std::hash::Hash for Id<K> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.uuid.hash(state);
    }
}

impl<K: IdKind> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", K::NAME, self.uuid)
    }
}

impl<K: IdKind> fmt::Display for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.uuid.fmt(f)
    }
}

impl<K: IdKind> FromStr for Id<K> {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self::new(text.parse()?))
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident, $kind:ident;)*) => {$(
        #[doc(hidden)]
        #[derive(Debug)]
        pub enum $kind {}

        impl IdKind for $kind {
            const NAME: &'static str = stringify!($name);
        }

        $(#[$doc])*
        pub type $name = Id<$kind>;
    )*};
}

kinds! {
    /// Identifies one attempt of one signer.
    AttemptId, AttemptKind;
    /// Identifies a signer of a ceremony.
    SignerId, SignerKind;
    /// Identifies a ceremony.
    CeremonyId, CeremonyKind;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_from_its_text() {
        let id = CeremonyId::new(Uuid::from_u128(7));

        assert_eq!(id.to_string().parse::<CeremonyId>().unwrap(), id);
        assert_eq!(format!("{id:?}"), format!("CeremonyId({id})"));
    }
}
