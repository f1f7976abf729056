//! What every page of the service is made of: files that it loads, one style
//! sheet, and the frame of the page.

mod assets;
mod front;
mod layout;

use std::sync::LazyLock;

use axum::Router;

use crate::reference::VIEWER;

pub use self::assets::{AssetFile, AssetFolder};
pub use self::front::{DemoPerson, DemoWorld, FrontPage};
pub use self::layout::{Layout, page_response};

/// The look of all pages.
static LOOK: LazyLock<AssetFolder> = LazyLock::new(|| {
    AssetFolder::new(
        "look",
        &[
            AssetFile {
                name: "style.css",
                media_type: "text/css; charset=utf-8",
                content: include_bytes!("pages/assets/style.css"),
                policy: None,
            },
            AssetFile {
                name: "icon.svg",
                media_type: "image/svg+xml",
                content: include_bytes!("pages/assets/icon.svg"),
                policy: None,
            },
        ],
    )
});

/// The files that pages of every API load.
pub fn asset_routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    LOOK.routes().merge(VIEWER.routes())
}
