use std::path::PathBuf;

use anyhow::Context;
use parafa_plugin_tools::{Bench, ToolError};

use crate::cli::error::CommandError;
use crate::cli::location::{Location, find_data_folder};
use crate::config::StoreSection;
use crate::demo;

/// Arguments of a command that plugins run for.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Placed<A: clap::Args> {
    #[command(flatten)]
    arguments: A,
    #[command(flatten)]
    place: Location,
}

impl<A: clap::Args> Placed<A> {
    /// Runs a tool.
    pub(super) fn on_bench(
        &self,
        tool: impl FnOnce(&A, &Bench) -> Result<(), ToolError>,
    ) -> Result<(), CommandError> {
        Ok(tool(&self.arguments, &bench(&self.place)?)?)
    }
}

/// Returns the bench for plugins. Compiled plugins are cached in the data
/// folder, if one is named, and in the user's cache otherwise. Arguments, the
/// configuration or the environment can name a data folder.
///
/// # Errors
/// A named data folder that does not exist is refused.
fn bench(place: &Location) -> Result<Bench, CommandError> {
    let mut config = place.load()?;
    let mut temporary = None;
    let is_named = place.data.is_some() || config.store.data != StoreSection::default().data;
    // A server with this configuration uses the default folder in this place.
    let is_found = place.config.is_some() && config.store.data.is_dir();
    if is_named {
        find_data_folder(&config)?;
    } else if !is_found {
        config.store.data = if let Some(folder) = user_cache() {
            folder
        } else {
            let folder = tempfile::tempdir().context("a temporary folder")?;
            temporary.insert(folder).path().to_owned()
        };
    }
    let mode = demo::mode_of(&config.store.data);
    let bench = Bench::new(config.plugin_store(), mode, is_named || is_found);
    Ok(bench.keeping(temporary))
}

/// Returns a folder in the user's cache (XDG Base Directory Specification), if
/// it can be created.
fn user_cache() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(std::env::home_dir()?.join(".cache")))?;
    let folder = cache.join("parafa");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder)
}
