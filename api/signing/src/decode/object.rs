use std::borrow::Cow;

use super::Node;
use super::json::Json;

/// The members of an object, of which some have been asked for.
pub(crate) struct Object<'j> {
    node: Node<'j>,
    members: &'j [(Cow<'j, str>, Json<'j>)],
    known: Vec<&'static str>,
}

impl<'j> Object<'j> {
    pub(super) fn new(node: Node<'j>, members: &'j [(Cow<'j, str>, Json<'j>)]) -> Self {
        Self {
            node,
            members,
            known: Vec::new(),
        }
    }

    /// A member that may be left out.
    pub(crate) fn optional(&mut self, name: &'static str) -> Option<Node<'j>> {
        self.known.push(name);
        let mut found = self
            .members
            .iter()
            .enumerate()
            .filter(|(_, (member, _))| member == name);
        let first = found
            .next()
            .map(|(index, (_, json))| self.node.child(json, name, index));
        for (index, (_, json)) in found {
            self.node
                .child(json, name, index)
                .fault("must not appear twice");
        }
        first
    }

    /// A member that must be there.
    pub(crate) fn required(&mut self, name: &'static str) -> Option<Node<'j>> {
        let member = self.optional(name);
        if member.is_none() {
            self.node.fault_of_missing(name, "is required");
        }
        member
    }

    /// Exactly one of two members. Neither and both are faults of the first.
    pub(crate) fn either(
        &mut self,
        first: &'static str,
        second: &'static str,
    ) -> Option<Either<'j>> {
        match (self.optional(first), self.optional(second)) {
            (Some(node), None) => Some(Either::First(node)),
            (None, Some(node)) => Some(Either::Second(node)),
            (Some(node), Some(other)) => {
                node.fault(format!("must not be given together with {second}"));
                Some(Either::Both(node, other))
            }
            (None, None) => {
                self.node
                    .fault_of_missing(first, format!("is required, unless {second} is given"));
                None
            }
        }
    }

    pub(super) fn refuse_unknown(&self) {
        for (index, (name, json)) in self.members.iter().enumerate() {
            if !self.known.contains(&name.as_ref()) {
                self.node
                    .child(json, name, index)
                    .fault("is not a known member");
            }
        }
    }
}

/// Which of two members there is.
pub(crate) enum Either<'j> {
    First(Node<'j>),
    Second(Node<'j>),
    /// A fault already; both are there to be looked at for more.
    Both(Node<'j>, Node<'j>),
}
