//! Connection from the command line to a running server: a socket in the data
//! folder, accessible to the folder's owner alone. One line of JSON each way.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixStream as BlockingStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::{OperateError, OperatorCommand, OperatorCommands};

/// Name of the socket in the data folder.
const SOCKET: &str = "operator.sock";
/// Name of the socket until its permissions are set.
const NEW_SOCKET: &str = "operator.sock.new";
/// Name of the file that the only server of a data folder locks.
const LOCK: &str = "server.lock";
/// Maximum length of a command, in bytes.
const LONGEST_COMMAND: u64 = 64 * 1024;
/// Time limit for receiving a command.
const READ_WITHIN: Duration = Duration::from_secs(10);
/// Pause after the system refused to accept a connection.
const PAUSE_AFTER_REFUSAL: Duration = Duration::from_millis(200);

/// Result of a command; it may contain a new key.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// The command's result.
    Done(Value),
    /// The command is not allowed; a sentence.
    Refused(String),
    /// The command failed; a sentence.
    Fault(String),
}

impl From<Result<Value, OperateError>> for Reply {
    fn from(result: Result<Value, OperateError>) -> Self {
        match result {
            Ok(value) => Self::Done(value),
            Err(error) if error.is_refusal() => {
                Self::Refused(format!("{:#}", anyhow::Error::new(error)))
            }
            Err(error) => Self::Fault(format!("{:#}", anyhow::Error::new(error))),
        }
    }
}

/// Socket of the only server of a data folder. Dropping the value removes it.
#[derive(Debug)]
pub struct Socket {
    listener: UnixListener,
    path: PathBuf,
    _lock: File,
}

/// A socket whose server is starting.
pub struct Starting {
    answering: JoinHandle<Socket>,
    is_over: CancellationToken,
}

/// Reasons why a socket cannot be bound.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Another server uses the folder.
    #[error("the data folder {} is in use by another server", .0.display())]
    InUse(PathBuf),
    /// A file operation failed.
    #[error("the data folder {} cannot be used", folder.display())]
    Io {
        /// Data folder.
        folder: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
}

impl Socket {
    /// Creates the data folder if missing, and the socket in it. A socket left
    /// behind by another server is replaced. Connections are impossible until
    /// the socket is its owner's alone.
    ///
    /// # Errors
    /// [`BindError`].
    pub fn bind(data: &Path) -> Result<Self, BindError> {
        let failed = |source| BindError::Io {
            folder: data.to_owned(),
            source,
        };
        let mut folder = DirBuilder::new();
        folder.recursive(true).mode(0o700);
        folder.create(data).map_err(failed)?;
        let mut lock = OpenOptions::new();
        lock.write(true).create(true).truncate(false).mode(0o600);
        let lock = lock.open(data.join(LOCK)).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(BindError::InUse(data.to_owned())),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        // A server of an earlier version locks only the store.
        if connect(data).map_err(failed)?.is_some() {
            return Err(BindError::InUse(data.to_owned()));
        }
        Ok(Self {
            listener: listen(data).map_err(failed)?,
            path: data.join(SOCKET),
            _lock: lock,
        })
    }

    /// Refuses every command until the server has started.
    pub fn put_off(self) -> Starting {
        let is_over = CancellationToken::new();
        let started = is_over.clone();
        let answering = tokio::spawn(async move {
            // Clients that have not sent their command yet are not waited for.
            let _answered = self.accept_until(&started, refuse_to_start).await;
            self
        });
        Starting { answering, is_over }
    }

    /// Executes arriving commands until `stop`, then removes the socket and
    /// waits for the running commands.
    pub async fn serve(self, commands: OperatorCommands, stop: CancellationToken) {
        let stopped = stop.clone();
        let answer = move |stream| {
            let (commands, stop) = (commands.clone(), stopped.clone());
            async move { answer(&commands, stream, &stop).await }
        };
        let under_way = self.accept_until(&stop, answer).await;
        drop(self);
        under_way.close();
        under_way.wait().await;
    }

    /// Answers all connections until `end`; returns the tasks still running.
    async fn accept_until<F>(
        &self,
        end: &CancellationToken,
        answer: impl Fn(UnixStream) -> F,
    ) -> TaskTracker
    where
        F: Future<Output = io::Result<()>> + Send + 'static,
    {
        let commands = TaskTracker::new();
        loop {
            let accepted = tokio::select! {
                () = end.cancelled() => return commands,
                accepted = self.listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => {
                    let answered = answer(stream);
                    commands.spawn(async move {
                        if let Err(error) = answered.await {
                            tracing::warn!(%error, "an operator's command was cut off");
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "an operator's command cannot be taken");
                    tokio::time::sleep(PAUSE_AFTER_REFUSAL).await;
                }
            }
        }
    }
}

impl Starting {
    /// Hands the socket over to the started server.
    pub async fn end(self) -> anyhow::Result<Socket> {
        self.is_over.cancel();
        self.answering.await.context("the operator's socket failed")
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(%error, "the operator's socket could not be removed");
        }
    }
}

/// Sends a command to the server that runs on a data folder; `None` if none
/// runs.
pub fn ask(data: &Path, command: &OperatorCommand) -> io::Result<Option<Reply>> {
    let Some(mut stream) = connect(data)? else {
        return Ok(None);
    };
    let within = command.answered_within();
    stream.set_read_timeout(within)?;
    let mut line = serde_json::to_vec(command)?;
    line.push(b'\n');
    stream.write_all(&line)?;
    let mut answer = String::new();
    let read = BufReader::new(stream).read_line(&mut answer);
    read.map_err(|error| match (error.kind(), within) {
        (io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut, Some(within)) => late(within),
        _ => error,
    })?;
    if answer.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(serde_json::from_str(&answer)?))
}

fn late(within: Duration) -> io::Error {
    let seconds = within.as_secs();
    io::Error::other(format!(
        "no answer within {seconds} seconds; the command may still be carried out"
    ))
}

/// Refuses a command after reading it: a client whose connection closes earlier
/// would take the server for dead.
async fn refuse_to_start(stream: UnixStream) -> io::Result<()> {
    let (_, _reader, writer) = command(stream).await?;
    let starting = "the server is starting: give the command again once it listens";
    reply_to(writer, &Reply::Refused(starting.to_owned())).await
}

async fn answer(
    commands: &OperatorCommands,
    stream: UnixStream,
    stop: &CancellationToken,
) -> io::Result<()> {
    let (line, mut reader, writer) = command(stream).await?;
    let reply = match serde_json::from_str::<OperatorCommand>(&line) {
        Ok(command) if command.may_be_dropped() => {
            let carried_out = commands.carry_out(command);
            match while_awaited(carried_out, &mut reader, stop).await {
                Some(reply) => reply,
                None => return Ok(()),
            }
        }
        Ok(command) => Reply::from(commands.carry_out(command).await),
        Err(_) => Reply::Refused(
            "the running server does not know this command: it is of another version".to_owned(),
        ),
    };
    reply_to(writer, &reply).await
}

/// Reads the line that a client sends; also returns both ends of the
/// connection.
async fn command(
    stream: UnixStream,
) -> io::Result<(String, impl AsyncRead + Unpin, OwnedWriteHalf)> {
    let (reader, writer) = stream.into_split();
    let mut reader = tokio::io::BufReader::new(reader.take(LONGEST_COMMAND));
    let mut line = String::new();
    tokio::time::timeout(READ_WITHIN, reader.read_line(&mut line)).await??;
    Ok((line, reader, writer))
}

async fn reply_to(mut writer: OwnedWriteHalf, reply: &Reply) -> io::Result<()> {
    let mut text = serde_json::to_vec(reply)?;
    text.push(b'\n');
    writer.write_all(&text).await
}

/// Returns the reply to a command. If the server stops or the client
/// disconnects, the command is dropped and there is no reply.
async fn while_awaited(
    work: impl Future<Output = Result<Value, OperateError>>,
    reader: &mut (impl AsyncRead + Unpin),
    stop: &CancellationToken,
) -> Option<Reply> {
    tokio::select! {
        done = work => Some(Reply::from(done)),
        () = gone(reader) => None,
        () = stop.cancelled() => Some(Reply::Refused(
            "the server was stopped before this was done: give the command again".to_owned(),
        )),
    }
}

/// Waits until the other side has closed its end.
async fn gone(reader: &mut (impl AsyncRead + Unpin)) {
    let mut ignored = [0; 64];
    while reader.read(&mut ignored).await.is_ok_and(|read| read > 0) {}
}

fn listen(data: &Path) -> io::Result<UnixListener> {
    let new = data.join(NEW_SOCKET);
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = with_short_path(data, NEW_SOCKET, UnixListener::bind)?;
    fs::set_permissions(&new, fs::Permissions::from_mode(0o600))?;
    fs::rename(&new, data.join(SOCKET))?;
    Ok(listener)
}

fn connect(data: &Path) -> io::Result<Option<BlockingStream>> {
    if !data.join(SOCKET).exists() {
        return Ok(None);
    }
    match with_short_path(data, SOCKET, BlockingStream::connect) {
        Ok(stream) => Ok(Some(stream)),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens a socket by a short path. A socket address has room for about a
/// hundred bytes, and a folder's path may be longer. The folder is therefore
/// named by its file descriptor.
fn with_short_path<T>(
    data: &Path,
    name: &str,
    open: impl FnOnce(PathBuf) -> io::Result<T>,
) -> io::Result<T> {
    let folder = fs::File::open(data)?;
    let path = format!("/proc/self/fd/{}/{name}", folder.as_raw_fd());
    open(PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use serde_json::json;

    use super::*;
    use parafa_plugin_store::PluginStoreError;

    #[test]
    fn a_refusal_says_once_what_it_comes_from() {
        let unreadable = PluginStoreError::Unreadable {
            path: "my.wasm".into(),
            source: io::Error::other("the disk is gone"),
        };

        let reply = Reply::from(Err(unreadable.into()));

        let Reply::Refused(sentence) = reply else {
            panic!("it is no refusal");
        };
        assert_eq!(sentence, "my.wasm cannot be read: the disk is gone");
    }

    #[tokio::test]
    async fn one_server_at_a_time_has_the_socket_of_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let socket = Socket::bind(&data).unwrap();

        let second = Socket::bind(&data);

        assert!(matches!(second, Err(BindError::InUse(_))), "{second:?}");
        assert!(connect(&data).unwrap().is_some(), "the first has it still");
        drop(socket);
        assert!(!data.join(SOCKET).exists());
        Socket::bind(&data).unwrap();
    }

    #[tokio::test]
    async fn a_socket_that_was_left_behind_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        drop(with_short_path(data, SOCKET, UnixListener::bind).unwrap());
        assert!(data.join(SOCKET).exists());

        let _socket = Socket::bind(data).unwrap();

        assert!(connect(data).unwrap().is_some());
    }

    #[tokio::test]
    async fn a_socket_that_a_server_without_the_lock_listens_on_is_left_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let _earlier = with_short_path(folder.path(), SOCKET, UnixListener::bind).unwrap();

        let second = Socket::bind(folder.path());

        assert!(matches!(second, Err(BindError::InUse(_))), "{second:?}");
        assert!(connect(folder.path()).unwrap().is_some());
    }

    #[tokio::test]
    async fn a_command_is_answered_while_somebody_waits() {
        let (_caller, mut server) = tokio::io::duplex(64);
        let work = ready(Ok(json!("done")));

        let reply = while_awaited(work, &mut server, &CancellationToken::new()).await;

        assert!(matches!(reply, Some(Reply::Done(answer)) if answer == "done"));
    }

    #[tokio::test]
    async fn a_command_ends_with_its_caller() {
        let (mut caller, mut server) = tokio::io::duplex(64);
        caller.write_all(b"more").await.unwrap();
        drop(caller);

        let reply = while_awaited(pending(), &mut server, &CancellationToken::new()).await;

        assert!(reply.is_none());
    }

    #[tokio::test]
    async fn a_command_that_the_server_s_end_cuts_short_is_refused() {
        let (_caller, mut server) = tokio::io::duplex(64);
        let stop = CancellationToken::new();
        stop.cancel();

        let reply = while_awaited(pending(), &mut server, &stop).await;

        assert!(matches!(reply, Some(Reply::Refused(_))));
    }
}
