//! Two hosts at work at the same time that share only stored data: each has its
//! own memory and its own plugins.

use std::num::NonZeroU32;
use std::time::Duration;

use parafa_api_auth::AuthenticationStatus;
use parafa_api_signing::{Delivery, SigningOrder};
use parafa_auth::AuthError;
use parafa_ceremony::CeremonyError;
use parafa_ceremony::ceremonies::CeremonyState;
use parafa_ceremony::changes::Fingerprint;
use parafa_ceremony::quota::NoRoom;
use parafa_ceremony::records::CeremonyRow;
use parafa_demo::Service;
use parafa_domain::{Phase, SignerStatus};
use parafa_platform::jobs::LEASE;
use parafa_plugin_store::InstallTerms;
use parafa_signing::SigningError;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use uuid::Uuid;

use crate::tests::authentication::{by_phone, provider, request};
use crate::tests::support::{
    CALLER, Deployment, Host, PostOffice, Posted, SIGN, Site, Stage, TICK, claim_letter, create,
    name_workspace, rows,
};

/// Maximum wait of a call.
const WAIT: Duration = Duration::from_secs(30);
/// Wait after which an event counts as not occurring.
const SHORT: Duration = Duration::from_millis(50);
/// Time within which another host sees a change: a second, and some more for a
/// processor busy with other tests.
const HEARD_WITHIN: Duration = Duration::from_secs(4);

async fn hosts(deployment: &Deployment<'_>) -> [Host; 2] {
    [deployment.sound_host().await, deployment.sound_host().await]
}

/// Starts a page's wait at a host for a state other than the known one.
fn wait_at(
    host: &Host,
    signer: Uuid,
    known: Option<Fingerprint>,
) -> JoinHandle<Result<CeremonyState, CeremonyError>> {
    let (ceremonies, link) = (host.app.ceremonies.clone(), host.link(signer));
    tokio::spawn(async move { ceremonies.await_state(&link, WAIT, known).await })
}

async fn shown_at(host: &Host, signer: Uuid) -> CeremonyState {
    let ceremony = host.app.ceremonies.open_link(&host.link(signer)).await;
    let shown = host.app.ceremonies.state(ceremony.unwrap()).await;
    shown.unwrap()
}

#[tokio::test]
async fn a_page_that_waits_at_one_host_hears_of_each_step_that_another_one_takes() {
    let site = Site::start().await;
    let stage = Stage::set_among_hosts(&site, site.posted()).await;
    let other = stage.deployment.sound_host().await;
    let mut known = shown_at(&other, stage.signer).await.fingerprint;
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    let mut waits = 0;
    loop {
        let waiting = wait_at(&other, stage.signer, Some(known));
        while shown_at(&stage.host, stage.signer).await.fingerprint == known {
            stage.run_or_wait().await;
        }
        waits += usize::from(!waiting.is_finished());
        let told = timeout(HEARD_WITHIN, waiting).await;
        let state = told.expect("it hears").unwrap().unwrap();
        if state.party.status == SignerStatus::Signed {
            break;
        }
        known = state.fingerprint;
    }

    assert!(waits > 2, "{waits}");
}

#[tokio::test]
async fn a_reader_who_says_nothing_of_what_it_knows_is_told_what_it_missed_at_another_host() {
    let site = Site::start().await;
    let stage = Stage::set_among_hosts(&site, site.posted()).await;
    let other = stage.deployment.sound_host().await;
    stage.host.start(stage.signer, SIGN[0]).await.unwrap();
    let begun = wait_at(&stage.host, stage.signer, None).await;
    assert!(begun.unwrap().unwrap().attempt.is_some());
    stage.reach(Phase::WaitingForUser).await;

    let told = timeout(HEARD_WITHIN, wait_at(&other, stage.signer, None)).await;

    let attempt = told.expect("at once").unwrap().unwrap().attempt.unwrap();
    assert!(attempt.verification_code.is_some());
    let mut again = wait_at(&other, stage.signer, None);
    assert!(timeout(SHORT, &mut again).await.is_err(), "it knows that");
    again.abort();
}

#[tokio::test]
async fn a_poll_of_an_authentication_at_one_host_hears_that_another_one_has_ended_it() {
    let site = Site::start().await;
    let deployment = Deployment::shared(&site);
    let [one, other] = hosts(&deployment).await;
    let provider = provider(&one).await;
    for (service, method) in by_phone() {
        let id = request(&one, &provider, method).await;
        let mut told = AuthenticationStatus::Pending;
        while told != AuthenticationStatus::Completed {
            let polled = other.app.authentications.clone();
            let mut polling =
                tokio::spawn(
                    async move { Ok::<_, AuthError>(polled.read(id, WAIT).await?.status) },
                );
            // The attempt is driven while a page waits for it.
            let driven = async {
                loop {
                    if one.run_due().await == 0 {
                        site.pass(TICK);
                        tokio::time::sleep(SHORT).await;
                    }
                }
            };
            told = tokio::select! {
                told = timeout(WAIT / 2, &mut polling) => told.expect("it hears").unwrap().unwrap(),
                () = driven => unreachable!(),
            };
            assert_ne!(told, AuthenticationStatus::Failed, "{service:?}");
        }
    }
}

#[tokio::test]
async fn an_invitation_goes_out_once_though_both_hosts_send_letters() {
    let site = Site::start().await;
    let deployment = Deployment::shared(&site);
    let mut post = PostOffice::open().await;
    post.accept_all();
    let [one, other] = hosts(&deployment).await.map(|host| post.writing(&host));
    name_workspace(&one).await;
    create(&one, SigningOrder::Parallel, Delivery::Email).await;

    tokio::join!(one.run_all(), other.run_all());

    let letters = [post.letter().await, post.letter().await];
    for to in ["pirmas", "antras"] {
        let to = format!("To: {to}@example.com\n");
        let sent = letters.iter().filter(|letter| letter.contains(&to));
        assert_eq!(sent.count(), 1, "{to}");
    }
    site.pass(LEASE);
    tokio::join!(one.run_all(), other.run_all());
    assert_eq!(post.further_letters(), 0);
}

#[tokio::test]
async fn a_letter_over_which_a_host_died_goes_out_again_from_another_one_as_the_same_letter() {
    let site = Site::start().await;
    let deployment = Deployment::shared(&site);
    let mut post = PostOffice::open().await;
    let [one, other] = hosts(&deployment).await.map(|host| post.writing(&host));
    name_workspace(&one).await;
    create(&one, SigningOrder::Sequential, Delivery::Email).await;
    let mut job = claim_letter(&one).await.unwrap();
    let handing = tokio::spawn(async move { one.runner.run_one(&mut job).await });
    let first = post.letter().await;

    handing.abort();
    assert!(handing.await.unwrap_err().is_cancelled());
    post.accept_all();
    other.run_all().await;
    assert_eq!(post.further_letters(), 0, "whoever had it may live");
    site.pass(LEASE);
    other.run_all().await;

    let second = post.letter().await;
    assert_eq!(message_id(&second), message_id(&first));
    assert_eq!(post.further_letters(), 0);
}

fn message_id(letter: &str) -> &str {
    let id = letter.lines().find(|line| line.starts_with("Message-ID:"));
    id.expect("a letter has an id")
}

#[tokio::test]
async fn a_quota_is_exceeded_by_what_other_hosts_have_under_way_and_no_more() {
    const ALLOWED: u32 = 3;
    const UNDER_WAY: usize = 2;

    let mut site = Site::start().await;
    site.config.limits.open_signings = NonZeroU32::new(ALLOWED);
    let deployment = Deployment::shared(&site);
    let [one, other] = hosts(&deployment).await;
    let create = async |host: &Host| host.create(site.posted(), SigningOrder::Parallel).await;
    let is_full = |refused: Result<CeremonyRow, SigningError>| {
        matches!(refused, Err(SigningError::NoRoom(NoRoom::QuotaExceeded(_))))
    };
    let uploads = &one.app.signing.intake.uploads;
    let mut under_way = Vec::new();
    for _ in 0..UNDER_WAY {
        under_way.push(uploads.room(&CALLER, 0, 1).await.unwrap());
    }

    for _ in 0..ALLOWED {
        create(&other).await.unwrap();
    }

    assert!(is_full(create(&other).await));
    assert!(is_full(create(&one).await), "it knows of both");
    // Every request within the quota succeeds, regardless of what others store
    // meanwhile.
    assert_eq!(open_signings(&one).await, u64::from(ALLOWED));
    // Reservations of a dead host do not count any more.
    under_way.into_iter().for_each(std::mem::forget);
    let erased = other.app.ceremonies.cancel(&CALLER, first(&other).await);
    erased.await.unwrap();
    assert!(
        is_full(create(&one).await),
        "it believes to have two under way"
    );
    drop(one);
    create(&other).await.unwrap();
    assert_eq!(open_signings(&other).await, u64::from(ALLOWED));
}

/// Counts the open signings of the workspace.
async fn open_signings(host: &Host) -> u64 {
    let [_, open] = host
        .app
        .records
        .store
        .sum(&(CALLER.tenant, true))
        .await
        .unwrap();
    open
}

/// Returns any existing signing.
async fn first(host: &Host) -> Uuid {
    let signings: Vec<CeremonyRow> = rows(host).await;
    signings[0].ceremony.id.uuid()
}

#[tokio::test]
async fn prompts_of_one_person_are_counted_over_all_hosts() {
    let site = Site::start().await;
    let deployment = Deployment::shared(&site);
    let [one, other] = hosts(&deployment).await;
    let mut signers = Vec::new();
    for _ in 0..6 {
        let created = one.create(site.posted(), SigningOrder::Parallel).await;
        signers.push(created.unwrap().ceremony.signers[0].id.uuid());
    }
    let is_too_much = |refused: Result<(), CeremonyError>| {
        matches!(refused, Err(CeremonyError::TooManyAttempts { .. }))
    };

    for (host, signer) in [&one, &other, &one, &other].into_iter().zip(&signers) {
        host.start(*signer, SIGN[0]).await.unwrap();
    }
    for host in [&one, &other] {
        assert!(is_too_much(host.start(signers[4], SIGN[0]).await));
    }

    // An attempt that began at the first host is given up at the second.
    let link = other.link(signers[0]);
    let ceremony = other.app.ceremonies.open_link(&link).await.unwrap();
    other
        .app
        .ceremonies
        .give_up_attempt(&ceremony)
        .await
        .unwrap();
    one.start(signers[4], SIGN[0]).await.unwrap();
    assert!(is_too_much(other.start(signers[5], SIGN[0]).await));
}

#[tokio::test]
async fn a_link_that_one_host_opened_is_shown_by_another_and_followed_to_the_end_at_either() {
    let site = Site::start().await;
    let mut stage = Stage::set_among_hosts(&site, site.posted()).await;
    stage.open_link().await;
    let opener = stage.host.clone();
    stage.host = stage.deployment.sound_host().await;

    let shown = stage.shown_link().await.qr;
    site.follow(&shown).await;
    tokio::join!(opener.run_due(), stage.host.run_due());
    stage.host = opener;

    assert_eq!(stage.outcome().await.phase, Phase::Done);
}

#[tokio::test]
async fn another_host_finishes_an_attempt_with_the_plugin_that_it_was_begun_with() {
    let site = Site::start().await;
    for newer_begins in [false, true] {
        let mut stage = Stage::set_among_hosts(&site, Posted::toy("honest")).await;
        let other = stage.deployment.sound_host().await;
        let build = site.toy_file(u8::from(newer_begins));
        if newer_begins {
            // The other host does not know of it when it takes the attempt
            // over.
            stage
                .host
                .app
                .plugin_store
                .install(&build, InstallTerms::default())
                .await
                .unwrap();
        }
        stage.sign_without_timestamps().await;
        let begun = stage.newest_attempt().await.plugin.unwrap().sha256;
        if !newer_begins {
            other
                .app
                .plugin_store
                .install(&build, InstallTerms::default())
                .await
                .unwrap();
        }
        let active = other.app.plugins.by_id("toy").unwrap().digest().to_string();
        assert_ne!(active, begun);
        site.faults(Service::Tsa).clear();

        stage.host = other;
        assert_eq!(stage.outcome().await.phase, Phase::Done);

        let signing = stage.signing().await;
        let made_by = signing.newest().unwrap().made_by.as_ref().unwrap();
        assert_eq!(made_by.plugin.sha256, begun, "{newer_begins}");
    }
}
