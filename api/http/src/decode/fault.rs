use std::cell::{Cell, RefCell};

use schemars::JsonSchema;
use serde::Serialize;

/// Maximum number of faults that an answer lists; it gives the number of further ones. A body can
/// have millions of unknown members, and naming each would make the answer larger than the body.
const MOST_FAULTS: usize = 1000;

/// A fault of a request.
#[derive(Clone, Debug, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Fault {
    /// The place, as a JSON Pointer (RFC 6901) into the request body, or into the query read as a
    /// flat object.
    pub pointer: String,
    /// The fault at that place.
    pub detail: String,
}

impl Fault {
    /// A fault at a pointer.
    #[must_use]
    pub fn new(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            detail: detail.into(),
        }
    }
}

/// Appends a reference token to a pointer (RFC 6901, 3 and 4).
#[must_use]
pub fn append(pointer: &str, token: &str) -> String {
    format!("{pointer}/{}", token.replace('~', "~0").replace('/', "~1"))
}

/// Position of a value in the request: the index of each value on the way to it. Positions are
/// ordered as the request is read.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Position(Vec<usize>);

impl Position {
    const QUERY_INDEX: usize = 0;
    const BODY_INDEX: usize = 1;
    /// After every member that is there.
    const MISSING_INDEX: usize = usize::MAX;

    /// Before all parameters.
    pub(crate) fn headers() -> Self {
        Self::query()
    }

    pub(crate) fn query() -> Self {
        Self(vec![Self::QUERY_INDEX])
    }

    pub(crate) fn body() -> Self {
        Self(vec![Self::BODY_INDEX])
    }

    pub(crate) fn child(&self, index: usize) -> Self {
        let mut path = self.0.clone();
        path.push(index);
        Self(path)
    }

    pub(crate) fn missing_child(&self) -> Self {
        self.child(Self::MISSING_INDEX)
    }
}

/// The faults found so far.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    listed: RefCell<Vec<(Position, Fault)>>,
    /// Number of faults beyond those.
    more: Cell<usize>,
}

impl Faults {
    pub(crate) fn note(&self, position: Position, pointer: String, detail: impl Into<String>) {
        let mut listed = self.listed.borrow_mut();
        if listed.len() < MOST_FAULTS {
            listed.push((position, Fault::new(pointer, detail)));
        } else {
            self.more.set(self.more.get() + 1);
        }
    }

    /// Number of faults.
    pub(super) fn count(&self) -> usize {
        self.listed.borrow().len() + self.more.get()
    }

    /// All faults in the order of the request: the query's, then the body's. A last one, of the
    /// whole request, gives the number of those that are not listed.
    pub(crate) fn in_document_order(self) -> Vec<Fault> {
        let mut listed = self.listed.into_inner();
        listed.sort_by(|(one, _), (other, _)| one.cmp(other));
        let more = Some(self.more.get()).filter(|more| *more > 0);
        let more = more.map(|more| Fault::new("", format!("has more faults like these: {more}")));
        let listed = listed.into_iter().map(|(_, fault)| fault);
        listed.chain(more).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_tokens_are_escaped() {
        assert_eq!(append("/a", "m~n/o"), "/a/m~0n~1o");
        assert_eq!(append("", ""), "/");
    }

    #[test]
    fn faults_come_in_the_order_of_the_document() {
        let faults = Faults::default();
        let body = Position::body();
        faults.note(body.missing_child(), "/missing".to_owned(), "");
        faults.note(body.child(1).child(0), "/b/0".to_owned(), "");
        faults.note(body.child(1), "/b".to_owned(), "");
        faults.note(body.child(0).missing_child(), "/a/missing".to_owned(), "");
        faults.note(Position::query().child(3), "/q".to_owned(), "");
        let pointers: Vec<_> = faults
            .in_document_order()
            .into_iter()
            .map(|fault| fault.pointer)
            .collect();
        assert_eq!(pointers, ["/q", "/a/missing", "/b", "/b/0", "/missing"]);
    }

    #[test]
    fn a_flood_of_faults_is_cut_and_the_rest_is_counted() {
        let faults = Faults::default();
        for index in 0..MOST_FAULTS + 2 {
            faults.note(Position::body().child(index), String::new(), "");
        }
        let listed = faults.in_document_order();
        assert_eq!(listed.len(), MOST_FAULTS + 1);
        let last = Fault::new("", "has more faults like these: 2");
        assert_eq!(listed.last(), Some(&last));
    }
}
