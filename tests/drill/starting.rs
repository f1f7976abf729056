//! Operators' commands around the start of a server.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::attack::{Attack, Finding};
use crate::server::{Disk, Server, program};

/// Operator commands around a start.
pub(crate) const STARTING: Attack = Attack {
    name: "starting",
    needs_files: false,
    run: || Box::pin(commands()),
};

/// Starts that are followed by a command at once.
const STARTS: usize = 3;
/// Time limit for the server to report that it starts.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs a command while a server starts, and right after it reports that it listens.
async fn commands() -> Vec<Finding> {
    let mut server = Server::start(Disk::Real, &[]);
    let mut done = usize::from(list(&server.data()).status.success());
    for _ in 1..STARTS {
        server.pause(|_| async {}).await;
        done += usize::from(list(&server.data()).status.success());
    }
    let told = told_while_starting(&server);
    vec![
        Finding {
            what: "of 3 commands right after the line `listening`, those that were carried out",
            before: "3",
            now: done.to_string(),
            holds: done == STARTS,
        },
        Finding {
            what: "a command while the server starts",
            before: "exit 1: there is no data folder, or its store is in use",
            holds: told.contains("the server is starting"),
            now: told,
        },
    ]
}

/// Returns the output of a command on a folder whose server is blocked in its start: the demo world
/// that it joins accepts its call and never answers.
fn told_while_starting(server: &Server) -> String {
    let deaf = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let address = deaf.local_addr().expect("an address");
    let file = fs::read(server.data().join("demo.json")).expect("demo.json");
    let mut demo: Value = serde_json::from_slice(&file).expect("JSON");
    demo["world"]["control"] = format!("http://{address}").into();
    let folder = Disk::Real.folder();
    let (joined, data) = (folder.path().join("demo.json"), folder.path().join("data"));
    fs::write(&joined, demo.to_string()).expect("written");
    let any_port = "127.0.0.1:0";
    let mut starting = program()
        .args(["serve", "--demo", "--listen", any_port])
        .args(["--operator-listen", any_port, "--join"])
        .arg(joined)
        .arg("--data")
        .arg(&data)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("parafa starts");
    // The server is in the middle of its start from its call until it is answered.
    deaf.set_nonblocking(true).expect("our own socket");
    let began = Instant::now();
    let mut call = deaf.accept();
    while call.is_err() && began.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(20));
        call = deaf.accept();
    }
    let output = list(&data);
    drop(call);
    let _ = starting.kill();
    let _ = starting.wait();
    let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    match output.status.code() {
        Some(code) => format!("exit {code}: {told}"),
        None => told,
    }
}

fn list(data: &Path) -> Output {
    program()
        .args(["tenant", "list", "--json", "--data"])
        .arg(data)
        .output()
        .expect("parafa starts")
}
