//! HTTP ports, and limits on fetching through them.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};

/// The two HTTP ports. They are separate because a certificate's maker chose the addresses in it:
/// those must not lead to where only the operator may point.
#[derive(Clone)]
pub struct Ports {
    /// For services that the operator configured.
    pub configured: Arc<dyn HttpPort>,
    /// For addresses in certificates.
    pub named: Arc<dyn HttpPort>,
}

/// Limit of fetches for one purpose.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FetchBudget {
    /// Requests.
    pub exchanges: usize,
    /// Bodies of all answers together, in bytes.
    pub bytes: usize,
}

impl Ports {
    /// The same ports, limited to `budget` in total.
    #[must_use]
    pub fn within(&self, budget: FetchBudget) -> Self {
        let left = Arc::new(Mutex::new(budget));
        let bounded = |port: &Arc<dyn HttpPort>| -> Arc<dyn HttpPort> {
            Arc::new(BudgetedPort {
                port: Arc::clone(port),
                left: Arc::clone(&left),
            })
        };
        Self {
            configured: bounded(&self.configured),
            named: bounded(&self.named),
        }
    }
}

struct BudgetedPort {
    port: Arc<dyn HttpPort>,
    left: Arc<Mutex<FetchBudget>>,
}

impl BudgetedPort {
    /// Takes one exchange; returns the limit of its answer in bytes.
    fn begin(&self) -> Result<usize, HttpPortError> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if left.bytes == 0 {
            return Err(HttpPortError::Spent);
        }
        let exchanges = left.exchanges.checked_sub(1);
        left.exchanges = exchanges.ok_or(HttpPortError::Spent)?;
        Ok(left.bytes)
    }

    /// Deducts the answer's length, unless concurrent answers have used up the limit.
    fn take(&self, len: usize) -> Result<(), HttpPortError> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.bytes = left.bytes.checked_sub(len).ok_or(HttpPortError::Spent)?;
        Ok(())
    }
}

#[async_trait]
impl HttpPort for BudgetedPort {
    async fn exchange(
        &self,
        request: Request<Bytes>,
        limits: ExchangeLimits,
    ) -> Result<Response<Bytes>, HttpPortError> {
        let room = self.begin()?;
        let answer = self.port.exchange(
            request,
            ExchangeLimits {
                max_response_bytes: limits.max_response_bytes.min(room),
                ..limits
            },
        );
        let answer = answer.await.map_err(|error| match error {
            HttpPortError::ResponseTooLong { limit, .. } if limit < limits.max_response_bytes => {
                HttpPortError::Spent
            }
            error => error,
        })?;
        self.take(answer.body().len())?;
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const LIMITS: ExchangeLimits = ExchangeLimits {
        timeout: Duration::from_secs(1),
        max_response_bytes: 100,
    };

    /// A server that answers as long as the limit allows.
    struct Talkative;

    #[async_trait]
    impl HttpPort for Talkative {
        async fn exchange(
            &self,
            _: Request<Bytes>,
            limits: ExchangeLimits,
        ) -> Result<Response<Bytes>, HttpPortError> {
            Ok(Response::new(vec![0; limits.max_response_bytes].into()))
        }
    }

    fn ports(exchanges: usize, bytes: usize) -> Ports {
        let ports = Ports {
            configured: Arc::new(Talkative),
            named: Arc::new(Talkative),
        };
        ports.within(FetchBudget { exchanges, bytes })
    }

    async fn fetched(port: &Arc<dyn HttpPort>) -> Result<usize, HttpPortError> {
        let answer = port.exchange(Request::default(), LIMITS).await?;
        Ok(answer.body().len())
    }

    #[tokio::test]
    async fn both_ways_share_the_requests() {
        let ports = ports(2, 1_000);

        assert_eq!(fetched(&ports.configured).await, Ok(100));
        assert_eq!(fetched(&ports.named).await, Ok(100));
        assert_eq!(fetched(&ports.named).await, Err(HttpPortError::Spent));
        assert_eq!(fetched(&ports.configured).await, Err(HttpPortError::Spent));
    }

    #[tokio::test]
    async fn the_last_answer_is_as_long_as_there_is_room() {
        let ports = ports(10, 130);

        assert_eq!(fetched(&ports.named).await, Ok(100));
        assert_eq!(fetched(&ports.configured).await, Ok(30));
        assert_eq!(fetched(&ports.named).await, Err(HttpPortError::Spent));
    }

    #[tokio::test]
    async fn a_budget_is_one_purposes_own() {
        let talkative: Arc<dyn HttpPort> = Arc::new(Talkative);
        let unbounded = Ports {
            configured: Arc::clone(&talkative),
            named: talkative,
        };
        let budget = FetchBudget {
            exchanges: 1,
            bytes: 100,
        };
        for ports in [unbounded.within(budget), unbounded.within(budget)] {
            assert_eq!(fetched(&ports.named).await, Ok(100));
        }
    }
}
