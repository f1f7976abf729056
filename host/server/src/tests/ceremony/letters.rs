//! Letters to signers, and a clock that jumps while they are sent.

use jiff::SignedDuration;
use parafa_api_signing::{Delivery, Language, SigningOrder};
use parafa_ceremony::records::MailKind;
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_platform::outbox::NoticeRow;

use crate::tests::support::{
    CALLER, DAY, Deployment, PostOffice, Site, claim_letter, create, mails, name_workspace, rows,
    signing_request, terms,
};

/// Time after which a letter being sent is checked again.
const SOON: SignedDuration = SignedDuration::from_secs(5);

#[tokio::test]
async fn a_letter_that_is_handed_in_while_the_clock_leaps_goes_out_once() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let mut post = PostOffice::open().await;
    let host = post.writing(&deployment.sound_host().await);
    name_workspace(&host).await;
    create(&host, SigningOrder::Sequential, Delivery::Email).await;
    let mut job = claim_letter(&host).await.unwrap();
    let handing = {
        let runner = host.runner.clone();
        tokio::spawn(async move { runner.run_one(&mut job).await })
    };
    post.letter().await;

    site.pass(DAY * 3);
    let mut again = claim_letter(&host).await.expect("its lease has ended");
    host.runner.run_one(&mut again).await;
    post.accept_all();
    handing.await.unwrap();
    site.pass(SOON);
    host.run_all().await;

    assert_eq!(post.further_letters(), 0);
    assert!(rows::<NoticeRow>(&host).await.is_empty());
    assert!(claim_letter(&host).await.is_none());
}

#[tokio::test]
async fn whoever_is_removed_is_told_so_in_their_own_language() {
    let site = Site::start().await;
    let mut post = PostOffice::open().await;
    post.accept_all();
    for (mode, subject) in [
        (
            KeyMode::Live,
            "Subject: You no longer need to sign: Sutartis\n",
        ),
        (
            KeyMode::Test,
            "Subject: [TEST] You no longer need to sign: Sutartis\n",
        ),
    ] {
        let caller = Caller { mode, ..CALLER };
        let deployment = Deployment::new(&site);
        let host = post.writing(&deployment.sound_host().await);
        name_workspace(&host).await;
        let mut terms = terms(SigningOrder::Parallel, Delivery::Email);
        terms.signers[0].language = Language::En;
        let request = signing_request(terms);
        let created = host
            .app
            .signing
            .signings
            .create_signing(&caller, request)
            .await;
        let signing = created.unwrap().row.ceremony;
        host.run_all().await;
        for _invitation in 0..2 {
            post.letter().await;
        }

        let removed = signing.signers[0].id.uuid();
        let gone = host
            .app
            .ceremonies
            .remove_signer(&caller, signing.id.uuid(), removed)
            .await;

        gone.unwrap();
        host.run_all().await;
        let letter = post.letter().await;
        assert!(letter.contains("To: pirmas@example.com\n"), "{letter}");
        assert!(letter.contains(subject), "{letter}");
        assert!(
            letter.contains("has cancelled the request to sign:"),
            "{letter}"
        );
        assert_eq!(post.further_letters(), 0);
    }
}

#[tokio::test]
async fn the_key_of_letters_about_an_erased_signing_goes_with_the_last_of_them() {
    let site = Site::start().await;
    let deployment = Deployment::new(&site);
    let mut post = PostOffice::open().await;
    post.accept_all();
    let host = post.writing(&deployment.sound_host().await);
    name_workspace(&host).await;
    let row = create(&host, SigningOrder::Parallel, Delivery::Email).await;
    host.run_all().await;
    host.erase(row.ceremony.id.uuid()).await.unwrap();
    for _invitation in 0..2 {
        post.letter().await;
    }
    assert_eq!(mails(&host, MailKind::Retraction).await.len(), 2);
    let keys = deployment.data_keys();

    let mut first = claim_letter(&host).await.expect("a letter");
    host.runner.run_one(&mut first).await;
    assert_eq!(deployment.data_keys(), keys, "the other letter's still");
    host.run_all().await;

    assert_eq!(deployment.data_keys(), keys - 1);
    for _retraction in 0..2 {
        post.letter().await;
    }
}
