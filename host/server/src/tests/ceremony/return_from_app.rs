//! The app's return to the page that opened it.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

use parafa_ceremony::attempt::ATTEMPTS;
use parafa_domain::Phase;
use parafa_platform::jobs::LEASE;
use parafa_store::faulty::FaultPlan;

use crate::tests::support::{Posted, Site, Stage};

#[tokio::test]
async fn a_return_is_heard_at_once_whatever_the_step_that_waits_for_it_is_doing() {
    let site = Site::start().await;
    let mut waits = 0;
    loop {
        let stage = Stage::set(&site, Posted::toy("honest")).await;
        stage.sign_on_this_device().await;
        let slow = FaultPlan {
            max_yields: 1,
            ..FaultPlan::default()
        };
        let host = stage.deployment.host(slow).await.unwrap();
        let claimed = host.app.records.store.claim_due(ATTEMPTS, 1, LEASE).await;
        let mut job = claimed.unwrap().pop().expect("it waits for the return");

        let mut step = pin!(host.runner.run_one(&mut job));
        let is_over = is_over_after(step.as_mut(), waits).await;
        stage.come_back().await;
        if !is_over {
            step.await;
        }

        stage.reach_at_once(Phase::Done).await;
        if is_over {
            break;
        }
        waits += 1;
    }
    assert!(waits > 5, "{waits}");
}

/// Does `work` until it has had to wait so many times; tells whether it is over.
async fn is_over_after(mut work: Pin<&mut impl Future>, waits: usize) -> bool {
    let mut left = waits;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(false);
        }
        left -= 1;
        work.as_mut().poll(context).map(|_| true)
    })
    .await
}
