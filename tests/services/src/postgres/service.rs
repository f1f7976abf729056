//! The programs of PostgreSQL, and the user who runs them.

use std::env;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian's folder of programs, with a folder for each version.
const DEBIAN: &str = "/usr/lib/postgresql";
/// The system's user who runs a server if this process is root, which may not.
const SERVICE_USER: &str = "postgres";

/// Runs programs that refuse root as the system's user for them.
#[derive(Debug)]
pub(crate) struct Service {
    as_user: Option<&'static str>,
    programs: PathBuf,
}

impl Service {
    /// Makes the user who runs the server the owner of the folder.
    pub(crate) fn of(folder: &Path) -> Self {
        let is_root = fs::metadata("/proc/self").is_ok_and(|me| {
            use std::os::unix::fs::MetadataExt;
            me.uid() == 0
        });
        let as_user = is_root.then_some(SERVICE_USER);
        if let Some(user) = as_user {
            run(Command::new("chown").arg(user).arg(folder));
        }
        Self {
            as_user,
            programs: programs(),
        }
    }

    /// Returns the path of one of PostgreSQL's programs.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    /// Returns the command to run as the service's user.
    pub(crate) fn command(&self, of: &Command) -> Command {
        let Some(user) = self.as_user else {
            let mut command = Command::new(of.get_program());
            command.args(of.get_args());
            return command;
        };
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid", user, "--regid", user, "--init-groups"])
            .arg(of.get_program())
            .args(of.get_args());
        command
    }

    pub(crate) fn run(&self, of: &Command) {
        run(&mut self.command(of));
    }
}

fn run(command: &mut Command) {
    let done = command.output();
    let done = done.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {told}");
}

/// Returns the folder of the programs.
fn programs() -> PathBuf {
    found().expect("PostgreSQL is not installed: apt-get install postgresql")
}

/// Finds the folder of the programs: that of the newest version in Debian's folder, otherwise the
/// one on the `PATH`.
pub(super) fn found() -> Option<PathBuf> {
    let versions = fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let newest = versions
        .filter_map(|entry| {
            let version: u32 = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .filter(|(_, programs)| programs.join("initdb").exists())
        .max();
    if let Some((_, programs)) = newest {
        return Some(programs);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).find(|folder| folder.join("initdb").exists())
}

/// Returns a port without a listener.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    listener.local_addr().expect("its address").port()
}
