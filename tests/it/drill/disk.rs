//! A separate file system of the hosts, which can fill up without effect on others.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use tempfile::TempDir;

/// Its size. Its image uses only the space of written data.
const SIZE: &str = "16G";
/// The room for the second file that fills it, in bytes.
const REST: u64 = 8 * 1024 * 1024;

/// The folder of the hosts' data.
pub(super) struct Disk {
    folder: PathBuf,
    /// The file with the file system, if it is a separate one.
    image: Option<PathBuf>,
    is_kept: bool,
}

impl Disk {
    /// Prepares a folder in this one: a separate file system if it can be mounted.
    pub(super) fn prepare(parent: &Path) -> Self {
        let (image, folder) = (parent.join("disk.img"), parent.join("data"));
        fs::create_dir(&folder).expect("a folder");
        let is_mounted = has_done(Command::new("truncate").args(["-s", SIZE]).arg(&image))
            && has_done(
                Command::new("mkfs.ext4")
                    .args(["-q", "-F", "-m", "0"])
                    .arg(&image),
            )
            && has_done(
                Command::new("mount")
                    .args(["-o", "loop"])
                    .args([&image, &folder]),
            );
        if !is_mounted {
            println!("no file system can be mounted: full disks are simulated");
            let _ = fs::remove_file(&image);
        }
        Self {
            folder,
            image: is_mounted.then_some(image),
            is_kept: false,
        }
    }

    /// Creates a folder of one host, which is kept on drop.
    pub(super) fn host_folder(&self) -> TempDir {
        let mut folder = tempfile::tempdir_in(&self.folder).expect("a folder");
        folder.disable_cleanup(true);
        folder
    }

    /// Returns true if it can be filled.
    pub(super) fn is_own(&self) -> bool {
        self.image.is_some()
    }

    /// Leaves no room on it.
    pub(super) fn fill(&self) {
        let free = self.free_bytes().saturating_sub(REST).to_string();
        has_done(
            Command::new("fallocate")
                .args(["-l", &free])
                .arg(self.ballast()),
        );
        let rest = File::create(self.rest());
        let Ok(mut rest) = rest else { return };
        while rest.write_all(&[1; 4096]).is_ok() {}
    }

    /// Frees the space.
    pub(super) fn clear(&self) {
        for file in [self.ballast(), self.rest()] {
            let _ = fs::remove_file(file);
        }
    }

    /// Keeps the data for the search of a breach's cause; returns the path.
    pub(super) fn keep(&mut self) -> PathBuf {
        self.is_kept = true;
        self.image.clone().unwrap_or_else(|| self.folder.clone())
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }

    fn rest(&self) -> PathBuf {
        self.folder.join("rest")
    }

    fn free_bytes(&self) -> u64 {
        let told = Command::new("df")
            .args(["--output=avail", "-B1"])
            .arg(&self.folder)
            .output();
        let told = told.expect("df runs");
        let told = String::from_utf8_lossy(&told.stdout);
        let last = told.lines().next_back().map(str::trim);
        last.and_then(|bytes| bytes.parse().ok()).expect("a number")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let is_kept = self.is_kept || thread::panicking();
        if let Some(image) = &self.image {
            has_done(Command::new("umount").arg(&self.folder));
            if !is_kept {
                let _ = fs::remove_file(image);
            }
        } else if !is_kept {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Returns true if a command succeeds; its output is dropped.
fn has_done(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}
