//! The operations of the API: one table feeds the routes and the OpenAPI
//! document.

mod table;

use http::{Method, StatusCode};

use crate::api::Access;
use crate::problem::ProblemKind;

/// One call of the API.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Operation {
    ListSignings,
    CreateSigning,
    ReadSigning,
    UpdateDeadline,
    EraseSigning,
    EraseEndedSignings,
    CancelSigning,
    DownloadDocument,
    ArchiveSigning,
    SimulateOutcome,
    AddSigner,
    UpdateSigner,
    RemoveSigner,
    RemindSigner,
    CreateBatch,
    ReadBatch,
    StoreFile,
    ReadFile,
    DeleteFile,
    ListComments,
    AddComment,
}

/// What an operation takes and answers.
pub(crate) struct Contract {
    pub(crate) method: Method,
    /// With the names of its parameters in braces.
    pub(crate) path: &'static str,
    pub(crate) id: &'static str,
    pub(crate) tag: Tag,
    pub(crate) summary: &'static str,
    pub(crate) description: &'static str,
    pub(crate) body: Body,
    pub(crate) answer: Answer,
    /// Those that are not every operation's.
    pub(crate) refusals: &'static [ProblemKind],
}

/// What an operation is about.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Tag {
    Signings,
    Signers,
    Batches,
    Files,
    Comments,
}

/// The body of a request. Schemas are named as in the OpenAPI document.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Body {
    /// The method has none.
    None,
    /// Nothing, or an object without members.
    Nothing,
    /// Nothing, or what the schema says.
    Optional(&'static str),
    /// What the schema says.
    Required(&'static str),
}

/// The answer to a request that was carried out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Answer {
    /// 200 with what the schema says.
    Json(&'static str),
    /// 201 with what the schema says; repetitions with the same
    /// `Idempotency-Key` get the same answer.
    Created(&'static str),
    /// 200 with a document.
    Document,
    /// 204.
    Empty,
}

impl Operation {
    /// Who may call it.
    pub(crate) fn access(self) -> Access {
        Access::of(&self.contract().method)
    }

    /// Whether a repetition can be told by its `Idempotency-Key`.
    pub(crate) fn creates(self) -> bool {
        matches!(self.contract().answer, Answer::Created(_))
    }

    /// Whether production keys are refused.
    pub(crate) fn is_for_sandbox_only(self) -> bool {
        self == Self::SimulateOutcome
    }

    /// Whether it still answers on a signing whose content was erased.
    pub(crate) fn answers_on_erased(self) -> bool {
        matches!(
            self,
            Self::ReadSigning
                | Self::UpdateDeadline
                | Self::EraseSigning
                | Self::SimulateOutcome
                | Self::ListComments
        )
    }

    /// The problems that it may answer, without repetition, by status.
    pub(crate) fn problems(self) -> Vec<ProblemKind> {
        let contract = self.contract();
        let mut problems = vec![
            ProblemKind::ValidationFailed,
            ProblemKind::Unauthorized,
            ProblemKind::RateLimited,
            ProblemKind::Unavailable,
        ];
        if self.access() == Access::Write {
            problems.push(ProblemKind::Forbidden);
        }
        if contract.path.contains('{') {
            problems.push(ProblemKind::NotFound);
        }
        if contract.body != Body::None {
            problems.extend([
                ProblemKind::RequestTimeout,
                ProblemKind::PayloadTooLarge,
                ProblemKind::UnsupportedMediaType,
            ]);
        }
        if self.creates() {
            problems.extend([
                ProblemKind::IdempotencyInProgress,
                ProblemKind::IdempotencyKeyReused,
            ]);
        }
        problems.extend(contract.refusals);
        problems.sort_by_key(|kind| (kind.status(), *kind));
        problems.dedup();
        problems
    }
}

impl Answer {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::Json(_) | Self::Document => StatusCode::OK,
            Self::Created(_) => StatusCode::CREATED,
            Self::Empty => StatusCode::NO_CONTENT,
        }
    }
}

impl Tag {
    pub(crate) const ALL: [Self; 5] = [
        Self::Signings,
        Self::Signers,
        Self::Batches,
        Self::Files,
        Self::Comments,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Signings => "Signings",
            Self::Signers => "Signers",
            Self::Batches => "Batches",
            Self::Files => "Files",
            Self::Comments => "Comments",
        }
    }

    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Signings => {
                "Get a document in front of the right people, and learn what they did."
            }
            Self::Signers => "The parties of a signing.",
            Self::Batches => "Several documents for one set of parties, each signed on its own.",
            Self::Files => "Documents that are stored once and used in several signings.",
            Self::Comments => "The caller's own audit trail; signers never see it.",
        }
    }
}
