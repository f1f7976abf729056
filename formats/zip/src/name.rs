//! Member names with the same meaning on every system.

/// Returns whether a name of a member, or of a folder with its final `/`, is a
/// relative path of named parts (APPNOTE.TXT, 4.4.17.1). It must stay inside
/// the container (EN 319 162-1, A.6) and contain no bidirectional controls:
/// `a\u{202E}gnp.exe` looks like a picture.
#[must_use]
pub fn is_usable(name: &str) -> bool {
    let path = name.strip_suffix('/').unwrap_or(name);
    let names_a_drive = matches!(path.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic());
    !names_a_drive
        && !path
            .chars()
            .any(|c| c == '\\' || c.is_control() || reorders(c))
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Embeddings, overrides and isolates (UAX #9, 2).
fn reorders(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_are_usable() {
        for name in [
            "a.txt",
            "aplankas/ąžuolas & ko.pdf",
            "META-INF/",
            "ab:c",
            "..a",
        ] {
            assert!(is_usable(name), "{name:?}");
        }
    }

    #[test]
    fn what_leads_elsewhere_or_nowhere_is_not() {
        for name in [
            "",
            "/",
            "/a",
            "a//b",
            "a//",
            "./a",
            "a/../b",
            "..",
            "a\\b",
            "C:a",
            "a\nb",
            "a\0",
            "a\u{202E}gnp.exe",
            "\u{2066}a",
        ] {
            assert!(!is_usable(name), "{name:?}");
        }
    }
}
