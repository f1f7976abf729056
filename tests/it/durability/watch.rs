//! The sequence of a running server's changes to its data folder and its answers, observed by
//! `strace`.

use std::collections::{BTreeSet, HashMap};
use std::io::Read;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::support::strace::Strace;

/// Every system call by which the server writes, moves, removes or syncs files, or answers callers.
/// Calls that an architecture lacks are left out.
const CALLS: &str = "write,pwrite64,writev,pwritev,sendto,sendmsg,?rename,?renameat,renameat2,\
    ?unlink,unlinkat,fsync,fdatasync";
/// The log of the records.
pub(super) const RECORDS: &str = "store/db";
/// The folder of documents.
pub(super) const BYTES: &str = "bytes";
/// The folder of data keys.
pub(super) const KEYS: &str = "keys";
/// Longest write that is recorded completely, in bytes.
const LONGEST_WRITE: usize = 1024 * 1024;

/// `strace` on a process that runs.
pub(super) struct Watch {
    strace: Strace,
    trace: NamedTempFile,
    data: PathBuf,
}

/// The observed events.
pub(super) struct Seen {
    events: Vec<Event>,
    data: PathBuf,
}

/// The writes before an answer, by the names in the data folder.
pub(super) struct Written {
    /// The parts of [`RECORDS`], [`BYTES`] and [`KEYS`] that the call changed.
    pub(super) changed: BTreeSet<&'static str>,
    /// Files and folders changed by this call or before, and not synced.
    pub(super) unsynced: BTreeSet<PathBuf>,
}

/// The begin or end of a call.
#[derive(Clone)]
struct Event {
    thread: String,
    /// The call with its arguments, in `strace`'s format.
    call: String,
    has_ended: bool,
    /// True if it has ended without effect.
    has_failed: bool,
}

impl Watch {
    pub(super) fn begin(strace: &Path, process: u32, data: &Path) -> Self {
        let trace = NamedTempFile::new().expect("a temporary file");
        let longest = LONGEST_WRITE.to_string();
        let calls = format!("trace={CALLS}");
        let options = ["-y", "-e", "signal=none", "-s", &longest, "-e", &calls];
        let attached = Strace::attach(strace, &[process], &options, trace.path());
        Self {
            strace: attached.expect("strace is attached"),
            trace,
            data: data.to_owned(),
        }
    }

    pub(super) fn end(mut self) -> Seen {
        self.strace.detach();
        let mut text = Vec::new();
        self.trace.read_to_end(&mut text).expect("a trace");
        Seen {
            events: events(&String::from_utf8_lossy(&text)),
            data: self.data,
        }
    }
}

fn events(trace: &str) -> Vec<Event> {
    let mut unfinished: HashMap<&str, &str> = HashMap::new();
    let mut events = Vec::new();
    for line in trace.lines() {
        let Some((thread, rest)) = line.split_once(' ') else {
            continue;
        };
        let rest = rest.trim_start();
        let mut note = |call: &str, result: Option<&str>| {
            events.push(Event {
                thread: thread.to_owned(),
                call: call.to_owned(),
                has_ended: result.is_some(),
                has_failed: result.is_some_and(|result| result.starts_with("-1 ")),
            });
        };
        let result = rest.rsplit_once("= ").map_or("", |(_, result)| result);
        if rest.starts_with("<... ") {
            if let Some(call) = unfinished.remove(thread) {
                note(call, Some(result));
            }
        } else if let Some(call) = rest.strip_suffix("<unfinished ...>") {
            note(call, None);
            unfinished.insert(thread, call);
        } else {
            note(rest, None);
            note(rest, Some(result));
        }
    }
    events
}

impl Event {
    fn name(&self) -> &str {
        self.call.split('(').next().unwrap_or_default()
    }

    /// Returns the file of the call's descriptor.
    fn file(&self) -> Option<&Path> {
        let (_, rest) = self.call.split_once('<')?;
        Some(Path::new(rest.split_once('>')?.0))
    }

    /// Returns the paths that it names.
    fn named(&self) -> impl Iterator<Item = &Path> {
        self.call.split('"').skip(1).step_by(2).map(Path::new)
    }

    fn is_write(&self) -> bool {
        self.name().contains("write")
    }

    fn is_answer(&self, status: &str, told: &str) -> bool {
        let is_sent = self.is_write() || self.name().starts_with("send");
        is_sent
            && !self.has_ended
            && self.call.contains(&format!("\"HTTP/1.1 {status}"))
            && self.call.replace("\\\"", "\"").contains(told)
    }
}

impl Seen {
    /// Returns the observations of a server that syncs nothing from a moment on.
    pub(super) fn without_syncs_from(&self, moment: usize) -> Self {
        let (before, from) = self.events.split_at(moment);
        let is_sync = |event: &&Event| event.name().ends_with("sync");
        let others = from.iter().filter(|event| !is_sync(event));
        Self {
            events: before.iter().chain(others).cloned().collect(),
            data: self.data.clone(),
        }
    }

    /// Returns the first answer of this status that contains this text.
    pub(super) fn answer(&self, status: &str, told: &str) -> usize {
        let mut events = self.events.iter();
        let answer = events.position(|event| event.is_answer(status, told));
        answer.unwrap_or_else(|| panic!("no answer {status} tells {told}"))
    }

    /// Returns the writes before an answer: the records of its call, and all changes of documents
    /// and keys, which only calls and attempts make. The call began after the moment `since`, and
    /// is the first to write records with all these `words` at once.
    ///
    /// Later writes that name the same signing do not belong to the call. Jobs write records of it,
    /// too, and the engine rewrites neighbouring records. One of these may be running when the
    /// answer is given.
    pub(super) fn written(&self, since: usize, answer: usize, words: &[&str]) -> Written {
        let log = self.data.join(RECORDS);
        let folders = [BYTES, KEYS].map(|name| (name, self.data.join(name)));
        let folder_of = |path: &Path| {
            let mut folders = folders.iter();
            let folder = folders.find(|(_, folder)| path.starts_with(folder));
            folder.map(|(name, _)| *name)
        };
        let mut changed = BTreeSet::new();
        let mut files = Files::default();
        for (at, event) in self.events[..answer].iter().enumerate() {
            if event.has_failed {
                continue;
            }
            let named = event.named().filter(|path| folder_of(path).is_some());
            let is_of_call = |words: &[&str]| words.iter().all(|word| event.call.contains(*word));
            let are_new = at > since && !changed.contains(RECORDS);
            let mut note = |what: Option<&'static str>| {
                changed.extend(what.filter(|_| at > since));
            };
            match (event.name(), event.file()) {
                ("fsync" | "fdatasync", Some(path)) => {
                    if event.has_ended {
                        files.sync_ended(&event.thread, path);
                    } else {
                        files.sync_began(&event.thread, at);
                    }
                }
                (name, _) if name.contains("rename") && event.has_ended => {
                    let paths: Vec<&Path> = named.collect();
                    if let [from, to] = paths[..] {
                        files.renamed(from, to, at);
                        note(folder_of(to));
                    }
                }
                (name, _) if name.contains("unlink") && event.has_ended => {
                    for path in named {
                        files.unlinked(path, at);
                        note(folder_of(path));
                    }
                }
                (_, Some(path)) if event.is_write() && event.has_ended => {
                    let is_record = path == log && are_new && is_of_call(words);
                    if is_record || folder_of(path).is_some() {
                        files.changed(path, at);
                        note(is_record.then_some(RECORDS));
                    }
                }
                _ => {}
            }
        }
        let unsynced = files.unsynced().map(|path| {
            let path = path.strip_prefix(&self.data);
            path.expect("only its files are noted").to_owned()
        });
        Written {
            changed,
            unsynced: unsynced.collect(),
        }
    }
}

/// The changes and syncs of files and folders, by the numbers of events.
#[derive(Default)]
struct Files {
    /// The last change of each, and up to where it was synced.
    states: HashMap<PathBuf, State>,
    /// The start of running syncs, by thread.
    syncs: HashMap<String, usize>,
}

#[derive(Clone, Copy, Default)]
struct State {
    changed: usize,
    synced: usize,
}

impl Files {
    fn changed(&mut self, path: &Path, at: usize) {
        self.states.entry(path.to_owned()).or_default().changed = at;
    }

    fn renamed(&mut self, from: &Path, to: &Path, at: usize) {
        if let Some(state) = self.states.remove(from) {
            self.states.insert(to.to_owned(), state);
        }
        self.folder_changed(to, at);
    }

    fn unlinked(&mut self, path: &Path, at: usize) {
        self.states.remove(path);
        self.folder_changed(path, at);
    }

    fn folder_changed(&mut self, path: &Path, at: usize) {
        if let Some(folder) = path.parent() {
            self.changed(folder, at);
        }
    }

    fn sync_began(&mut self, thread: &str, at: usize) {
        self.syncs.insert(thread.to_owned(), at);
    }

    /// A change during the sync may have come too late for it.
    fn sync_ended(&mut self, thread: &str, path: &Path) {
        if let (Some(began), Some(state)) = (self.syncs.remove(thread), self.states.get_mut(path)) {
            state.synced = state.synced.max(began);
        }
    }

    fn unsynced(&self) -> impl Iterator<Item = &Path> {
        let unsynced = self
            .states
            .iter()
            .filter(|(_, state)| state.changed > state.synced);
        unsynced.map(|(path, _)| path.as_path())
    }
}
