//! The files that the page loads beside the common ones.

use std::sync::LazyLock;

use axum::Router;
use parafa_api_http::pages::{AssetFile, AssetFolder};

const SCRIPT: &str = "text/javascript; charset=utf-8";
const WASM: &str = "application/wasm";
const FONT: &str = "application/octet-stream";

/// Images from scanners need decoders that exist only as WebAssembly; it is compiled in the worker,
/// and nowhere in the page.
const WORKER_POLICY: &str =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

static CEREMONY: LazyLock<AssetFolder> = LazyLock::new(|| {
    AssetFolder::new(
        "ceremony",
        const {
            &[
                script("ceremony.js", include_bytes!("assets/ceremony.js")),
                script("document.js", include_bytes!("assets/document.js")),
                script("person.js", include_bytes!("assets/person.js")),
            ]
        },
    )
});

static PDF_JS: LazyLock<AssetFolder> = LazyLock::new(|| {
    AssetFolder::new(
        "pdfjs",
        const {
            &[
                script("pdf.min.mjs", include_bytes!("assets/pdfjs/pdf.min.mjs")),
                AssetFile {
                    policy: Some(WORKER_POLICY),
                    ..script(
                        "pdf.worker.min.mjs",
                        include_bytes!("assets/pdfjs/pdf.worker.min.mjs"),
                    )
                },
                file(
                    "jbig2.wasm",
                    WASM,
                    include_bytes!("assets/pdfjs/jbig2.wasm"),
                ),
                file(
                    "openjpeg.wasm",
                    WASM,
                    include_bytes!("assets/pdfjs/openjpeg.wasm"),
                ),
                file(
                    "qcms_bg.wasm",
                    WASM,
                    include_bytes!("assets/pdfjs/qcms_bg.wasm"),
                ),
                file(
                    "FoxitDingbats.pfb",
                    FONT,
                    include_bytes!("assets/pdfjs/FoxitDingbats.pfb"),
                ),
                file(
                    "FoxitSymbol.pfb",
                    FONT,
                    include_bytes!("assets/pdfjs/FoxitSymbol.pfb"),
                ),
            ]
        },
    )
});

const fn script(name: &'static str, content: &'static [u8]) -> AssetFile {
    file(name, SCRIPT, content)
}

const fn file(name: &'static str, media_type: &'static str, content: &'static [u8]) -> AssetFile {
    AssetFile {
        name,
        media_type,
        content,
        policy: None,
    }
}

/// The path of the page's script.
pub(crate) fn page_script() -> String {
    CEREMONY.path("ceremony.js")
}

/// Path of the PDF viewer.
pub(crate) fn pdf_js() -> &'static str {
    PDF_JS.address()
}

pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    CEREMONY.routes().merge(PDF_JS.routes())
}
