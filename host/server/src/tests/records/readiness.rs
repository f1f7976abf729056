//! Readiness of a host with a full disk, or with a plugin that does not load.

use http::StatusCode;
use parafa_plugin_store::InstallTerms;

use super::unmounted_keys::readiness;
use crate::tests::support::{Deployment, Site};

#[tokio::test]
async fn readiness_warns_of_a_disk_below_the_reserve_and_ends_where_it_is_full() {
    const FULL: (StatusCode, &str) = (StatusCode::SERVICE_UNAVAILABLE, "disk: full");
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let uploads = &host.app.signing.intake.uploads;

    for (free, (expected, begins)) in [
        (100_000_000, (StatusCode::OK, "ok\n")),
        (
            99_999_999,
            (StatusCode::OK, "ok\nwarning: the disk has 99 MB free"),
        ),
        (
            1_000_000,
            (StatusCode::OK, "ok\nwarning: the disk has 1 MB free"),
        ),
        (999_999, FULL),
        (0, FULL),
    ] {
        uploads.seem_free(free);

        let (status, text) = readiness(&host).await;

        assert_eq!(status, expected, "{free}");
        assert!(text.starts_with(begins), "{free}: {text}");
        assert_eq!(text == "ok\n", free == 100_000_000, "{text}");
    }
}

#[tokio::test]
async fn each_host_names_an_active_plugin_that_it_cannot_load_by_its_digest() {
    let site = Site::start().await;
    let deployment = Deployment::shared(&site);
    let (one, other) = (deployment.sound_host().await, deployment.sound_host().await);
    let plugins = &one.app.plugin_store;
    let installed = plugins
        .install(&site.toy_file(1), InstallTerms::default())
        .await
        .unwrap();
    deployment.lose_keys();

    other.app.plugin_store.follow().await.unwrap();

    assert_eq!(readiness(&one).await, (StatusCode::OK, "ok\n".to_owned()));
    let (status, text) = readiness(&other).await;
    let warning = format!(
        "ok\nwarning: on this host the plugin toy {} is broken: ",
        installed.sha256
    );
    assert_eq!(status, StatusCode::OK, "it is ready for all other formats");
    assert!(text.starts_with(&warning), "{text}");
    assert!(other.app.plugins.by_id("toy").is_none());
}
