//! A disk that reliably keeps only what was synced.
//!
//! POSIX permits the following after a loss of power. Each change of a file since its last
//! sync may have reached the disk or not, a write also in part. A folder's entries are such
//! changes of the folder. That is harsher than the file systems in use, which order more.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::trace::Step;

/// Unit of atomic writes, in bytes.
const SECTOR_BYTES: usize = 512;

/// Fate of the unsynced changes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unsynced {
    /// All are lost.
    Lost,
    /// All are kept, as when only the process is killed.
    Kept,
    /// Only the last one of each file is kept.
    Latest,
    /// Some are kept.
    Mixed,
    /// Some are kept, and of each write some sectors.
    Torn,
}

impl Unsynced {
    pub(super) const ALL: [Self; 5] = [
        Self::Lost,
        Self::Kept,
        Self::Latest,
        Self::Mixed,
        Self::Torn,
    ];
}

/// Reproducible coin flips.
pub(super) struct Coins(pub(super) u64);

impl Coins {
    /// Returns a number below `end` (Marsaglia's xorshift64).
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).expect("64-bit") % end
    }

    fn heads(&mut self) -> bool {
        self.below(2) == 0
    }
}

/// The files of a recorded program.
pub(super) struct Disk {
    root: PathBuf,
    nodes: Vec<Node>,
    names: HashMap<PathBuf, usize>,
    /// Syncs in progress: by thread the node, and the number of its changes covered.
    syncs: HashMap<u32, (usize, usize)>,
}

struct Node {
    synced: Content,
    /// Number of changes in `synced`.
    changes: usize,
    unsynced: Vec<Change>,
}

#[derive(Clone)]
enum Content {
    File(Vec<u8>),
    Folder(BTreeMap<String, usize>),
}

enum Change {
    Write {
        at: usize,
        bytes: Vec<u8>,
    },
    Resize(usize),
    Link {
        name: String,
        node: usize,
    },
    Unlink(String),
    Rename {
        from: String,
        to: String,
        node: usize,
    },
}

impl Disk {
    /// Creates a disk with an empty folder.
    pub(super) fn new(root: &Path) -> Self {
        let mut disk = Self {
            root: root.to_owned(),
            nodes: Vec::new(),
            names: HashMap::new(),
            syncs: HashMap::new(),
        };
        disk.add(root, Content::Folder(BTreeMap::new()));
        disk
    }

    pub(super) fn apply(&mut self, step: &Step) {
        match step {
            Step::Created(path) => self.link(path, Content::File(Vec::new())),
            Step::FolderCreated(path) => self.link(path, Content::Folder(BTreeMap::new())),
            Step::Written { path, at, bytes } => {
                let (at, bytes) = (*at, bytes.clone());
                self.change(path, Change::Write { at, bytes });
            }
            Step::Resized { path, bytes } => self.change(path, Change::Resize(*bytes)),
            Step::Renamed { from, to } => {
                assert_eq!(from.parent(), to.parent(), "a rename to another folder");
                let node = self.names.remove(from).expect("a known file");
                self.names.insert(to.clone(), node);
                let folder = parent_of(to);
                let (from, to) = (name_of(from), name_of(to));
                self.change(folder, Change::Rename { from, to, node });
            }
            Step::Unlinked(path) => {
                self.names.remove(path).expect("a known file");
                self.change(parent_of(path), Change::Unlink(name_of(path)));
            }
            Step::SyncBegan { thread, path } => {
                // A file that was unlinked meanwhile needs no sync.
                if let Some(node) = self.names.get(path) {
                    let covered = self.nodes[*node].changes + self.nodes[*node].unsynced.len();
                    self.syncs.insert(*thread, (*node, covered));
                }
            }
            Step::SyncEnded { thread } => {
                if let Some((node, covered)) = self.syncs.remove(thread) {
                    self.nodes[node].sync(covered);
                }
            }
            Step::Marked(_) => {}
        }
    }

    /// Returns the files and folders with changes that a loss of power may undo.
    pub(super) fn unsynced(&self) -> Vec<&Path> {
        let unsynced = |node: usize| !self.nodes[node].unsynced.is_empty();
        let names = self.names.iter();
        names
            .filter(|(_, node)| unsynced(**node))
            .map(|(path, _)| path.as_path())
            .collect()
    }

    /// Returns the content that a file certainly has after a loss of power, if its name
    /// remains.
    pub(super) fn kept(&self, file: &Path) -> Option<&[u8]> {
        let mut node = self.names[&self.root];
        for name in file.strip_prefix(&self.root).ok()? {
            let Content::Folder(entries) = &self.nodes[node].synced else {
                return None;
            };
            node = *entries.get(name.to_str()?)?;
        }
        match &self.nodes[node].synced {
            Content::File(bytes) => Some(bytes),
            Content::Folder(_) => None,
        }
    }

    /// Writes the state after a loss of power to a folder.
    pub(super) fn restore(&self, unsynced: Unsynced, coins: &mut Coins, target: &Path) {
        self.restore_node(self.names[&self.root], unsynced, coins, target);
    }

    fn restore_node(&self, node: usize, unsynced: Unsynced, coins: &mut Coins, target: &Path) {
        let node = &self.nodes[node];
        let mut content = node.synced.clone();
        for (index, change) in node.unsynced.iter().enumerate() {
            let is_kept = match unsynced {
                Unsynced::Lost => false,
                Unsynced::Kept => true,
                Unsynced::Latest => index + 1 == node.unsynced.len(),
                Unsynced::Mixed | Unsynced::Torn => coins.heads(),
            };
            match (change, unsynced) {
                (Change::Write { at, bytes }, Unsynced::Torn) if is_kept => {
                    tear(*at, bytes, coins, &mut content);
                }
                _ if is_kept => content.apply(change),
                _ => {}
            }
        }
        match content {
            Content::File(bytes) => {
                let mut options = fs::OpenOptions::new();
                let file = options
                    .write(true)
                    .create_new(true)
                    .mode(0o600)
                    .open(target);
                file.and_then(|mut file| file.write_all(&bytes))
                    .expect("a file");
            }
            Content::Folder(entries) => {
                if !target.exists() {
                    let made = fs::DirBuilder::new().mode(0o700).create(target);
                    made.expect("a folder");
                }
                for (name, node) in entries {
                    self.restore_node(node, unsynced, coins, &target.join(name));
                }
            }
        }
    }

    fn link(&mut self, path: &Path, content: Content) {
        if !self.names.contains_key(path) {
            let node = self.add(path, content);
            let name = name_of(path);
            self.change(parent_of(path), Change::Link { name, node });
        }
    }

    fn add(&mut self, path: &Path, content: Content) -> usize {
        self.nodes.push(Node {
            synced: content,
            changes: 0,
            unsynced: Vec::new(),
        });
        self.names.insert(path.to_owned(), self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn change(&mut self, path: &Path, change: Change) {
        let node = self.names.get(path);
        let node = *node.unwrap_or_else(|| panic!("{} is not known", path.display()));
        self.nodes[node].unsynced.push(change);
    }
}

impl Node {
    fn sync(&mut self, covered: usize) {
        let newly = covered.saturating_sub(self.changes);
        for change in self.unsynced.drain(..newly) {
            self.synced.apply(&change);
        }
        self.changes += newly;
    }
}

impl Content {
    fn apply(&mut self, change: &Change) {
        match (self, change) {
            (Self::File(content), Change::Write { at, bytes }) => write(content, *at, bytes),
            (Self::File(content), Change::Resize(bytes)) => content.resize(*bytes, 0),
            (Self::Folder(entries), Change::Link { name, node }) => {
                entries.insert(name.clone(), *node);
            }
            (Self::Folder(entries), Change::Unlink(name)) => {
                entries.remove(name);
            }
            (Self::Folder(entries), Change::Rename { from, to, node }) => {
                entries.remove(from);
                entries.insert(to.clone(), *node);
            }
            _ => panic!("a folder is written or a file is listed"),
        }
    }
}

/// Writes some of the sectors.
fn tear(at: usize, bytes: &[u8], coins: &mut Coins, content: &mut Content) {
    let Content::File(content) = content else {
        panic!("a folder is written");
    };
    let mut done = 0;
    while done < bytes.len() {
        let left = SECTOR_BYTES - (at + done) % SECTOR_BYTES;
        let end = (done + left).min(bytes.len());
        if coins.heads() {
            write(content, at + done, &bytes[done..end]);
        }
        done = end;
    }
}

fn write(content: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    let end = at + bytes.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    content[at..end].copy_from_slice(bytes);
}

fn parent_of(path: &Path) -> &Path {
    path.parent().expect("a file has a folder")
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().expect("a file has a name");
    name.to_string_lossy().into_owned()
}
