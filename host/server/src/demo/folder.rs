//! What a demo has in its data folder.

/// Everything that a newcomer or a script needs.
pub(super) const FILE: &str = "demo.json";
/// Folder of a host's own world in its data folder.
pub(super) const WORLD: &str = "world";
/// What of a demo's data folder is backed up beside its records and bytes.
pub(crate) const BACKED_UP: [&str; 2] = [FILE, WORLD];
