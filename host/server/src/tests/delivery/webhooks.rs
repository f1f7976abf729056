//! Events queued for their receiver.

use std::collections::HashSet;

use jiff::SignedDuration;
use parafa_api_http::deliveries::{DeliveriesApi, TestEvent, WebhookDeliveryStatus};
use parafa_api_signing::SigningOrder;
use parafa_delivery::DROP_NOTICE;
use parafa_operator::{DeliveryCommand, OperateError, OperatorCommand};
use parafa_platform::jobs::{ClaimsInTurn, LEASE, LaneTurn, TIMERS};
use parafa_platform::outbox::{DELIVERIES, NoticeKind, NoticeRow};
use parafa_signing::records::EventKind;
use parafa_store::jobs::ClaimedJob;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use uuid::Uuid;

use crate::tests::support::{CALLER, Deployment, Host, Site, TICK, give_secret_to};

/// Retention of an ended delivery.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Concurrent deliveries to one receiver.
const AT_ONCE: usize = 4;

#[tokio::test]
async fn an_event_in_a_line_is_not_claimed_before_its_turn() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    give_secret(&host).await;
    for _event in 0..=AT_ONCE {
        host.cancel_told(&site).await;
    }

    let mut first = host.app.webhooks.claim(usize::MAX).await.unwrap();

    assert_eq!(first.len(), AT_ONCE);
    site.pass(TICK);
    let due = host.app.records.store.due_jobs(DELIVERIES).await.unwrap();
    assert_eq!((due, host.app.webhooks.waiting()), (1, 1));
    assert!(claim_turns(&host).await.is_empty());
    let (job, turn) = first.pop().unwrap();
    fail(&host, &site, &job).await;
    drop(turn);
    let [(last, _)] = &claim_turns(&host).await[..] else {
        panic!("the last one has its turn")
    };
    assert_ne!(last.id, job.id);
}

#[tokio::test]
async fn events_that_wait_in_a_line_are_found_again_by_the_next_process() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    give_secret(&host).await;
    for _event in 0..2 * AT_ONCE {
        host.cancel_told(&site).await;
    }
    assert_eq!(claim_turns(&host).await.len(), AT_ONCE);
    let mut told: Vec<Uuid> = Vec::new();

    let next = deployment.sound_host().await;
    site.pass(LEASE);
    for _ in 0..2 {
        let claimed = claim_turns(&next).await;
        assert_eq!(claimed.len(), AT_ONCE);
        for (job, turn) in claimed {
            fail(&next, &site, &job).await;
            drop(turn);
            told.push(job.id);
        }
    }

    told.sort_unstable();
    told.dedup();
    assert_eq!(told.len(), 2 * AT_ONCE, "each has had its turn");
}

#[tokio::test]
async fn an_event_comes_once_the_one_before_it_was_tried() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    give_secret(&host).await;
    decline_told(&host, &site).await;
    let [first] = &claim(&host).await[..] else {
        panic!("one of the two has its turn")
    };
    assert_eq!(kind_of(&host, first).await, EventKind::SignerDeclined);

    fail(&host, &site, first).await;

    let [second] = &claim(&host).await[..] else {
        panic!("the other one follows at once")
    };
    assert_eq!(kind_of(&host, second).await, EventKind::Declined);
}

#[tokio::test]
async fn an_event_that_cannot_be_read_for_a_while_waits_for_its_line() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    give_secret(&host).await;
    for _event in 0..=AT_ONCE {
        host.cancel_told(&site).await;
    }
    let hidden = deployment.unmount_keys();

    assert!(claim_turns(&host).await.is_empty());

    hidden.restore();
    assert_eq!(claim_turns(&host).await.len(), AT_ONCE);
    assert_eq!(host.app.webhooks.waiting(), 1);
}

#[tokio::test]
async fn an_event_is_sent_by_one_host_at_a_time_and_the_next_one_by_whichever_comes_first() {
    let site = Site::start().await;
    let deployment = Deployment::shared(&site);
    let [one, other] = [deployment.sound_host().await, deployment.sound_host().await];
    give_secret(&one).await;
    decline_told(&one, &site).await;

    let mut first = claim_turns(&one).await;
    let (job, turn) = first.pop().expect("one of the two has its turn");
    assert!(first.is_empty(), "the other one follows it");
    assert!(claim_turns(&other).await.is_empty(), "nothing twice");
    site.pass(TICK);
    fail(&one, &site, &job).await;
    drop(turn);

    let [(next, _)] = &claim_turns(&other).await[..] else {
        panic!("the other one follows, at any host")
    };
    assert_eq!(kind_of(&one, &job).await, EventKind::SignerDeclined);
    assert_eq!(kind_of(&other, next).await, EventKind::Declined);
    assert!(claim_turns(&one).await.is_empty());
}

#[tokio::test]
async fn each_host_holds_its_own_part_of_a_line_and_a_dead_ones_part_is_sent_by_the_other() {
    let site = Site::start().await;
    let deployment = Deployment::shared(&site);
    let [one, other] = [deployment.sound_host().await, deployment.sound_host().await];
    give_secret(&one).await;
    for _event in 0..3 * AT_ONCE {
        one.cancel_told(&site).await;
    }

    let dying = claim_turns(&one).await;
    let mut under_way = claim_turns(&other).await;
    assert_eq!((dying.len(), under_way.len()), (AT_ONCE, AT_ONCE));
    let is_told = |id| under_way.iter().any(|(job, _)| job.id == id);
    assert!(dying.iter().all(|(job, _)| !is_told(job.id)));
    let mut told = HashSet::new();
    for _ in 0..3 * AT_ONCE {
        for (job, turn) in under_way {
            told.insert(job.id);
            fail(&other, &site, &job).await;
            drop(turn);
        }
        site.pass(LEASE);
        under_way = claim_turns(&other).await;
    }

    assert_eq!(told.len(), 3 * AT_ONCE, "those of the dead host too");
}

#[tokio::test]
async fn an_event_of_which_nobody_can_be_told_does_not_hold_up_the_next_one() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    decline_told(&host, &site).await;
    deployment.lose_keys();

    for _event in 0..2 {
        let [job] = &claim(&host).await[..] else {
            panic!("one event at a time")
        };
        host.app.webhooks.deliver(job).await.unwrap();
    }

    assert!(claim(&host).await.is_empty());
}

#[tokio::test]
async fn an_event_of_which_nobody_can_be_told_has_ended() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;
    decline_told(&host, &site).await;
    deployment.lose_keys();
    let [job] = &claim(&host).await[..] else {
        panic!("one event at a time")
    };
    let id = notice_of(job);

    host.app.webhooks.deliver(job).await.unwrap();

    let ended = notice(&host, id).await.unwrap().ended.unwrap();
    assert!(!ended.acknowledged);
    let replayed = replay(&host, id).await.unwrap();
    assert_eq!(replayed["status"], "pending");
    let again = claim(&host).await;
    let again = again.iter().find(|job| notice_of(job) == id).unwrap();
    host.app.webhooks.deliver(again).await.unwrap();
    site.pass(KEPT);
    let due = host.claim(TIMERS, 100).await;
    let drop_it = |job: &&ClaimedJob| job.kind == DROP_NOTICE && notice_of(job) == id;
    host.app
        .webhooks
        .drop_notice(due.iter().find(drop_it).unwrap())
        .await
        .unwrap();
    assert!(notice(&host, id).await.is_none());
}

#[tokio::test]
async fn a_delivery_that_waits_for_its_next_attempt_is_replayed_at_once() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    give_secret(&host).await;
    host.cancel_told(&site).await;
    let [first] = &claim(&host).await[..] else {
        panic!("one event")
    };
    let id = notice_of(first);
    let refused = replay(&host, id).await.unwrap_err();
    assert!(refused.is_refusal(), "{refused}");
    assert!(refused.to_string().contains("being sent"), "{refused}");
    fail(&host, &site, first).await;
    assert!(claim(&host).await.is_empty(), "the next attempt is later");

    let replayed = replay(&host, id).await.unwrap();

    assert_eq!(replayed["status"], "pending");
    assert_eq!(replayed["attempts"].as_array().map(Vec::len), Some(1));
    let [second] = &claim(&host).await[..] else {
        panic!("the event again")
    };
    assert_eq!(notice_of(second), id);
    fail(&host, &site, second).await;
    let told = notice(&host, id).await.unwrap();
    assert_eq!((told.made, told.attempts.len()), (1, 2), "they count anew");
}

#[tokio::test]
async fn an_event_that_is_replayed_still_comes_after_the_one_before_it() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    give_secret(&host).await;
    decline_told(&host, &site).await;
    let [first] = &claim(&host).await[..] else {
        panic!("one of the two has its turn")
    };
    let next = notice(&host, notice_of(first)).await.unwrap().next;

    let replayed = replay(&host, next.unwrap()).await.unwrap();

    assert_eq!(replayed["status"], "pending");
    assert!(claim(&host).await.is_empty(), "not before the first");
    fail(&host, &site, first).await;
    let [second] = &claim(&host).await[..] else {
        panic!("the other one follows, once")
    };
    assert_eq!(notice_of(second), next.unwrap());
}

#[tokio::test]
async fn a_receivers_status_ends_a_delivery_whatever_becomes_of_its_body() {
    const BROKEN_OFF: &str = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal";
    const ENDLESS: &str = "HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhal\r\n";
    const REFUSED: &str = "HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nhal";

    let site = Site::start().await;
    for (reply, hangs_up, acknowledged) in [
        (BROKEN_OFF, true, true),
        (ENDLESS, false, true),
        (REFUSED, true, false),
    ] {
        let (_deployment, host) = site.opened().await;
        give_secret(&host).await;
        host.cancel_told(&site).await;
        let [job] = &claim(&host).await[..] else {
            panic!("one event")
        };

        let reply_sent = reply_to_hook(&site, reply, hangs_up);
        let (sent, ()) = tokio::join!(host.app.webhooks.deliver(job), reply_sent);

        sent.unwrap();
        let told = notice(&host, notice_of(job)).await.unwrap();
        let ended = told.ended.map(|ended| ended.acknowledged);
        assert_eq!(ended, Some(acknowledged), "{reply}");
        assert_eq!(told.attempts.len(), 1, "{reply}");
        site.pass(SignedDuration::from_hours(24));
        assert!(claim(&host).await.is_empty(), "{reply}");
    }
}

/// Answers the next delivery with `reply`.
async fn reply_to_hook(site: &Site, reply: &str, hangs_up: bool) {
    let mut caller = site.hook_called().await;
    let _ = caller.read(&mut [0; 1024]).await;
    caller.write_all(reply.as_bytes()).await.unwrap();
    if hangs_up {
        caller.shutdown().await.unwrap();
    }
    // Until the caller closes the connection.
    let _ = caller.read_to_end(&mut Vec::new()).await;
}

#[tokio::test]
async fn a_receiver_that_says_later_is_left_alone_for_as_long_as_it_asks() {
    const LATER: &str =
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n";

    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    give_secret(&host).await;
    host.cancel_told(&site).await;
    let [job] = &claim(&host).await[..] else {
        panic!("one event")
    };

    let reply_sent = reply_to_hook(&site, LATER, true);
    let (sent, ()) = tokio::join!(host.app.webhooks.deliver(job), reply_sent);

    sent.unwrap();
    let told = notice(&host, notice_of(job)).await.unwrap();
    assert!(told.ended.is_none());
    assert_eq!(told.attempts[0].outcome, "429");
    site.pass(SignedDuration::from_mins(59));
    assert!(claim(&host).await.is_empty(), "asked for an hour");
    site.pass(SignedDuration::from_mins(2));
    assert_eq!(claim(&host).await.len(), 1);
}

#[tokio::test]
async fn events_that_wait_for_a_receiver_who_says_nothing_cost_no_commits() {
    const EVENTS: usize = 300;
    const LOOK: SignedDuration = SignedDuration::from_millis(250);
    /// Ten seconds, in which no lease ends.
    const LOOKS: usize = 40;

    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    give_secret(&host).await;
    for _ in 0..EVENTS {
        host.cancel_told(&site).await;
    }
    let before = host.commits();

    let mut under_way = Vec::new();
    for _ in 0..LOOKS {
        under_way.extend(claim_turns(&host).await);
        site.pass(LOOK);
    }

    assert_eq!(under_way.len(), AT_ONCE, "nobody was answered");
    assert_eq!(host.app.webhooks.waiting(), EVENTS - AT_ONCE);
    let commits = host.commits() - before;
    assert!(commits < 10, "{commits}");
}

#[tokio::test]
async fn a_test_event_goes_thirty_days_after_its_end_together_with_its_key() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    give_secret(&host).await;
    let test = TestEvent {
        webhook_url: site.deaf_hook().parse().unwrap(),
    };
    let api = host.app.signing_api();
    let begun = api.deliveries().send_test(&CALLER, test).await.unwrap();
    let id = begun.delivery_id;
    let key = notice(&host, id.0).await.unwrap().data_key;
    let [job] = &claim(&host).await[..] else {
        panic!("one event")
    };

    let reply = reply_to_hook(
        &site,
        "HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n",
        true,
    );
    let (sent, ()) = tokio::join!(host.app.webhooks.deliver(job), reply);

    sent.unwrap();
    let told = api.deliveries().read(&CALLER, id).await.unwrap();
    assert_eq!(told.status, WebhookDeliveryStatus::Failed);
    assert_eq!(told.attempts[0].outcome, "410");
    site.pass(KEPT);
    let due = host.claim(TIMERS, 100).await;
    let drop_it = |job: &&ClaimedJob| job.kind == DROP_NOTICE && notice_of(job) == id.0;
    let drop_it = due.iter().find(drop_it).unwrap();
    host.app.webhooks.drop_notice(drop_it).await.unwrap();
    assert!(notice(&host, id.0).await.is_none());
    let opened = host.app.records.data_key(key).await;
    assert!(opened.is_err_and(|error| error.is_missing()));
}

/// Lets the first of two sequential signers decline. Both the decline and the
/// declined signing are events for a webhook that does not answer.
async fn decline_told(host: &Host, site: &Site) {
    let webhook = Some(site.deaf_hook());
    let created = host.create_told(site.posted(), SigningOrder::Sequential, webhook);
    let created = created.await.unwrap().ceremony;
    let link = host.link(created.signers[0].id.uuid());
    let ceremony = host.app.ceremonies.open_link(&link).await.unwrap();
    host.app.ceremonies.decline(&ceremony, None).await.unwrap();
}

/// Delivers to a receiver that closes the connection.
async fn fail(host: &Host, site: &Site, job: &ClaimedJob) {
    let (sent, ()) = tokio::join!(host.app.webhooks.deliver(job), async {
        drop(site.hook_called().await);
    });
    sent.unwrap();
}

async fn replay(host: &Host, id: Uuid) -> Result<Value, OperateError> {
    let replay = OperatorCommand::Delivery(DeliveryCommand::Replay { id });
    host.carry_out(replay).await
}

fn notice_of(job: &ClaimedJob) -> Uuid {
    job.payload["notice"].as_str().unwrap().parse().unwrap()
}

async fn notice(host: &Host, id: Uuid) -> Option<NoticeRow> {
    host.app.records.store.get::<NoticeRow>(&id).await.unwrap()
}

async fn kind_of(host: &Host, job: &ClaimedJob) -> EventKind {
    match notice(host, notice_of(job)).await.unwrap().kind {
        NoticeKind::Webhook(kind) => EventKind::named(&kind).unwrap(),
        NoticeKind::Mail(_) => panic!("it is a letter"),
    }
}

async fn claim(host: &Host) -> Vec<ClaimedJob> {
    let claimed = host
        .app
        .records
        .store
        .claim_due(DELIVERIES, AT_ONCE + 1, LEASE);
    claimed.await.unwrap()
}

/// Claims the deliveries whose turn it is.
async fn claim_turns(host: &Host) -> Vec<(ClaimedJob, LaneTurn)> {
    host.app.webhooks.claim(usize::MAX).await.unwrap()
}

async fn give_secret(host: &Host) {
    give_secret_to(host, CALLER.tenant).await;
}
