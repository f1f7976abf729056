//! The object store of the documents.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey, Checksum};
use object_store::path::Path;
use object_store::{BackoffConfig, ClientConfigKey, ClientOptions, RetryConfig};

/// Timeout of a connection attempt.
const CONNECT: Duration = Duration::from_secs(3);
/// Time after which no request is retried.
const RETRY: Duration = Duration::from_secs(5);

/// An object store, given by a URL.
#[derive(Clone)]
pub struct Objects(pub(super) Kind);

#[derive(Clone)]
pub(super) enum Kind {
    Bucket(Bucket),
    Folder(PathBuf),
}

/// A bucket of a store with the protocol of Amazon S3.
#[derive(Clone)]
pub(super) struct Bucket {
    pub(super) url: String,
    pub(super) prefix: Path,
    pub(super) store: AmazonS3,
}

/// Reason why the documents cannot be stored in the configured place.
#[derive(Debug, thiserror::Error)]
pub enum ObjectsError {
    /// The URL is malformed.
    #[error(
        "objects.url {url:?} names no object store: write s3://BUCKET or s3://BUCKET/PREFIX, or file:///FOLDER for a folder that all hosts have mounted"
    )]
    Url {
        /// The URL.
        url: String,
    },
    /// The bucket's endpoint does not use TLS.
    #[error(
        "AWS_ENDPOINT_URL {endpoint} is plain http: write https, or set AWS_ALLOW_HTTP=true on a trusted network"
    )]
    PlainHttp {
        /// The endpoint.
        endpoint: String,
    },
    /// The settings are inconsistent.
    #[error("the AWS_ variables for objects.url do not fit together: {reason}")]
    Settings {
        /// The cause.
        reason: String,
    },
    /// The place belongs to another deployment.
    #[error(
        "{place} keeps the documents of another deployment than the database: correct objects.url or store.url"
    )]
    OtherDeployment {
        /// The place.
        place: String,
    },
    /// The place lacks the mark of this deployment.
    #[error(
        "{place} lacks the object {marker}, so it is not where this deployment keeps its documents: correct objects.url, or restore the documents together with that object"
    )]
    Unmarked {
        /// The place.
        place: String,
        /// The name of the object that is missing.
        marker: &'static str,
    },
    /// The store does not support conditional writes, or ignores the conditions.
    #[error(
        "the object store of {place} ignores If-None-Match, which keeps objects from being overwritten: set AWS_CONDITIONAL_PUT=disabled, so that the server checks for an object first"
    )]
    WithoutConditions {
        /// The place.
        place: String,
    },
    /// The documents are in another place.
    #[error(
        "this deployment keeps its documents in {settled}, and objects.url says {wanted}: to move them, back up and restore"
    )]
    Elsewhere {
        /// The place of the documents.
        settled: String,
        /// The configured place.
        wanted: &'static str,
    },
    /// The place is unavailable or failed.
    #[error("the documents' place is not available: {reason}")]
    Unavailable {
        /// The cause.
        reason: String,
    },
}

impl ObjectsError {
    /// Returns whether the settings are at fault, not an unavailable object store.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        !matches!(self, Self::Unavailable { .. })
    }
}

impl Objects {
    /// Parses a URL: `s3://BUCKET/PREFIX`, with the usual environment variables, such as
    /// `AWS_ENDPOINT_URL` and `AWS_ACCESS_KEY_ID`, or `file:///FOLDER`.
    ///
    /// # Errors
    /// A URL or variables that do not name an object store.
    pub fn parse(
        url: &str,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ObjectsError> {
        let no_url = || ObjectsError::Url {
            url: url.to_owned(),
        };
        if let Some(folder) = url.strip_prefix("file://") {
            let folder = PathBuf::from(folder);
            return match folder.is_absolute() {
                true => Ok(Self(Kind::Folder(folder))),
                false => Err(no_url()),
            };
        }
        let place = url.strip_prefix("s3://").ok_or_else(no_url)?;
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        if bucket.is_empty() {
            return Err(no_url());
        }
        let store = builder(variables)
            .with_bucket_name(bucket)
            .with_retry(RetryConfig {
                backoff: BackoffConfig {
                    init_backoff: Duration::from_millis(50),
                    max_backoff: Duration::from_secs(1),
                    base: 2.0,
                },
                max_retries: 8,
                retry_timeout: RETRY,
            });
        let store = allow_loopback(store)?.build();
        Ok(Self(Kind::Bucket(Bucket {
            url: url.trim_end_matches('/').to_owned(),
            prefix: Path::parse(prefix).map_err(|_| no_url())?,
            store: store.map_err(|error| ObjectsError::Settings {
                reason: error.to_string(),
            })?,
        })))
    }
}

/// Builds a client from the variables; those that do not concern an object store are ignored.
fn builder(variables: impl IntoIterator<Item = (String, String)>) -> AmazonS3Builder {
    let options = ClientOptions::new()
        .with_connect_timeout(CONNECT)
        // Each request has its own timeout, which depends on its length.
        .with_timeout_disabled();
    let builder = AmazonS3Builder::new()
        .with_client_options(options)
        .with_checksum_algorithm(Checksum::SHA256);
    let settings = variables.into_iter().filter_map(|(name, value)| {
        let name = name.strip_prefix("AWS_")?.to_ascii_lowercase();
        let key: AmazonS3ConfigKey = format!("aws_{name}").parse().ok()?;
        Some((key, value))
    });
    settings.fold(builder, |builder, (key, value)| {
        builder.with_config(key, value)
    })
}

/// Allows plain http on this machine, and elsewhere only if configured.
fn allow_loopback(builder: AmazonS3Builder) -> Result<AmazonS3Builder, ObjectsError> {
    let endpoint = [AmazonS3ConfigKey::S3Endpoint, AmazonS3ConfigKey::Endpoint]
        .iter()
        .find_map(|key| builder.get_config_value(key));
    let Some(endpoint) = endpoint.filter(|endpoint| endpoint.starts_with("http://")) else {
        return Ok(builder);
    };
    let allowed = builder.get_config_value(&AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp));
    if allowed.is_some_and(|allowed| allowed == "true") {
        return Ok(builder);
    }
    if !is_loopback(&endpoint) {
        return Err(ObjectsError::PlainHttp { endpoint });
    }
    let key = AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp);
    Ok(builder.with_config(key, "true"))
}

fn is_loopback(endpoint: &str) -> bool {
    let uri: Option<http::Uri> = endpoint.parse().ok();
    let host = uri.as_ref().and_then(http::Uri::host).unwrap_or_default();
    let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    host == "localhost" || address.is_some_and(|address| address.is_loopback())
}

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match &self.0 {
            Kind::Bucket(bucket) => bucket.url.clone(),
            Kind::Folder(folder) => format!("file://{}", folder.display()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str, variables: &[(&str, &str)]) -> Result<Objects, ObjectsError> {
        let variables = variables.iter();
        let owned = variables.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Objects::parse(url, owned)
    }

    #[test]
    fn a_bucket_or_a_folder_is_named_by_a_url() {
        for url in ["s3://documents", "s3://documents/a/b", "file:///srv/parafa"] {
            let named = parsed(url, &[]).expect("a place");
            assert_eq!(format!("{named:?}"), url);
        }
        for url in [
            "",
            "documents",
            "s3://",
            "s3:///a",
            "file://srv",
            "https://documents",
        ] {
            let refused = parsed(url, &[]);
            assert!(matches!(refused, Err(ObjectsError::Url { .. })), "{url}");
        }
    }

    #[test]
    fn plain_http_is_for_this_machine_unless_it_is_allowed() {
        let at = |endpoint, more: &[_]| {
            parsed(
                "s3://documents",
                &[&[("AWS_ENDPOINT_URL", endpoint)], more].concat(),
            )
        };
        for endpoint in [
            "http://127.0.0.1:9000",
            "http://[::1]:9000",
            "http://localhost:9000",
            "https://minio.example",
        ] {
            assert!(at(endpoint, &[]).is_ok(), "{endpoint}");
        }
        let plain = at("http://minio.example:9000", &[]);
        assert!(matches!(plain, Err(ObjectsError::PlainHttp { .. })));
        let allowed = at("http://minio.example:9000", &[("AWS_ALLOW_HTTP", "true")]);
        assert!(allowed.is_ok());
    }
}
