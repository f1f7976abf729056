//! Memory for the largest document.

use crate::server::{Disk, Server, answer};
use crate::{DOCUMENT, creation, mebibytes, to_bytes, verdict};

/// Size of the largest document, in bytes.
const LARGEST: usize = 15 * 1024 * 1024;
/// Number of posts: the first one finds nothing prepared.
const TIMES: usize = 3;
/// Aim: maximum memory of the server, as a multiple of the body's length.
const AIM: f64 = 3.0;

pub(crate) async fn measure() {
    let server = Server::start(Disk::Real, &[]);
    answer(server.post("v1/signings", to_bytes(&creation(DOCUMENT)))).await;
    let body = to_bytes(&creation(LARGEST));
    let length = mebibytes(body.len());

    println!(
        "\n| create of 15 MiB, a body of {length:.1} MiB | before | at most | more, as bodies |"
    );
    println!("|---|---|---|---|");
    let mut most = 0.0_f64;
    for time in 1..=TIMES {
        server.forget_peak();
        let before = mebibytes(server.resident());
        answer(server.post("v1/signings", body.clone())).await;
        let peak = mebibytes(server.peak());
        let bodies = (peak - before) / length;
        println!("| {time} | {before:.0} MiB | {peak:.0} MiB | {bodies:.2} |");
        most = most.max(bodies);
    }
    println!(
        "\n{most:.2} x the body, aim {AIM}: {}",
        verdict(most <= AIM)
    );
}
