pub(crate) mod database;
mod deny;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::num::NonZero;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;
use std::{env, fs, thread};

use anyhow::Context;

use crate::plugins::{PluginBuild, components_of};
use crate::process::{announce, cargo, joined};
use crate::{lints, process, product, referees, sdk, tools};

/// The package with tests of the whole product.
const WHOLE_PRODUCT: &str = "parafa-tests";
/// Number of concurrent tests.
const THREADS: &str = "RUST_TEST_THREADS";
/// Concurrent tests for each processor. Many wait for a page, a telephone or each other: two left a
/// quarter of the processors' time unused.
const THREADS_PER_PROCESSOR: usize = 3;
/// Most failed tests that run again, alone: more failures are not caused by a lack of processors.
const MOST_AGAIN: usize = 5;

/// Runs all checks required before a change lands: with packages only their tests, with a filter
/// only the tests whose name contains it. Failures are counted, so that the last line is always
/// printed.
pub(crate) fn run(root: &Path, packages: &[String], filter: Option<&str>) -> ExitCode {
    let mut tally = Tally::default();
    let is_everything = packages.is_empty() && filter.is_none();
    if is_everything {
        for workspace in [".", "plugins", "tests/fuzz/libfuzzer"] {
            tally.check(cargo(&root.join(workspace)).args(["fmt", "--check"]));
        }
        deny::check(root, &mut tally);
    }
    let made = make_ready(root, is_everything, &mut tally);
    let ran = made.and_then(|()| run_tests(root, packages, filter, &mut tally));
    let ran = match is_everything && !database::is_asked_for() {
        true => ran.and_then(|()| run_tests_on_database(root, &mut tally)),
        false => ran,
    };
    if let Err(error) = ran {
        tally.fail(format!("{error:#}"));
    }
    tally.close()
}

/// Fetches programs and referees, packs the SDK and compiles plugins and workspace, concurrently:
/// fetching is waiting, and linking a plugin uses one processor. Warnings are failures if everything
/// is checked.
///
/// # Errors
/// The plugins for tests are missing.
fn make_ready(root: &Path, is_everything: bool, tally: &mut Tally) -> anyhow::Result<()> {
    tools::require_for_build()?;
    let plugins = PluginBuild::prepare(root).context("the plugins cannot be built")?;
    let ((missing, prepared), bundled, compiled, checked) = thread::scope(|scope| {
        let prepared = scope.spawn(|| {
            let missing = tools::install_programs();
            let prepared = referees::prepare(root).context("the referees cannot be prepared");
            (missing, prepared.inspect_err(|error| println!("{error:#}")))
        });
        let bundled = scope.spawn(|| sdk::bundle(root).context("the SDK cannot be packed"));
        let compiled = scope.spawn(|| plugins.compile_all());
        let checked = is_everything.then(|| lints::deny_warnings(root));
        (joined(prepared), joined(bundled), joined(compiled), checked)
    });
    if is_ci() {
        for name in missing {
            tally.fail(format!("{name} is not installed"));
        }
        if let Err(error) = prepared {
            tally.fail(format!("{error:#}"));
        }
    }
    let linted = is_everything.then(|| plugins.deny_warnings().context("the plugins"));
    for checked in [checked, linted].into_iter().flatten() {
        tally.note(checked);
    }
    // Without it, tests that build new plugins fail; all others run.
    if let Err(error) = bundled {
        tally.fail(format!("{error:#}"));
    }
    let encoder = match is_everything {
        true => product::encoder_of_tests(),
        false => product::build_encoder(root),
    };
    components_of(&compiled?, &encoder?).map(drop)
}

fn run_tests(
    root: &Path,
    packages: &[String],
    filter: Option<&str>,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    let mut tests = lints::cargo(root);
    tests.args(["test", "--no-fail-fast"]);
    // No doc comment has code to run.
    tests.arg("--tests");
    if packages.is_empty() {
        tests.arg("--workspace");
    }
    for package in packages {
        tests.args(["--package", package]);
    }
    if packages.is_empty() || packages.iter().any(|package| package == WHOLE_PRODUCT) {
        tests.env("PARAFA_BIN", product::build_for_tests(root)?);
    }
    tally.tests(root, tests.arg("--"), filter.as_slice(), "")
}

/// Runs the tests of shared records again, with these in a database, and prints the duration.
fn run_tests_on_database(root: &Path, tally: &mut Tally) -> anyhow::Result<()> {
    if !tools::has_postgres() {
        tally.skip(&format!("all tests{}: it is missing", database::ON));
        return Ok(());
    }
    let parafa = product::build_for_tests(root)?;
    let (begun, passed) = (Instant::now(), tally.passed);
    for (mut tests, names) in database::tests(root)? {
        tests.env("PARAFA_BIN", &parafa);
        tally.tests(root, &mut tests, names, database::ON)?;
    }
    println!(
        "{} passed{} in {} s",
        tally.passed.saturating_sub(passed),
        database::ON,
        begun.elapsed().as_secs()
    );
    Ok(())
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

fn is_ci() -> bool {
    env::var_os("CI").is_some_and(|value| value == "true")
}

/// The checks made and their results.
#[derive(Default)]
struct Tally {
    passed: u64,
    skipped: u64,
    failures: Vec<String>,
}

impl Tally {
    /// Runs a command as a check, which passes if the command succeeds.
    fn check(&mut self, command: &mut Command) {
        self.note(process::run(command));
    }

    /// Notes the outcome of a check.
    fn note(&mut self, outcome: anyhow::Result<()>) {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(error) => self.fail(format!("{error:#}")),
        }
    }

    /// Runs and counts the tests whose names contain one of `names`, or all. Few failed tests run
    /// once more, one after another. A test that then passes is reported as slow beside others, and
    /// counts as passed. Tests that fail again are reported with `place`, where they ran.
    fn tests(
        &mut self,
        root: &Path,
        command: &mut Command,
        names: &[&str],
        place: &str,
    ) -> anyhow::Result<()> {
        let skips = root.join("target/skipped-tests.txt");
        fs::write(&skips, "").with_context(|| skips.display().to_string())?;
        command
            .env("PARAFA_PLUGINS_DIR", root.join("target/plugins"))
            .env("PARAFA_SKIPPED_TESTS", &skips);
        if let Some(samples) = referees::samples(root) {
            command.env("PARAFA_SAMPLES", samples);
        }
        let threads = (THREADS_PER_PROCESSOR * processors()).to_string();
        let threads = env::var(THREADS).unwrap_or(threads);
        let first = TestRun::of(copy(command).args(names).env(THREADS, threads))?;
        self.skipped += first.ignored;
        self.passed += first.passed;
        self.skipped(&fs::read_to_string(&skips)?);
        let mut failed = first.failed;
        if (1..=MOST_AGAIN).contains(&failed.len()) && !first.is_cut_short {
            let mut again = copy(command);
            again.arg("--exact").args(&failed).env(THREADS, "1");
            let again = TestRun::of(&mut again)?;
            // Names that the second run does not know did not run.
            let ran = again.passed + again.failed.len() as u64;
            if !again.is_cut_short && ran >= failed.len() as u64 {
                let (still, unsteady): (Vec<_>, Vec<_>) = failed
                    .into_iter()
                    .partition(|name| again.failed.contains(name));
                for name in unsteady {
                    println!("passed alone, failed beside others: {name}{place}");
                    self.passed += 1;
                }
                failed = still;
            }
        }
        if first.is_cut_short {
            self.fail(format!("tests that ended before their end{place}"));
        }
        for name in failed {
            self.fail(format!("{name}{place}"));
        }
        Ok(())
    }

    /// Counts tests that left something out because a program or a folder is missing. They wrote
    /// `name: what is missing`, perhaps more than once, and counted as passed until now.
    fn skipped(&mut self, lines: &str) {
        let lines: BTreeSet<&str> = lines.lines().collect();
        for line in &lines {
            println!("skipped {line}");
        }
        let tests: BTreeSet<&str> = lines
            .iter()
            .map(|line| line.split(": ").next().unwrap_or(line))
            .collect();
        for _ in tests {
            self.skipped += 1;
            self.passed = self.passed.saturating_sub(1);
        }
    }

    /// Counts a check that something missing prevents.
    fn skip(&mut self, why: &str) {
        println!("skipped: {why}");
        self.skipped += 1;
    }

    fn fail(&mut self, what: String) {
        self.failures.push(what);
    }

    fn close(self) -> ExitCode {
        for failure in &self.failures {
            println!("failed: {failure}");
        }
        println!(
            "{} passed, {} failed, {} skipped",
            self.passed,
            self.failures.len(),
            self.skipped
        );
        if self.failures.is_empty() && self.passed > 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}

/// Copies the command, for further arguments.
fn copy(command: &Command) -> Command {
    let mut copy = Command::new(command.get_program());
    copy.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => copy.env(name, value),
            None => copy.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        copy.current_dir(folder);
    }
    copy
}

/// The output of a command that runs test binaries.
#[derive(Debug, Default, Eq, PartialEq)]
struct TestRun {
    passed: u64,
    ignored: u64,
    /// The names of tests that failed.
    failed: Vec<String>,
    /// Number of running binaries: those that began, without those that ended.
    open: u64,
    /// True if a failure was not that of a named test.
    is_cut_short: bool,
}

impl TestRun {
    /// Runs the command and prints its output as it arrives.
    fn of(command: &mut Command) -> anyhow::Result<Self> {
        announce(command);
        let mut child = command.stdout(Stdio::piped()).spawn().context("tests")?;
        let mut run = Self::default();
        let mut failed = 0;
        if let Some(output) = child.stdout.take() {
            for line in BufReader::new(output).lines() {
                let line = line.context("the output of tests")?;
                println!("{line}");
                failed += run.read(&line);
            }
        }
        let is_success = child.wait().context("tests")?.success();
        run.is_cut_short =
            run.open > 0 || failed != run.failed.len() as u64 || (!is_success && failed == 0);
        Ok(run)
    }

    /// Reads a line of their output. If it ends a binary, returns the number of the binary's failed
    /// tests.
    fn read(&mut self, line: &str) -> u64 {
        if let Some(result) = TestResult::parse(line) {
            self.passed += result.passed;
            self.ignored += result.ignored;
            self.open = self.open.saturating_sub(1);
            return result.failed;
        }
        if line.starts_with("running ") && (line.ends_with(" tests") || line.ends_with(" test")) {
            self.open += 1;
        }
        let name = line.strip_prefix("test ");
        if let Some(name) = name.and_then(|line| line.strip_suffix(" ... FAILED")) {
            self.failed.push(name.to_owned());
        }
        0
    }
}

/// The last line of one test binary.
#[derive(Debug, Eq, PartialEq)]
struct TestResult {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl TestResult {
    fn parse(line: &str) -> Option<Self> {
        let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let count = |label: &str| {
            counts
                .split("; ")
                .find_map(|part| part.strip_suffix(label))
                .and_then(|number| number.trim().parse().ok())
        };
        Some(Self {
            passed: count("passed")?,
            failed: count("failed")?,
            ignored: count("ignored")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_line_of_a_test_binary_is_counted() {
        let line = "test result: FAILED. 12 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.01s";

        assert_eq!(
            TestResult::parse(line),
            Some(TestResult {
                passed: 12,
                failed: 1,
                ignored: 2
            })
        );
    }

    #[test]
    fn a_binary_that_dies_among_its_tests_is_told_from_one_that_closes() {
        let mut run = TestRun::default();

        let closes = [
            "running 2 tests",
            "test a::b ... FAILED",
            "test a::c ... ok",
            "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
        ];
        let failed: u64 = closes.iter().map(|line| run.read(line)).sum();
        assert_eq!((failed, run.open, run.passed), (1, 0, 1));
        assert_eq!(run.failed, ["a::b"]);

        run.read("running 1 test");
        assert_eq!(run.open, 1);
    }

    #[test]
    fn other_lines_are_not_counted() {
        assert_eq!(TestResult::parse("test result_is_ok ... ok"), None);
        assert_eq!(TestResult::parse("running 3 tests"), None);
    }

    #[test]
    fn a_test_that_was_skipped_for_two_reasons_counts_once() {
        let mut tally = Tally {
            passed: 3,
            ..Tally::default()
        };

        tally.skipped(
            "sign::b_t: java is missing\nsign::b_t: qpdf is missing\nsign::b_t: java is missing\n",
        );

        assert_eq!((tally.passed, tally.skipped), (2, 1));
    }
}
