//! Slots of connections, and which connection makes room.
//!
//! An idle connection costs its client nothing to give up. At the maximum, the connection that has
//! been idle for longest is closed for the next one. A new connection is turned away only if all
//! others are busy.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::metrics::{ConnectionEvent, connection};

/// Connection slots of one listener. Clones share them.
#[derive(Clone)]
pub(crate) struct ConnectionSlots(Arc<Mutex<Table>>);

struct Table {
    /// The listener, for the metrics.
    listener: &'static str,
    /// Most connections.
    most: usize,
    /// Maximum number for one client, of connections or of requests through proxies.
    most_of_client: usize,
    /// The last number given.
    last: u64,
    taken: HashMap<u64, Taken>,
    /// Idle connections, by the number at which they became idle.
    idle: BTreeMap<u64, u64>,
    clients: HashMap<IpAddr, usize>,
}

struct Taken {
    client: Option<IpAddr>,
    /// Its key among the idle ones.
    idle: Option<u64>,
    closed: CancellationToken,
}

/// One connection, until it is dropped.
pub(crate) struct ConnectionSlot {
    slots: ConnectionSlots,
    number: u64,
    closed: CancellationToken,
}

/// One request forwarded by a proxy, until it is dropped.
pub(crate) struct Turn {
    slots: ConnectionSlots,
    client: IpAddr,
}

impl ConnectionSlots {
    pub(crate) fn new(listener: &'static str, most: usize, most_of_client: usize) -> Self {
        Self(Arc::new(Mutex::new(Table {
            listener,
            most,
            most_of_client,
            last: 0,
            taken: HashMap::new(),
            idle: BTreeMap::new(),
            clients: HashMap::new(),
        })))
    }

    /// Takes a slot for a connection, and counts it for its client if that is known. The slot is
    /// idle at first. `None` if all others are busy.
    pub(crate) fn enter(&self, client: Option<IpAddr>) -> Option<ConnectionSlot> {
        let mut table = self.table();
        let entered = table.enter(client);
        let event = if entered.is_some() {
            ConnectionEvent::Opened
        } else {
            ConnectionEvent::TurnedAway
        };
        connection(table.listener, event);
        let (number, closed) = entered?;
        Some(ConnectionSlot {
            slots: self.clone(),
            number,
            closed,
        })
    }

    /// Counts a request forwarded for a client. `None` if the client is at its maximum.
    pub(crate) fn take_turn(&self, client: IpAddr) -> Option<Turn> {
        let mut table = self.table();
        if table.count_of(client) >= table.most_of_client {
            return None;
        }
        *table.clients.entry(client).or_default() += 1;
        Some(Turn {
            slots: self.clone(),
            client,
        })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionSlot {
    /// Marks the connection as carrying a request.
    pub(crate) fn set_busy(&self) {
        let mut table = self.slots.table();
        let taken = table.taken.get_mut(&self.number);
        if let Some(idle) = taken.and_then(|taken| taken.idle.take()) {
            table.idle.remove(&idle);
        }
    }

    /// Marks the connection as idle.
    pub(crate) fn set_idle(&self) {
        self.slots.table().set_idle(self.number);
    }

    /// Completes when the slot is given to another connection.
    pub(crate) async fn lost(&self) {
        self.closed.cancelled().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut table = self.slots.table();
        table.leave(self.number);
        connection(table.listener, ConnectionEvent::Closed);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.slots.table().discount(self.client);
    }
}

impl Table {
    fn enter(&mut self, client: Option<IpAddr>) -> Option<(u64, CancellationToken)> {
        if let Some(client) = client
            && self.count_of(client) >= self.most_of_client
        {
            self.make_room(|taken| taken.client == Some(client))?;
        }
        if self.taken.len() >= self.most {
            self.make_room(|_| true)?;
        }
        let number = self.next();
        let closed = CancellationToken::new();
        let taken = Taken {
            client,
            idle: None,
            closed: closed.clone(),
        };
        self.taken.insert(number, taken);
        if let Some(client) = client {
            *self.clients.entry(client).or_default() += 1;
        }
        self.set_idle(number);
        Some((number, closed))
    }

    /// Closes the one of such connections that has been idle for longest.
    fn make_room(&mut self, of: impl Fn(&Taken) -> bool) -> Option<()> {
        let mut longest_first = self.idle.values().copied();
        let number = longest_first.find(|number| self.taken.get(number).is_some_and(&of))?;
        if let Some(taken) = self.taken.get(&number) {
            taken.closed.cancel();
        }
        self.leave(number);
        connection(self.listener, ConnectionEvent::MadeRoom);
        Some(())
    }

    fn set_idle(&mut self, number: u64) {
        let since = self.next();
        if let Some(taken) = self.taken.get_mut(&number)
            && taken.idle.is_none()
        {
            taken.idle = Some(since);
            self.idle.insert(since, number);
        }
    }

    fn leave(&mut self, number: u64) {
        let Some(taken) = self.taken.remove(&number) else {
            return;
        };
        if let Some(idle) = taken.idle {
            self.idle.remove(&idle);
        }
        if let Some(client) = taken.client {
            self.discount(client);
        }
    }

    fn count_of(&self, client: IpAddr) -> usize {
        self.clients.get(&client).copied().unwrap_or_default()
    }

    fn discount(&mut self, client: IpAddr) {
        if let Entry::Occupied(mut count) = self.clients.entry(client) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const ONE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    const OTHER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

    fn slots(most: usize, most_of_client: usize) -> ConnectionSlots {
        ConnectionSlots::new("test", most, most_of_client)
    }

    fn is_lost(slot: &ConnectionSlot) -> bool {
        slot.closed.is_cancelled()
    }

    #[test]
    fn whoever_has_been_idle_for_longest_makes_room() {
        let slots = slots(2, 2);
        let first = slots.enter(Some(ONE)).unwrap();
        let second = slots.enter(Some(OTHER)).unwrap();
        first.set_busy();
        first.set_idle();

        let third = slots.enter(Some(OTHER)).unwrap();

        assert_eq!([&first, &second, &third].map(is_lost), [false, true, false]);
    }

    #[test]
    fn nobody_at_work_makes_room() {
        let slots = slots(2, 2);
        let busy = [slots.enter(Some(ONE)), slots.enter(Some(OTHER))].map(Option::unwrap);
        busy.iter().for_each(ConnectionSlot::set_busy);

        assert!(slots.enter(Some(ONE)).is_none());

        drop(busy);
        assert!(slots.enter(Some(ONE)).is_some());
    }

    #[test]
    fn a_client_makes_room_for_its_own_connections_alone() {
        let slots = slots(10, 2);
        let older = slots.enter(Some(OTHER)).unwrap();
        let mine = [slots.enter(Some(ONE)), slots.enter(Some(ONE))].map(Option::unwrap);

        let next = slots.enter(Some(ONE)).unwrap();

        assert!(is_lost(&mine[0]) && !is_lost(&mine[1]) && !is_lost(&older));
        mine[1].set_busy();
        next.set_busy();
        assert!(slots.enter(Some(ONE)).is_none());
        assert!(slots.enter(Some(OTHER)).is_some());
    }

    #[test]
    fn what_a_proxy_carries_counts_by_its_client() {
        let slots = slots(10, 1);
        let proxy = [slots.enter(None), slots.enter(None)];
        assert!(proxy.iter().all(Option::is_some));

        let turn = slots.take_turn(ONE).unwrap();
        assert!(slots.take_turn(ONE).is_none());
        assert!(slots.take_turn(OTHER).is_some());

        drop(turn);
        assert!(slots.take_turn(ONE).is_some());
    }

    #[test]
    fn nothing_is_kept_of_those_who_have_left() {
        let slots = slots(2, 2);
        let all: Vec<_> = (0..5).map(|_| slots.enter(Some(ONE))).collect();
        let turn = slots.take_turn(OTHER);
        drop((all, turn));

        let table = slots.table();
        assert!(table.taken.is_empty() && table.idle.is_empty() && table.clients.is_empty());
    }
}
