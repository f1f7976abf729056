//! Long answers, a page of their lists at a time.
//!
//! A page is no call of the API of its own: an answer that has more than one is
//! kept for a while, so that all of it costs what it costs over HTTP, and is of
//! one moment.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value, json};
use tokio::time::Instant;
use uuid::Uuid;

/// Entries of each list where the caller does not say.
pub(super) const USUAL_LIMIT: usize = 20;
/// Most entries of each list.
pub(super) const HIGHEST_LIMIT: usize = 200;
/// How long an answer is kept.
pub(super) const KEPT_FOR: Duration = Duration::from_secs(10 * 60);
/// Bytes of all answers that are kept; the oldest go first.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// Answers with pages to come, in the order in which they go.
#[derive(Default)]
pub(super) struct Pages(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    answers: VecDeque<KeptAnswer>,
    bytes: usize,
    next_id: u64,
}

struct KeptAnswer {
    id: u64,
    key: Uuid,
    question: String,
    body: Bytes,
    until: Instant,
}

/// Where an answer goes on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Cursor {
    id: u64,
    offset: usize,
}

impl Cursor {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (id, offset) = text.split_once('-')?;
        Some(Self {
            id: id.parse().ok()?,
            offset: offset.parse().ok()?,
        })
    }

    fn text(self) -> String {
        format!("{}-{}", self.id, self.offset)
    }
}

impl Pages {
    /// The answer that a cursor goes on in, to the same question of the same
    /// key.
    pub(super) fn find(&self, cursor: Cursor, key: Uuid, question: &str) -> Option<Value> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.forget(0, Instant::now());
        let answer = kept.answers.iter().find(|answer| answer.id == cursor.id)?;
        let body =
            (answer.key == key && answer.question == question).then(|| answer.body.clone())?;
        drop(kept);
        serde_json::from_slice(&body).ok()
    }

    /// Keeps an answer whose lists are longer than a page.
    pub(super) fn keep(&self, key: Uuid, question: String, body: &Value) -> Cursor {
        let body = Bytes::from(body.to_string());
        let now = Instant::now();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.forget(body.len(), now);
        let id = kept.next_id;
        kept.next_id += 1;
        kept.bytes += body.len();
        kept.answers.push_back(KeptAnswer {
            id,
            key,
            question,
            body,
            until: now + KEPT_FOR,
        });
        Cursor { id, offset: 0 }
    }
}

impl Kept {
    /// Drops answers whose time is over, and those without which `more` bytes
    /// have no room.
    fn forget(&mut self, more: usize, now: Instant) {
        while let Some(oldest) = self.answers.front()
            && (oldest.until <= now || self.bytes + more > MOST_BYTES)
        {
            self.bytes -= oldest.body.len();
            self.answers.pop_front();
        }
    }
}

/// Entries of the longest list of an answer.
pub(super) fn longest_list(answer: &mut Value) -> usize {
    let lengths = lists(answer).into_iter().map(|(_, list)| list.len());
    lengths.max().unwrap_or_default()
}

/// Leaves of every list the entries from a cursor on, at most `limit`, and of
/// the interpretation what is about them; what is about no entry stands on the
/// first page. Says in `page` where it is, and in words how to go on.
pub(super) fn cut(answer: &mut Value, cursor: Cursor, limit: usize) -> String {
    let Cursor { id, offset } = cursor;
    let total = longest_list(answer);
    let end = offset.saturating_add(limit);
    let mut paths = Vec::new();
    for (path, list) in lists(answer) {
        let page = offset.min(list.len())..end.min(list.len());
        *list = list.drain(page).collect();
        paths.push(path);
    }
    if let Some(items) = answer.pointer_mut("/interpretation/items")
        && let Some(items) = items.as_array_mut()
    {
        items.retain(|item| is_of_page(item, &paths, &(offset..end)));
    }
    let next = (end < total).then(|| Cursor { id, offset: end }.text());
    answer["page"] = json!({
        "offset": offset,
        "limit": limit,
        "total": total,
        "nextCursor": next,
    });
    let last = end.min(total);
    let shown = format!("Entries {} to {last} of {total}.", last.min(offset + 1));
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
            found.push((format!("{path}/{name}/"), list));
        }
    }
}

/// Whether an item of an interpretation is about an entry of this page, or,
/// on the first one, about none.
fn is_of_page(item: &Value, lists: &[String], page: &Range<usize>) -> bool {
    let pointer = item["pointer"].as_str().unwrap_or_default();
    let mut rests = lists
        .iter()
        .filter_map(|list| pointer.strip_prefix(list.as_str()));
    let entry = rests.next().and_then(|rest| {
        let (index, _) = rest.split_once('/').unwrap_or((rest, ""));
        index.parse::<usize>().ok()
    });
    match entry {
        Some(entry) => page.contains(&entry),
        None => page.start == 0,
    }
}

/// Takes the statements of the Beneficial Ownership Data Standard out.
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
        let told = cut(&mut first, Cursor { id: 7, offset: 0 }, 2);
        assert_eq!(first["data"]["acts"], json!([{"actId": 0}, {"actId": 1}]));
        assert_eq!(first["data"]["few"], json!([1]));
        assert_eq!(
            first["page"],
            json!({"offset": 0, "limit": 2, "total": 3, "nextCursor": "7-2"})
        );
        assert_eq!(first["interpretation"]["items"], json!([{"pointer": ""}]));
        assert!(
            told.contains("1 to 2 of 3") && told.contains("7-2"),
            "{told}"
        );

        let mut last = answer(3);
        let told = cut(&mut last, Cursor::parse("7-2").unwrap(), 2);
        assert_eq!(last["data"]["acts"], json!([{"actId": 2}]));
        assert_eq!(last["data"]["few"], json!([]));
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
        cut(&mut report, Cursor { id: 0, offset: 2 }, 2);
        let seizures = &report["data"]["sections"]["seizures"]["data"];
        assert_eq!(seizures["acts"], json!([{"actId": 2}]));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_is_kept_for_its_key_and_question_and_for_a_while() {
        let pages = Pages::default();
        let cursor = pages.keep(KEY, "/a".to_owned(), &answer(3));
        assert_eq!(pages.find(cursor, KEY, "/a"), Some(answer(3)));
        assert_eq!(pages.find(cursor, Uuid::nil(), "/a"), None);
        assert_eq!(pages.find(cursor, KEY, "/b"), None);

        tokio::time::advance(KEPT_FOR).await;
        assert_eq!(pages.find(cursor, KEY, "/a"), None);
        assert_eq!(pages.0.lock().unwrap().bytes, 0);
    }

    #[test]
    fn the_oldest_answers_make_room() {
        let pages = Pages::default();
        let long = Value::from("x".repeat(MOST_BYTES / 2));
        let cursors = [0; 3].map(|_| pages.keep(KEY, String::new(), &long));
        let kept = cursors.map(|cursor| pages.find(cursor, KEY, "").is_some());
        assert_eq!(kept, [false, false, true]);
    }
}
