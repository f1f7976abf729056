//! Status page of the operator's listener, and warnings about expiring
//! certificates.

use axum::body::{Body, to_bytes};
use http::{HeaderMap, Request, StatusCode};
use jiff::SignedDuration;
use parafa_store::Clock;
use tower::ServiceExt;

use super::support::{DAY, Host, Log, Site, Stage};
use crate::{metrics, operator};

#[tokio::test]
async fn the_page_tells_dependencies_apart_and_names_plugins_queues_and_providers() {
    let site = Site::start().await;
    let (deployment, host) = site.opened().await;

    let (headers, page) = page(&host).await;

    assert_eq!(headers["refresh"], "60");
    let policy = headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("default-src 'none'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(page.contains(">Ready<"), "{page}");
    assert!(page.contains(env!("CARGO_PKG_VERSION")), "{page}");
    let toy = host.app.plugins.by_id("toy").unwrap();
    for told in [
        "toy",
        toy.version(),
        &toy.digest().to_string(),
        "smart_id",
        "mobile_id",
        "deliveries",
        "timers",
    ] {
        assert!(page.contains(&format!(">{told}<")), "{told}: {page}");
    }
    for dependency in ["store", "plugins", "keys", "objects", "disk"] {
        assert!(page.contains(&well(dependency)), "{dependency}: {page}");
    }

    let _keys = deployment.unmount_keys();
    let (_, page) = self::page(&host).await;

    assert!(page.contains(">Not ready<"), "{page}");
    assert!(!page.contains(&well("keys")), "{page}");
    assert!(page.contains(&well("store")), "{page}");
}

#[tokio::test]
async fn a_certificate_that_will_end_is_told_of_once_a_day_and_shown() {
    let site = Site::start().await;
    let (_deployment, host) = site.opened().await;
    let watch = &host.app.watch;
    let certificates = watch.certificates();
    let first = certificates.iter().min_by_key(|one| one.ends).unwrap();
    let log = Log::open();
    let lines = || {
        let log = log.take();
        let lines = log.lines().filter(|line| line.contains(&first.sha256));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };

    watch.look();
    assert_eq!(lines(), [""; 0]);
    site.clock
        .set(first.ends - SignedDuration::from_hours(24 * 59));
    watch.look();
    let told = lines();
    assert_eq!(told.len(), 1, "{told:?}");
    for part in [" INFO ", "trust.folder", "expires in 59 days", "successor"] {
        assert!(told[0].contains(part), "{part}: {told:?}");
    }
    watch.look();
    assert_eq!(lines(), [""; 0], "no more than once a day");
    site.pass(DAY * 29);
    watch.look();
    let told = lines();
    assert!(told[0].contains(" WARN "), "{told:?}");
    assert!(told[0].contains("expires in 30 days"), "{told:?}");
    site.pass(DAY * 23);
    watch.look();
    let told = lines();
    assert!(told[0].contains("ERROR"), "{told:?}");
    assert!(told[0].contains("expires in 7 days"), "{told:?}");

    let (_, page) = page(&host).await;
    assert!(page.contains(&first.sha256), "{page}");
    assert!(page.contains(">expires in 7 days<"), "{page}");
    let text = metrics::text().unwrap();
    let known = metrics::samples(&text).find(|sample| {
        sample.name == "parafa_certificate_expiry_timestamp_seconds"
            && sample.label("sha256") == Some(first.sha256.as_str())
    });
    let known = known.unwrap();
    assert_eq!(known.label("what"), Some("trust.folder"));
    assert_eq!(known.value.to_string(), first.ends.as_second().to_string());
}

#[tokio::test]
async fn the_certificate_of_a_time_stamp_is_watched_once_it_was_seen() {
    let site = Site::start().await;
    let stage = Stage::set(&site, site.posted()).await;
    let stamping = || {
        let certificates = stage.host.app.watch.certificates();
        let stamping = certificates.into_iter();
        let stamping = stamping.filter(|one| one.what == "timestamps.urls");
        stamping.collect::<Vec<_>>()
    };
    assert!(stamping().is_empty());

    stage.attempt().await;

    let stamped = stamping();
    let [seen] = &stamped[..] else {
        panic!("{stamped:?}");
    };
    assert!(seen.ends > site.clock.now());
}

/// Returns the row of an available dependency.
fn well(dependency: &str) -> String {
    format!("<th scope=\"row\">{dependency}</th><td><span class=\"success\">available</span></td>")
}

async fn page(host: &Host) -> (HeaderMap, String) {
    let request = Request::get("/").body(Body::empty()).unwrap();
    let router = operator::router(host.app.clone(), false);
    let answer = router.oneshot(request).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let headers = answer.headers().clone();
    let page = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
    (headers, String::from_utf8(page.to_vec()).unwrap())
}
