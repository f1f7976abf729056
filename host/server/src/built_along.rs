//! Digests of the plugins built along with the program. Only `main.rs` is
//! compiled with them, so that everything else compiles in parallel to the
//! plugins.

use std::sync::OnceLock;

use parafa_plugin_host::PluginDigest;

static PLUGINS: OnceLock<Vec<PluginDigest>> = OnceLock::new();

/// Stores SHA-256 digests, separated by commas, once for the process; none if
/// the build passed no digests.
pub(crate) fn remember(digests: Option<&str>) {
    PLUGINS.get_or_init(|| parse(digests));
}

/// Returns the digests stored so far.
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
