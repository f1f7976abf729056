//! Number of documents that attempts keep in memory.

use std::time::Duration;

use parafa_domain::Phase;
use tokio::time::timeout;

use crate::tests::support::{SIGN, Site, Stage};

/// Long enough to distinguish a wait from none.
const SHORT: Duration = Duration::from_millis(300);

#[tokio::test]
async fn no_document_is_in_memory_while_a_time_stamp_is_waited_for() {
    let site = Site::without_answers_about_time().await;
    let stage = Stage::set(&site, site.posted()).await;

    let (finishing, call) = stage.ask_for_a_time_stamp().await;

    assert_eq!(stage.host.app.ceremonies.document_turns().taken(), 0);
    drop(call);
    assert_eq!(finishing.await.unwrap(), 1);
    assert_eq!(stage.newest_attempt().await.tries, 1, "it is asked again");
}

#[tokio::test]
async fn both_steps_that_read_the_document_wait_for_their_turn() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let format = stage.signing().await.format;
    let turns = stage.host.app.ceremonies.document_turns();
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    for (step, next) in [
        (Phase::Signing, Phase::WaitingForUser),
        (Phase::Completing, Phase::Done),
    ] {
        stage.reach_at_once(step).await;
        let taken = turns.take_all_of(&format).await;
        let mut running = Box::pin(stage.host.run_due());
        assert!(timeout(SHORT, &mut running).await.is_err(), "{step:?}");

        drop(taken);

        assert_eq!(running.await, 1);
        stage.reach_at_once(next).await;
    }
    assert_eq!(turns.taken(), 0);
}
