//! The plugins of a deployment as rows. Every change increments the number in [`PluginsRow`], which
//! hosts poll, and which prevents concurrent changes.

use std::collections::BTreeMap;

use parafa_platform::plugins::DisabledPluginRow;
use parafa_plugin_host::PluginDigest;
use parafa_store::{
    Content, Guard, MAX_PAGE_ROWS, Named, Page, StoreError, StoredFile, Table, TableDeclaration,
    TableName, Transaction, plain_table,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::PluginStoreError;
use crate::state::{Format, State};
use crate::trusted::{Grant, TrustedPublishers};

/// All tables of this crate.
pub const TABLES: &[TableDeclaration] = &[
    TableDeclaration::of::<PluginComponentRow>(),
    TableDeclaration::of::<PluginFormatRow>(),
    TableDeclaration::of::<PluginPublisherRow>(),
    TableDeclaration::of::<PluginsRow>(),
];

/// The generation of the deployment's plugins.
#[derive(Debug, Deserialize, Serialize)]
pub struct PluginsRow {
    pub(crate) generation: u64,
    /// The format that owns each media type or extension that several accept.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    owners: BTreeMap<String, String>,
}

/// The versions of one format.
#[derive(Debug, Deserialize, Serialize)]
pub struct PluginFormatRow {
    id: String,
    #[serde(flatten)]
    format: Format,
}

/// A publisher that is trusted.
#[derive(Debug, Deserialize, Serialize)]
pub struct PluginPublisherRow {
    name: String,
    /// The content of its file: the formats, and the key in PEM.
    grant: String,
}

/// A component, sealed with its own key.
#[derive(Debug, Deserialize, Serialize)]
pub struct PluginComponentRow {
    pub(crate) sha256: PluginDigest,
    pub(crate) data_key: Uuid,
    pub(crate) file: StoredFile,
    /// The file of its publisher's signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) signature: Option<String>,
}

impl Table for PluginsRow {
    type Key = ();
    const NAME: TableName = TableName::new("plugins");
    const CONTENT: Content = Content::Nothing;

    fn key(&self) {}
}

plain_table!(PluginFormatRow: "plugin_formats" by String, |row| row.id.clone());

plain_table!(PluginPublisherRow: "plugin_publishers" by String, |row| row.name.clone());

impl Table for PluginComponentRow {
    type Key = String;
    const NAME: TableName = TableName::new("plugin_components");
    const CONTENT: Content = Content::KeysAndFiles;

    fn key(&self) -> String {
        self.sha256.to_string()
    }

    fn named(&self) -> Named {
        Named {
            files: [self.file.id].into(),
            keys: [self.data_key].into(),
        }
    }
}

/// Reads a snapshot of all rows; `None` before the first change.
pub(crate) async fn read(tx: &mut Transaction<'_>) -> Result<Option<State>, PluginStoreError> {
    let Some(PluginsRow { generation, owners }) = tx.get(&()).await? else {
        return Ok(None);
    };
    let formats = all::<PluginFormatRow>(tx).await?.into_iter();
    let mut publishers = TrustedPublishers::default();
    for row in all::<PluginPublisherRow>(tx).await? {
        publishers.put(Grant::parse(row.grant.as_bytes())?);
    }
    let mut state = State {
        generation,
        owners,
        formats: formats.map(|row| (row.id, row.format)).collect(),
        publishers,
        ..State::default()
    };
    for row in all::<DisabledPluginRow>(tx).await? {
        let digest = row.sha256.parse();
        state.disabled.insert(digest.map_err(anyhow::Error::from)?);
    }
    Ok(Some(state))
}

/// Writes the differences.
pub(crate) async fn write(
    tx: &mut Transaction<'_>,
    before: &State,
    state: &State,
) -> Result<(), PluginStoreError> {
    let (generation, owners) = (state.generation, state.owners.clone());
    tx.put(&PluginsRow { generation, owners }).await?;
    for (id, format) in &state.formats {
        if before.formats.get(id) != Some(format) {
            let (id, format) = (id.clone(), format.clone());
            tx.put(&PluginFormatRow { id, format }).await?;
        }
    }
    for digest in state.disabled.difference(&before.disabled) {
        let row = DisabledPluginRow {
            sha256: digest.to_string(),
            since: tx.now(),
        };
        tx.put(&row).await?;
    }
    for digest in before.disabled.difference(&state.disabled) {
        tx.delete::<DisabledPluginRow>(&digest.to_string()).await?;
    }
    for (name, grant) in state.publishers.iter() {
        if before.publishers.grant(name) != Some(grant) {
            let grant = String::from_utf8(grant.to_text()?).map_err(anyhow::Error::from)?;
            let name = name.to_owned();
            tx.put(&PluginPublisherRow { name, grant }).await?;
        }
    }
    for (name, _) in before.publishers.iter() {
        if state.publishers.grant(name).is_none() {
            tx.delete::<PluginPublisherRow>(&name.to_owned()).await?;
        }
    }
    Ok(())
}

/// Reads a whole table. [`PluginsRow`] shows that no row is added meanwhile.
async fn all<T: Table>(tx: &mut Transaction<'_>) -> Result<Vec<T>, StoreError> {
    let (mut rows, mut page) = (Vec::new(), Page::oldest(MAX_PAGE_ROWS));
    loop {
        let found = tx.page::<T>(&page, Guard::none()).await?;
        rows.extend(found.rows);
        match rows.last() {
            Some(last) if found.more => page = page.after(last.key()),
            _ => return Ok(rows),
        }
    }
}
