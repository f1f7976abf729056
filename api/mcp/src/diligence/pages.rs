//! Long answers, paged by their lists.
//!
//! A page is not a call of the API. An answer with several pages is stored for a while. So all of
//! it is charged as one call, as over HTTP, and has one state of the data.

mod memory;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Map, Value, json};
use thiserror::Error;
use uuid::Uuid;

use self::memory::AnswersInMemory;

/// Number of entries of each list by default.
pub(super) const USUAL_LIMIT: usize = 20;
/// Most entries of each list.
pub(super) const HIGHEST_LIMIT: usize = 200;
/// Time for which an answer is stored.
pub const KEPT_FOR: Duration = Duration::from_secs(10 * 60);
/// Maximum size of one key's answers, so that no key evicts those of all others.
pub const MOST_BYTES_OF_KEY: usize = 8 * 1024 * 1024;

/// Owner of an answer: only the same key with the same question can read it again.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AnswerOwner {
    /// The API key.
    pub key: Uuid,
    /// The question, with the tool.
    pub question: String,
}

/// The answers cannot be reached.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Error)]
#[error("answers that are kept cannot be reached")]
pub struct AnswersAway;

/// Stores answers for [`KEPT_FOR`], for each key up to [`MOST_BYTES_OF_KEY`]. An implementation
/// shared by several hosts lets a cursor continue on any of them.
#[async_trait]
pub trait KeptAnswers: Send + Sync {
    /// Stores an answer and returns its id.
    ///
    /// # Errors
    /// The answer is not stored.
    async fn keep(&self, owner: &AnswerOwner, body: Bytes) -> Result<Uuid, AnswersAway>;

    /// The answer with this id, if it belongs to this owner and has not expired.
    ///
    /// # Errors
    /// The storage is unavailable.
    async fn find(&self, id: Uuid, owner: &AnswerOwner) -> Result<Option<Bytes>, AnswersAway>;
}

/// Answers with further pages.
pub(super) struct Pages(Arc<dyn KeptAnswers>);

/// Position in a stored answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Cursor {
    id: Uuid,
    offset: usize,
}

impl Cursor {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (id, offset) = text.rsplit_once('-')?;
        Some(Self {
            id: id.parse().ok()?,
            offset: offset.parse::<u32>().ok()?.try_into().ok()?,
        })
    }

    fn text(self) -> String {
        format!("{}-{}", self.id, self.offset)
    }
}

impl Pages {
    pub(super) fn kept_in_memory() -> Self {
        Self::kept_in(Arc::new(AnswersInMemory::default()))
    }

    pub(super) fn kept_in(answers: Arc<dyn KeptAnswers>) -> Self {
        Self(answers)
    }

    /// The answer of a cursor, for the same question of the same key; `None` beyond its end.
    pub(super) async fn find(
        &self,
        cursor: Cursor,
        owner: &AnswerOwner,
    ) -> Result<Option<Value>, AnswersAway> {
        let body = self.0.find(cursor.id, owner).await?;
        let answer = body.and_then(|body| serde_json::from_slice(&body).ok());
        Ok(answer.and_then(|mut answer| {
            let goes_on = cursor.offset < longest_list(&mut answer);
            goes_on.then_some(answer)
        }))
    }

    /// Stores an answer whose lists are longer than a page.
    pub(super) async fn keep(
        &self,
        owner: &AnswerOwner,
        body: &Value,
    ) -> Result<Cursor, AnswersAway> {
        let id = self.0.keep(owner, Bytes::from(body.to_string())).await?;
        Ok(Cursor { id, offset: 0 })
    }
}

/// Entries of the longest list of an answer.
pub(super) fn longest_list(answer: &mut Value) -> usize {
    let lengths = lists(answer).into_iter().map(|(_, list)| list.len());
    lengths.max().unwrap_or_default()
}

/// Cuts every list that is longer than a page to the entries from a cursor on, at most `limit`. Of
/// the interpretation, the items on these entries remain; items on no such entry are on the first
/// page. Describes in `page` the position and the length of each of these lists. Returns a text on
/// how to continue.
pub(super) fn cut(answer: &mut Value, cursor: Cursor, limit: usize) -> String {
    let Cursor { id, offset } = cursor;
    let total = longest_list(answer);
    let end = offset.saturating_add(limit);
    let mut totals = BTreeMap::new();
    for (path, list) in lists(answer) {
        let length = list.len();
        if length > limit || (offset > 0 && length > offset) {
            *list = list.drain(offset.min(length)..end.min(length)).collect();
            totals.insert(path, length);
        }
    }
    if let Some(items) = answer.pointer_mut("/interpretation/items")
        && let Some(items) = items.as_array_mut()
    {
        items.retain(|item| is_of_page(item, &totals, &(offset..end)));
    }
    let next = (end < total).then(|| Cursor { id, offset: end }.text());
    answer["page"] = json!({
        "offset": offset,
        "limit": limit,
        "total": total,
        "totals": totals,
        "nextCursor": next,
    });
    let last = end.min(total);
    let shown = format!(
        "Entries {} to {last} of {total}.",
        last.min(offset.saturating_add(1))
    );
    match next {
        Some(next) => format!(
            "{shown} More: call again with the same arguments and cursor {next:?}, free of charge, within {} minutes.",
            KEPT_FOR.as_secs() / 60
        ),
        None => shown,
    }
}

/// The lists of an answer's data, or of those of its sections, by their
/// pointers within `data`.
fn lists(answer: &mut Value) -> Vec<(String, &mut Vec<Value>)> {
    let mut found = Vec::new();
    let Some(data) = answer.get_mut("data").and_then(Value::as_object_mut) else {
        return found;
    };
    if !data.contains_key("sections") {
        lists_of(data, "", &mut found);
    } else if let Some(Value::Object(sections)) = data.get_mut("sections") {
        for (name, section) in sections {
            if let Some(Value::Object(data)) = section.get_mut("data") {
                lists_of(data, &format!("/sections/{name}/data"), &mut found);
            }
        }
    }
    found
}

fn lists_of<'a>(
    data: &'a mut Map<String, Value>,
    path: &str,
    found: &mut Vec<(String, &'a mut Vec<Value>)>,
) {
    for (name, member) in data {
        if let Value::Array(list) = member {
            found.push((format!("{path}/{name}"), list));
        }
    }
}

/// Returns true if an item of an interpretation is on an entry of this page, or, for the first
/// page, on none.
fn is_of_page(item: &Value, lists: &BTreeMap<String, usize>, page: &Range<usize>) -> bool {
    let pointer = item["pointer"].as_str().unwrap_or_default();
    let mut rests = lists
        .keys()
        .filter_map(|list| pointer.strip_prefix(list.as_str())?.strip_prefix('/'));
    let entry = rests.next().and_then(|rest| {
        let (index, _) = rest.split_once('/').unwrap_or((rest, ""));
        index.parse::<usize>().ok()
    });
    match entry {
        Some(entry) => page.contains(&entry),
        None => page.start == 0,
    }
}

/// Removes the statements of the Beneficial Ownership Data Standard.
pub(super) fn leave_out_bods(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.shift_remove("bods");
            members.values_mut().for_each(leave_out_bods);
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_bods),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Uuid = Uuid::from_u128(1);

    fn answer(acts: usize) -> Value {
        let acts: Vec<_> = (0..acts).map(|act| json!({"actId": act})).collect();
        let items = [json!({"pointer": ""}), json!({"pointer": "/acts/2/status"})];
        json!({"data": {"acts": acts, "few": [1]}, "interpretation": {"items": items}})
    }

    #[test]
    fn pages_have_every_entry_once_and_what_is_said_of_it() {
        let mut first = answer(3);
        let told = cut(&mut first, Cursor { id: KEY, offset: 0 }, 2);
        assert_eq!(first["data"]["acts"], json!([{"actId": 0}, {"actId": 1}]));
        assert_eq!(first["data"]["few"], json!([1]));
        let next = format!("{KEY}-2");
        assert_eq!(
            first["page"],
            json!({
                "offset": 0,
                "limit": 2,
                "total": 3,
                "totals": {"/acts": 3},
                "nextCursor": next,
            })
        );
        assert_eq!(first["interpretation"]["items"], json!([{"pointer": ""}]));
        assert!(
            told.contains("1 to 2 of 3") && told.contains(&next),
            "{told}"
        );

        let mut last = answer(3);
        let told = cut(&mut last, Cursor::parse(&next).unwrap(), 2);
        assert_eq!(last["data"]["acts"], json!([{"actId": 2}]));
        assert_eq!(last["data"]["few"], json!([1]), "it has one page");
        assert_eq!(last["page"]["nextCursor"], Value::Null);
        assert_eq!(
            last["interpretation"]["items"],
            json!([{"pointer": "/acts/2/status"}])
        );
        assert_eq!(told, "Entries 3 to 3 of 3.");
    }

    #[test]
    fn the_lists_of_a_report_are_cut_in_every_section() {
        let section = answer(3)["data"].take();
        let mut report = json!({"data": {"sections": {
            "seizures": {"status": "ok", "data": section},
            "cases": {"status": "no-data"},
        }}});
        cut(&mut report, Cursor { id: KEY, offset: 2 }, 2);
        let seizures = &report["data"]["sections"]["seizures"]["data"];
        assert_eq!(seizures["acts"], json!([{"actId": 2}]));
    }

    #[tokio::test]
    async fn a_cursor_from_beyond_the_end_leads_nowhere() {
        let pages = Pages::kept_in_memory();
        let owner = AnswerOwner {
            key: KEY,
            question: String::new(),
        };
        let Cursor { id, .. } = pages.keep(&owner, &answer(3)).await.unwrap();
        for (offset, is_there) in [(2, true), (3, false), (usize::MAX, false)] {
            let found = pages.find(Cursor { id, offset }, &owner).await.unwrap();
            assert_eq!(found.is_some(), is_there, "{offset}");
        }
        assert_eq!(Cursor::parse(&format!("{id}-18446744073709551615")), None);
    }
}
