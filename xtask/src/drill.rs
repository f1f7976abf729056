use std::fs;
use std::path::{Path, PathBuf, absolute};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::ensure;
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::process::{cargo, run};
use crate::test::database;
use crate::{product, tools};

/// The server's storage engine.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum Engine {
    /// The embedded store.
    #[default]
    Sled,
    /// A database on this machine.
    Postgres,
}

/// Attack the built server, kill it under load, or have it carry a steady load for hours
#[derive(Args)]
pub(crate) struct Drill {
    /// Send the attacks that strangers and careless tenants could make
    #[arg(
        long,
        required_unless_present_any = ["minutes", "kills"],
        conflicts_with_all = ["minutes", "kills", "soak"]
    )]
    attack: bool,
    /// Minutes to kill hosts under load, or with --soak to keep one host under load
    #[arg(long)]
    minutes: Option<u64>,
    /// Number of times to kill hosts under load
    #[arg(long, conflicts_with = "soak")]
    kills: Option<u32>,
    /// Kill no host; print its resource use and response times every minute
    #[arg(long, requires = "minutes")]
    soak: bool,
    /// Tasks per second of a soak. Default: four fifths of the rate that is measured first
    #[arg(long, requires = "soak")]
    rate: Option<f64>,
    /// The server's storage engine
    #[arg(long, default_value_t, value_enum)]
    engine: Engine,
    /// Hosts that share a database
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    hosts: u8,
    /// Another build of `parafa`: each host runs either build at random, as in a rolling upgrade
    #[arg(long, value_name = "PATH", conflicts_with = "soak")]
    other_binary: Option<PathBuf>,
    /// Seed of all random choices; each run prints its own
    #[arg(long)]
    seed: Option<u64>,
    /// Only the attacks whose name contains this
    #[arg(requires = "attack")]
    filter: Option<String>,
}

impl Drill {
    /// Builds the server, then tries it.
    pub(crate) fn run(&self, root: &Path) -> anyhow::Result<()> {
        ensure!(
            self.hosts == 1 || self.engine == Engine::Postgres,
            "--hosts 2 needs --engine postgres: the embedded store is one host's"
        );
        if self.attack {
            return self.attack(root);
        }
        tools::install(root);
        let asked = self.plan(root)?;
        let test = match self.soak {
            true => "drill::hours_of_mixed_load_stay_level",
            false => "drill::nothing_that_was_acknowledged_is_lost_to_kills_and_faults",
        };
        let mut command = on_release(root, "it")?;
        command
            .args(["--ignored", "--exact", test, "--nocapture"])
            .env("PARAFA_DRILL", asked)
            // The drill starts its own database.
            .env_remove(database::ENGINE.0);
        run(&mut command)
    }

    fn attack(&self, root: &Path) -> anyhow::Result<()> {
        let mut command = on_release(root, "drill")?;
        command.args(self.filter.as_deref());
        match self.engine {
            Engine::Sled => command.env_remove(database::ENGINE.0),
            Engine::Postgres => {
                tools::install(root);
                command.envs([database::ENGINE])
            }
        };
        run(&mut command)
    }

    /// Returns the plan that `tests/it/drill/plan.rs` reads, with a new folder for the run.
    fn plan(&self, root: &Path) -> anyhow::Result<String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let folder = root.join(format!("target/drill/{now}"));
        fs::create_dir_all(&folder)?;
        let other_binary = self.other_binary.as_ref().map(absolute).transpose()?;
        let plan = json!({
            "minutes": self.minutes,
            "kills": self.kills,
            "isOnDatabase": self.engine == Engine::Postgres,
            "hosts": self.hosts,
            "seed": self.seed.unwrap_or(now),
            "otherBinary": other_binary,
            "rate": self.rate,
            "folder": folder,
        });
        Ok(plan.to_string())
    }
}

/// Builds the server as it is released, and returns the command for a test of it; arguments follow.
fn on_release(root: &Path, test: &str) -> anyhow::Result<Command> {
    let parafa = product::build_release(root)?;
    let mut command = cargo(root);
    command
        .args(["test", "--workspace", "--test", test, "--"])
        .env("PARAFA_BIN", &parafa)
        .env("PARAFA_PLUGINS__FOLDER", root.join("target/plugins"));
    Ok(command)
}
