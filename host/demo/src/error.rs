use std::{io, net::SocketAddr, path::PathBuf};

use thiserror::Error;

/// Reason why a world could not be started.
#[derive(Debug, Error)]
pub enum WorldError {
    /// A file or folder of the world could not be read or written.
    #[error("cannot {action} {}", path.display())]
    File {
        /// Action that failed: `read`, `write`, `create`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The folder is not empty and is not a demo world.
    #[error("{} is not empty and not the folder of a demo world", .0.display())]
    ForeignFolder(PathBuf),
    /// A file of the world has invalid content.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
    /// The address that the world's certificates name is in use.
    #[error(
        "the demo world in {} lives at {address}, which another process uses: \
         stop that process or start with an empty folder",
        folder.display()
    )]
    AddressTaken {
        /// The address that the certificates name.
        address: SocketAddr,
        /// The world's folder.
        folder: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The configured address differs from the one in the certificates.
    #[error("the demo world's certificates name {persisted}, {asked} was asked for")]
    AddressChanged {
        /// The address of the first start.
        persisted: SocketAddr,
        /// The address of the configuration.
        asked: SocketAddr,
    },
    /// No socket could be opened.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The operating system's reason.
        source: io::Error,
    },
    /// A key could not be made, read or used.
    #[error("cryptographic operation failed")]
    Crypto(#[from] openssl::error::ErrorStack),
    /// A certificate, an answer or a key could not be issued.
    #[error(transparent)]
    Issuing(#[from] parafa_issuing::IssuingError),
    /// A certificate or message could not be encoded.
    #[error("DER encoding failed")]
    Der(#[from] der::Error),
}
