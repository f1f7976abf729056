//! Errors of starting in a demo world.

use std::io;
use std::path::PathBuf;

use parafa_demo::{ControlError, WorldError};

/// Reasons why a server cannot start in a demo world.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    /// The `demo.json` to join is invalid.
    #[error("the demo world cannot be joined")]
    File(#[from] FileError),
    /// The host with the world does not answer.
    #[error("the demo world cannot be joined: start its host first")]
    NoWorld(#[from] ControlError),
    /// The folder has its own world.
    #[error(
        "{} has a demo world of its own: join with another data folder, or start without --join",
        .0.display()
    )]
    HasWorld(PathBuf),
    /// The folder has no world.
    #[error(
        "{} belongs to a host that joined another one's demo world: start it with --join DEMO.JSON",
        .0.display()
    )]
    HasJoined(PathBuf),
    /// The host with the world does not share its records.
    #[error(
        "the host of {} has an embedded store, which is its own: start both hosts with store.engine postgres and one store.url, or this one without them",
        .0.display()
    )]
    NoSharedStore(PathBuf),
    /// This host is configured with another database.
    #[error(
        "store.url is another database than that of {}: leave it out, and the records are those of the host that is joined",
        .0.display()
    )]
    OtherStore(PathBuf),
    /// An address of the world is invalid.
    #[error("the demo world's address {address} is not one")]
    Address {
        /// Text of the address.
        address: String,
        /// Its fault.
        source: url::ParseError,
    },
    /// The world does not start.
    #[error("the demo world does not start")]
    World(#[from] WorldError),
}

/// Reasons why a `demo.json` cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    /// The file is missing or unreadable.
    #[error(
        "{} cannot be read: `parafa serve --demo` writes it to its data folder",
        path.display()
    )]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The file has other content.
    #[error("{} is not the demo.json of this version", path.display())]
    Malformed {
        /// Path of the file.
        path: PathBuf,
        /// Missing or wrong member.
        source: serde_json::Error,
    },
}
