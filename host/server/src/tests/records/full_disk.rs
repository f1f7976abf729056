//! A disk that is full, or nearly.

use http::StatusCode;

use super::unmounted_keys::readiness;
use crate::tests::support::Site;

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
