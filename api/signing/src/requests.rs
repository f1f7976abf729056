//! Parsed requests of callers: a value of these types has passed every check that needs only the
//! request.

mod create_batch;
mod create_signing;
mod evidence_query;
mod limits;
mod list_query;
mod new_comment;
mod new_file;
mod new_signer;
mod rules;
mod simulation;
mod source;
mod terms;
mod updates;

pub use create_batch::CreateBatch;
pub use create_signing::CreateSigning;
pub use evidence_query::EvidenceQuery;
pub use list_query::ListQuery;
pub use new_comment::NewComment;
pub use new_file::NewFile;
pub use new_signer::{NewSigner, Party, PersonalCode};
pub(crate) use rules::Rules;
pub use simulation::Simulation;
pub use source::{ContainerFile, DocumentBytes, NewContainer, NewDocument, Source};
pub use terms::Terms;
pub use updates::{BulkErasure, UpdateDeadline, UpdateSigner};
