//! `strace` on running processes: it records their system calls, and makes them fail.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// `strace` attached to processes, until it [`detach`](Self::detach)es or they end.
pub(crate) struct Strace(Child);

impl Strace {
    /// Returns true if it may be attached to a child of this process.
    pub(crate) fn is_allowed(program: &Path) -> bool {
        let Ok(mut sleeper) = Command::new("sleep").arg("60").spawn() else {
            return false;
        };
        let attached = Self::attach(program, &[sleeper.id()], &[], Path::new("/dev/null"));
        let is_allowed = attached.is_some();
        if let Some(strace) = attached {
            strace.detach();
        }
        let _ = sleeper.kill();
        let _ = sleeper.wait();
        is_allowed
    }

    /// Attaches to all threads of the processes and waits until it observes them. `None` if it may
    /// not, or if all of them have ended.
    pub(crate) fn attach(
        program: &Path,
        processes: &[u32],
        options: &[&str],
        trace: &Path,
    ) -> Option<Self> {
        let mut command = Command::new(program);
        command.arg("-f").args(options).arg("-o").arg(trace);
        for process in processes {
            command.arg("-p").arg(process.to_string());
        }
        let mut strace = command
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .ok()?;
        let mut told = BufReader::new(strace.stderr.take()?);
        let mut line = String::new();
        while told.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            if line.contains("attached") && !line.contains("Operation not permitted") {
                // Drains its messages about further threads until the end.
                std::thread::spawn(move || told.read_to_end(&mut Vec::new()));
                return Some(Self(strace));
            }
            line.clear();
        }
        let _ = strace.wait();
        None
    }

    /// Makes it flush its output and end; the processes continue.
    pub(crate) fn detach(mut self) {
        let told = Command::new("kill")
            .args(["-INT", &self.0.id().to_string()])
            .status();
        assert!(told.expect("kill runs").success(), "strace runs");
        self.0.wait().expect("strace ends");
    }
}
