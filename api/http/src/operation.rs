//! The operations of an API: one table feeds the routes and the OpenAPI
//! document.

mod call;
mod claim;
mod contract;
mod creation;
mod download;
mod input;
mod not_allowed;
mod paid_read;
mod path;
mod representation;

use std::sync::Arc;

use axum::Extension;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use http::header::CACHE_CONTROL;
use http::{HeaderValue, Method, StatusCode};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use self::call::AuthorizedRequest;
pub use self::call::Call;
pub use self::contract::BodyKind;
pub(crate) use self::contract::{Answer, Contract, Entry};
pub use self::download::Download;
pub use self::input::{
    FromBody, FromQuery, Input, MaybeBody, NoInput, Nothing, Parameters, WholeBody,
};
pub(crate) use self::not_allowed::method_not_allowed;
pub use self::path::{Path, PathParameter, PathParams};
pub use self::representation::{AnswerForm, Representation};
use crate::api::Api;
use crate::edge::{Authenticated, OriginRule, RequestId, limit_guesses};
use crate::idempotency::Created;
use crate::openapi::Schemas;
use crate::principal::Credential;
use crate::problem::{Problem, ProblemType};
use crate::served::Http;

/// One call of an API: its input, its answer and its handler.
pub struct Operation<A: Api> {
    pub(crate) contract: Arc<Contract<A>>,
    pub(crate) route: MethodRouter<Http<A>>,
}

/// An operation without its handler.
pub struct Draft<A: Api, P, I> {
    contract: Contract<A>,
    types: std::marker::PhantomData<fn() -> (P, I)>,
}

impl<A: Api> Operation<A> {
    /// `GET`, and `HEAD` with it unless it is [without](Draft::without_head). The id is that of the OpenAPI document.
    #[must_use]
    pub fn get<P: PathParams<A::Record>>(path: Path<P>, id: &'static str) -> Draft<A, P, NoInput> {
        Draft::new(Method::GET, path, id)
    }

    /// `POST`, without a body until one is added.
    #[must_use]
    pub fn post<P: PathParams<A::Record>>(path: Path<P>, id: &'static str) -> Draft<A, P, Nothing> {
        Draft::new(Method::POST, path, id)
    }

    /// `PATCH`, without a body until one is added.
    #[must_use]
    pub fn patch<P: PathParams<A::Record>>(
        path: Path<P>,
        id: &'static str,
    ) -> Draft<A, P, Nothing> {
        Draft::new(Method::PATCH, path, id)
    }

    /// `DELETE`.
    #[must_use]
    pub fn delete<P: PathParams<A::Record>>(
        path: Path<P>,
        id: &'static str,
    ) -> Draft<A, P, NoInput> {
        Draft::new(Method::DELETE, path, id)
    }

    /// Limits the wrong codes of an address: the operation takes a code, and answers 404 to an
    /// invalid one.
    #[must_use]
    pub fn against_guesses(mut self) -> Self {
        self.route = limit_guesses(self.route);
        self
    }
}

impl<A: Api, P: PathParams<A::Record>, I: Input<A>> Draft<A, P, I> {
    fn new(method: Method, path: Path<P>, id: &'static str) -> Self {
        Self {
            contract: Contract {
                method,
                path: path.template,
                path_parameters: P::described(),
                record: |params| P::of(params).map(|path| path.record()),
                id,
                tag: "",
                summary: "",
                description: "",
                body: I::BODY,
                input: I::describe,
                refusals: Vec::new(),
                answers_on_erased: false,
                takes_batches: false,
                has_head: true,
                admission: |_| Ok(()),
                entry: Entry::Usual,
                origins: None,
                fresh_for: None,
                download_type: "application/octet-stream",
                answer: Answer::Empty,
                view: |_| None,
                ids: &[],
            },
            types: std::marker::PhantomData,
        }
    }

    /// Sets the tag, the summary and the description.
    #[must_use]
    pub fn says(
        mut self,
        tag: &'static str,
        summary: &'static str,
        description: &'static str,
    ) -> Self {
        let contract = &mut self.contract;
        (contract.tag, contract.summary, contract.description) = (tag, summary, description);
        self
    }

    /// Adds refusals to those of every operation.
    #[must_use]
    pub fn refuses<K: Copy + Into<ProblemType>>(mut self, kinds: &[K]) -> Self {
        let kinds = kinds.iter().copied().map(Into::into);
        self.contract.refusals.extend(kinds);
        self
    }

    /// Allows it on a record whose content was erased.
    #[must_use]
    pub fn even_erased(mut self) -> Self {
        self.contract.answers_on_erased = true;
        self
    }

    /// Its bodies may be as long as a batch's.
    #[must_use]
    pub fn for_batches(mut self) -> Self {
        self.contract.takes_batches = true;
        self
    }

    /// Refuses `HEAD`: making the answer has a cost or an effect, which would be wasted.
    #[must_use]
    pub fn without_head(mut self) -> Self {
        self.contract.has_head = false;
        self
    }

    /// Restricts it to some callers.
    #[must_use]
    pub fn for_callers(mut self, admission: fn(&A::Caller) -> Result<(), Problem>) -> Self {
        self.contract.admission = admission;
        self
    }

    /// Allows the keys of the service's other APIs too: the operation concerns no caller's records.
    #[must_use]
    pub fn by_any_key(mut self) -> Self {
        self.contract.entry = Entry::AnyKey;
        self
    }

    /// Requires other credentials than the API's usual ones.
    #[must_use]
    pub fn by(mut self, credential: Credential) -> Self {
        self.contract.entry = Entry::By(credential);
        self
    }

    /// Allows it without credentials, as `caller`. Its rate is counted by address.
    #[must_use]
    pub fn for_anybody(mut self, caller: fn() -> A::Caller) -> Self {
        self.contract.entry = Entry::Anybody(caller);
        self
    }

    /// Allows it in a browser (the Fetch standard, 3.3) to pages of the origin that [`Api::origin`]
    /// returns for its record. Pages of other origins are refused with `refusal`.
    #[must_use]
    pub fn from_pages(mut self, refusal: ProblemType) -> Self {
        self.contract.origins = Some(OriginRule { refusal });
        self
    }

    /// Sets the media type of the download and of its header.
    #[must_use]
    pub fn of_media_type(mut self, media_type: &'static str) -> Self {
        self.contract.download_type = media_type;
        self
    }

    /// Allows clients to cache its answer for this many seconds.
    #[must_use]
    pub fn fresh_for(mut self, seconds: u32) -> Self {
        self.contract.fresh_for = Some(seconds);
        self
    }

    /// Requires a body.
    #[must_use]
    pub fn body<T: FromBody<A>>(self) -> Draft<A, P, WholeBody<T>> {
        self.with_input()
    }

    /// Accepts a body, or none.
    #[must_use]
    pub fn maybe_body<T: FromBody<A>>(self) -> Draft<A, P, MaybeBody<T>> {
        self.with_input()
    }

    /// Accepts query parameters.
    #[must_use]
    pub fn query<T: FromQuery>(self) -> Draft<A, P, Parameters<T>> {
        self.with_input()
    }

    fn with_input<J: Input<A>>(self) -> Draft<A, P, J> {
        Draft {
            contract: Contract {
                body: J::BODY,
                input: J::describe,
                ..self.contract
            },
            types: std::marker::PhantomData,
        }
    }

    /// Answers with a view.
    pub fn answers<V, F, R>(self, handler: F) -> Operation<A>
    where
        V: JsonSchema + Serialize,
        F: Fn(Call<A, P, I::Value>) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Result<V, Problem>> + Send + 'static,
    {
        let view = Schemas::some_of::<V>;
        self.operation(Answer::Json(&[]), view, &[], move |arrived| {
            let handler = handler.clone();
            async move {
                let fresh_for = arrived.contract.fresh_for;
                let call = arrived.call::<I>().await?;
                let mut response = Representation::of(&handler(call).await?).into_response();
                if let Some(seconds) = fresh_for {
                    let kept = HeaderValue::try_from(format!("public, max-age={seconds}"));
                    let kept = kept.expect("words and digits are ASCII");
                    response.headers_mut().insert(CACHE_CONTROL, kept);
                }
                Ok(response)
            }
        })
    }

    /// Answers with a view of the created record, also to repetitions.
    pub fn creates<V, F, R>(self, handler: F) -> Operation<A>
    where
        V: Created + Send + 'static,
        F: Fn(Call<A, P, I::Value>) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Result<V, Problem>> + Send + 'static,
    {
        let view = Schemas::some_of::<V>;
        self.operation(Answer::Created(V::STATUS), view, V::IDS, move |arrived| {
            arrived.create::<I, V, R>(handler.clone())
        })
    }

    /// Answers with a view, or bytes of one of these media types.
    pub fn answers_also_in<V, F, R>(self, forms: &'static [AnswerForm], handler: F) -> Operation<A>
    where
        V: JsonSchema + Serialize,
        F: Fn(Call<A, P, I::Value>) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Result<Representation, Problem>> + Send + 'static,
    {
        let view = Schemas::some_of::<V>;
        self.operation(Answer::Json(forms), view, &[], move |arrived| {
            let handler = handler.clone();
            async move {
                let call = arrived.call::<I>().await?;
                Ok(handler(call).await?.into_response())
            }
        })
    }

    /// Answers with a view, or bytes of one of these media types, and charges for it once;
    /// repetitions get the same answer.
    pub fn answers_in<V, F, R>(self, forms: &'static [AnswerForm], handler: F) -> Operation<A>
    where
        V: JsonSchema + Serialize,
        F: Fn(Call<A, P, I::Value>) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Result<Representation, Problem>> + Send + 'static,
    {
        let view = Schemas::some_of::<V>;
        self.operation(Answer::Forms(forms), view, &[], move |arrived| {
            arrived.answer_in::<I, R>(handler.clone())
        })
    }

    /// Answers with bytes.
    pub fn downloads<F, R>(self, handler: F) -> Operation<A>
    where
        F: Fn(Call<A, P, I::Value>) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Result<Download, Problem>> + Send + 'static,
    {
        self.operation(
            Answer::Download,
            |_| None,
            &[],
            move |arrived| {
                let handler = handler.clone();
                async move {
                    let wanted = download::Wanted::of(&arrived.request);
                    let call = arrived.call::<I>().await?;
                    wanted.answer(handler(call).await?).await
                }
            },
        )
    }

    /// Answers without content.
    pub fn does<F, R>(self, handler: F) -> Operation<A>
    where
        F: Fn(Call<A, P, I::Value>) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Result<(), Problem>> + Send + 'static,
    {
        self.operation(
            Answer::Empty,
            |_| None,
            &[],
            move |arrived| {
                let handler = handler.clone();
                async move {
                    handler(arrived.call::<I>().await?).await?;
                    Ok(StatusCode::NO_CONTENT.into_response())
                }
            },
        )
    }

    fn operation<F, R>(
        self,
        answer: Answer,
        view: fn(&mut Schemas) -> Option<Value>,
        ids: &'static [(&'static str, &'static str)],
        respond: F,
    ) -> Operation<A>
    where
        F: Fn(AuthorizedRequest<A, P>) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Result<Response, Problem>> + Send + 'static,
    {
        let contract = Arc::new(Contract {
            answer,
            view,
            ids,
            ..self.contract
        });
        let method = MethodFilter::try_from(contract.method.clone())
            .expect("operations have methods of RFC 9110 and RFC 5789");
        let served = Arc::clone(&contract);
        let route = on(
            method,
            async move |State(http): State<Http<A>>,
                        Extension(Authenticated(caller)): Extension<Authenticated<A::Caller>>,
                        Extension(request_id): Extension<RequestId>,
                        params: Result<RawPathParams, RawPathParamsRejection>,
                        request: Request| {
                (served.admission)(&caller)?;
                let path = params
                    .ok()
                    .and_then(|params| P::of(&params))
                    .ok_or_else(Problem::not_found)?;
                let (api, asker) = (Arc::clone(&http.api), Arc::clone(&caller));
                let record = path.record();
                let answered = respond(AuthorizedRequest {
                    http,
                    caller,
                    path,
                    contract: served,
                    request,
                    request_id,
                });
                match answered.await {
                    Err(problem) if problem.kind() == ProblemType::NOT_FOUND => {
                        Err(call::missing(&*api, &asker, record, problem).await)
                    }
                    answered => answered,
                }
            },
        );
        let route = match contract.has_head {
            true => route,
            false => route.on(MethodFilter::HEAD, method_not_allowed::<A>),
        };
        Operation { contract, route }
    }
}
