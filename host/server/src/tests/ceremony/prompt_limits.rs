//! Limits on prompts to one person, across all signings.

use jiff::SignedDuration;
use parafa_api_signing::SigningOrder;
use parafa_ceremony::CeremonyError;
use parafa_ceremony::records::{AttemptRow, Prompt, PromptsRow};
use parafa_demo::{Fault, Service};
use parafa_domain::{AttemptFailure, Phase};
use uuid::Uuid;

use crate::tests::support::{Host, SIGN, Site, Stage, rows};

/// Personal identifier of the phone that follows links.
const FOLLOWS: &str = "PNOLT-40404040009";
const MINUTE: SignedDuration = SignedDuration::from_mins(1);

/// Creates as many new signings and returns their first signers.
async fn signers(site: &Site, host: &Host, count: usize) -> Vec<Uuid> {
    let mut signers = Vec::with_capacity(count);
    for _ in 0..count {
        let created = host.create(site.posted(), SigningOrder::Parallel).await;
        signers.push(created.unwrap().ceremony.signers[0].id.uuid());
    }
    signers
}

fn retry_after(refused: Result<(), CeremonyError>) -> u32 {
    match refused {
        Err(CeremonyError::TooManyAttempts { retry_after, .. }) => retry_after,
        other => panic!("{other:?}"),
    }
}

async fn give_up(host: &Host, signer: Uuid) {
    let ceremony = host
        .app
        .ceremonies
        .open_link(&host.link(signer))
        .await
        .unwrap();
    host.app
        .ceremonies
        .give_up_attempt(&ceremony)
        .await
        .unwrap();
}

#[tokio::test]
async fn thirty_signings_send_one_person_four_prompts_at_once() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let signers = signers(&site, &host, 30).await;
    let mut begun = 0;
    for signer in &signers {
        match host.start(*signer, SIGN[0]).await {
            Ok(()) => begun += 1,
            // The time of the attempt that may wait longest.
            refused => assert_eq!(retry_after(refused), 15 * 60 + 1),
        }
    }
    assert_eq!(begun, 4);
    // Other persons are not affected, and an ended attempt frees its place.
    host.start(signers[29], SIGN[1]).await.unwrap();
    give_up(&host, signers[0]).await;
    host.start(signers[28], SIGN[0]).await.unwrap();
    retry_after(host.start(signers[27], SIGN[0]).await);
}

#[tokio::test]
async fn those_at_the_same_moment_are_counted_as_well() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let signers = signers(&site, &host, 12).await;
    let starts = signers.into_iter().map(|signer| {
        let host = host.clone();
        tokio::spawn(async move { host.start(signer, SIGN[0]).await })
    });
    let mut begun = 0;
    for start in starts.collect::<Vec<_>>() {
        match start.await.unwrap() {
            Ok(()) => begun += 1,
            refused => assert!(retry_after(refused) > 0),
        }
    }

    assert_eq!(begun, 4);
}

#[tokio::test]
async fn whoever_signs_may_go_on_and_on_and_nothing_is_kept_of_it() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    for signer in signers(&site, &host, 35).await {
        host.start(signer, SIGN[0]).await.unwrap();
        host.run_all_at_once(&site).await;
    }

    let attempts: Vec<AttemptRow> = rows(&host).await;
    assert_eq!(attempts.len(), 35);
    for attempt in attempts {
        assert_eq!((attempt.phase, attempt.person), (Phase::Done, None));
    }
    assert!(rows::<PromptsRow>(&host).await.is_empty());
}

impl Host {
    /// Runs due jobs until no attempt waits.
    async fn run_all_at_once(&self, site: &Site) {
        loop {
            let attempts: Vec<AttemptRow> = rows(self).await;
            if attempts.iter().all(|attempt| attempt.phase.is_terminal()) {
                return;
            }
            if self.run_due().await == 0 {
                site.pass(SignedDuration::from_secs(1));
            }
        }
    }
}

#[tokio::test]
async fn thirty_attempts_an_hour_may_come_to_nothing_and_an_hour_later_nothing_is_known() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let signers = signers(&site, &host, 3).await;
    for start in 0..30 {
        let signer = signers[start % 2];
        host.start(signer, SIGN[0]).await.unwrap();
        host.run_due().await;
        give_up(&host, signer).await;
        if start == 0 {
            site.pass(MINUTE);
        }
    }

    let refused = retry_after(host.start(signers[2], SIGN[0]).await);
    assert_eq!(refused, 59 * 60 + 1);
    let kept: Vec<PromptsRow> = rows(&host).await;
    let kept = serde_json::to_string(&kept).unwrap();
    assert!(!kept.contains(SIGN[0]), "{kept}");

    site.pass(59 * MINUTE);
    host.start(signers[2], SIGN[0]).await.unwrap();
    host.run_due().await;
    give_up(&host, signers[2]).await;
    site.pass(60 * MINUTE);
    host.app
        .ceremonies
        .prompts()
        .forget_prompts()
        .await
        .unwrap();
    assert!(rows::<PromptsRow>(&host).await.is_empty());
}

#[tokio::test]
async fn whoever_comes_by_a_link_is_counted_before_they_are_asked_to_sign() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let app = &stage.host.app;
    let waiting = |attempts: usize, at| PromptsRow {
        person: app.ceremonies.prompts().prompted_person(FOLLOWS),
        attempts: (0..attempts)
            .map(|_| Prompt {
                attempt: Uuid::now_v7(),
                at,
                waits: true,
            })
            .collect(),
    };
    for (others, failure) in [(4, Some(AttemptFailure::TooManyAttempts)), (3, None)] {
        let row = &waiting(others, app.records.store.now().await.unwrap());
        stage.host.put(row).await;
        stage.open_link().await;
        site.rings().await;
        let link = stage.shown_link().await.qr;
        site.follow(&link).await;

        let ended = stage.outcome().await;

        assert_eq!(ended.failure, failure);
        let rings = usize::from(failure.is_none());
        assert_eq!(site.rings().await.signatures, rings);
        let kept: Vec<PromptsRow> = rows(&stage.host).await;
        assert_eq!(kept[0].attempts.len(), others);
    }
}

#[tokio::test]
async fn what_is_given_up_before_a_phone_is_asked_does_not_count() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let signer = signers(&site, &host, 1).await[0];
    host.start(signer, SIGN[0]).await.unwrap();

    give_up(&host, signer).await;

    assert!(rows::<PromptsRow>(&host).await.is_empty());
}

#[tokio::test]
async fn an_attempt_whose_phone_was_never_asked_does_not_count() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let signer = signers(&site, &host, 1).await[0];
    let down = Fault::Status { status: 503 };
    site.faults(Service::SmartId).until_cleared(down);

    host.start(signer, SIGN[0]).await.unwrap();
    assert_eq!(rows::<PromptsRow>(&host).await[0].attempts.len(), 1);
    host.run_all_at_once(&site).await;

    let attempts: Vec<AttemptRow> = rows(&host).await;
    let failure = attempts[0].failure;
    assert_eq!(failure, Some(AttemptFailure::ProviderUnavailable));
    assert!(rows::<PromptsRow>(&host).await.is_empty());
    // An attempt given up after the phone has rung still counts.
    site.faults(Service::SmartId).clear();
    host.start(signer, SIGN[0]).await.unwrap();
    host.run_due().await;
    give_up(&host, signer).await;
    assert_eq!(rows::<PromptsRow>(&host).await[0].attempts.len(), 1);
}
