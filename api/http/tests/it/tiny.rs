//! An API of four operations: providers authenticate persons. It writes its refusals in an envelope
//! of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use axum::Router;
use axum::extract::RawPathParams;
use parafa_api_http::decode::Node;
use parafa_api_http::{
    Access, Api, BaseUrl, Created, Credentials, Fault, FromBody, Guide, HttpConfig,
    IdempotentRequest, KeptAnswer, Operation, Path, PathParameter, PathParams, Presence, Principal,
    Problem, ProblemFormat, ProblemType, Reference, RequestId, Reservation, Security, SetUp, Step,
    Surface, Tag, ids, router, wire_enums,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

ids! {
    /// The authentication.
    AuthenticationId in "requestId";
}

wire_enums! {
    /// Method of a person's authentication.
    Method {
        /// A card in a reader.
        Physical = "physical",
        /// Smart-ID.
        SmartId = "smart_id",
    }
}

pub(crate) struct NewAuthentication {
    audience: String,
    method: Method,
}

impl<A> FromBody<A> for NewAuthentication {
    fn decode(_: &A, node: &Node<'_>) -> Option<Self> {
        node.object("CreateAuthenticationRequest", |object| {
            let audience = object.required("audience", |node| {
                node.described("An exact origin.").web_address()
            });
            let method = object.or("method", Method::Physical, |node| node.one_of());
            Some(Self {
                audience: audience?.origin().ascii_serialization(),
                method: method?,
            })
        })
    }
}

/// The card's signature.
pub(crate) struct Completion(Vec<u8>);

impl<A> FromBody<A> for Completion {
    fn decode(_: &A, node: &Node<'_>) -> Option<Self> {
        node.object("CompletionRequest", |object| {
            let signature = object.required("signature", |node| node.base64(1024));
            signature.map(Self)
        })
    }
}

/// Country of a person, as two letters or what was sent instead.
#[derive(Clone)]
pub(crate) struct Country(String);

impl<R> PathParams<R> for Country {
    fn described() -> Vec<PathParameter> {
        vec![PathParameter {
            name: "country",
            description: "ISO 3166-1 alpha-2.",
            schema: json!({"type": "string", "pattern": "^[A-Z]{2}$"}),
            is_id: false,
        }]
    }

    fn of(params: &RawPathParams) -> Option<Self> {
        let (_, segment) = params.iter().next()?;
        Some(Self(segment.to_owned()))
    }

    fn fault(&self) -> Option<Fault> {
        let is_one = self.0.len() == 2 && self.0.bytes().all(|byte| byte.is_ascii_uppercase());
        (!is_one).then(|| Fault::new("/country", "is not two capital letters"))
    }

    fn record(&self) -> Option<R> {
        None
    }

    fn fill(&self, template: &str) -> String {
        template.replace("{country}", &self.0)
    }
}

/// Somebody's authentication.
#[derive(Clone, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Authentication {
    /// Its id.
    request_id: AuthenticationId,
    /// Audience of the authentication.
    audience: String,
    /// Method.
    method: Method,
    /// True if it is done.
    done: bool,
}

impl Created for Authentication {
    const IDS: &'static [(&'static str, &'static str)] =
        &[("requestId", "$response.body#/requestId")];

    fn address(&self) -> Option<Uuid> {
        Some(self.request_id.0)
    }
}

type Answered = Result<Authentication, Problem>;

/// The operations, one method each.
#[async_trait]
pub(crate) trait AuthenticationApi: Api<Record = AuthenticationId> {
    async fn create(&self, caller: &Self::Caller, request: NewAuthentication) -> Answered;
    async fn read(&self, id: AuthenticationId) -> Answered;
    async fn complete(&self, id: AuthenticationId, request: Completion) -> Answered;
}

const ALL: Path<()> = Path::new("/v1/auth/requests");
const ONE: Path<AuthenticationId> = Path::new("/v1/auth/requests/{requestId}");
const COMPLETION: Path<AuthenticationId> = Path::new("/v1/auth/requests/{requestId}/complete");
const COUNTRY: Path<Country> = Path::new("/v1/auth/countries/{country}/requests");
const ABOUT: Tag = Tag {
    name: "Authentications",
    description: "People prove who they are.",
};
const GUIDE: Guide = Guide {
    title: "From nothing to a person",
    introduction: "Type `bash` first.",
    steps: &[Step {
        title: "Begin",
        text: "With a key.",
        command: "curl {base}/v1/auth/requests\n",
    }],
};
const BAD_SIGNATURE: ProblemType = ProblemType {
    status: http::StatusCode::UNPROCESSABLE_ENTITY,
    name: "bad-signature",
    title: "The signature does not verify",
    meaning: "The signature is not one over the challenge.",
    remedy: "Sign what the certificate step returned.",
};

fn operations<A: AuthenticationApi>() -> Vec<Operation<A>> {
    vec![
        Operation::<A>::post(ALL, "createAuthentication")
            .says(ABOUT.name, "Begin", "Has somebody authenticated.")
            .body::<NewAuthentication>()
            .creates(async |call| call.api.create(&call.caller, call.request).await),
        Operation::<A>::get(ONE, "readAuthentication")
            .says(ABOUT.name, "Read", "Whether it is done.")
            .answers(async |call| call.api.read(call.path).await),
        Operation::<A>::post(COMPLETION, "completeAuthentication")
            .says(ABOUT.name, "Complete", "Takes the card's signature.")
            .refuses(&[BAD_SIGNATURE])
            .body::<Completion>()
            .answers(async |call| call.api.complete(call.path, call.request).await),
        Operation::<A>::post(COUNTRY, "createInCountry")
            .says(
                ABOUT.name,
                "Begin abroad",
                "Has somebody of a country authenticated.",
            )
            .body::<NewAuthentication>()
            .creates(async |call| call.api.create(&call.caller, call.request).await),
    ]
}

/// `{"error": {…}}`.
struct ErrorEnvelope;

#[derive(JsonSchema, Serialize)]
pub(crate) struct Refusal {
    /// Error.
    error: RefusalError,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct RefusalError {
    /// Code for programs.
    code: &'static str,
    /// Message for people.
    message: String,
    /// Id of the request; the nil UUID if the caller's id is invalid.
    request_id: Uuid,
    /// True if the same request can succeed later.
    retryable: bool,
}

impl ProblemFormat for ErrorEnvelope {
    const MEDIA_TYPE: &'static str = "application/json";

    type Body = Refusal;

    fn body(&self, problem: &Problem, request: &RequestId) -> Refusal {
        let status = problem.status();
        Refusal {
            error: RefusalError {
                code: problem.kind().name,
                message: problem.detail().to_owned(),
                request_id: request.to_uuid(),
                retryable: status.is_server_error() || problem.retry_after().is_some(),
            },
        }
    }
}

fn example(_: &str, schema: &str, _: &BaseUrl) -> Option<Value> {
    match schema {
        "CreateAuthenticationRequest" => Some(json!({"audience": "https://shop.example"})),
        "CompletionRequest" => Some(json!({"signature": "c2lnbmVk"})),
        "Authentication" => Some(json!({
            "requestId": "0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f",
            "audience": "https://shop.example",
            "method": "physical",
            "done": false,
        })),
        _ => None,
    }
}

fn reference() -> Reference<Authentications> {
    Reference {
        folder: "/auth",
        title: "Authentication API",
        version: "1.0.0",
        summary: "People prove who they are",
        description: "Providers have people authenticate themselves.",
        tags: &[ABOUT],
        security: Security::Basic("The key's id and its secret."),
        problems: vec![
            ProblemType::VALIDATION_FAILED,
            ProblemType::UNAUTHORIZED,
            ProblemType::NOT_FOUND,
            ProblemType::IDEMPOTENCY_KEY_REUSED,
            BAD_SIGNATURE,
            ProblemType::RATE_LIMITED,
        ],
        advice_on_long_bodies: "",
        headers: &[],
        example,
        set_up: |_| {
            vec![SetUp {
                title: "Methods",
                names: Vec::new(),
            }]
        },
        refusal: |kind, _| Problem::of(kind),
        demo_key: ".auth",
        guide: GUIDE,
        webhooks: |_| Map::new(),
    }
}

/// Authentications of the only provider.
#[derive(Default)]
pub(crate) struct Authentications {
    all: Mutex<HashMap<AuthenticationId, Authentication>>,
    answers: Mutex<HashMap<String, KeptAnswer>>,
}

/// The user of the keys of an API beside this one.
const NEIGHBOUR: &str = "neighbour";

/// The one provider, and the key of the request that it has claimed.
pub(crate) struct Provider(Option<String>);

impl Principal for Provider {
    fn key_id(&self) -> Uuid {
        Uuid::from_u128(1)
    }

    fn may(&self, _: Access) -> bool {
        true
    }
}

#[async_trait]
impl Api for Authentications {
    type Caller = Provider;
    type Record = AuthenticationId;

    async fn authenticate(&self, credentials: &Credentials) -> Result<Provider, Problem> {
        match credentials {
            Credentials::Basic { user, password } if user == password.expose() => {
                Ok(Provider(None))
            }
            _ => Err(Problem::unauthorized()),
        }
    }

    async fn authenticate_any(&self, credentials: &Credentials) -> Result<Provider, Problem> {
        match credentials {
            Credentials::Basic { user, .. } if user == NEIGHBOUR => Ok(Provider(None)),
            own => self.authenticate(own).await,
        }
    }

    async fn presence(&self, _: &Provider, id: AuthenticationId) -> Result<Presence, Problem> {
        let found = self.read(id).await.map(|_| Presence::Present);
        Ok(found.unwrap_or(Presence::Absent))
    }

    async fn reserve(
        &self,
        _: &Provider,
        request: IdempotentRequest,
    ) -> Result<Reservation<Provider>, Problem> {
        let key = request.key.to_string();
        let kept = self.answers.lock().unwrap().get(&key).cloned();
        let claimed = || Reservation::Claimed(Provider(Some(key)));
        Ok(kept.map_or_else(claimed, Reservation::Answered))
    }

    async fn hold(&self, _: &Provider) -> std::convert::Infallible {
        std::future::pending().await
    }

    async fn release(&self, _: &Provider) {}
}

#[async_trait]
impl AuthenticationApi for Authentications {
    async fn create(&self, caller: &Provider, request: NewAuthentication) -> Answered {
        let authentication = Authentication {
            request_id: AuthenticationId(Uuid::now_v7()),
            audience: request.audience,
            method: request.method,
            done: false,
        };
        let mut all = self.all.lock().unwrap();
        all.insert(authentication.request_id, authentication.clone());
        if let Some(key) = &caller.0 {
            let kept = KeptAnswer::of(&authentication);
            self.answers.lock().unwrap().insert(key.clone(), kept);
        }
        Ok(authentication)
    }

    async fn read(&self, id: AuthenticationId) -> Answered {
        let all = self.all.lock().unwrap();
        all.get(&id).cloned().ok_or_else(Problem::not_found)
    }

    async fn complete(&self, id: AuthenticationId, request: Completion) -> Answered {
        if request.0 != b"signed" {
            return Err(Problem::of(BAD_SIGNATURE));
        }
        let mut all = self.all.lock().unwrap();
        let authentication = all.get_mut(&id).ok_or_else(Problem::not_found)?;
        authentication.done = true;
        Ok(authentication.clone())
    }
}

/// The whole of it.
pub(crate) fn service() -> Router {
    service_with(config())
}

/// The usual limits.
pub(crate) fn config() -> HttpConfig {
    HttpConfig::new(BaseUrl::new(&"https://auth.example".parse().unwrap()))
}

/// The whole service with other limits.
pub(crate) fn service_with(config: HttpConfig) -> Router {
    let surface = Surface {
        roots: &["/v1/auth"],
        operations: operations(),
        format: ErrorEnvelope,
        reference: reference(),
    };
    router(Arc::new(Authentications::default()), config, surface)
}
