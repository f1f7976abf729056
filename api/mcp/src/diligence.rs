//! The tools of the due-diligence API.
//!
//! A tool is a call of the API itself, made within the process with the key of
//! whoever calls the tool: what is checked, charged and logged, and what is
//! answered, is therefore the same by whichever way a caller comes. Of the
//! API's description come the schemas of the answers.

use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use axum::body::{Body, to_bytes};
use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Method, Request, StatusCode};
use parafa_api_http::{
    Access, AlreadyCounted, Api, Credentials, Fault, Principal, Problem, RequestId,
};
use parafa_register_data::EntityCode;
use rmcp::model::{CallToolResult, Implementation, JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use thiserror::Error;
use tower::ServiceExt;
use url::form_urlencoded;
use uuid::Uuid;

use crate::description::{answer_schema, body_schema};
use crate::refusal::refusal;
use crate::tools::{AgentTools, IDEMPOTENCY_KEY, ToolCall};

/// Where the API describes itself.
const DESCRIPTION: &str = "/dd/openapi.json";
/// Longest answer of the API, in bytes: a report of several hundred acts is
/// below one mebibyte.
const LONGEST_ANSWER: usize = 16 * 1024 * 1024;
const PURPOSES: [&str; 5] = [
    "AML_KYC",
    "BUSINESS_RELATIONSHIP_DD",
    "TRANSACTION_DD",
    "LEGAL_CLAIM",
    "OTHER",
];

/// What a tool takes, and so what call of the API it is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Takes {
    /// The code of an entity.
    Entity { purpose: bool, interpretation: bool },
    /// The body of the API's call.
    Body,
    /// The id of an order.
    Order,
}

/// One tool, and the path of the API behind it.
struct Definition {
    name: &'static str,
    title: &'static str,
    path: &'static str,
    takes: Takes,
    description: &'static str,
}

const fn entity(purpose: bool, interpretation: bool) -> Takes {
    Takes::Entity {
        purpose,
        interpretation,
    }
}

const DEFINITIONS: [Definition; 9] = [
    Definition {
        name: "lookup_company",
        title: "Company profile",
        path: "/v1/entities/{code}",
        takes: entity(false, true),
        description: "A Lithuanian legal entity by its code: name, legal form and status, seat, management. Takes 9 digits; it does not search by name.",
    },
    Definition {
        name: "get_participants",
        title: "Shareholders and members",
        path: "/v1/entities/{code}/participants",
        takes: entity(false, false),
        description: "Shareholders or members of a Lithuanian legal entity, with their shares.",
    },
    Definition {
        name: "get_beneficial_owners",
        title: "Beneficial owners",
        path: "/v1/entities/{code}/ubo",
        takes: entity(true, true),
        description: "Beneficial owners that a Lithuanian legal entity has declared. The purpose is logged.",
    },
    Definition {
        name: "get_real_estate",
        title: "Real property held",
        path: "/v1/entities/{code}/real-estate",
        takes: entity(false, false),
        description: "Real property that a Lithuanian legal entity holds.",
    },
    Definition {
        name: "get_seizures",
        title: "Property seizure acts",
        path: "/v1/entities/{code}/seizures",
        takes: entity(false, true),
        description: "Property seizure acts in force against a Lithuanian legal entity.",
    },
    Definition {
        name: "get_court_cases",
        title: "Court cases",
        path: "/v1/entities/{code}/cases",
        takes: entity(false, false),
        description: "Court cases that a Lithuanian legal entity takes part in.",
    },
    Definition {
        name: "get_due_diligence_report",
        title: "Full due-diligence report",
        path: "/v1/entities/{code}/dd-report",
        takes: entity(true, true),
        description: "All of the above on a Lithuanian legal entity in one report. The purpose is logged.",
    },
    Definition {
        name: "create_kyc_package",
        title: "Order an identification package",
        path: "/v1/kyc-packages",
        takes: Takes::Body,
        description: "Orders an identification package: a person proves a role in a Lithuanian legal entity by signing with their own qualified signature at the ceremonyUrl of the answer. Keep orderId: the order waits 14 days for the signature. Charged when it is delivered.",
    },
    Definition {
        name: "get_kyc_package",
        title: "Check an identification package",
        path: "/v1/kyc-packages/{orderId}",
        takes: Takes::Order,
        description: "How an order of an identification package stands. Once status is delivered, the container is fetched over the HTTP API.",
    },
];

/// Why tools cannot be offered.
#[derive(Debug, Error)]
pub enum ToolsError {
    /// The API does not describe itself.
    #[error("no description is served at {DESCRIPTION}")]
    NoDescription,
    /// The call behind a tool is not described.
    #[error("{0} is not among the operations that the API describes")]
    NotDescribed(&'static str),
}

/// The nine tools over a due-diligence API.
pub struct DiligenceTools<A> {
    api: Arc<A>,
    rest: Router,
    tools: Vec<Tool>,
    server: Implementation,
}

/// Whoever calls a tool, with what the API is told of them.
pub struct ToolCaller<C> {
    caller: C,
    authorization: HeaderValue,
}

impl<C: Principal> Principal for ToolCaller<C> {
    fn key_id(&self) -> Uuid {
        self.caller.key_id()
    }

    fn may(&self, access: Access) -> bool {
        self.caller.may(access)
    }
}

impl<A: Api> DiligenceTools<A> {
    /// Over `rest`, the routes of `api` with its description.
    ///
    /// # Errors
    /// When the description lacks what a tool needs.
    pub async fn new(
        api: Arc<A>,
        rest: Router,
        server: Implementation,
    ) -> Result<Self, ToolsError> {
        let request = Request::get(DESCRIPTION).body(Body::empty());
        let request = request.expect("a request without parameters");
        let described = answer(&rest, request).await;
        let described = described.filter(|answer| answer.status == StatusCode::OK);
        let description = described.ok_or(ToolsError::NoDescription)?.body;
        let tools = DEFINITIONS.iter().map(|tool| tool.described(&description));
        Ok(Self {
            tools: tools.collect::<Result<_, _>>()?,
            api,
            rest,
            server,
        })
    }
}

#[async_trait]
impl<A: Api> AgentTools for DiligenceTools<A> {
    type Caller = ToolCaller<A::Caller>;

    fn server(&self) -> Implementation {
        self.server.clone()
    }

    fn instructions(&self) -> String {
        "Due-diligence answers about Lithuanian legal entities, by their nine-digit codes, from \
         official registers. Sandbox keys (ddk_test_) answer synthetic data free; calls with \
         production keys are charged when they are answered. Problems are RFC 9457 documents."
            .to_owned()
    }

    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    async fn authenticate(
        &self,
        credentials: Option<&Credentials>,
    ) -> Result<Self::Caller, Problem> {
        let Some(credentials @ Credentials::Bearer(key)) = credentials else {
            return Err(Problem::unauthorized());
        };
        let caller = self.api.authenticate(credentials).await?;
        let authorization = HeaderValue::try_from(format!("Bearer {}", key.expose()));
        let mut authorization = authorization.map_err(|_| Problem::unauthorized())?;
        authorization.set_sensitive(true);
        Ok(ToolCaller {
            caller,
            authorization,
        })
    }

    async fn call(&self, call: ToolCall<'_, Self::Caller>) -> Result<CallToolResult, Problem> {
        let mut known = DEFINITIONS.iter();
        let tool = known.find(|known| known.name == call.tool);
        let tool = tool.ok_or_else(Problem::not_found)?;
        let mut request = tool.request(call.arguments)?;
        let headers = request.headers_mut();
        headers.insert(AUTHORIZATION, call.caller.authorization.clone());
        headers.insert(RequestId::HEADER, call.request_id.to_header());
        if let Some(key) = call.idempotency_key {
            headers.insert(IDEMPOTENCY_KEY, key);
        }
        let counted = AlreadyCounted(call.rate);
        request.extensions_mut().insert(counted);
        let Some(answer) = answer(&self.rest, request).await else {
            let detail = "The answer could not be read.";
            return Err(Problem::unavailable(detail));
        };
        Ok(match answer.status.is_success() {
            true => CallToolResult::structured(answer.body),
            false => refusal(answer.body, answer.retry_after),
        })
    }
}

/// What the API answered.
struct Answer {
    status: StatusCode,
    /// In seconds.
    retry_after: Option<u32>,
    body: Value,
}

/// The API's answer, if it is JSON.
async fn answer(rest: &Router, request: Request<Body>) -> Option<Answer> {
    let Ok(response) = rest.clone().oneshot(request).await;
    let (head, body) = response.into_parts();
    let retry_after = head.headers.get(RETRY_AFTER);
    let retry_after = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
    let body = to_bytes(body, LONGEST_ANSWER).await.ok()?;
    Some(Answer {
        status: head.status,
        retry_after,
        body: serde_json::from_slice(&body).ok()?,
    })
}

impl Definition {
    fn described(&self, description: &Value) -> Result<Tool, ToolsError> {
        let method = match self.takes {
            Takes::Body => "post",
            Takes::Entity { .. } | Takes::Order => "get",
        };
        let operation = &description["paths"][self.path][method];
        let missing = || ToolsError::NotDescribed(self.path);
        let output = answer_schema(description, operation).ok_or_else(missing)?;
        let input = match self.takes {
            Takes::Body => body_schema(description, operation).ok_or_else(missing)?,
            Takes::Entity {
                purpose,
                interpretation,
            } => entity_schema(purpose, interpretation),
            Takes::Order => order_schema(),
        };
        let reads = self.takes != Takes::Body;
        let annotations = ToolAnnotations::new()
            .read_only(reads)
            .destructive(false)
            .idempotent(reads)
            .open_world(true);
        Ok(Tool::new(self.name, self.description, input)
            .with_title(self.title)
            .with_raw_output_schema(Arc::new(output))
            .with_annotations(annotations))
    }

    /// The call of the API that a call of the tool is.
    fn request(&self, arguments: JsonObject) -> Result<Request<Body>, Problem> {
        let mut arguments = Arguments {
            left: arguments,
            faults: Vec::new(),
        };
        let (method, path, body) = match self.takes {
            Takes::Body => {
                let body = Value::Object(arguments.left).to_string();
                (Method::POST, self.path.to_owned(), Body::from(body))
            }
            Takes::Entity {
                purpose,
                interpretation,
            } => {
                let path = entity_path(self.path, purpose, interpretation, &mut arguments);
                (Method::GET, arguments.complete(path)?, Body::empty())
            }
            Takes::Order => {
                let id = arguments.text("orderId");
                let id = arguments.complete(id)?;
                // As in a path: what is no id is the id of nothing.
                let id = Uuid::try_parse(&id).map_err(|_| Problem::not_found())?;
                let path = self.path.replace("{orderId}", &id.to_string());
                (Method::GET, path, Body::empty())
            }
        };
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        Ok(request.expect("codes, ids and encoded texts make an address"))
    }
}

fn entity_path(
    template: &str,
    purpose: bool,
    interpretation: bool,
    arguments: &mut Arguments,
) -> Option<String> {
    let code = arguments.entity_code();
    let mut query = form_urlencoded::Serializer::new(String::new());
    if purpose && let Some(purpose) = arguments.purpose() {
        query.append_pair("purpose", &purpose);
    }
    if interpretation && arguments.flag("interpret") {
        query.append_pair("interpret", "1");
    }
    let path = template.replace("{code}", code?.as_str());
    let query = query.finish();
    Some(match query.is_empty() {
        true => path,
        false => format!("{path}?{query}"),
    })
}

/// The arguments of a call that were not asked for yet, and what is wrong with
/// those that were: all that the API would find, for it sees none of them before
/// there is nothing wrong here.
struct Arguments {
    left: JsonObject,
    faults: Vec<Fault>,
}

impl Arguments {
    fn fault(&mut self, name: &str, detail: &str) {
        let name = name.replace('~', "~0").replace('/', "~1");
        self.faults.push(Fault::new(format!("/{name}"), detail));
    }

    fn text(&mut self, name: &str) -> Option<String> {
        match self.left.shift_remove(name) {
            Some(Value::String(text)) => Some(text),
            Some(_) => {
                self.fault(name, "must be a string");
                None
            }
            None => {
                self.fault(name, "is required");
                None
            }
        }
    }

    fn entity_code(&mut self) -> Option<EntityCode> {
        match self.text("entityCode")?.parse::<EntityCode>() {
            Ok(code) => Some(code),
            Err(reason) => {
                self.fault("entityCode", &format!("is not one: {reason}"));
                None
            }
        }
    }

    fn purpose(&mut self) -> Option<String> {
        let purpose = self.text("purpose")?;
        let is_known = PURPOSES.contains(&purpose.as_str());
        if !is_known {
            self.fault(
                "purpose",
                &format!("must be one of {}", PURPOSES.join(", ")),
            );
        }
        is_known.then_some(purpose)
    }

    fn flag(&mut self, name: &str) -> bool {
        match self.left.shift_remove(name) {
            None => false,
            Some(Value::Bool(flag)) => flag,
            Some(_) => {
                self.fault(name, "must be true or false");
                false
            }
        }
    }

    /// # Errors
    /// `validation-failed`, also for arguments that nobody asked for.
    fn complete<T>(mut self, asked: Option<T>) -> Result<T, Problem> {
        let unknown: Vec<_> = self.left.keys().cloned().collect();
        for name in unknown {
            self.fault(&name, "is not a known member");
        }
        match asked {
            Some(asked) if self.faults.is_empty() => Ok(asked),
            _ => Err(Problem::validation(self.faults)),
        }
    }
}

fn entity_schema(purpose: bool, interpretation: bool) -> JsonObject {
    let mut properties = Map::new();
    let mut required = vec!["entityCode"];
    let code = json!({
        "type": "string",
        "pattern": "^[0-9]{9}$",
        "description": "Code of the legal entity (juridinio asmens kodas): nine digits, the last a check digit.",
    });
    properties.insert("entityCode".to_owned(), code);
    if purpose {
        let purpose = json!({
            "type": "string",
            "enum": PURPOSES,
            "description": "Why the data is asked for; logged against the call.",
        });
        properties.insert("purpose".to_owned(), purpose);
        required.push("purpose");
    }
    if interpretation {
        let interpret = json!({
            "type": "boolean",
            "description": "Adds the standardized legal interpretation, for a price of its own. Default: false.",
        });
        properties.insert("interpret".to_owned(), interpret);
    }
    closed(properties, &required)
}

fn order_schema() -> JsonObject {
    let id = json!({
        "type": "string",
        "format": "uuid",
        "description": "orderId of create_kyc_package.",
    });
    closed(Map::from_iter([("orderId".to_owned(), id)]), &["orderId"])
}

fn closed(properties: Map<String, Value>, required: &[&str]) -> JsonObject {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("required".to_owned(), json!(required));
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}
