//! Metrics of connections and requests, for the operator's monitoring.

mod requests;

use std::sync::LazyLock;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

pub use self::requests::{TracedBy, count_requests};

/// The numbers of this process.
static METRICS: LazyLock<ConnectionMetrics> = LazyLock::new(ConnectionMetrics::default);

/// Events in the life of a connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ConnectionEvent {
    /// The connection got a slot.
    Opened,
    /// The connection gave back its slot.
    Closed,
    /// The connection was idle and was closed to make room for another.
    MadeRoom,
    /// The connection was refused for want of a slot.
    TurnedAway,
}

#[derive(Debug, Default)]
struct ConnectionMetrics {
    open: Family<ListenerLabels, Gauge>,
    made_room: Family<ListenerLabels, Counter>,
    turned_away: Family<ListenerLabels, Counter>,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct ListenerLabels {
    listener: &'static str,
}

/// Counts an event of a connection.
pub(crate) fn connection(listener: &'static str, event: ConnectionEvent) {
    let labels = ListenerLabels { listener };
    let metrics = &METRICS;
    match event {
        ConnectionEvent::Opened => {
            metrics.open.get_or_create(&labels).inc();
        }
        ConnectionEvent::Closed => {
            metrics.open.get_or_create(&labels).dec();
        }
        ConnectionEvent::MadeRoom => {
            metrics.made_room.get_or_create(&labels).inc();
        }
        ConnectionEvent::TurnedAway => {
            metrics.turned_away.get_or_create(&labels).inc();
        }
    }
}

/// Registers the metrics.
pub fn register(registry: &mut Registry) {
    requests::register(registry);
    registry.register(
        "connections",
        "Connections that are open",
        METRICS.open.clone(),
    );
    registry.register(
        "connections_closed_for_room",
        "Idle connections that were closed for others",
        METRICS.made_room.clone(),
    );
    registry.register(
        "connections_turned_away",
        "Connections that were refused because too many were open",
        METRICS.turned_away.clone(),
    );
}
