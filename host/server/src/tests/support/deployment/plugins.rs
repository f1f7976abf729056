//! Plugins of hosts: one registry for all, or one for each host if they run
//! concurrently.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use parafa_fixtures::built;
use parafa_platform::Records;
use parafa_plugin_host::{PluginSource, Registry, Unobserved};
use parafa_plugin_store::PluginStore;
use parafa_store::StoreMode;
use uuid::Uuid;

use super::{Deployment, PLUGIN_CALLS, Site, TOY};

/// Plugin registry of a host, its source and its store.
pub(super) struct HostPlugins {
    pub(super) registry: Arc<Registry>,
    pub(super) source: Arc<dyn PluginSource>,
    pub(super) store: PluginStore,
}

impl Site {
    /// Installs one more plugin.
    pub(crate) async fn install(&self, component: &str) {
        let plugin = self.plugin_host.admit(built::plugin(component).into());
        self.plugins.install(plugin.await.unwrap()).unwrap();
    }

    /// Installs a build of the toy that behaves like the previous one but has
    /// its own digest; returns the digest.
    pub(crate) async fn replace_toy(&self, build: u8) -> String {
        let plugin = self.plugin_host.admit(toy(build).into()).await.unwrap();
        let digest = plugin.digest().to_string();
        self.plugins.install(plugin).unwrap();
        digest
    }

    /// Writes such a build to a file, for an operator to install.
    pub(crate) fn toy_file(&self, build: u8) -> PathBuf {
        let path = self.folder.path().join(format!("toy-{build}.wasm"));
        fs::write(&path, toy(build)).unwrap();
        path
    }

    /// Returns the folder of plugins shipped with the program.
    fn program(&self) -> PathBuf {
        let folder = self.folder.path().join("program");
        if !folder.exists() {
            fs::create_dir(&folder).unwrap();
            for component in &self.components {
                let name = component.rsplit('/').next().unwrap();
                fs::write(folder.join(name), built::plugin(component)).unwrap();
            }
        }
        folder
    }
}

impl Deployment<'_> {
    /// Creates the plugins of one more host.
    pub(super) async fn plugins(&self, records: &Records) -> HostPlugins {
        let (site, mode) = (self.site, StoreMode::Demo);
        let mut settings = site.config.plugin_store();
        if !self.is_shared {
            return HostPlugins {
                registry: site.plugins.clone(),
                source: site.plugins.clone(),
                store: PluginStore::new(&settings, records.clone(), mode, Arc::new(Unobserved)),
            };
        }
        let host = format!("host-{}", Uuid::new_v4());
        settings.data = self.folder.path().join(host);
        fs::create_dir(&settings.data).unwrap();
        settings.shipped = Some(site.program());
        settings.compiled = Some(built::compiled_plugins());
        settings.concurrent_calls = PLUGIN_CALLS;
        let store = PluginStore::new(&settings, records.clone(), mode, site.calls.clone());
        HostPlugins {
            registry: store.start().await.unwrap().clone(),
            source: Arc::new(store.clone()),
            store,
        }
    }
}

fn toy(build: u8) -> Vec<u8> {
    // Custom section of the component: its length, the length of its name, the
    // name, the content.
    let section = [&[0, 6, 4][..], b"made", &[build]].concat();
    [&built::plugin(TOY)[..], &section].concat()
}
