//! The plugins that were built along with the program. Only `main.rs` is compiled
//! with their digests, so that all else is compiled at the same time as they are.

use std::sync::OnceLock;

use parafa_plugin_host::PluginDigest;

static PLUGINS: OnceLock<Vec<PluginDigest>> = OnceLock::new();

/// Takes note of SHA-256 digests that are separated by commas, once for the
/// process; none where the build was not told of them.
pub(crate) fn remember(digests: Option<&str>) {
    PLUGINS.get_or_init(|| parse(digests));
}

/// The plugins, as far as the program has told.
pub(crate) fn plugins() -> &'static [PluginDigest] {
    PLUGINS.get().map_or(&[], Vec::as_slice)
}

fn parse(digests: Option<&str>) -> Vec<PluginDigest> {
    let digests = digests.unwrap_or_default().split(',');
    digests.filter_map(|digest| digest.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digests_of_a_build_are_separated_by_commas() {
        let [first, second] = [b"one", b"two"].map(|wasm| PluginDigest::of(wasm));

        assert_eq!(parse(Some(&format!("{first},{second}"))), [first, second]);
        assert_eq!(parse(Some(&first.to_string())), [first]);
        assert_eq!(parse(Some("")), []);
        assert_eq!(parse(None), []);
    }
}
