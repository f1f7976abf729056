//! The person with the phone, played on request: reads a device link as the app would and lets the
//! named account take it up. Programs post the link; people who open it in a browser choose their
//! persona on a page.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, OriginalUri, State},
    response::Html,
    routing::{get, post},
};
use jiff::SignedDuration;
use maud::{DOCTYPE, Markup, html};
use parafa_eid_protocols::smart_id::FlowType;
use serde_json::{Value, json};

use super::{
    SmartId,
    checker::Checker,
    device_link::ScannedLink,
    endpoints::parse_json,
    phone::{Approach, Browser},
    problem::Problem,
    session::Session,
};

/// Largest body, bytes.
const BODY_LIMIT: usize = 64 * 1024;
/// Maximum advance of `elapsedSeconds`: it counts from when the relying party received the answer,
/// in whole seconds.
const AHEAD: SignedDuration = SignedDuration::from_secs(2);

pub(super) fn router(service: SmartId) -> Router {
    Router::new()
        .route("/device-link", get(choose_person).post(person_chosen))
        .route("/mock/device-link", post(device_link))
        .route("/smart-id-rp/mock/device-link", post(device_link))
        .route("/smart-id-rp/v3/mock/device-link", post(device_link))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .with_state(service)
}

/// Request of the phone's player.
struct Scan {
    document_number: String,
    device_link: String,
    flow: FlowType,
    browser_cookie: Option<String>,
    callback: Option<String>,
}

impl Scan {
    fn parse(body: &Value) -> Result<Self, Problem> {
        let allowed = [
            "documentNumber",
            "deviceLink",
            "flowType",
            "browserCookie",
            "initialCallbackUrl",
        ];
        let mut checker = Checker::default();
        let scan = checker.members(body, "", &allowed).and_then(|members| {
            let document_number = checker.text(&members, "documentNumber");
            let device_link = checker.text(&members, "deviceLink");
            let flows = FlowType::OF_LINKS.map(|flow| (flow.name(), flow));
            let flow = checker.choice(&members, "flowType", &flows);
            let browser_cookie = checker.optional_text(&members, "browserCookie");
            let callback = checker.optional_text(&members, "initialCallbackUrl");
            Some(Self {
                document_number: document_number?.into(),
                device_link: device_link?.into(),
                flow: flow?,
                browser_cookie: browser_cookie.map(Into::into),
                callback: callback.map(Into::into),
            })
        });
        checker.finish(scan)
    }
}

async fn device_link(State(service): State<SmartId>, body: Bytes) -> Result<Json<Value>, Problem> {
    service.scan(&Scan::parse(&parse_json(&body)?)?)?;
    Ok(Json(json!({})))
}

/// The page behind a device link if no app opens it.
async fn choose_person(
    State(service): State<SmartId>,
    OriginalUri(uri): OriginalUri,
) -> Html<String> {
    let query = uri.query().unwrap_or("");
    let link = format!("{}?{query}", service.0.device_link_base);
    page(&html! {
        p { "There is no app here. Who of the demo world answers?" }
        form method="post" {
            input type="hidden" name="deviceLink" value=(link);
            @for persona in service.personas() {
                @if let Some(document) = persona.document_number {
                    p {
                        button name="documentNumber" value=(document) { (persona.name) }
                        " " code { (persona.id) }
                    }
                }
            }
        }
    })
}

async fn person_chosen(
    State(service): State<SmartId>,
    body: Bytes,
) -> Result<Html<String>, Problem> {
    let field = |name: &str| {
        url::form_urlencoded::parse(&body)
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.into_owned())
            .unwrap_or_default()
    };
    let device_link = field("deviceLink");
    let flow = ScannedLink::parse(&device_link).map_err(bad_link)?.flow;
    service.scan(&Scan {
        document_number: field("documentNumber"),
        device_link,
        flow,
        browser_cookie: None,
        callback: None,
    })?;
    Ok(page(
        &html! { p { "Answered. Go back to the page where you began." } },
    ))
}

fn page(content: &Markup) -> Html<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { "A phone of the demo world" }
            }
            body {
                h1 { "A phone of the demo world" }
                (content)
            }
        }
    };
    Html(page.into_string())
}

impl SmartId {
    /// Lets the account named by a scan take up the link's session. An account of the lower level
    /// answers an anonymous choice with its own certificate: comparing levels is the relying
    /// party's duty.
    fn scan(&self, scan: &Scan) -> Result<(), Problem> {
        let account = self
            .0
            .accounts
            .document(&scan.document_number)
            .ok_or_else(|| Problem::bad_member("/documentNumber", "is unknown"))?;
        let link = ScannedLink::parse(&scan.device_link).map_err(bad_link)?;
        if link.flow != scan.flow {
            let detail = "is not the link's deviceLinkType";
            return Err(Problem::bad_member("/flowType", detail));
        }
        let session = self
            .0
            .sessions
            .find_token(link.session_token, self.0.clock.now())
            .filter(|session| session.is_running())
            .ok_or_else(|| bad_link("the link's session is unknown or over"))?;
        let callback = self.check_link(&session, &link, scan)?;
        let addressed = session.account.as_ref();
        if addressed.is_some_and(|addressed| !Arc::ptr_eq(addressed, &account)) {
            let detail = "is not whom the session is for";
            return Err(Problem::bad_member("/documentNumber", detail));
        }
        let browser = callback.map(|callback| Browser {
            callback,
            cookie: scan.browser_cookie.clone(),
        });
        let approach = Approach::Link(link.flow);
        session.follow();
        self.0.phones.ring(account, session, approach, browser);
        Ok(())
    }

    /// Checks a link as the app and the service do; the callback to return to.
    fn check_link(
        &self,
        session: &Session,
        link: &ScannedLink<'_>,
        scan: &Scan,
    ) -> Result<Option<String>, Problem> {
        let keys = session
            .link
            .as_ref()
            .ok_or_else(|| bad_link("the link's session has no device link"))?;
        if link.base != self.0.device_link_base {
            return Err(bad_link("the link does not begin with deviceLinkBase"));
        }
        if link.session_type != session.task.of_link().session_type() {
            return Err(bad_link("sessionType is not the session's"));
        }
        if let Some(seconds) = link.elapsed_seconds {
            self.check_age(session, seconds)?;
        }
        let asked = || session.task.callback().map(Into::into);
        let callback = scan.callback.clone().or_else(asked);
        let callback = callback.filter(|_| link.flow.is_same_device());
        let returns_to = callback.as_deref().unwrap_or_default();
        if !link.is_authentic(&keys.secret, &session.task, returns_to) {
            return Err(bad_link("authCode is wrong"));
        }
        Ok(callback)
    }

    fn check_age(&self, session: &Session, elapsed_seconds: u64) -> Result<(), Problem> {
        let age = self.0.clock.now().duration_since(session.created);
        let elapsed = i64::try_from(elapsed_seconds)
            .map(SignedDuration::from_secs)
            .map_err(|_| bad_link("elapsedSeconds is too large"))?;
        let behind =
            SignedDuration::try_from(self.0.timings.qr_tolerance).unwrap_or(SignedDuration::MAX);
        if elapsed > age.saturating_add(AHEAD) {
            return Err(bad_link("elapsedSeconds is ahead of the session's age"));
        }
        if age > elapsed.saturating_add(behind) {
            return Err(bad_link("the QR code is too old"));
        }
        Ok(())
    }
}

fn bad_link(detail: &str) -> Problem {
    Problem::bad_member("/deviceLink", detail)
}
