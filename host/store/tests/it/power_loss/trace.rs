//! A program's file operations, in order, as recorded by `strace`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use memchr::memmem;

/// Every call that changes or syncs files. A call that is not understood below fails the test
/// if it touches the recorded folder. Calls that an architecture lacks are omitted.
const CALLS: &str = "openat,?open,?creat,write,pwrite64,writev,pwritev,?pwritev2,?rename,\
    ?renameat,renameat2,?link,linkat,?symlink,symlinkat,?unlink,unlinkat,?rmdir,?mkdir,mkdirat,\
    truncate,ftruncate,fallocate,fsync,fdatasync,syncfs,sync,msync,copy_file_range,sendfile,splice";
/// Longest write recorded whole, in bytes.
const LONGEST_WRITE: usize = 64 * 1024 * 1024;

/// A step of a recorded program. A change is recorded when its call has returned; a sync
/// covers the changes recorded before its call began.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Created(PathBuf),
    FolderCreated(PathBuf),
    Written {
        path: PathBuf,
        at: usize,
        bytes: Vec<u8>,
    },
    Resized {
        path: PathBuf,
        bytes: usize,
    },
    Renamed {
        from: PathBuf,
        to: PathBuf,
    },
    Unlinked(PathBuf),
    SyncBegan {
        thread: u32,
        path: PathBuf,
    },
    SyncEnded {
        thread: u32,
    },
    /// A line written to the file of marks.
    Marked(Vec<u8>),
}

impl Step {
    /// Returns whether it writes all of this content to a file.
    pub(super) fn is_write_of(&self, file: &Path, content: &[u8]) -> bool {
        matches!(self, Self::Written { path, bytes, .. }
            if path == file && memmem::find(bytes, content).is_some())
    }

    /// Returns whether it begins a sync of a file or folder.
    pub(super) fn is_sync_of(&self, file: &Path) -> bool {
        matches!(self, Self::SyncBegan { path, .. } if path == file)
    }
}

/// Returns whether `strace` may trace here; some sandboxes forbid it.
pub(super) fn is_allowed(strace: &Path) -> bool {
    Command::new(strace)
        .args(["-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "true"])
        .output()
        .is_ok_and(|output| output.status.success())
}

/// Runs a program to its end; returns its operations below `root`, with the lines that it
/// wrote to `marks`.
pub(super) fn record(strace: &Path, program: &Command, root: &Path, marks: &Path) -> Vec<Step> {
    let trace = root.with_extension("trace");
    let output = Command::new(strace)
        .args(["-f", "-qq", "-y", "--seccomp-bpf", "-e", "signal=none"])
        .args(["-s", &LONGEST_WRITE.to_string()])
        .arg("-e")
        .arg(format!("trace={CALLS}"))
        .arg("-o")
        .arg(&trace)
        .arg(program.get_program())
        .args(program.get_args())
        .envs(
            program
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .output()
        .expect("strace starts");
    assert!(
        output.status.success(),
        "the recorded program failed: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let text = std::fs::read(&trace).expect("a trace");
    std::fs::remove_file(&trace).expect("removed");
    Reader {
        root,
        marks,
        steps: Vec::new(),
        unfinished: HashMap::new(),
        positions: HashMap::new(),
    }
    .read(&text)
}

struct Reader<'a> {
    root: &'a Path,
    marks: &'a Path,
    steps: Vec<Step>,
    /// Calls interrupted by those of other threads, by thread.
    unfinished: HashMap<u32, Call>,
    /// Offsets of the next `write`, by descriptor.
    positions: HashMap<u32, usize>,
}

struct Call {
    name: String,
    arguments: Vec<Argument>,
}

#[derive(Debug)]
enum Argument {
    /// A descriptor and its file.
    Descriptor(u32, PathBuf),
    Text(Vec<u8>),
    Word(String),
}

impl Reader<'_> {
    fn read(mut self, text: &[u8]) -> Vec<Step> {
        for line in text.split(|byte| *byte == b'\n') {
            if !line.is_empty() {
                self.line(line);
            }
        }
        self.steps
    }

    fn line(&mut self, line: &[u8]) {
        let mut rest = Cursor(line);
        let thread: u32 = rest.until(b' ').parse().expect("a thread's number");
        rest.spaces();
        let call = if rest.skip("<... ") {
            rest.until(b')');
            self.unfinished.remove(&thread).expect("an unfinished call")
        } else {
            let call = rest.call();
            self.began(thread, &call);
            if rest.skip(" <unfinished ...>") || rest.skip("<unfinished ...>") {
                self.unfinished.insert(thread, call);
                return;
            }
            call
        };
        assert!(rest.skip(")"), "{}", rest.shown());
        rest.spaces();
        assert!(rest.skip("= "), "{}", rest.shown());
        let result = String::from_utf8_lossy(rest.0).into_owned();
        let number = result.split(['<', ' ']).next().unwrap_or_default();
        if let Ok(result) = number.parse::<u32>() {
            self.returned(thread, &call, result);
        }
    }

    fn began(&mut self, thread: u32, call: &Call) {
        match (call.name.as_str(), call.arguments.as_slice()) {
            ("fsync" | "fdatasync", [Argument::Descriptor(_, path)]) if self.is_ours(path) => {
                let path = path.clone();
                self.steps.push(Step::SyncBegan { thread, path });
            }
            ("write", [Argument::Descriptor(_, path), Argument::Text(line), ..])
                if path == self.marks =>
            {
                self.steps.push(Step::Marked(line.clone()));
            }
            _ => {}
        }
    }

    fn returned(&mut self, thread: u32, call: &Call, result: u32) {
        use Argument::{Descriptor, Text, Word};
        if !call
            .arguments
            .iter()
            .any(|argument| self.names_ours(argument))
        {
            return;
        }
        let length = result as usize;
        match (call.name.as_str(), call.arguments.as_slice()) {
            ("openat", [_, Text(path), Word(flags), ..]) => {
                self.positions.insert(result, 0);
                let flags: Vec<&str> = flags.split('|').collect();
                assert!(!flags.contains(&"O_APPEND"), "appending is not understood");
                if flags.contains(&"O_CREAT") {
                    self.steps.push(Step::Created(as_path(path)));
                }
                if flags.contains(&"O_TRUNC") {
                    self.steps.push(Step::Resized {
                        path: as_path(path),
                        bytes: 0,
                    });
                }
            }
            ("write", [Descriptor(number, path), Text(bytes), ..]) => {
                let position = self.positions.entry(*number).or_default();
                self.steps.push(Step::Written {
                    path: path.clone(),
                    at: *position,
                    bytes: bytes[..length].to_vec(),
                });
                *position += length;
            }
            ("pwrite64", [Descriptor(_, path), Text(bytes), _, Word(at)]) => {
                self.steps.push(Step::Written {
                    path: path.clone(),
                    at: at.parse().expect("an offset"),
                    bytes: bytes[..length].to_vec(),
                });
            }
            ("ftruncate", [Descriptor(_, path), Word(bytes)]) => {
                self.steps.push(Step::Resized {
                    path: path.clone(),
                    bytes: bytes.parse().expect("a length"),
                });
            }
            ("mkdir", [Text(path), ..]) | ("mkdirat", [_, Text(path), ..]) => {
                self.steps.push(Step::FolderCreated(as_path(path)));
            }
            ("rename", [Text(from), Text(to)])
            | ("renameat" | "renameat2", [_, Text(from), _, Text(to), ..]) => {
                self.steps.push(Step::Renamed {
                    from: as_path(from),
                    to: as_path(to),
                });
            }
            ("unlink", [Text(path)]) | ("unlinkat", [_, Text(path), _]) => {
                self.steps.push(Step::Unlinked(as_path(path)));
            }
            ("fsync" | "fdatasync", _) => self.steps.push(Step::SyncEnded { thread }),
            (name, arguments) => {
                panic!("{name} of {} arguments is not understood", arguments.len())
            }
        }
    }

    fn names_ours(&self, argument: &Argument) -> bool {
        match argument {
            Argument::Descriptor(_, path) => self.is_ours(path),
            Argument::Text(text) => self.is_ours(&as_path(text)),
            Argument::Word(_) => false,
        }
    }

    fn is_ours(&self, path: &Path) -> bool {
        path.starts_with(self.root)
    }
}

/// The rest of a line.
struct Cursor<'l>(&'l [u8]);

impl Cursor<'_> {
    fn call(&mut self) -> Call {
        let name = self.until(b'(');
        self.skip("(");
        let mut arguments = Vec::new();
        while !self.0.is_empty() && !self.0.starts_with(b")") && !self.0.starts_with(b" <unf") {
            arguments.push(self.argument());
            self.skip(", ");
            if self.0.starts_with(b"<unfinished") {
                break;
            }
        }
        Call { name, arguments }
    }

    fn argument(&mut self) -> Argument {
        if self.skip("\"") {
            let text = self.text();
            assert!(!self.0.starts_with(b"..."), "a write is recorded in part");
            return Argument::Text(text);
        }
        let end = self.0.iter().position(|byte| b",)< ".contains(byte));
        let word = self.take(end.unwrap_or(self.0.len()));
        if self.0.starts_with(b"<") && !self.0.starts_with(b"<unfinished") {
            self.skip("<");
            let path = self.until(b'>');
            self.skip(">");
            self.skip("(deleted)");
            if let Ok(number) = word.parse() {
                return Argument::Descriptor(number, path.into());
            }
        }
        Argument::Word(word)
    }

    /// Reads a string in C notation, including its closing quote.
    fn text(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        loop {
            let plain = memchr::memchr2(b'"', b'\\', self.0).expect("a closing quote");
            text.extend_from_slice(&self.0[..plain]);
            let is_end = self.0[plain] == b'"';
            self.0 = &self.0[plain + 1..];
            if is_end {
                return text;
            }
            text.push(self.escaped());
        }
    }

    fn escaped(&mut self) -> u8 {
        let octal = self.0.iter().take(3);
        let digits = octal.take_while(|byte| matches!(byte, b'0'..=b'7')).count();
        if digits > 0 {
            let value = self.0[..digits]
                .iter()
                .fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
            self.0 = &self.0[digits..];
            return u8::try_from(value).expect("an octal escape is one byte");
        }
        let letter = self.0[0];
        self.0 = &self.0[1..];
        match letter {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'v' => 0x0b,
            b'f' => 0x0c,
            plain => plain,
        }
    }

    fn until(&mut self, end: u8) -> String {
        let end = memchr::memchr(end, self.0);
        self.take(end.unwrap_or(self.0.len()))
    }

    fn take(&mut self, bytes: usize) -> String {
        let (taken, rest) = self.0.split_at(bytes);
        self.0 = rest;
        String::from_utf8_lossy(taken).into_owned()
    }

    fn skip(&mut self, start: &str) -> bool {
        let rest = self.0.strip_prefix(start.as_bytes());
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn spaces(&mut self) {
        self.0 = self.0.trim_ascii_start();
    }

    fn shown(&self) -> String {
        let start = &self.0[..self.0.len().min(80)];
        format!("not understood: {}", String::from_utf8_lossy(start))
    }
}

fn as_path(text: &[u8]) -> PathBuf {
    String::from_utf8_lossy(text).into_owned().into()
}
