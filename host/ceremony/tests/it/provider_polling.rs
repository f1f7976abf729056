//! A provider that does not hold polls.

use crate::support::{Stage, TICK};

#[tokio::test]
async fn a_provider_that_answers_at_once_is_asked_once_a_second() {
    let stage = Stage::set().await;
    stage.start().await.unwrap();

    stage.run_all().await;
    assert_eq!(stage.smart_id.polls(), 1);
    for second in 1..=5 {
        stage.clock.advance(TICK);
        stage.run_all().await;
        assert_eq!(stage.smart_id.polls(), 1 + second);
    }
}

#[tokio::test]
async fn a_provider_that_refuses_polls_in_between_is_asked_less_often_and_not_given_up() {
    let stage = Stage::set().await;
    stage.start().await.unwrap();
    stage.run_all().await;
    let mut pauses = Vec::new();
    for _ in 0..8 {
        stage.smart_id.refuse(true);
        asked_after(&stage).await;
        stage.smart_id.refuse(false);
        pauses.push(asked_after(&stage).await);
    }

    assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30, 30]);
    assert!(!stage.newest_attempt().await.phase.is_terminal());
}

/// Returns the seconds until the next poll of the provider.
async fn asked_after(stage: &Stage) -> u32 {
    let before = stage.smart_id.polls();
    for seconds in 1..120 {
        stage.clock.advance(TICK);
        stage.run_all().await;
        if stage.smart_id.polls() > before {
            return seconds;
        }
    }
    panic!("the provider is not asked any more");
}
