use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use parafa_test_services::{Moment, Traffic};

use super::deployment::{Deployment, Records};
use crate::support::random::Random;
use crate::support::strace::Strace;

/// System calls of a host on its files, its database and its callers: each may be its last.
const CALLS: [&str; 5] = [
    "pwrite64",
    "fsync,fdatasync",
    "?rename,?renameat,renameat2",
    "?unlink,unlinkat",
    "sendto,sendmsg,writev",
];
/// Delay of a slow connection.
const LATE: Duration = Duration::from_millis(150);
const WRITES: &str = "pwrite64,?pwritev,?fallocate";
const SYNCS: &str = "fsync,fdatasync";
/// Delays of writes and syncs on a slow disk, in microseconds.
const SLOW_WRITE: u32 = 3_000;
const SLOW_SYNC: u32 = 60_000;

/// A fault of a host before it is killed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Fault {
    /// None: the host is killed at any moment.
    Moment,
    /// The host is killed as one of its threads enters such a call for the `number`th time.
    Call { calls: &'static str, number: u64 },
    /// The host is stopped regularly, as for an upgrade.
    Stop,
    /// Writes fail.
    FullDisk,
    /// Syncs fail.
    FailingSync,
    /// Writes and syncs take long.
    SlowDisk,
    /// Connections to the database are cut and refused.
    CutLine,
    /// Connections to the database are slow.
    SlowLine,
    /// Connections to the database are open, and mute.
    MuteLine,
    /// A connection is cut instead of forwarding a commit.
    CutBeforeCommit,
    /// A connection is cut when the database has committed, before its answer.
    CutBeforeAnswer,
    /// A process of the database is killed, upon which all of it recovers.
    DeadDatabase,
}

/// A fault that lasts until it is repaired.
pub(super) enum Lasting {
    Nothing,
    Traced(Strace),
    Disk,
    Line,
}

impl Fault {
    const OF_FILES: [Self; 8] = [
        Self::Moment,
        Self::Moment,
        Self::call(),
        Self::call(),
        Self::call(),
        Self::FullDisk,
        Self::FailingSync,
        Self::SlowDisk,
    ];
    const OF_DATABASE: [Self; 14] = [
        Self::Moment,
        Self::Moment,
        Self::Moment,
        Self::call(),
        Self::call(),
        Self::FullDisk,
        Self::FailingSync,
        Self::SlowDisk,
        Self::CutLine,
        Self::SlowLine,
        Self::MuteLine,
        Self::CutBeforeCommit,
        Self::CutBeforeAnswer,
        Self::DeadDatabase,
    ];

    const fn call() -> Self {
        Self::Call {
            calls: CALLS[0],
            number: 1,
        }
    }

    /// Draws a fault that is possible in a deployment.
    pub(super) fn drawn(random: &mut Random, records: &Records, is_upgraded: bool) -> Self {
        if is_upgraded && random.below(3) == 0 {
            return Self::Stop;
        }
        let fault = match records {
            Records::Files => Self::OF_FILES[random.length(Self::OF_FILES.len())],
            Records::Database { .. } => Self::OF_DATABASE[random.length(Self::OF_DATABASE.len())],
        };
        match fault {
            Self::Call { .. } => Self::Call {
                calls: CALLS[random.length(CALLS.len())],
                number: 1 + random.below(6),
            },
            other => other,
        }
    }

    /// Begins the fault. `None` if this machine cannot cause it.
    pub(super) fn begin(
        self,
        deployment: &Deployment,
        host: usize,
        strace: Option<&Path>,
    ) -> Option<Lasting> {
        let trace = |processes: &[u32], injections: &[String]| {
            let options: Vec<&str> = injections
                .iter()
                .flat_map(|injection| ["-e", injection.as_str()])
                .collect();
            let attached = Strace::attach(strace?, processes, &options, Path::new("/dev/null"));
            attached.map(Lasting::Traced)
        };
        let spoil = |injections: &[String]| trace(&deployment.writers(host), injections);
        let fail = |calls: &str, error: &str| {
            spoil(&[
                format!("trace={calls}"),
                format!("inject={calls}:error={error}"),
            ])
        };
        match self {
            Self::Moment | Self::Stop => Some(Lasting::Nothing),
            Self::Call { calls, number } => trace(
                &[deployment.hosts[host].process()],
                &[
                    format!("trace={calls}"),
                    format!("inject={calls}:signal=SIGKILL:when={number}"),
                ],
            ),
            Self::FullDisk => {
                if let (Records::Files, true) = (&deployment.records, deployment.disk.is_own()) {
                    deployment.disk.fill();
                    return Some(Lasting::Disk);
                }
                fail(WRITES, "ENOSPC")
            }
            Self::FailingSync => fail(SYNCS, "EIO"),
            Self::SlowDisk => spoil(&[
                format!("trace={WRITES},{SYNCS}"),
                format!("inject={WRITES}:delay_enter={SLOW_WRITE}"),
                format!("inject={SYNCS}:delay_enter={SLOW_SYNC}"),
            ]),
            Self::CutLine
            | Self::SlowLine
            | Self::MuteLine
            | Self::CutBeforeCommit
            | Self::CutBeforeAnswer
            | Self::DeadDatabase => self.begin_on_line(&deployment.records),
        }
    }

    fn begin_on_line(self, records: &Records) -> Option<Lasting> {
        let Records::Database {
            line,
            server,
            database,
        } = records
        else {
            return None;
        };
        match self {
            Self::CutLine => {
                line.set(Traffic::Refused);
                line.cut();
            }
            Self::SlowLine => line.set(Traffic::Late(LATE)),
            Self::MuteLine => line.set(Traffic::Swallowed),
            Self::CutBeforeCommit => line.cut_at(Moment::BeforeCommit),
            Self::CutBeforeAnswer => line.cut_at(Moment::BeforeCommitIsAnswered),
            Self::DeadDatabase => {
                let statement = format!(
                    "SELECT pid FROM pg_stat_activity
                     WHERE datname = '{}' AND pid <> pg_backend_pid() LIMIT 1",
                    database.name
                );
                server.wait();
                let process = server.psql("postgres", &statement);
                let killed = Command::new("kill")
                    .args(["-KILL", process.trim()])
                    .status();
                return killed
                    .is_ok_and(|done| done.success())
                    .then_some(Lasting::Nothing);
            }
            _ => return None,
        }
        Some(Lasting::Line)
    }
}

impl Lasting {
    /// Ends the fault, and waits for a database that recovers.
    pub(super) fn mend(self, deployment: &Deployment) {
        match (self, &deployment.records) {
            (Self::Traced(strace), _) => strace.detach(),
            (Self::Disk, _) => deployment.disk.clear(),
            (Self::Line, Records::Database { line, .. }) => {
                line.set(Traffic::Passed);
                // Muted connections stay mute.
                line.cut();
            }
            (Self::Nothing | Self::Line, _) => {}
        }
        if let Records::Database { server, .. } = &deployment.records {
            server.wait();
        }
    }
}

/// The row of the scoreboard that counts it.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Moment => f.write_str("killed at a random moment"),
            Self::Call { calls, .. } => write!(f, "killed at {}", calls.replace('?', "")),
            Self::Stop => f.write_str("stopped and started as for an upgrade"),
            Self::FullDisk => f.write_str("full disk, then killed"),
            Self::FailingSync => f.write_str("failing syncs, then killed"),
            Self::SlowDisk => f.write_str("slow disk, then killed"),
            Self::CutLine => f.write_str("connections to the database refused, then killed"),
            Self::SlowLine => f.write_str("slow connections to the database, then killed"),
            Self::MuteLine => f.write_str("mute connections to the database, then killed"),
            Self::CutBeforeCommit => f.write_str("cut before COMMIT, then killed"),
            Self::CutBeforeAnswer => f.write_str("cut before COMMIT is answered, then killed"),
            Self::DeadDatabase => f.write_str("a process of the database killed, then the host"),
        }
    }
}
