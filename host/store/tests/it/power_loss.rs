//! Nothing acknowledged is lost in a loss of power.
//!
//! A process works on a data folder while `strace` records its writes and syncs, and each
//! acknowledgement. From that record the disk is reconstructed as a loss of power may have left
//! it at many moments, and opened.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use parafa_fixtures::tool;
use tempfile::TempDir;

use self::disk::{Coins, Disk, Unsynced};
use self::early::acknowledged_early;
use self::expected::Expected;
use self::trace::Step;
use self::workload::Mark;

mod disk;
mod early;
mod expected;
mod trace;
mod workload;

/// Variable with the folder of the recorded process.
const ROOT: &str = "PARAFA_POWER_LOSS_ROOT";
const RECORDED_TEST: &str = "power_loss::nothing_acknowledged_is_lost_after_a_loss_of_power";
/// Numbers of power losses right after an acknowledgement, during opening, when the log enters
/// another segment, and at any moment.
const CUTS_AFTER_MARKS: usize = 24;
const CUTS_WHILE_OPENING: usize = 24;
const CUTS_BETWEEN_SEGMENTS: usize = 24;
const CUTS_ANYWHERE: usize = 24;
/// Number of commits per one with omitted syncs.
const COMMITS_A_HASTENED: usize = 20;
/// Steps of opening before the mark of an open folder.
const OPENING_STEPS: usize = 20;
/// Steps after the first write to another segment, before its sync.
const SEGMENT_STEPS: usize = 4;
/// Length of a segment of sled's log, in bytes. Segments without live rows are overwritten.
const SEGMENT_BYTES: usize = 8 * 1024 * 1024;
/// Free memory with which the folders may be kept in memory.
const MEMORY_BYTES: u64 = 1024 * 1024 * 1024;
const SEED: u64 = 20_260_301;

#[test]
fn nothing_acknowledged_is_lost_after_a_loss_of_power() {
    if let Some(root) = std::env::var_os(ROOT).map(PathBuf::from) {
        let (disk, marks) = workload::places(&root);
        return workload::run(&disk, &marks);
    }
    let Some(recording) = recording() else { return };

    let mut losses = Vec::new();
    for_each_cut(&recording.steps, &recording.disk, &mut |cut| {
        losses.extend(cut.check().err());
    });

    assert!(losses.is_empty(), "{}", losses.join("\n"));
}

#[test]
fn a_task_that_works_alone_leaves_nothing_unsynced_when_it_acknowledges() {
    let Some(recording) = recording() else { return };
    let mut disk = Disk::new(&recording.disk);
    let mut acknowledged = 0;
    for step in &recording.steps {
        disk.apply(step);
        match mark_of(step) {
            Some(Mark::Together) => break,
            Some(mark) => {
                let mut unsynced = disk.unsynced();
                // The mark may be behind the records, and is never ahead of them.
                unsynced.retain(|path| !path.ends_with("data/store.mark"));
                assert_eq!(unsynced, Vec::<&Path>::new(), "at {mark:?}");
                acknowledged += 1;
            }
            None => {}
        }
    }
    assert!(acknowledged > 20, "{acknowledged} acknowledgements");
}

#[test]
fn tasks_that_work_together_acknowledge_nothing_before_it_is_synced() {
    let Some(recording) = recording() else { return };
    let early: Vec<Mark> = acknowledged_early(&recording.steps, &recording.disk).collect();

    assert_eq!(early, []);
}

#[test]
fn an_acknowledgement_that_comes_before_its_sync_is_found_out() {
    let Some(recording) = recording() else { return };
    let steps = || recording.steps.iter().enumerate();
    let log = early::log(&recording.disk);
    let commits = steps()
        .skip_while(|(_, step)| !matches!(mark_of(step), Some(Mark::Together)))
        .filter_map(|(at, step)| match mark_of(step) {
            Some(Mark::Committed { task, round }) => Some((at, task, round)),
            _ => None,
        });
    let mut left_out = BTreeSet::new();
    let mut hastened = Vec::new();
    for (acknowledged, task, round) in commits.step_by(COMMITS_A_HASTENED) {
        let line = early::rows(task, round).pop().expect("a row");
        let since_written = steps()
            .take(acknowledged)
            .skip_while(|(_, step)| !step.is_write_of(&log, &line));
        let syncs = since_written.filter(|(_, step)| step.is_sync_of(&log));
        left_out.extend(syncs.map(|(at, _)| at));
        hastened.push(Mark::Committed { task, round });
    }
    let steps: Vec<Step> = steps()
        .filter(|(at, _)| !left_out.contains(at))
        .map(|(_, step)| step.clone())
        .collect();

    let early: Vec<Mark> = acknowledged_early(&steps, &recording.disk).collect();

    assert!(hastened.len() > 10, "{} commits", hastened.len());
    for mark in hastened {
        assert!(early.contains(&mark), "{mark:?}");
    }
}

#[test]
fn a_mark_that_is_ahead_of_the_records_is_found_out() {
    let Some(recording) = recording() else { return };
    let mark = recording.disk.join("data/store.mark");
    let mut steps = recording.steps.clone();
    let marks = |steps: &[Step]| -> Vec<usize> {
        let is_mark = |step: &Step| matches!(step, Step::Written { path, .. } if *path == mark);
        (0..steps.len()).filter(|at| is_mark(&steps[*at])).collect()
    };
    // Each mark replaces the previous one.
    let written = marks(&steps);
    for (at, next) in written.iter().zip(&written[1..]) {
        steps[*at] = steps[*next].clone();
    }
    let mut is_found = false;
    for_each_cut(&steps, &recording.disk, &mut |cut| {
        is_found = is_found || cut.check().is_err();
    });

    assert!(is_found);
}

#[test]
fn folders_that_are_there_are_synced_when_they_are_opened() {
    let Some(recording) = recording() else { return };
    let reopening = recording
        .steps
        .iter()
        .skip_while(|step| !matches!(mark_of(step), Some(Mark::Together)))
        .take_while(|step| !matches!(mark_of(step), Some(Mark::Opened)));
    let synced: BTreeSet<&Path> = reopening
        .filter_map(|step| match step {
            Step::SyncBegan { path, .. } => Some(path.as_path()),
            _ => None,
        })
        .collect();

    for folder in ["data", "data/store", "data/store/blobs"] {
        assert!(synced.contains(&*recording.disk.join(folder)), "{folder}");
    }
}

#[test]
fn syncs_that_are_left_out_are_found_out() {
    let Some(recording) = recording() else { return };
    for unsynced in ["data/store/db", "data/bytes", "data/keys"] {
        let unsynced = recording.disk.join(unsynced);
        let mut steps = recording.steps.clone();
        steps.retain(|step| !step.is_sync_of(&unsynced));
        let early = acknowledged_early(&steps, &recording.disk).next();
        assert!(early.is_some(), "{}", unsynced.display());
        let mut is_found = false;
        for_each_cut(&steps, &recording.disk, &mut |cut| {
            is_found = is_found || cut.check().is_err();
        });

        assert!(is_found, "{}", unsynced.display());
    }
}

struct Recording {
    disk: PathBuf,
    steps: Vec<Step>,
}

/// Returns the recording that all tests share, unless this machine cannot make it.
fn recording() -> Option<&'static Recording> {
    static RECORDING: OnceLock<Option<Recording>> = OnceLock::new();
    let recording = RECORDING.get_or_init(|| record(&strace()?)).as_ref();
    if recording.is_none() {
        // Each test is counted as skipped, not only the first.
        strace()?;
    }
    recording
}

fn strace() -> Option<PathBuf> {
    let strace = tool::program("strace")?;
    let is_allowed = trace::is_allowed(&strace);
    tool::or_skip("the permission to trace", is_allowed.then_some(strace))
}

fn record(strace: &Path) -> Option<Recording> {
    let folder = new_folder();
    let root = folder.path().canonicalize().expect("a path");
    let (disk, marks) = workload::places(&root);
    std::fs::create_dir(&disk).expect("a folder");
    let mut program = Command::new(std::env::current_exe().expect("this program"));
    program.args(["--exact", RECORDED_TEST, "--nocapture"]);
    program.env(ROOT, &root);
    let steps = trace::record(strace, &program, &disk, &marks);
    Some(Recording { disk, steps })
}

/// Replays a recording and stops at the moments of power loss.
fn for_each_cut(steps: &[Step], root: &Path, visit: &mut dyn FnMut(&Cut<'_>)) {
    let cuts = cuts(steps, &mut Coins(SEED));
    let mut disk = Disk::new(root);
    let mut expected = Expected::default();
    for (step, event) in steps.iter().enumerate() {
        disk.apply(event);
        if let Some(mark) = mark_of(event) {
            expected.note(mark);
        }
        for unsynced in cuts.get(&step).into_iter().flatten() {
            visit(&Cut {
                step,
                disk: &disk,
                expected: &expected,
                unsynced: *unsynced,
            });
        }
    }
}

fn cuts(steps: &[Step], coins: &mut Coins) -> BTreeMap<usize, Vec<Unsynced>> {
    let marked = |wanted: fn(&Mark) -> bool| -> Vec<usize> {
        (0..steps.len())
            .filter(|step| mark_of(&steps[*step]).is_some_and(|mark| wanted(&mark)))
            .collect()
    };
    let (marks, opened) = (
        marked(|_| true),
        marked(|mark| matches!(mark, Mark::Opened)),
    );
    let mut cuts: BTreeMap<usize, Vec<Unsynced>> = BTreeMap::new();
    for cut in 0..CUTS_AFTER_MARKS {
        let step = marks[coins.below(marks.len())];
        let unsynced = [Unsynced::Lost, Unsynced::Mixed][cut % 2];
        cuts.entry(step).or_default().push(unsynced);
    }
    let moved = new_segments(steps);
    let opening: Vec<usize> = (0..CUTS_WHILE_OPENING)
        .map(|cut| opened[cut % opened.len()].saturating_sub(coins.below(OPENING_STEPS)))
        .collect();
    let moving: Vec<usize> = (0..CUTS_BETWEEN_SEGMENTS)
        .map(|cut| moved[cut % moved.len()] + coins.below(SEGMENT_STEPS))
        .collect();
    let others: Vec<usize> = (0..CUTS_ANYWHERE)
        .map(|_| coins.below(steps.len()))
        .collect();
    for step in [opening, moving, others].concat() {
        let unsynced = Unsynced::ALL[coins.below(Unsynced::ALL.len())];
        cuts.entry(step).or_default().push(unsynced);
    }
    cuts
}

/// Returns the writes with which sled's log enters another segment, new or used before.
fn new_segments(steps: &[Step]) -> Vec<usize> {
    let mut current = 0;
    let mut moved = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        if let Step::Written { path, at, .. } = step
            && path.ends_with("store/db")
            && *at / SEGMENT_BYTES != current
        {
            current = *at / SEGMENT_BYTES;
            moved.push(index);
        }
    }
    moved
}

fn mark_of(step: &Step) -> Option<Mark> {
    match step {
        Step::Marked(line) => Some(serde_json::from_slice(line).expect("a mark")),
        _ => None,
    }
}

/// A moment of power loss.
struct Cut<'c> {
    step: usize,
    disk: &'c Disk,
    expected: &'c Expected,
    unsynced: Unsynced,
}

impl Cut<'_> {
    fn check(&self) -> Result<(), String> {
        let Self { step, unsynced, .. } = self;
        let target = new_folder();
        let mut coins = Coins(SEED + *step as u64);
        self.disk.restore(*unsynced, &mut coins, target.path());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime");
        runtime
            .block_on(self.expected.check(target.path()))
            .map_err(|loss| {
                let at = self.disk.unsynced();
                format!("cut at step {step}, {unsynced:?} of {at:?}: {loss}")
            })
    }
}

/// Creates a folder in memory where there is room: the kernel's own syncs are not tested, and
/// hundreds of them take long.
fn new_folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let room = rustix::fs::statvfs(memory);
    if room.is_ok_and(|room| room.f_frsize * room.f_bavail > MEMORY_BYTES) {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    }
    .expect("a folder")
}
