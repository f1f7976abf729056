use std::path::Path;

use crate::process::{cargo, run};
use crate::product;

/// Builds the server, then attacks it.
pub(crate) fn attack(root: &Path, filter: Option<&str>) -> anyhow::Result<()> {
    let parafa = product::build_release(root)?;
    let mut command = cargo(root);
    command
        .args(["test", "--workspace", "--test", "drill", "--"])
        .args(filter)
        .env("PARAFA_BIN", &parafa)
        .env("PARAFA_PLUGINS__FOLDER", root.join("target/plugins"));
    run(&mut command)
}
