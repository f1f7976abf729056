//! Demo part of the front page, and the sample that is signed from there.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Redirect;
use axum::routing::post;
use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use parafa_api_http::pages::{DemoPerson, DemoWorld};
use parafa_api_signing::requests::{
    CreateSigning, DocumentBytes, NewDocument, NewSigner, Party, Source, Terms,
};
use parafa_api_signing::{
    Api, Credentials, Delivery, DocumentFamily, Language, Problem, ProblemKind, SAMPLE, SigningApi,
    SigningOrder,
};
use parafa_demo::{Method, Outcome, Persona};
use parafa_signing::api::SigningOperations;
use url::Url;

use super::file::WorldPart;

/// Target of the front page's form.
const PATH: &str = "/demo/sample";
/// Signer of the sample.
const SIGNER: &str = "you@example.com";
const EXPIRES_IN_DAYS: u16 = 1;

/// Demo part of the front page.
pub(crate) struct DemoFront {
    /// Content shown on the page.
    pub(crate) world: DemoWorld,
    /// API key that posts samples.
    key: String,
}

impl DemoFront {
    pub(super) fn new(world: &WorldPart, key: String) -> Self {
        Self {
            world: world.told(),
            key,
        }
    }

    /// Returns the route `POST /demo/sample`, which redirects to the page of
    /// the sample's signer.
    pub(crate) fn routes(&self, api: SigningOperations) -> Router {
        let samples = Samples {
            api,
            key: self.key.clone(),
        };
        Router::new()
            .route(PATH, post(sample))
            .method_not_allowed_fallback(async || Problem::of(ProblemKind::MethodNotAllowed))
            .with_state(Arc::new(samples))
    }
}

/// Poster of samples, with the rights of the key.
struct Samples {
    api: SigningOperations,
    key: String,
}

async fn sample(
    State(samples): State<Arc<Samples>>,
    headers: HeaderMap,
) -> Result<Redirect, Problem> {
    // Browsers mark forms of other sites this way; such a form could fill the
    // folder.
    let site = headers.get("sec-fetch-site");
    if site.is_some_and(|site| site == "cross-site") {
        let detail = "The form of another site asks for a sample.";
        return Err(Problem::new(ProblemKind::Forbidden, detail));
    }
    let link = samples.post().await?;
    let link = Url::parse(&link).map_err(|_| no_link())?;
    // A path alone keeps the host name that the browser uses.
    Ok(Redirect::to(link.path()))
}

impl Samples {
    /// Posts a sample and returns the signer's link.
    async fn post(&self) -> Result<String, Problem> {
        let mut headers = HeaderMap::new();
        let bearer = HeaderValue::try_from(format!("Bearer {}", self.key));
        headers.insert(AUTHORIZATION, bearer.map_err(|_| Problem::unauthorized())?);
        let credentials = Credentials::of(&headers).ok_or_else(Problem::unauthorized)?;
        let caller = self.api.authenticate(&credentials).await?;
        let request = CreateSigning {
            source: Source::Document(document()),
            terms: self.terms(),
        };
        let signing = self.api.create_signing(&caller, request).await?;
        let mut links = signing.signers.into_iter().map(|one| one.ceremony_url);
        links.next().flatten().ok_or_else(no_link)
    }

    fn terms(&self) -> Terms {
        Terms {
            title: "Services agreement".to_owned(),
            signers: vec![NewSigner {
                email: SIGNER.parse().expect("it is an address"),
                name: None,
                language: Language::En,
                party: Party::Signer {
                    personal_code: None,
                    methods: self.api.methods(),
                },
            }],
            delivery: Delivery::Link,
            signing_order: SigningOrder::Parallel,
            webhook_url: None,
            external_id: None,
            soft_deadline_in_days: None,
            expires_in_days: EXPIRES_IN_DAYS,
        }
    }
}

fn document() -> NewDocument {
    NewDocument {
        pointer: "/document".to_owned(),
        name: "contract.pdf".to_owned(),
        family: DocumentFamily::Pdf,
        bytes: DocumentBytes::Content(Bytes::from_static(SAMPLE)),
        flatten: false,
    }
}

fn no_link() -> Problem {
    Problem::unavailable("The sample has no page to sign on.")
}

impl WorldPart {
    /// Returns the address of the world's mail and the available personas.
    fn told(&self) -> DemoWorld {
        DemoWorld {
            sample: PATH,
            mail: format!("{}/", self.addresses.mail.trim_end_matches('/')),
            people: self.personas.iter().map(person).collect(),
        }
    }
}

fn person(persona: &Persona) -> DemoPerson {
    let methods: Vec<_> = persona.methods.iter().map(|method| name(*method)).collect();
    DemoPerson {
        name: persona.name.clone(),
        method: methods.join(", "),
        personal_code: format!("{} {}", persona.country, persona.personal_code),
        phone_number: persona.phone_number.clone(),
        outcome: in_words(persona.outcome),
    }
}

fn name(method: Method) -> &'static str {
    match method {
        Method::SmartId => "Smart-ID",
        Method::MobileId => "Mobile-ID",
        Method::Nfc => "Identity card",
    }
}

fn in_words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Signs => "signs",
        Outcome::UserRefused => "refuses",
        Outcome::Timeout => "does not answer",
        Outcome::WrongCode => "picks another verification code",
        Outcome::NoAccount => "has no account",
        Outcome::DeviceError => "has a device that fails",
        Outcome::NotQualified => "has no qualified certificate",
        Outcome::Revoked => "has a revoked certificate",
        Outcome::Expired => "has an expired certificate",
        Outcome::Foreign => "is a citizen of another country",
        Outcome::Untrusted => "has a certificate that nobody trusts",
    }
}
