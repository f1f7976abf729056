//! The protocol's own conformance suite, for both revisions.

use std::time::Duration;

use parafa_api_http::{BaseUrl, HttpConfig};
use parafa_api_mcp::{McpConfig, router};
use parafa_fixtures::referees::mcp;
use tokio::net::TcpListener;

use crate::fixture::SuiteTools;

/// Scenarios about features that this server lacks: it only has tools, and asks nothing back during
/// a call.
const NOT_OFFERED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/not-offered");

#[tokio::test]
async fn what_is_offered_conforms_to_2026_07_28() {
    assert_conforms("2026-07-28").await;
}

#[tokio::test]
async fn what_is_offered_conforms_to_2025_11_25() {
    assert_conforms("2025-11-25").await;
}

async fn assert_conforms(revision: &str) {
    let Some(referees) = mcp() else {
        return;
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let origin = format!("http://{address}");
    let base_url = BaseUrl::new(&origin.parse().expect("an address"));
    let config = McpConfig {
        http: HttpConfig::new(base_url),
        origins: vec![origin.clone()],
    };
    let service = router(SuiteTools, config);
    let server = tokio::spawn(async move { axum::serve(listener, service).await });

    let mut suite = referees.conformance();
    suite
        .args(["server", "--url", &format!("{origin}/mcp")])
        .args(["--requirements", revision])
        .arg("--expected-failures")
        .arg(format!("{NOT_OFFERED}/{revision}.yml"));
    let output = tokio::time::timeout(
        Duration::from_secs(180),
        tokio::process::Command::from(suite)
            .kill_on_drop(true)
            .output(),
    );
    let output = output.await.expect("it ends in time").expect("it runs");
    server.abort();
    let told = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}\n{errors}");
}
