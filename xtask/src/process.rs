use std::fmt::Write as _;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::ScopedJoinHandle;

use anyhow::{Context, ensure};

/// Returns the cargo that runs this program.
pub(crate) fn cargo(directory: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(directory);
    command
}

/// Prints a command, runs it, and fails if it fails.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    announce(command);
    let status = command.status().with_context(|| line(command))?;
    ensure!(status.success(), "{} ended with {status}", line(command));
    Ok(())
}

/// Runs a command silently; prints its output if it fails.
pub(crate) fn run_quietly(command: &mut Command) -> anyhow::Result<()> {
    let output = command.output().with_context(|| line(command))?;
    ensure!(
        output.status.success(),
        "{} ended with {}\n{}{}",
        line(command),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    Ok(())
}

/// Joins a thread, and resumes its panic.
pub(crate) fn joined<T>(work: ScopedJoinHandle<'_, T>) -> T {
    work.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// Prints the next command.
pub(crate) fn announce(command: &Command) {
    println!("$ {}", line(command));
}

/// Returns the path of a program on the PATH.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(program))
        .find(|candidate| candidate.is_file())
}

fn line(command: &Command) -> String {
    let mut line = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        let _ = write!(line, " {}", argument.to_string_lossy());
    }
    line
}
