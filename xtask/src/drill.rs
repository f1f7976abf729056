use std::path::Path;

use clap::ValueEnum;

use crate::process::{cargo, run};
use crate::test::database;
use crate::{product, tools};

/// What the attacked server keeps its records in.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum Engine {
    /// The embedded store.
    #[default]
    Sled,
    /// A database on this machine.
    Postgres,
}

/// Builds the server, then attacks it.
pub(crate) fn attack(root: &Path, engine: Engine, filter: Option<&str>) -> anyhow::Result<()> {
    let parafa = product::build_release(root)?;
    let mut command = cargo(root);
    command
        .args(["test", "--workspace", "--test", "drill", "--"])
        .args(filter)
        .env("PARAFA_BIN", &parafa)
        .env("PARAFA_PLUGINS__FOLDER", root.join("target/plugins"));
    match engine {
        Engine::Sled => command.env_remove(database::ENGINE.0),
        Engine::Postgres => {
            tools::install(root);
            command.envs([database::ENGINE])
        }
    };
    run(&mut command)
}
