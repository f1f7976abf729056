//! `serve --demo`: the demo world beside the server, with workspaces and keys
//! that are ready to use.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use parafa_demo::{World, WorldConfig};
use parafa_store::Clock;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::app::App;
use crate::config::{Config, SmartId};
use crate::records::{KeyMode, Product, Role};

const FILE: &str = "demo.json";
const SCHEME_NAME: &str = "smart-id-demo";

/// Keys of one demo workspace.
#[derive(Debug, Deserialize, Serialize)]
struct Keys {
    tenant: String,
    test: String,
    live: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    viewer: Option<String>,
}

/// What is kept of `demo.json` from one start to the next.
#[derive(Debug, Deserialize)]
struct Kept {
    signing: Keys,
    other: Keys,
}

/// `demo.json`: everything that a newcomer or a script needs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DemoJson<'w> {
    base_url: &'w str,
    operator_url: &'w str,
    signing: Keys,
    other: Keys,
    world: WorldPart<'w>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WorldPart<'w> {
    #[serde(flatten)]
    addresses: &'w parafa_demo::Addresses,
    roots: &'w [std::path::PathBuf],
    personas: &'w [parafa_demo::Persona],
}

/// Starts the world and points the configuration at it.
pub(crate) async fn start_world(
    config: &mut Config,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<World> {
    let mut world_config = WorldConfig::new(config.store.data.join("world"));
    world_config.clock = Arc::new(move || clock.now());
    world_config.http_callbacks = true;
    let world = World::start(world_config)
        .await
        .context("the demo world does not start")?;

    let addresses = world.addresses();
    let smart_id = Url::parse(addresses.smart_id.trim_end_matches("/v3"))
        .context("the demo Smart-ID address")?;
    let tsa = Url::parse(&addresses.tsa).context("the demo time-stamping address")?;
    config.smart_id = Some(SmartId {
        base_url: smart_id,
        scheme_name: SCHEME_NAME.to_owned(),
        relying_party_name: world.relying_party().name.clone(),
        relying_party_uuid: world.relying_party().uuid,
    });
    config.timestamps.urls = vec![tsa];
    config.trust.folder = Some(world.trust_folder().to_owned());
    Ok(world)
}

/// Makes the demo workspaces on a fresh folder and writes `demo.json`.
pub(crate) async fn write_demo_json(
    app: &App,
    world: &World,
    data: &Path,
    operator_url: &str,
) -> anyhow::Result<()> {
    let path = data.join(FILE);
    let (signing, other) = match std::fs::read(&path) {
        Ok(json) => {
            let kept: Kept = serde_json::from_slice(&json)
                .with_context(|| format!("{} cannot be read", path.display()))?;
            (kept.signing, kept.other)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => (
            make_workspace(app, "Demo UAB", true).await?,
            make_workspace(app, "Kita UAB", false).await?,
        ),
        Err(error) => {
            return Err(error).with_context(|| format!("{} cannot be read", path.display()));
        }
    };
    let document = DemoJson {
        base_url: app.base_url.as_str().trim_end_matches('/'),
        operator_url,
        signing,
        other,
        world: WorldPart {
            addresses: world.addresses(),
            roots: world.roots(),
            personas: world.personas(),
        },
    };
    write_private(&path, &serde_json::to_vec_pretty(&document)?)?;
    eprintln!("demo keys, addresses and personas: {}", path.display());
    Ok(())
}

async fn make_workspace(app: &App, name: &str, with_viewer: bool) -> anyhow::Result<Keys> {
    let tenant = app.create_tenant(name).await?;
    let owner = app
        .add_user(tenant.id, "owner@example.com", Role::Owner)
        .await?;
    let viewer = if with_viewer {
        let user = app
            .add_user(tenant.id, "viewer@example.com", Role::Viewer)
            .await?;
        Some(
            app.issue_key(&user, Product::Signing, KeyMode::Live)
                .await?,
        )
    } else {
        None
    };
    Ok(Keys {
        tenant: tenant.id.to_string(),
        test: app
            .issue_key(&owner, Product::Signing, KeyMode::Test)
            .await?,
        live: app
            .issue_key(&owner, Product::Signing, KeyMode::Live)
            .await?,
        viewer,
    })
}

/// Replaces the file in one step, readable for its owner alone.
fn write_private(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let temporary = path.with_extension("new");
    let write = || {
        let mut file = std::fs::OpenOptions::new()
            .create(true)
            .truncate(true)
            .write(true)
            .mode(0o600)
            .open(&temporary)?;
        file.write_all(content)?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    };
    write().with_context(|| format!("{} cannot be written", path.display()))
}
