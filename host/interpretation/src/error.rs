//! Faults of a rules file.

use crate::endpoint::Endpoint;

/// A rules file that cannot be used.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum LibraryError {
    /// The file as a whole is invalid.
    #[error("rules {version}: {message}")]
    File {
        /// Version by the file's name.
        version: String,
        /// The fault, with its line if known.
        message: String,
    },
    /// An act is wrong.
    #[error("rules {version}, act {act}: {fault}")]
    Act {
        /// Version by the file's name.
        version: String,
        /// Key of the act, or its position if it has none.
        act: String,
        /// The fault.
        fault: ActFault,
    },
    /// A rule is wrong.
    #[error("rules {version}, rule {rule}: {fault}")]
    Rule {
        /// Version by the file's name.
        version: String,
        /// Id of the rule, or its position if it has none.
        rule: String,
        /// The fault.
        fault: RuleFault,
    },
}

/// A fault of an act.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActFault {
    /// A member is missing, unknown or of another type.
    #[error("{0}")]
    Member(String),
    /// The key occurs twice.
    #[error("the key occurs twice")]
    Duplicate,
    /// The title is empty, or has space around it, in a language.
    #[error("the title has no text in `{0}`")]
    Untitled(&'static str),
    /// The date is not one.
    #[error("`{0}` is not a date")]
    Date(String),
    /// The address is not one of a page.
    #[error("`{0}` is not an https address")]
    Address(String),
    /// `confirmed` is set where the confidence makes it redundant or useless.
    #[error("only what has confidence M can be confirmed")]
    Confirmed,
}

/// A fault of a rule.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleFault {
    /// A member is missing, unknown or of another type, or a pointer is invalid.
    #[error("{0}")]
    Member(String),
    /// The id is not words of a-z, digits and underscores, with dots between.
    #[error("the id is not lowercase words with dots between")]
    Id,
    /// The id occurs twice.
    #[error("the id occurs twice")]
    Duplicate,
    /// No endpoint is named.
    #[error("no endpoint is named")]
    NoEndpoint,
    /// An endpoint is named twice.
    #[error("endpoint {0:?} is named twice")]
    RepeatedEndpoint(Endpoint),
    /// The meaning is empty, or has space around it, in a language.
    #[error("the meaning has no text in `{0}`")]
    NoMeaning(&'static str),
    /// A citation names an act that is not in the file.
    #[error("there is no act `{0}`")]
    UnknownAct(String),
    /// A citation that would be served names no article and no point.
    #[error("a citation of {0} names no provision")]
    NoProvision(String),
    /// A part of a citation is empty or has space in it.
    #[error("`{0}` is not a number of a provision")]
    Provision(String),
    /// The rule would be served, but none of its citations.
    #[error("it would be served without any of its citations")]
    Uncited,
    /// A condition compares with nothing.
    #[error("a condition compares with no value")]
    NoValue,
    /// `confirmed` is set where the confidence makes it redundant or useless.
    #[error("only what has confidence M can be confirmed")]
    Confirmed,
    /// The qualifier is not another rule of the file.
    #[error("it is qualified by `{0}`, which is not another rule")]
    Qualifier(String),
}

/// Reason why a text is not a pointer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a pointer: it must be empty or begin with a slash, with `~` only before 0 or 1"
)]
pub struct PointerError(pub(crate) String);
