//! Large heads: a bounded number of heads beyond a few KiB are in memory at once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of large heads at once.
pub(crate) const MOST: usize = 64;
/// Maximum number for one client.
pub(crate) const MOST_OF_CLIENT: usize = 16;
/// Maximum number for unknown clients, which may be one.
const MOST_OF_UNKNOWN: usize = 48;

/// Large heads of one listener. Clones share the counts.
#[derive(Clone, Default)]
pub(crate) struct LargeHeads(Arc<Mutex<Counts>>);

#[derive(Default)]
struct Counts {
    all: usize,
    /// Counts by client; `None` counts those whose client is unknown.
    of_client: HashMap<Option<IpAddr>, usize>,
}

/// One large head, until it is dropped.
pub(crate) struct LargeHead {
    heads: LargeHeads,
    client: Option<IpAddr>,
}

impl LargeHeads {
    /// Counts one more large head, for its client if that is known. Behind a proxy the client is
    /// known only once the head has ended. Returns `None` at the maximum.
    pub(crate) fn take(&self, client: Option<IpAddr>) -> Option<LargeHead> {
        let mut counts = self.counts();
        if counts.all >= MOST {
            return None;
        }
        let most = client.map_or(MOST_OF_UNKNOWN, |_| MOST_OF_CLIENT);
        let of_client = counts.of_client.entry(client).or_default();
        if *of_client >= most {
            return None;
        }
        *of_client += 1;
        counts.all += 1;
        Some(LargeHead {
            heads: self.clone(),
            client,
        })
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LargeHead {
    fn drop(&mut self) {
        let mut counts = self.heads.counts();
        counts.all -= 1;
        if let Entry::Occupied(mut of_client) = counts.of_client.entry(self.client) {
            *of_client.get_mut() -= 1;
            if *of_client.get() == 0 {
                of_client.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const ONE: Option<IpAddr> = Some(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)));
    const OTHER: Option<IpAddr> = Some(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2)));

    fn all_that_are_given(heads: &LargeHeads, client: Option<IpAddr>) -> Vec<LargeHead> {
        std::iter::repeat_with(|| heads.take(client))
            .map_while(|head| head)
            .collect()
    }

    #[test]
    fn one_client_leaves_room_for_the_large_heads_of_others() {
        let heads = LargeHeads::default();
        let held = all_that_are_given(&heads, ONE);

        assert_eq!(held.len(), MOST_OF_CLIENT);
        assert!(heads.take(OTHER).is_some());
        drop(held);
        assert!(heads.take(ONE).is_some());
        assert!(heads.counts().of_client.is_empty());
    }

    #[test]
    fn clients_behind_proxies_leave_room_for_others() {
        let heads = LargeHeads::default();
        let held = all_that_are_given(&heads, None);

        assert_eq!(held.len(), MOST_OF_UNKNOWN);
        assert!(heads.take(OTHER).is_some());
    }

    #[test]
    fn all_clients_hold_so_many_and_no_more() {
        let heads = LargeHeads::default();
        let held = [None, ONE].map(|client| all_that_are_given(&heads, client));

        assert_eq!(held.iter().map(Vec::len).sum::<usize>(), MOST);
        assert!(heads.take(OTHER).is_none());
        drop(held);
        assert!(heads.take(OTHER).is_some());
    }
}
