//! The addresses that certificates name.

/// Most addresses of one kind that are tried for one certificate: whoever made
/// the certificate chose how many there are.
const MAX_ADDRESSES: usize = 4;

/// The first of a certificate's addresses that are ones of HTTP.
pub(crate) fn reachable(urls: &[String]) -> impl Iterator<Item = &str> {
    let urls = urls.iter().map(String::as_str);
    urls.filter(|url| url.starts_with("http://") || url.starts_with("https://"))
        .take(MAX_ADDRESSES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_addresses_of_http_are_tried() {
        let urls: Vec<String> = ["ldap://directory.example/", "http://one.example/"]
            .into_iter()
            .map(str::to_owned)
            .chain((0..1_000).map(|number| format!("https://{number}.example/")))
            .collect();

        let tried: Vec<&str> = reachable(&urls).collect();

        assert_eq!(
            tried,
            [
                "http://one.example/",
                "https://0.example/",
                "https://1.example/",
                "https://2.example/",
            ]
        );
    }
}
