//! The addresses that certificates name.

use std::error::Error;

use parafa_http_port::{ExchangeLimits, remedy};
use url::Url;

/// Maximum number of addresses of one kind tried for one certificate: its maker chose how many it
/// contains.
const MAX_ADDRESSES: usize = 4;

/// The first HTTP addresses in a certificate, with the limits of each exchange. They share the
/// time, so that one that hangs leaves some to the others.
pub(crate) fn reachable(
    urls: &[String],
    limits: ExchangeLimits,
) -> impl Iterator<Item = (&str, ExchangeLimits)> {
    let urls = urls.iter().map(String::as_str);
    let urls: Vec<_> = urls
        .filter(|url| url.starts_with("http://") || url.starts_with("https://"))
        .take(MAX_ADDRESSES)
        .collect();
    let count = u32::try_from(urls.len()).unwrap_or(u32::MAX).max(1);
    let limits = ExchangeLimits {
        timeout: limits.timeout / count,
        ..limits
    };
    urls.into_iter().map(move |url| (url, limits))
}

/// Warns the operator that a service gives no usable answer, with the status that it answered.
pub(crate) fn tell_failure(address: &str, status: Option<u16>, error: &(dyn Error + 'static)) {
    let url = Url::parse(address).ok();
    let host = url.as_ref().and_then(Url::host_str);
    tracing::warn!(
        provider = "certification authority",
        host,
        status,
        remedy = remedy(status, error),
        error,
        "a revocation service gives no usable answer"
    );
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_the_first_addresses_of_http_are_tried_and_share_the_time() {
        let urls: Vec<String> = ["ldap://directory.example/", "http://one.example/"]
            .into_iter()
            .map(str::to_owned)
            .chain((0..1_000).map(|number| format!("https://{number}.example/")))
            .collect();

        let limits = ExchangeLimits {
            timeout: Duration::from_secs(8),
            max_response_bytes: 100,
        };

        let (tried, limits): (Vec<&str>, Vec<_>) = reachable(&urls, limits).unzip();

        assert_eq!(
            tried,
            [
                "http://one.example/",
                "https://0.example/",
                "https://1.example/",
                "https://2.example/",
            ]
        );
        let each = Duration::from_secs(2);
        assert!(limits.iter().all(|limits| limits.timeout == each));
    }
}
