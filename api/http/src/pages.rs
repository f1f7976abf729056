//! Common parts of the service's pages: assets, one style sheet, and the frame of a page.

mod assets;
mod front;
mod layout;
mod public;
mod status;

use axum::Router;

pub use self::assets::{AssetFile, AssetFolder};
pub use self::front::{DemoPerson, DemoWorld, FrontPage};
use self::layout::LOOK;
pub use self::layout::{Layout, page_response};
pub(crate) use self::layout::{english, for_developers, inline};
pub use self::public::PublicPage;
pub use self::status::{StatusCell, StatusPage, StatusPlot, StatusTable};

/// The files that pages of every API load.
pub fn asset_routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    LOOK.routes()
}
