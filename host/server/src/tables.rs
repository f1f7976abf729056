//! All tables, and the files stored besides them.

use std::path::PathBuf;

use parafa_store::backup::Inventory;
use parafa_store::{StoreMode, Tables};

use crate::demo;

/// All tables but the store's own.
pub(crate) const TABLES: Tables = Tables::new(&[
    parafa_platform::TABLES,
    parafa_ceremony::records::TABLES,
    parafa_signing::records::TABLES,
    parafa_auth::records::TABLES,
    parafa_identification::records::TABLES,
    parafa_plugin_store::TABLES,
]);

/// Content that is backed up and restored besides the store.
pub(crate) const INVENTORY: Inventory = Inventory {
    beside,
    formerly_beside: &parafa_plugin_store::FORMERLY_BACKED_UP,
    tables: TABLES,
};

fn beside(mode: StoreMode) -> Vec<PathBuf> {
    let of_mode: &[&str] = match mode {
        StoreMode::Demo => &demo::BACKED_UP,
        StoreMode::Production => &[],
    };
    of_mode.iter().map(PathBuf::from).collect()
}
