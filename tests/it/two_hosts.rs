//! Two servers with shared data; calls go to one and effects are observed at
//! the other.

use std::path::Path;
use std::time::Duration;

use parafa_test_services::Postgres;
use serde_json::Value;
use tokio::time::{Instant, timeout};
use url::Url;

use crate::support::client::Ceremony;
use crate::support::demo::{Demo, on_database, program};
use crate::support::operator::{answer, text};

/// Wait of a page in one call, in milliseconds.
const WAIT_MS: u32 = 30_000;
/// Time within which a page sees a change at another host: a second, and some
/// more for a busy machine.
const HEARD_WITHIN: Duration = Duration::from_secs(5);

/// Returns the page behind a link at another host.
fn page_at(host: &Demo, link: &Url) -> Ceremony {
    let page = host.world.base_url.join(link.path());
    Ceremony::new(page.expect("an address"))
}

#[tokio::test]
async fn a_page_at_one_server_hears_what_is_done_at_another_and_either_carries_out_commands() {
    let settings = on_database(&Postgres::shared_database().url);
    let one = Demo::start_with(&settings);
    let other = one.join();
    let signing = one.signing().create_plain().await;
    let link = signing.signers[0].link();
    let (here, there) = (Demo::ceremony(link), page_at(&other, link));
    assert!(there.state().await.attempt.is_none());
    let waiting = tokio::spawn(async move {
        let told = there.try_state(WAIT_MS).await;
        (told.expect("the link is alive"), there)
    });
    let persona = one.smart_id_personas("signs")[0];

    here.begin(persona).await;

    let heard = timeout(HEARD_WITHIN, waiting)
        .await
        .expect("it hears of the start");
    let (told, there) = heard.expect("a call");
    assert!(told.attempt.is_some());
    let begun = Instant::now();
    let ended = there.ended_attempt().await;
    assert_eq!(ended.phase, "done");
    assert!(begun.elapsed() < 6 * HEARD_WITHIN, "{:?}", begun.elapsed());
    assert_eq!(here.state().await.signer.status, "signed");
    let answers = [&one, &other].map(|host| workspaces_as_told_by(&host.data(), &settings));
    assert_eq!(answers[0], answers[1]);
}

/// Lists the workspaces; asserts that the server of this folder answers and
/// that the output says so.
fn workspaces_as_told_by(data: &Path, settings: &[(&str, String)]) -> Value {
    let mut command = program();
    command.args(["tenant", "list", "--json", "--data", text(data)]);
    command.envs(settings.iter().cloned());
    let listed = command.output().expect("parafa starts");
    let told = String::from_utf8_lossy(&listed.stderr);
    let by = format!("carried out by the server of {}", data.display());
    assert!(told.contains(&by), "{told}");
    answer(&listed)
}
