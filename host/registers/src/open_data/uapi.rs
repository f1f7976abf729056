//! Reading of models through the universal API.

use bytes::Bytes;
use parafa_http_port::{ExchangeLimits, HttpPort};
use parafa_register_data::Register;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

use crate::Unavailable;
use crate::answer::JSON;
use crate::exchange::{is_of, read};

/// Number of retries after a transient failure.
const RETRIES: u8 = 1;

/// Identifies an object of a model.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Reference {
    /// A UUID.
    #[serde(rename = "_id")]
    id: String,
}

/// A list of objects. Only one page, because one entity has few of them.
#[derive(Deserialize)]
struct List<T> {
    #[serde(rename = "_data")]
    data: Vec<T>,
}

/// Requests about one entity, one after another: the server drops connections if they come all at
/// once.
pub(super) struct Reading<'a> {
    port: &'a dyn HttpPort,
    base: &'a Url,
    limits: ExchangeLimits,
    /// Register, address and answer of each request, in order.
    answers: Vec<(Register, String, Bytes)>,
}

/// The register that a model is published of, by the first part of its path.
fn publisher(path: &str) -> Register {
    match path.split('/').next() {
        Some("vmi") => Register::Vmi,
        Some("lsd") => Register::Vda,
        _ => Register::Jar,
    }
}

impl Reference {
    /// The UUID, which is put into addresses.
    fn uuid(&self) -> Result<&str, Unavailable> {
        let is_uuid = self.id.len() == 36
            && self
                .id
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        is_uuid
            .then_some(self.id.as_str())
            .ok_or(Unavailable::Member("_id"))
    }
}

impl<'a> Reading<'a> {
    pub(super) fn new(port: &'a dyn HttpPort, base: &'a Url, limits: ExchangeLimits) -> Self {
        Self {
            port,
            base,
            limits,
            answers: Vec::new(),
        }
    }

    /// Objects of a model with this code of a legal entity.
    pub(super) async fn by_code<T: DeserializeOwned>(
        &mut self,
        model: &str,
        property: &str,
        code: &str,
    ) -> Result<Vec<T>, Unavailable> {
        // Codes of the model are integers, written without leading zeros.
        let code = code.trim_start_matches('0');
        let list: List<T> = self.get(&format!("{model}?{property}={code}")).await?;
        Ok(list.data)
    }

    /// The objects of a model that refer to this entity.
    pub(super) async fn of_entity<T: DeserializeOwned>(
        &mut self,
        model: &str,
        entity: &Reference,
    ) -> Result<Vec<T>, Unavailable> {
        let uuid = entity.uuid()?;
        let path = format!("{model}?juridinis_asmuo._id=%22{uuid}%22");
        let list: List<T> = self.get(&path).await?;
        Ok(list.data)
    }

    /// Reads one object.
    pub(super) async fn object<T: DeserializeOwned>(
        &mut self,
        model: &str,
        reference: &Reference,
    ) -> Result<T, Unavailable> {
        let uuid = reference.uuid()?;
        self.get(&format!("{model}/{uuid}")).await
    }

    async fn get<T: DeserializeOwned>(&mut self, path: &str) -> Result<T, Unavailable> {
        let base = self.base.as_str().trim_end_matches('/');
        let address = format!("{base}/datasets/gov/{path}");
        let response = read(self.port, self.limits, RETRIES, &address, None).await?;
        if response.status() != 200 {
            return Err(Unavailable::Status(response.status().as_u16()));
        }
        if !is_of(&response, JSON) {
            return Err(Unavailable::MediaType);
        }
        let body = response.into_body();
        let value = serde_json::from_slice(&body).map_err(|_| Unavailable::Member("data"))?;
        self.answers.push((publisher(path), address, body));
        Ok(value)
    }

    /// Address of the first request to a register, and all its raw answers, each with its request.
    /// The answers are one JSON array; `None` if the register was not asked.
    pub(super) fn raw_of(&self, register: Register) -> Option<(String, Bytes)> {
        let answers = self.answers.iter();
        let mut answers = answers
            .filter(|(asked, ..)| *asked == register)
            .map(|(_, address, body)| (address, body))
            .peekable();
        let (first, _) = answers.peek()?;
        let first = (*first).clone();
        let mut raw = b"[".to_vec();
        for (index, (address, body)) in answers.enumerate() {
            let separator: &[u8] = if index == 0 { b"" } else { b",\n" };
            let request = serde_json::Value::from(address.as_str()).to_string();
            raw.extend_from_slice(separator);
            raw.extend_from_slice(format!("{{\"request\":{request},\"answer\":").as_bytes());
            raw.extend_from_slice(body);
            raw.push(b'}');
        }
        raw.push(b']');
        Some((first, raw.into()))
    }
}
