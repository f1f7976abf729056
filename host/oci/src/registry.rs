//! A client of the OCI Distribution Specification 1.1.

mod authorization;
mod referrers;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, LINK, LOCATION};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

pub use self::authorization::Access;
use self::authorization::Authorization;
use crate::credentials::Credentials;
use crate::digest::Digest;
use crate::error::OciError;
use crate::manifest::{Descriptor, StoredManifest, media_type};
use crate::reference::{RegistryName, Tag, Version, is_on_this_machine};
use crate::repository::{LONGEST_MANIFEST, Repository, check_digest, check_length};

/// Timeout of a content of up to 64 MiB.
const BLOB_TIMEOUT: Duration = Duration::from_secs(600);
const TIMEOUT: Duration = Duration::from_secs(60);
/// Longest error answer that is read.
const LONGEST_REFUSAL: u64 = 64 * 1024;
/// Most characters of it that are quoted.
const LONGEST_WORDS: usize = 500;
const MOST_REDIRECTS: usize = 5;
/// Tags requested per page.
const PAGE: &str = "1000";
const MOST_PAGES: usize = 1000;
/// Most bytes of all pages of a list.
const LONGEST_LIST: u64 = 16 * 1024 * 1024;
/// Manifests are requested with all media types that may be stored under their name, so that other
/// types are found, too.
const ANY_MANIFEST: &str =
    "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json";
/// The digest of a content, which registries may add to their answers.
const CONTENT_DIGEST: &str = "docker-content-digest";

/// A repository of a registry.
///
/// Redirects are followed when reading. The credential is sent only to the registry's own origin.
pub struct Registry {
    http: Arc<dyn HttpPort>,
    name: RegistryName,
    authorization: Authorization,
}

/// A request that may be repeated with a credential.
struct Call<'c> {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Bytes,
    /// The subject of the request, for messages.
    what: &'c str,
    /// Most bytes of the answer.
    limit: u64,
    timeout: Duration,
}

#[derive(Deserialize)]
struct TagList {
    /// Some registries answer `null` for a repository without tags.
    tags: Option<Vec<String>>,
}

/// The body of a failure (distribution-spec 1.1, "Error Codes").
#[derive(Deserialize)]
struct Failures {
    errors: Vec<Failure>,
}

#[derive(Deserialize)]
struct Failure {
    code: String,
    #[serde(default)]
    message: String,
}

impl Registry {
    /// Creates a client of the repository `name`, reached by `http`.
    #[must_use]
    pub fn new(
        http: Arc<dyn HttpPort>,
        name: &RegistryName,
        credentials: Option<Credentials>,
        access: Access,
    ) -> Self {
        Self {
            http,
            name: name.clone(),
            authorization: Authorization::new(credentials, access),
        }
    }

    fn url(&self, path: &str) -> Result<Url, OciError> {
        let joined = self.name.base().join(path);
        joined.map_err(|_| self.malformed("a request", "an address that is none"))
    }

    /// Sends a GET request, and follows redirects.
    async fn get(
        &self,
        path: &str,
        accept: &'static str,
        what: &str,
        limit: u64,
    ) -> Result<Response<Bytes>, OciError> {
        let mut url = self.url(path)?;
        for _ in 0..=MOST_REDIRECTS {
            let call = Call {
                headers: accepting(accept),
                limit,
                timeout: timeout_of(limit),
                ..Call::new(Method::GET, url.clone(), what)
            };
            let answer = self.call(call).await?;
            if !answer.status().is_redirection() {
                return Ok(answer);
            }
            url = self.location(&url, &answer, what)?;
        }
        Err(self.endless())
    }

    /// Reads a list page by page. `None` if the registry has no such list: it says so, or redirects
    /// elsewhere, as some do to a web page.
    async fn list<T: DeserializeOwned>(
        &self,
        path: &str,
        accept: &'static str,
        what: &str,
    ) -> Result<Option<Vec<T>>, OciError> {
        let (mut pages, mut left) = (Vec::new(), LONGEST_LIST);
        let mut next = Some(self.url(path)?);
        while let Some(url) = next {
            if pages.len() == MOST_PAGES {
                return Err(self.endless());
            }
            let call = Call {
                headers: accepting(accept),
                limit: left.min(LONGEST_MANIFEST),
                ..Call::new(Method::GET, url.clone(), what)
            };
            let answer = self.call(call).await?;
            if matches!(answer.status().as_u16(), 300..=400 | 404..=406) {
                return Ok(None);
            }
            let answer = self.expect(StatusCode::OK, what, answer)?;
            let page = serde_json::from_slice(answer.body());
            pages.push(page.map_err(|error| self.malformed(what, error.to_string()))?);
            left = left.saturating_sub(answer.body().len() as u64);
            next = next_page(&url, answer.headers());
        }
        Ok(Some(pages))
    }

    /// Sends a request, and repeats it with a credential if the registry demands one.
    async fn call(&self, call: Call<'_>) -> Result<Response<Bytes>, OciError> {
        let is_own = call.url.origin() == self.name.base().origin();
        let known = match is_own {
            true => self.authorization.known().await,
            false => None,
        };
        let answer = self.send(&call, known).await?;
        if answer.status() != StatusCode::UNAUTHORIZED || !is_own {
            return Ok(answer);
        }
        match self.authorize(answer.headers()).await? {
            Some(credential) => self.send(&call, Some(credential)).await,
            None => Ok(answer),
        }
    }

    async fn send(
        &self,
        call: &Call<'_>,
        authorization: Option<HeaderValue>,
    ) -> Result<Response<Bytes>, OciError> {
        self.check_scheme(&call.url)?;
        let mut request = Request::new(call.body.clone());
        *request.method_mut() = call.method.clone();
        let uri = call.url.as_str().parse::<Uri>();
        *request.uri_mut() =
            uri.map_err(|_| self.malformed(call.what, "an address that is none"))?;
        *request.headers_mut() = call.headers.clone();
        if let Some(authorization) = authorization {
            let headers = request.headers_mut();
            headers.insert(http::header::AUTHORIZATION, authorization);
        }
        // The body of a failure may be longer than that of the content.
        let limit = call.limit.max(LONGEST_REFUSAL);
        let limits = ExchangeLimits {
            timeout: call.timeout,
            max_response_bytes: usize::try_from(limit).unwrap_or(usize::MAX),
        };
        let answer = self.http.exchange(request, limits).await;
        answer.map_err(|error| match error {
            HttpPortError::ResponseTooLong { .. } => OciError::TooLong {
                what: call.what.to_owned(),
                limit,
            },
            source => OciError::NoAnswer {
                host: call.url.authority().to_owned(),
                source,
            },
        })
    }

    /// Refuses plain HTTP except from a registry on this machine to this machine.
    fn check_scheme(&self, url: &Url) -> Result<(), OciError> {
        let may_be_plain = self.name.base().scheme() == "http" && is_on_this_machine(url);
        if url.scheme() == "https" || (url.scheme() == "http" && may_be_plain) {
            return Ok(());
        }
        Err(OciError::Insecure {
            host: self.name.host().to_owned(),
            target: url.origin().ascii_serialization(),
        })
    }

    /// Returns the target of a redirect or upload.
    fn location(&self, from: &Url, answer: &Response<Bytes>, what: &str) -> Result<Url, OciError> {
        let location = answer.headers().get(LOCATION);
        let location = location.and_then(|location| location.to_str().ok());
        let location = location.and_then(|location| from.join(location).ok());
        location.ok_or_else(|| self.malformed(what, "a redirect without an address"))
    }

    fn malformed(&self, what: &str, reason: impl Into<String>) -> OciError {
        OciError::Malformed {
            place: self.place(),
            what: what.to_owned(),
            reason: reason.into(),
        }
    }

    fn endless(&self) -> OciError {
        OciError::Endless(self.name.host().to_owned())
    }

    /// Returns the error of an unsuccessful answer.
    fn refused(&self, what: &str, answer: &Response<Bytes>) -> OciError {
        let failures = serde_json::from_slice::<Failures>(answer.body());
        let words: Vec<String> = failures
            .map(|failures| failures.errors)
            .unwrap_or_default()
            .into_iter()
            .take(3)
            .map(|failure| format!("{} {}", failure.code, failure.message))
            .collect();
        let words: String = words.join("; ").chars().take(LONGEST_WORDS).collect();
        let detail = match words.is_empty() {
            true => words,
            false => format!(" ({})", words.trim()),
        };
        OciError::Refused {
            host: self.name.host().to_owned(),
            what: what.to_owned(),
            status: answer.status(),
            detail,
        }
    }

    fn expect(
        &self,
        expected: StatusCode,
        what: &str,
        answer: Response<Bytes>,
    ) -> Result<Response<Bytes>, OciError> {
        if answer.status() == expected {
            Ok(answer)
        } else {
            Err(self.refused(what, &answer))
        }
    }

    /// Reads the manifest or index of a tag or digest.
    async fn find_any(&self, version: &Version) -> Result<Option<Bytes>, OciError> {
        let what = format!("the manifest {version}");
        let path = format!("manifests/{version}");
        let answer = self
            .get(&path, ANY_MANIFEST, &what, LONGEST_MANIFEST)
            .await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        let answer = self.expect(StatusCode::OK, &what, answer)?;
        let told = answer.headers().get(CONTENT_DIGEST);
        let told = told.and_then(|told| told.to_str().ok()?.parse::<Digest>().ok());
        let asked = match version {
            Version::Digest(digest) => Some(*digest),
            Version::Tag(_) => None,
        };
        for expected in asked.into_iter().chain(told) {
            check_digest(self.place(), expected, answer.body())?;
        }
        Ok(Some(answer.into_body()))
    }

    /// Returns true if a content exists already.
    async fn has_blob(&self, digest: &Digest) -> Result<bool, OciError> {
        let what = format!("the content {digest}");
        let url = self.url(&format!("blobs/{digest}"))?;
        let head = self.call(Call::new(Method::HEAD, url, &what)).await?;
        Ok(head.status() == StatusCode::OK)
    }

    async fn put_manifest_at(
        &self,
        at: &str,
        media_type: &'static str,
        bytes: Bytes,
    ) -> Result<Response<Bytes>, OciError> {
        let what = format!("the new manifest {at}");
        let call = Call {
            headers: headers_of(media_type, bytes.len()),
            body: bytes,
            ..Call::new(Method::PUT, self.url(&format!("manifests/{at}"))?, &what)
        };
        let answer = self.call(call).await?;
        self.expect(StatusCode::CREATED, &what, answer)
    }
}

#[async_trait]
impl Repository for Registry {
    async fn find(&self, version: &Version) -> Result<Option<StoredManifest>, OciError> {
        let Some(bytes) = self.find_any(version).await? else {
            return Ok(None);
        };
        let stored = StoredManifest::parse(bytes).map(Some);
        stored.map_err(|reason| self.malformed(&format!("the manifest {version}"), reason))
    }

    async fn blob(&self, descriptor: &Descriptor) -> Result<Bytes, OciError> {
        check_length(descriptor)?;
        let what = format!("the content {}", descriptor.digest);
        let path = format!("blobs/{}", descriptor.digest);
        let answer = self.get(&path, "*/*", &what, descriptor.size).await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Err(OciError::NotFound {
                what: format!("content {}", descriptor.digest),
                place: self.place(),
            });
        }
        let answer = self.expect(StatusCode::OK, &what, answer)?;
        check_digest(self.place(), descriptor.digest, answer.body())?;
        Ok(answer.into_body())
    }

    async fn referrers(&self, subject: &Digest) -> Result<Vec<Descriptor>, OciError> {
        self.list_referrers(subject).await
    }

    async fn tags(&self) -> Result<Vec<Tag>, OciError> {
        let path = format!("tags/list?n={PAGE}");
        let pages = self
            .list::<TagList>(&path, "application/json", "the list of tags")
            .await?;
        let pages = pages.ok_or_else(|| OciError::NotFound {
            what: "list of tags".to_owned(),
            place: self.place(),
        })?;
        let tags = pages.into_iter().filter_map(|page| page.tags).flatten();
        Ok(tags.filter_map(|tag| tag.parse().ok()).collect())
    }

    /// Uploads in two requests: one that begins, and one with the whole content (distribution-spec
    /// 1.1, "POST then PUT").
    async fn put_blob(&self, blob: Bytes) -> Result<(), OciError> {
        let digest = Digest::of(&blob);
        if self.has_blob(&digest).await? {
            return Ok(());
        }
        let what = format!("the new content {digest}");
        let begin = Call {
            headers: [(CONTENT_LENGTH, HeaderValue::from_static("0"))]
                .into_iter()
                .collect(),
            ..Call::new(Method::POST, self.url("blobs/uploads/")?, &what)
        };
        let at = begin.url.clone();
        let begun = self.call(begin).await?;
        let begun = self.expect(StatusCode::ACCEPTED, &what, begun)?;
        let mut url = self.location(&at, &begun, &what)?;
        let digest = digest.to_string();
        url.query_pairs_mut().append_pair("digest", &digest);
        let put = Call {
            headers: headers_of("application/octet-stream", blob.len()),
            timeout: timeout_of(blob.len() as u64),
            body: blob,
            ..Call::new(Method::PUT, url, &what)
        };
        let answer = self.call(put).await?;
        self.expect(StatusCode::CREATED, &what, answer)?;
        Ok(())
    }

    async fn put_manifest(
        &self,
        manifest: &StoredManifest,
        tag: Option<&Tag>,
    ) -> Result<(), OciError> {
        let digest = manifest.descriptor.digest.to_string();
        let at = tag.map_or(digest, Tag::to_string);
        let bytes = manifest.bytes.clone();
        let answer = self
            .put_manifest_at(&at, media_type::MANIFEST, bytes)
            .await?;
        self.list_among_referrers(manifest, answer.headers()).await
    }

    fn place(&self) -> String {
        format!("oci://{}/{}", self.name.host(), self.name.name())
    }
}

impl<'c> Call<'c> {
    fn new(method: Method, url: Url, what: &'c str) -> Self {
        Self {
            method,
            url,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            what,
            limit: LONGEST_REFUSAL,
            timeout: TIMEOUT,
        }
    }
}

/// Returns the timeout of an exchange of up to `bytes` bytes.
fn timeout_of(bytes: u64) -> Duration {
    if bytes > LONGEST_MANIFEST {
        BLOB_TIMEOUT
    } else {
        TIMEOUT
    }
}

fn accepting(media_types: &'static str) -> HeaderMap {
    [(ACCEPT, HeaderValue::from_static(media_types))]
        .into_iter()
        .collect()
}

fn headers_of(media_type: &'static str, length: usize) -> HeaderMap {
    [
        (CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (CONTENT_LENGTH, HeaderValue::from(length)),
    ]
    .into_iter()
    .collect()
}

/// Returns the next page of a list (RFC 8288).
fn next_page(page: &Url, headers: &HeaderMap) -> Option<Url> {
    let link = headers.get(LINK)?.to_str().ok()?;
    let (target, parameters) = link.trim().strip_prefix('<')?.split_once('>')?;
    let is_next = parameters.contains("rel=\"next\"") || parameters.contains("rel=next");
    page.join(target).ok().filter(|_| is_next)
}

#[cfg(test)]
mod tests;
