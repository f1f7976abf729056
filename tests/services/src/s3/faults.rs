//! Faults between an object store and its clients.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures::stream;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Body as _, Frame, Incoming};
use hyper::header::{CONTENT_LENGTH, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use s3s::service::S3Service;

use super::Closed;

/// Pieces of an answer that comes slowly.
const PIECES: usize = 8;

/// A fault of one request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Fault {
    /// The request is not done, and never answered.
    Swallowed,
    /// The request is not done, and the connection is closed.
    Dropped,
    /// The request is not done, and is answered with this status.
    Refused(StatusCode),
    /// Only this many bytes of the request's body arrive before the connection is closed.
    CutUpload(usize),
    /// The request is done after this delay.
    Late(Duration),
    /// The request is done, and the connection is closed instead of an answer.
    Unanswered,
    /// The request is done, and an intermediary answers with this status.
    Misreported(StatusCode),
    /// Only this many bytes of the answer's body are sent before the connection is closed.
    CutDownload(usize),
    /// The answer's body is cut to this many bytes, as if it were complete.
    Truncated(usize),
    /// The answer's body is sent in pieces, with this delay between them.
    Slow(Duration),
}

/// The request that fails.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Step {
    /// The first to which the fault applies.
    Any,
    /// The completion of a multipart upload.
    Completion,
}

impl Step {
    fn is<B>(self, request: &Request<B>) -> bool {
        let query = request.uri().query().unwrap_or_default();
        match self {
            Self::Any => true,
            Self::Completion => request.method() == Method::POST && query.contains("uploadId="),
        }
    }
}

/// Planned faults.
#[derive(Debug, Default)]
pub(super) struct Faults(Mutex<VecDeque<(Step, Fault)>>);

impl Faults {
    pub(super) fn push(&self, step: Step, fault: Fault) {
        self.lock().push_back((step, fault));
    }

    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }

    /// Takes the first fault that applies to a request.
    pub(super) fn take<B>(&self, request: &Request<B>) -> Option<Fault> {
        let mut faults = self.lock();
        let meets =
            |(step, fault): &(Step, Fault)| step.is(request) && fault.fits(request.method());
        let place = faults.iter().position(meets)?;
        faults.remove(place).map(|(_, fault)| fault)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(Step, Fault)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Fault {
    fn fits(self, method: &Method) -> bool {
        match self {
            Self::Swallowed | Self::Dropped | Self::Refused(_) | Self::Late(_) => true,
            Self::CutUpload(_) => method == Method::PUT,
            Self::Unanswered | Self::Misreported(_) => method != Method::GET,
            Self::CutDownload(_) | Self::Truncated(_) | Self::Slow(_) => method == Method::GET,
        }
    }

    /// Subjects a request to the fault.
    pub(super) async fn answer(
        self,
        service: S3Service,
        request: Request<Incoming>,
    ) -> Result<Response<s3s::Body>, Closed> {
        match self {
            Self::Swallowed => std::future::pending().await,
            Self::Dropped => Err(Closed),
            Self::Refused(status) => Ok(refusal(status)),
            Self::CutUpload(bytes) => {
                receive(request.into_body(), bytes).await;
                Err(Closed)
            }
            Self::Late(by) => {
                tokio::time::sleep(by).await;
                done(service, request).await
            }
            Self::Unanswered => {
                done(service, request).await?;
                Err(Closed)
            }
            Self::Misreported(status) => {
                done(service, request).await?;
                Ok(refusal(status))
            }
            Self::CutDownload(bytes) => {
                let (answer, body) = read(service, request).await?;
                let cut = body.slice(..bytes.min(body.len()));
                let pieces = [Ok(Frame::data(cut)), Err(Closed)];
                Ok(answer.map(|()| of_stream(stream::iter(pieces))))
            }
            Self::Truncated(bytes) => {
                let (mut answer, body) = read(service, request).await?;
                let cut = body.slice(..bytes.min(body.len()));
                let length = HeaderValue::from(cut.len());
                answer.headers_mut().insert(CONTENT_LENGTH, length);
                Ok(answer.map(|()| cut.into()))
            }
            Self::Slow(pause) => {
                let (answer, body) = read(service, request).await?;
                let piece = body.len().div_ceil(PIECES).max(1);
                let pieces = stream::unfold(body, move |mut rest| async move {
                    if rest.is_empty() {
                        return None;
                    }
                    tokio::time::sleep(pause).await;
                    let next = rest.split_to(piece.min(rest.len()));
                    Some((Ok::<_, Infallible>(Frame::data(next)), rest))
                });
                Ok(answer.map(|()| of_stream(pieces)))
            }
        }
    }
}

/// Completes a request, even if its client hangs up.
async fn done(
    service: S3Service,
    request: Request<Incoming>,
) -> Result<Response<s3s::Body>, Closed> {
    let doing = tokio::spawn(async move { service.call(request.map(s3s::Body::from)).await });
    doing.await.map_err(|_| Closed)?.map_err(|_| Closed)
}

/// Returns an answer with its whole body.
async fn read(
    service: S3Service,
    request: Request<Incoming>,
) -> Result<(Response<()>, Bytes), Closed> {
    let (head, body) = done(service, request).await?.into_parts();
    let body = body.collect().await.map_err(|_| Closed)?.to_bytes();
    Ok((Response::from_parts(head, ()), body))
}

/// Reads this many bytes.
async fn receive(mut body: Incoming, bytes: usize) {
    let mut received = 0;
    while received < bytes && !body.is_end_stream() {
        match body.frame().await {
            Some(Ok(frame)) => received += frame.data_ref().map_or(0, Bytes::len),
            _ => return,
        }
    }
}

fn of_stream<E>(
    pieces: impl futures::Stream<Item = Result<Frame<Bytes>, E>> + Send + 'static,
) -> s3s::Body
where
    E: std::error::Error + Send + Sync + 'static,
{
    s3s::Body::http_body_unsync(StreamBody::new(pieces))
}

pub(super) fn refusal(status: StatusCode) -> Response<s3s::Body> {
    let mut answer = Response::new(s3s::Body::empty());
    *answer.status_mut() = status;
    answer
}
