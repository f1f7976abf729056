//! Ceremonies in the state named by the tokens of their links.

use std::sync::LazyLock;
use std::time::Duration;

use async_trait::async_trait;
use axum::body::{Body, Bytes, to_bytes};
use axum::response::Response;
use http::request::Builder;
use http::{Request, StatusCode};
use parafa_api_ceremony::{
    Attempt, AttemptError, AttemptFailure, CardApp, CardRequest, CardSignature, CeremonyApi,
    CeremonyView, Circumstances, ClosedLink, ClosedReason, Country, Document, EarlierSignatures,
    Face, Language, Member, MemberRole, PageContent, PageMembers, PairedCard, Phase, Progress,
    ShownDocument, Signer, SignerStatus, SigningMethod, StartAttempt, State, problems, router,
};
use parafa_api_http::{BaseUrl, HttpConfig, Problem, ProblemType};
use tower::ServiceExt;
use url::Url;

pub(crate) const ORIGIN: &str = "https://sign.example.lt";
/// Longest page that is read, in bytes.
const LONGEST: usize = 1 << 20;

/// Kind of link that a token stands for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Link {
    /// Open, for a signer who reads Lithuanian.
    Lithuanian,
    /// Open, for a signer who reads English.
    English,
    /// Link to a container.
    Container,
    /// To a container that cannot be read.
    Sealed,
    /// Open, while a signature is being made.
    Busy,
    /// Open, over records that cannot be read.
    Broken,
    /// Signed on.
    Signed,
}

/// Tokens of closed links, with the reason; all signers read English.
pub(crate) const CLOSED: [(&str, ClosedReason); 10] = [
    ("signed", ClosedReason::Signed),
    ("early", ClosedReason::NotYet { is_mailed: false }),
    ("mailed", ClosedReason::NotYet { is_mailed: true }),
    ("done", ClosedReason::Signed),
    ("declined", ClosedReason::Declined),
    ("refused", ClosedReason::DeclinedByAnother),
    ("cancelled", ClosedReason::Cancelled),
    ("expired", ClosedReason::Expired),
    ("failed", ClosedReason::Failed),
    ("simulated", ClosedReason::Simulated),
];

struct Desk;

fn face() -> Face {
    Face {
        registered_name: "Pavyzdys".to_owned(),
        ..Face::default()
    }
}

#[async_trait]
impl CeremonyApi for Desk {
    type Link = Link;

    fn card_app(&self) -> Option<&CardApp> {
        static APP: LazyLock<CardApp> = LazyLock::new(|| CardApp {
            name: "Skaitytuvas".to_owned(),
            url_ios: Some("https://apps.example/ios".to_owned()),
            url_android: None,
        });
        Some(&APP)
    }

    async fn find(&self, token: &str) -> Result<Link, Problem> {
        match token {
            "lithuanian" => Ok(Link::Lithuanian),
            "english" => Ok(Link::English),
            "container" => Ok(Link::Container),
            "sealed" => Ok(Link::Sealed),
            "busy" => Ok(Link::Busy),
            "broken" => Ok(Link::Broken),
            "unread" => Err(Problem::of(ProblemType::UNAVAILABLE)),
            "signed" => Ok(Link::Signed),
            _ => Err(Problem::not_found()),
        }
    }

    async fn closed(&self, token: &str) -> Result<Option<ClosedLink>, Problem> {
        let closed = CLOSED.iter().find(|(closed, _)| *closed == token);
        let language = Language::En;
        Ok(closed.map(|(_, reason)| ClosedLink {
            reason: *reason,
            language,
        }))
    }

    fn is_open(&self, link: &Link) -> bool {
        *link != Link::Signed
    }

    fn language(&self, link: &Link) -> Result<Language, Problem> {
        Ok(match link {
            Link::Lithuanian => Language::Lt,
            _ => Language::En,
        })
    }

    fn person(&self, _: Country, code: &str) -> Option<String> {
        Some(code.to_owned())
    }

    async fn page(&self, link: Link) -> Result<PageContent, Problem> {
        let members = match link {
            Link::Broken => return Err(Problem::of(ProblemType::UNAVAILABLE)),
            Link::Container => PageMembers::Known(members()),
            Link::Sealed => PageMembers::Unknown,
            _ => PageMembers::DocumentItself,
        };
        Ok(PageContent {
            face: face(),
            title: "Sutartis".to_owned(),
            document_name: "sutartis.pdf".to_owned(),
            document_mime_type: match members {
                PageMembers::DocumentItself => "application/pdf".to_owned(),
                _ => "application/vnd.etsi.asic-e+zip".to_owned(),
            },
            document_sha256: "00".to_owned(),
            wanted_by: None,
            expires_at: "2026-03-15T09:00:00Z".parse().expect("a time"),
            methods: vec![
                SigningMethod::SmartId,
                SigningMethod::MobileId,
                SigningMethod::Nfc,
            ],
            sandbox: false,
            has_scripts: false,
            earlier_signatures: EarlierSignatures::Unknown,
            members,
            subject_notice: None,
            copy_until: None,
            progress: Progress::default(),
        })
    }

    async fn face(&self, _: Link) -> Result<Face, Problem> {
        Ok(face())
    }

    async fn logo(&self, _: Link) -> Result<Bytes, Problem> {
        Err(Problem::not_found())
    }

    async fn document(&self, _: Link) -> Result<ShownDocument, Problem> {
        Ok(document())
    }

    async fn members(&self, _: Link) -> Result<Vec<Member>, Problem> {
        Ok(members())
    }

    async fn member(&self, _: Link, id: &str) -> Result<ShownDocument, Problem> {
        Ok(match id {
            "png" => file("image/png", b"<html>"),
            "svg" => file("image/svg+xml", b"<svg>"),
            _ => document(),
        })
    }

    async fn state(&self, link: Link) -> Result<State, Problem> {
        Ok(State {
            signing: CeremonyView {
                title: "Sutartis".to_owned(),
                tenant: "Pavyzdys".to_owned(),
                display_name: None,
                expires_at: "2026-03-15T09:00:00Z".parse().expect("a time"),
                sandbox: None,
            },
            signer: Signer {
                name: None,
                language: self.language(&link)?,
                methods_allowed: vec![SigningMethod::SmartId],
                countries: Country::offered(false),
                status: SignerStatus::Pending,
            },
            document: Document {
                name: "sutartis.pdf".to_owned(),
                sha256: "00".to_owned(),
                bytes: 4,
                mime_type: "application/pdf".to_owned(),
            },
            attempt: Some(Attempt {
                method: SigningMethod::SmartId,
                phase: Phase::Failed,
                verification_code: None,
                device_link: None,
                pairing: None,
                error: Some(AttemptError::new(
                    AttemptFailure::UserRefused,
                    Circumstances {
                        method: SigningMethod::SmartId,
                        is_locked: false,
                    },
                    self.language(&link)?,
                )),
            }),
            busy: None,
            busy_until: None,
        })
    }

    async fn await_state(
        &self,
        token: &str,
        _: Duration,
        _: Option<&str>,
    ) -> Result<(State, String), Problem> {
        let link = self.find(token).await?;
        Ok((self.state(link).await?, "1".to_owned()))
    }

    async fn start_attempt(&self, _: Link, _: StartAttempt) -> Result<(), Problem> {
        Ok(())
    }

    async fn give_up(&self, _: Link) -> Result<(), Problem> {
        Ok(())
    }

    async fn return_from_app(&self, link: Link, _: &str, _: &str) -> Result<(), Problem> {
        match link {
            Link::Signed => Err(Problem::not_found()),
            _ => Ok(()),
        }
    }

    async fn pair(&self, _: &str) -> Result<PairedCard, Problem> {
        Err(Problem::not_found())
    }

    async fn find_paired(&self, _: &str) -> Result<Link, Problem> {
        Err(Problem::not_found())
    }

    async fn card_certificate(&self, _: Link, _: Vec<u8>) -> Result<CardRequest, Problem> {
        Err(Problem::not_found())
    }

    async fn card_complete(&self, _: Link, _: CardSignature) -> Result<Attempt, Problem> {
        Err(Problem::not_found())
    }

    async fn decline(&self, link: Link, _: Option<String>) -> Result<State, Problem> {
        match link {
            Link::Busy => Err(Problem::of(problems::SIGNING_IN_PROGRESS)),
            Link::Broken => Err(Problem::of(ProblemType::UNAVAILABLE)),
            link => self.state(link).await,
        }
    }
}

fn members() -> Vec<Member> {
    let member = |id: &str, name: &str, mime_type: &str, role| Member {
        id: id.to_owned(),
        name: name.to_owned(),
        mime_type: mime_type.to_owned(),
        bytes: 4,
        sha256: "00".to_owned(),
        role,
    };
    vec![
        member("a", "Sutartis.pdf", "application/pdf", MemberRole::Main),
        member(
            "b",
            "Kainos.xlsx",
            "application/zip",
            MemberRole::Attachment,
        ),
        member("png", "A/Planas.png", "image/png", MemberRole::Attachment),
    ]
}

fn document() -> ShownDocument {
    file("application/pdf", b"%PDF")
}

fn file(media_type: &str, content: &'static [u8]) -> ShownDocument {
    ShownDocument {
        bytes: content.len() as u64,
        file_name: "sutartis.pdf".to_owned(),
        media_type: media_type.to_owned(),
        content: Box::pin(async move { Ok(Body::from(content)) }),
    }
}

pub(crate) async fn answer(request: Builder, body: &str) -> Response {
    let request = request.body(Body::from(body.to_owned()));
    let config = HttpConfig::new(BaseUrl::new(&Url::parse(ORIGIN).expect("an address")));
    let answer = router(Desk, &config, ORIGIN).oneshot(request.expect("a request"));
    answer.await.expect("an answer")
}

/// Answer to a browser that requests a page.
pub(crate) async fn page(path: &str) -> (StatusCode, String) {
    let request = Request::get(path).header("accept", "text/html");
    text(answer(request, "").await).await
}

pub(crate) async fn text(answer: Response) -> (StatusCode, String) {
    let status = answer.status();
    let body = to_bytes(answer.into_body(), LONGEST).await.expect("a body");
    (status, String::from_utf8(body.to_vec()).expect("text"))
}
