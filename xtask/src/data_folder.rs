use std::path::Path;

use crate::drill::Engine;
use crate::lints::cargo;
use crate::plugins::PluginBuild;
use crate::process::run;
use crate::product;
use crate::test::database;

/// Writes data by this build on an engine, and keeps them for the tests of later builds.
pub(crate) fn keep(root: &Path, engine: Engine) -> anyhow::Result<()> {
    PluginBuild::prepare(root)?.build()?;
    let parafa = product::build_for_tests(root)?;
    let mut test = cargo(root);
    // With all packages, so that nothing is compiled anew for other features.
    test.args(["test", "--workspace", "--test", "it", "--"])
        .args(["data_folders::what_a_killed_server_leaves", "--nocapture"])
        .env("PARAFA_BIN", parafa)
        .env("PARAFA_PLUGINS_DIR", root.join("target/plugins"))
        .env("PARAFA_KEEP_DATA_FOLDER", root.join("tests/data-folders"));
    match engine {
        Engine::Sled => test.env_remove(database::ENGINE.0),
        Engine::Postgres => test.envs([database::ENGINE]),
    };
    run(&mut test)
}
