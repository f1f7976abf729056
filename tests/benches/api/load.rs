use std::time::{Duration, Instant};

use reqwest::RequestBuilder;
use tokio::task::JoinSet;

/// Response times seen by callers that each send the next request after the
/// last answer.
pub(crate) struct Load {
    /// Times, shortest first.
    times: Vec<Duration>,
    taken: Duration,
}

impl Load {
    /// Runs this many callers for this time; `request` gets an increasing
    /// number.
    pub(crate) async fn drive<F>(clients: usize, time: Duration, request: F) -> Self
    where
        F: Fn(usize) -> RequestBuilder + Clone + Send + 'static,
    {
        let begun = Instant::now();
        Self::collect(clients, begun, move |sent| {
            (begun.elapsed() < time).then(|| request(sent))
        })
        .await
    }

    /// Runs this many callers until a number of requests is answered.
    pub(crate) async fn drive_all<F>(clients: usize, requests: usize, request: F) -> Self
    where
        F: Fn(usize) -> RequestBuilder + Clone + Send + 'static,
    {
        Self::collect(clients, Instant::now(), move |sent| {
            (sent < requests).then(|| request(sent))
        })
        .await
    }

    async fn collect<F>(clients: usize, begun: Instant, next: F) -> Self
    where
        F: Fn(usize) -> Option<RequestBuilder> + Clone + Send + 'static,
    {
        let mut running = JoinSet::new();
        for client in 0..clients {
            let next = next.clone();
            running.spawn(async move {
                let mut times = Vec::new();
                while let Some(request) = next(client + clients * times.len()) {
                    let sent = Instant::now();
                    let response = request.send().await.expect("the server answers");
                    let status = response.status();
                    let body = response.bytes().await.expect("the body");
                    assert!(
                        status.is_success(),
                        "{status}: {}",
                        String::from_utf8_lossy(&body)
                    );
                    times.push(sent.elapsed());
                }
                times
            });
        }
        let mut times: Vec<_> = running.join_all().await.into_iter().flatten().collect();
        let taken = begun.elapsed();
        times.sort_unstable();
        Self { times, taken }
    }

    /// Returns the answers per second.
    pub(crate) fn rate(&self) -> f64 {
        f64::from(u32::try_from(self.times.len()).expect("a run is short"))
            / self.taken.as_secs_f64()
    }

    /// Returns a percentile of the response times, in milliseconds.
    pub(crate) fn percentile(&self, of_hundred: usize) -> f64 {
        let place = self.times.len() * of_hundred / 100;
        let time = self.times[place.min(self.times.len() - 1)];
        1e3 * time.as_secs_f64()
    }
}
