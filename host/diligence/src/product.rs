use std::sync::Arc;

use jiff::SignedDuration;
use parafa_identification::{Identifications, OrderParts};

use crate::Diligence;
use crate::call_log::CallLog;

/// The services of the due-diligence product.
#[derive(Clone)]
pub struct DiligenceProduct {
    /// Answers questions.
    pub questions: Arc<Diligence>,
    /// Takes orders of identification packages.
    pub identifications: Arc<Identifications>,
    /// What was asked lately.
    pub call_log: CallLog,
}

impl DiligenceProduct {
    /// The services that share what `questions` are answered with. Calls are
    /// `logged` for so long.
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
