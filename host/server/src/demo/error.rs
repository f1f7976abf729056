//! Why a server does not live in a demo world.

use std::io;
use std::path::PathBuf;

use parafa_demo::{ControlError, WorldError};

/// Why a server does not live in a demo world.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    /// The `demo.json` to join is not one.
    #[error("the demo world cannot be joined")]
    File(#[from] FileError),
    /// The host with the world is not there.
    #[error("the demo world cannot be joined: start its host first")]
    NoWorld(#[from] ControlError),
    /// The folder has a world of its own.
    #[error(
        "{} has a demo world of its own: join with another data folder, or start without --join",
        .0.display()
    )]
    HasWorld(PathBuf),
    /// The folder has none.
    #[error(
        "{} belongs to a host that joined another one's demo world: start it with --join DEMO.JSON",
        .0.display()
    )]
    HasJoined(PathBuf),
    /// The host with the world keeps its records to itself.
    #[error(
        "the host of {} has an embedded store, which is its own: start both hosts with store.engine postgres and one store.url, or this one without them",
        .0.display()
    )]
    NoSharedStore(PathBuf),
    /// This host is to have its records elsewhere.
    #[error(
        "store.url is another database than that of {}: leave it out, and the records are those of the host that is joined",
        .0.display()
    )]
    OtherStore(PathBuf),
    /// An address of the world is none.
    #[error("the demo world's address {address} is not one")]
    Address {
        /// What was given.
        address: String,
        /// What is wrong with it.
        source: url::ParseError,
    },
    /// The world does not start.
    #[error("the demo world does not start")]
    World(#[from] WorldError),
}

/// Why a `demo.json` cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    /// It is not there, or not to be read.
    #[error(
        "{} cannot be read: `parafa serve --demo` writes it to its data folder",
        path.display()
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// It holds something else.
    #[error("{} is not the demo.json of this version", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is missing or wrong.
        source: serde_json::Error,
    },
}
