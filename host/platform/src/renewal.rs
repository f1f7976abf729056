//! Renewal of a claim while work is done under it.

use std::pin::pin;
use std::time::Duration;

/// Does `work` while `claim` is renewed at the interval `every`; neither waits
/// for the other. Returns the result, and the claim as last renewed.
///
/// A renewal in progress at the end of the work is awaited, so that the
/// returned claim is current.
///
/// # Errors
/// That of the renewal that finds the claim lost. The work is dropped.
pub(crate) async fn renewed_while<T, C, E, R>(
    work: impl Future<Output = T>,
    every: Duration,
    mut claim: C,
    renew: impl Fn(C) -> R,
) -> Result<(T, C), E>
where
    R: Future<Output = Result<C, E>>,
{
    let mut work = pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return Ok((done, claim)),
            () = tokio::time::sleep(every) => {}
        }
        let mut renewal = pin!(renew(claim));
        claim = tokio::select! {
            renewed = &mut renewal => renewed?,
            done = &mut work => return Ok((done, renewal.await?)),
        };
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;

    use tokio::time::{Instant, sleep};

    use super::*;

    const EVERY: Duration = Duration::from_secs(15);
    /// Longest stall of the store.
    const STALL: Duration = Duration::from_secs(30);

    async fn again(times: u32) -> Result<u32, Infallible> {
        Ok(times + 1)
    }

    #[tokio::test(start_paused = true)]
    async fn a_claim_is_renewed_as_long_as_the_work_goes_on() {
        let work = sleep(EVERY * 3 + EVERY / 2);

        let Ok(((), times)) = renewed_while(work, EVERY, 0, again).await;

        assert_eq!(times, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn work_gets_on_while_a_renewal_stands_still() {
        let done_at = Cell::new(None);
        let begun = Instant::now();
        let work = async {
            sleep(EVERY + STALL / 2).await;
            done_at.set(Some(begun.elapsed()));
        };
        let renew = |times| async move {
            sleep(STALL).await;
            again(times).await
        };

        let Ok(((), times)) = renewed_while(work, EVERY, 0, renew).await;

        assert_eq!(done_at.get(), Some(EVERY + STALL / 2));
        assert_eq!(times, 1, "the renewal that was under way is waited for");
        assert_eq!(begun.elapsed(), EVERY + STALL);
    }

    #[tokio::test(start_paused = true)]
    async fn work_whose_claim_is_lost_is_dropped() {
        let lost = |()| async { Err::<(), _>("lost") };

        let held = renewed_while(std::future::pending::<()>(), EVERY, (), lost).await;

        assert_eq!(held, Err("lost"));
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_is_done_under_a_lost_claim_is_lost_too() {
        let work = sleep(EVERY + STALL / 2);
        let lost = |()| async {
            sleep(STALL).await;
            Err::<(), _>("lost")
        };

        assert_eq!(renewed_while(work, EVERY, (), lost).await, Err("lost"));
    }
}
