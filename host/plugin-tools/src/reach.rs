//! Documents that the API accepts, whatever formats are installed, unless a setting lists more.

use parafa_api_signing::DocumentFamily;

/// Returns true if the API accepts documents with this extension.
pub(crate) fn postable(extension: &str) -> bool {
    DocumentFamily::offered().any(|offered| offered == extension)
}

/// Returns the file name extensions that the API accepts, for display.
pub(crate) fn posted() -> String {
    let offered: Vec<_> = DocumentFamily::offered()
        .map(|extension| format!(".{extension}"))
        .collect();
    offered.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_can_post_what_the_api_takes_and_no_mdoc() {
        assert!(postable("pdf") && postable("asice"));
        assert!(!postable("saskaita") && !postable("mdoc"));
        assert!(posted().starts_with(".pdf, .asice, "));
        assert!(!posted().contains("mdoc"));
    }
}
