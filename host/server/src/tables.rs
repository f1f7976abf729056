//! Which tables there are, and what lies beside them.

use std::path::PathBuf;

use parafa_store::backup::Inventory;
use parafa_store::{StoreMode, Tables};

use crate::demo;

/// Every table but those of the store itself.
pub(crate) const TABLES: Tables = Tables::new(&[
    parafa_platform::TABLES,
    parafa_ceremony::records::TABLES,
    parafa_signing::records::TABLES,
    parafa_auth::records::TABLES,
    parafa_identification::records::TABLES,
]);

/// What is backed up and restored beside the store.
pub(crate) const INVENTORY: Inventory = Inventory {
    beside,
    tables: TABLES,
};

fn beside(mode: StoreMode) -> Vec<PathBuf> {
    let of_mode: &[&str] = match mode {
        StoreMode::Demo => &demo::BACKED_UP,
        StoreMode::Production => &[],
    };
    let names = parafa_plugin_store::BACKED_UP.iter().chain(of_mode);
    names.map(PathBuf::from).collect()
}
