//! What callers ask for, parsed: a value of these types has passed every check
//! that needs nothing but the request.

mod create_signing;
mod list_query;
mod new_signer;
mod source;

pub use create_signing::CreateSigning;
pub use list_query::ListQuery;
pub use new_signer::{NewSigner, Party, PersonalCode};
pub use source::{ContainerFile, DocumentBytes, NewContainer, NewDocument, Source};
