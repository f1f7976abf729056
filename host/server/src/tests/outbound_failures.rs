//! Log entries about failing external services: service, place, failure, and
//! remedy.

use parafa_api_signing::{Delivery, SigningOrder};

use super::support::{Log, Site, Stage, create, name_workspace};

#[track_caller]
fn assert_line(log: &str, words: &str, parts: &[&str]) {
    let line = log.lines().find(|line| line.contains(words));
    let line = line.unwrap_or_else(|| panic!("{words}: {log}"));
    for part in parts {
        assert!(line.contains(part), "{part}: {line}");
    }
}

#[tokio::test]
async fn a_time_stamping_authority_that_refuses_is_named_with_its_status_and_a_remedy() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let log = Log::open();

    stage.sign_without_timestamps().await;
    stage.host.run_due().await;

    assert_line(
        &log.take(),
        "a time-stamping authority gives no valid time-stamp",
        &[
            "time-stamping authority",
            "127.0.0.1",
            "503",
            "the fault is the provider's",
        ],
    );
}

#[tokio::test]
async fn a_mail_server_that_does_not_answer_is_named_with_a_remedy_and_no_addressee() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    name_workspace(&host).await;
    create(&host, SigningOrder::Sequential, Delivery::Email).await;
    let log = Log::open();

    host.run_due().await;

    let log = log.take();
    assert_line(
        &log,
        "did not accept an email",
        &["mail", "127.0.0.1", "mail.port"],
    );
    assert!(!log.contains("@example.com"), "{log}");
}
