//! Content of a demo's data folder.

/// File with all data that a newcomer or a script needs.
pub(super) const FILE: &str = "demo.json";
/// Folder of a host's own world in its data folder.
pub(super) const WORLD: &str = "world";
/// Content of a demo's data folder that is backed up besides its records and
/// bytes.
pub(crate) const BACKED_UP: [&str; 2] = [FILE, WORLD];
