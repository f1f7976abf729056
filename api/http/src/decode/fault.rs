use std::cell::RefCell;

use schemars::JsonSchema;
use serde::Serialize;

/// Most faults that one answer lists. A body can hold millions of unknown
/// members, and naming each would make the answer larger than the body.
const MOST_FAULTS: usize = 1000;

/// One thing that is wrong with a request.
#[derive(Clone, Debug, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Fault {
    /// Where, as a JSON Pointer (RFC 6901) into the request body, or into the
    /// query read as a flat object.
    pub pointer: String,
    /// What is wrong there.
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

/// Where a value stands in the request: the index of each value on the way to
/// it. The order of positions is the order in which the request is read.
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
pub(crate) struct Faults(RefCell<Vec<(Position, Fault)>>);

impl Faults {
    pub(crate) fn note(&self, position: Position, pointer: String, detail: impl Into<String>) {
        let mut found = self.0.borrow_mut();
        if found.len() < MOST_FAULTS {
            found.push((position, Fault::new(pointer, detail)));
        }
    }

    /// All of them, as they stand in the request: the query's, then the body's.
    pub(crate) fn in_document_order(self) -> Vec<Fault> {
        let mut found = self.0.into_inner();
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        found.into_iter().map(|(_, fault)| fault).collect()
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
    fn a_flood_of_faults_is_cut() {
        let faults = Faults::default();
        for index in 0..MOST_FAULTS + 1 {
            faults.note(Position::body().child(index), String::new(), "");
        }
        assert_eq!(faults.in_document_order().len(), MOST_FAULTS);
    }
}
