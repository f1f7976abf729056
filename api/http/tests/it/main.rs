//! A whole API over this crate, as small as can be, as its callers meet it.

mod answers;
mod description;
mod documentation;
mod openapi;
mod rates;
mod reference;
mod reference_pages;
mod tiny;
