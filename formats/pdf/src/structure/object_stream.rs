//! Object streams (ISO 32000-2, 7.5.7).

use std::cell::Cell;
use std::ops::Range;

use super::budget::Budget;
use super::dictionary::RawDictionary;
use super::scan::Scanner;
use super::scan_error::ScanError;

/// Error in a decoded object stream.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ObjectStreamError {
    /// Members that overlap, are out of order or exceed the stream.
    #[error("the member {0} is not where the stream says")]
    Member(usize),
    /// A member or the member list cannot be scanned.
    #[error("its content cannot be read")]
    Scan(#[from] ScanError),
    /// Invalid `/Type`, `/N` or `/First`.
    #[error("the entry /{0} is missing or not usable")]
    Entry(&'static str),
}

/// A decoded object stream.
#[derive(Debug)]
pub(crate) struct ObjectStream {
    content: Vec<u8>,
    members: Vec<Member>,
}

#[derive(Debug)]
struct Member {
    number: u32,
    span: Range<usize>,
    /// Memory charged for scanning it.
    taken: usize,
    was_read: Cell<bool>,
}

impl ObjectStream {
    /// Parses the members of a decoded stream.
    pub(crate) fn parse(
        dictionary: &RawDictionary<'_>,
        content: Vec<u8>,
        budget: &mut Budget,
    ) -> Result<Self, ObjectStreamError> {
        let entry = |key: &'static str| {
            let value = dictionary
                .unsigned(key.as_bytes())
                .and_then(|value| usize::try_from(value).ok());
            value.ok_or(ObjectStreamError::Entry(key))
        };
        let first = entry("First")?;
        let count = entry("N")?;
        let header = content
            .get(..first)
            .ok_or(ObjectStreamError::Entry("First"))?;
        let offsets = offsets(header, first, count)?;
        let members =
            budget.in_object_stream(content.len(), |budget| members(&content, &offsets, budget))?;
        Ok(Self { content, members })
    }

    /// Returns object number and source of a member.
    pub(crate) fn member(&self, index: u32) -> Option<(u32, &[u8])> {
        let member = self.find(index)?;
        Some((member.number, self.content.get(member.span.clone())?))
    }

    /// Charges reading a member again; parsing has charged its first read.
    pub(crate) fn take_member(&self, index: u32, budget: &mut Budget) -> Result<(), ScanError> {
        match self.find(index) {
            Some(member) if member.was_read.replace(true) => budget.take_again(member.taken),
            _ => Ok(()),
        }
    }

    /// Returns the highest object number among the members.
    pub(crate) fn highest_number(&self) -> u32 {
        self.members
            .iter()
            .map(|member| member.number)
            .max()
            .unwrap_or(0)
    }

    fn find(&self, index: u32) -> Option<&Member> {
        self.members.get(usize::try_from(index).ok()?)
    }
}

/// Returns the members at these offsets; each ends where the next begins.
fn members(
    content: &[u8],
    offsets: &[(u32, usize)],
    budget: &mut Budget,
) -> Result<Vec<Member>, ObjectStreamError> {
    let mut members = Vec::with_capacity(offsets.len());
    for (index, (number, start)) in offsets.iter().enumerate() {
        let end = offsets
            .get(index + 1)
            .map_or(content.len(), |(_, next)| *next);
        let member = content
            .get(..end)
            .filter(|_| *start < end)
            .ok_or(ObjectStreamError::Member(index))?;
        let mut scanner = Scanner::new(member, *start);
        let (span, taken) = budget.measure(|budget| scanner.value(budget))?;
        scanner.skip_blanks();
        // Nuance PDF Create 8 ends members like objects of the file.
        if scanner.accept(b"endobj") {
            scanner.skip_blanks();
        }
        if scanner.position() != end {
            return Err(ObjectStreamError::Member(index));
        }
        members.push(Member {
            number: *number,
            span,
            taken,
            was_read: Cell::new(false),
        });
    }
    Ok(members)
}

fn offsets(
    header: &[u8],
    first: usize,
    count: usize,
) -> Result<Vec<(u32, usize)>, ObjectStreamError> {
    let mut scanner = Scanner::new(header, 0);
    let mut offsets = Vec::new();
    for index in 0..count {
        let number =
            u32::try_from(scanner.unsigned()?).map_err(|_| ObjectStreamError::Member(index))?;
        let offset = usize::try_from(scanner.unsigned()?)
            .ok()
            .and_then(|offset| first.checked_add(offset));
        offsets.push((number, offset.ok_or(ObjectStreamError::Member(index))?));
    }
    match scanner.token()? {
        None => Ok(offsets),
        Some(_) => Err(ObjectStreamError::Entry("N")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn parse(dictionary: &[u8], content: &[u8]) -> Result<ObjectStream, ObjectStreamError> {
        let dictionary = RawDictionary::scan(dictionary).unwrap();
        ObjectStream::parse(
            &dictionary,
            content.to_vec(),
            &mut Budget::new(&Limits::default()),
        )
    }

    #[test]
    fn members_are_found_by_their_index() {
        let stream = parse(b"<</N 2/First 8>>", b"7 0 9 9 <</A 1>> (x)").unwrap();

        assert_eq!(stream.member(0), Some((7, &b"<</A 1>>"[..])));
        assert!(stream.member(2).is_none());
        assert_eq!(stream.highest_number(), 9);
    }

    #[test]
    fn members_that_are_read_again_and_again_count_each_time() {
        let limits = Limits::default();
        let items = "0 ".repeat(200_000);
        let stream = parse(b"<</N 1/First 4>>", format!("7 0 [{items}]").as_bytes()).unwrap();
        let mut budget = Budget::new(&limits);

        let reads = (0..100).take_while(|_| stream.take_member(0, &mut budget).is_ok());

        // Reads within the budget, and the first, which is free.
        assert_eq!(
            reads.count(),
            limits.loaded_bytes / stream.members[0].taken + 1
        );
    }

    #[test]
    fn a_count_that_is_not_the_number_of_members_is_refused() {
        assert!(matches!(
            parse(b"<</N 1/First 8>>", b"7 0 9 9 <</A 1>> (x)"),
            Err(ObjectStreamError::Entry("N"))
        ));
        assert!(parse(b"<</N 3/First 8>>", b"7 0 9 9 <</A 1>> (x)").is_err());
    }

    #[test]
    fn a_member_may_end_with_the_keyword_of_an_object() {
        let stream = parse(
            b"<</N 2/First 9>>",
            b"7 0 9 15 <</A 1>>endobj (x)\nendobj\n",
        )
        .unwrap();

        assert_eq!(stream.member(0), Some((7, &b"<</A 1>>"[..])));
        assert_eq!(stream.member(1), Some((9, &b"(x)"[..])));
        for content in ["(x)endobj(y)", "(x)endobjs", "(x)endobj endobj", "endobj"] {
            let content = format!("7 0 {content}");
            assert!(
                parse(b"<</N 1/First 4>>", content.as_bytes()).is_err(),
                "{content}"
            );
        }
    }

    #[test]
    fn members_that_go_backwards_are_refused() {
        assert!(parse(b"<</N 2/First 8>>", b"7 4 9 0 (x) (y)").is_err());
    }
}
