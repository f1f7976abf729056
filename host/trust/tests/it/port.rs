//! An HTTP port without a network.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use parafa_http_port::{ExchangeLimits, HttpPort, HttpPortError};
use parafa_trust::{Ports, RandomSource, RandomUnavailable};

type Handler = Box<dyn Fn(&[u8]) -> Result<(u16, Vec<u8>), HttpPortError> + Send + Sync>;

/// Answers by address; unknown addresses refuse the connection.
#[derive(Default)]
pub struct FakePort {
    handlers: HashMap<String, Handler>,
    asked: Mutex<Vec<(String, String)>>,
    times: Arc<Mutex<Vec<Duration>>>,
}

impl FakePort {
    /// Answers with 200 and the output of `handler` for the request's body.
    pub fn at(
        mut self,
        url: &str,
        handler: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let handler: Handler = Box::new(move |body| Ok((200, handler(body))));
        self.handlers.insert(url.to_owned(), handler);
        self
    }

    pub fn failing(mut self, url: &str, status: u16) -> Self {
        let handler: Handler = Box::new(move |_| Ok((status, Vec::new())));
        self.handlers.insert(url.to_owned(), handler);
        self
    }

    pub fn broken(mut self, url: &str, error: HttpPortError) -> Self {
        let handler: Handler = Box::new(move |_| Err(error.clone()));
        self.handlers.insert(url.to_owned(), handler);
        self
    }

    /// Time limit of each request, in order.
    pub fn times(&self) -> Arc<Mutex<Vec<Duration>>> {
        Arc::clone(&self.times)
    }

    /// Address and content type of every request, in order.
    pub fn asked(&self) -> Vec<(String, String)> {
        self.asked.lock().expect("no panic before").clone()
    }
}

#[async_trait]
impl HttpPort for FakePort {
    async fn exchange(
        &self,
        request: Request<Bytes>,
        limits: ExchangeLimits,
    ) -> Result<Response<Bytes>, HttpPortError> {
        self.times
            .lock()
            .expect("no panic before")
            .push(limits.timeout);
        let url = request.uri().to_string();
        let content_type = request.headers().get("content-type");
        let content_type = content_type.map_or("", |value| value.to_str().expect("text"));
        let asked = (url.clone(), content_type.to_owned());
        self.asked.lock().expect("no panic before").push(asked);
        let handler = self.handlers.get(&url);
        let handler = handler.ok_or_else(|| HttpPortError::Transport("refused".to_owned()))?;
        let (status, body) = handler(request.body())?;
        let mut response = Response::new(Bytes::from(body));
        *response.status_mut() = status.try_into().expect("a status");
        Ok(response)
    }
}

/// One port for both purposes.
pub fn both(port: Arc<dyn HttpPort>) -> Ports {
    Ports {
        configured: Arc::clone(&port),
        named: port,
    }
}

/// Random numbers that are not.
pub struct FixedRandom;

impl RandomSource for FixedRandom {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), RandomUnavailable> {
        bytes.fill(0xa5);
        Ok(())
    }
}

pub fn random() -> Arc<dyn RandomSource> {
    Arc::new(FixedRandom)
}
