//! Pages of growing lists.

use std::sync::Arc;

use crate::load::Load;
use crate::rows::{StoredSigning, load};
use crate::server::{Disk, Server, answer};
use crate::{DOCUMENT, Scale, creation, to_bytes, verdict};

/// Number of newest signings on a page.
const PAGE: usize = 50;
/// Aim: maximum factor for the time of a page of the longest list.
const AIM: f64 = 1.3;

pub(crate) async fn measure(scale: &Scale) {
    let mut server = Server::start(Disk::Real, &[]);
    let body = to_bytes(&creation(DOCUMENT));
    let signing = answer(server.post("v1/signings", body.clone())).await;
    let id = signing["signingId"].as_str().expect("an id").to_owned();
    answer(server.request(reqwest::Method::DELETE, &format!("v1/signings/{id}"))).await;
    for _ in 0..PAGE {
        answer(server.post("v1/signings", body.clone())).await;
    }

    println!(
        "\n| signings | first page, median ms | p99 ms | page in the middle, median ms |\n|---|---|---|---|"
    );
    let mut firsts = Vec::new();
    let mut loaded = 0;
    for signings in scale.listed {
        let erased = id.parse().expect("a UUID");
        server
            .pause(|data| async move { load(&data, erased, loaded..signings).await })
            .await;
        loaded = signings;
        let middle = StoredSigning::id_of(signings / 2);
        let shared = Arc::new(server);
        let first = page(&shared, scale, "v1/signings".to_owned()).await;
        let deep = page(
            &shared,
            scale,
            format!("v1/signings?startingAfter={middle}"),
        )
        .await;
        let (median, slow) = (first.percentile(50), first.percentile(99));
        println!(
            "| {signings} | {median:.2} | {slow:.2} | {:.2} |",
            deep.percentile(50)
        );
        firsts.push(median);
        server = Arc::into_inner(shared).expect("all requests are answered");
    }
    if let (Some(short), Some(long)) = (firsts.first(), firsts.last()) {
        let ratio = long / short;
        println!(
            "\nthe first page of the longest list takes {ratio:.2} x that of the shortest, aim {AIM}: {}",
            verdict(ratio < AIM)
        );
    }
}

/// Runs one caller that requests the same page repeatedly.
async fn page(server: &Arc<Server>, scale: &Scale, path: String) -> Load {
    let server = server.clone();
    Load::drive(1, scale.time, move |_| server.get(&path)).await
}
