use std::sync::Arc;

use jiff::SignedDuration;
use parafa_identification::{Identifications, OrderParts};

use crate::Diligence;
use crate::call_log::CallLog;

/// The services of the due-diligence product.
#[derive(Clone)]
pub struct DiligenceProduct {
    /// Service that answers questions.
    pub questions: Arc<Diligence>,
    /// Service for orders of identification packages.
    pub identifications: Arc<Identifications>,
    /// The log of recent calls.
    pub call_log: CallLog,
}

impl DiligenceProduct {
    /// Creates the services, which share the dependencies of `questions`. Calls
    /// are `logged` for this time.
    #[must_use]
    pub fn new(questions: Diligence, orders: OrderParts, logged: SignedDuration) -> Self {
        let identifications = Identifications::new(
            orders,
            questions.records.clone(),
            questions.idempotency.clone(),
            questions.signers.clone(),
            questions.recovery_url.clone(),
        );
        Self {
            call_log: CallLog {
                store: questions.records.store.clone(),
                kept: logged,
            },
            identifications: Arc::new(identifications),
            questions: Arc::new(questions),
        }
    }
}
