//! Which tables there are.

use parafa_store::Tables;

/// Every table but those of the store itself.
pub(crate) const TABLES: Tables =
    Tables::new(&[parafa_platform::TABLES, parafa_signing::records::TABLES]);
