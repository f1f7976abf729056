//! All pages: that everybody can read and use them, that they are small, and that
//! they load nothing of others.

mod documents;
mod faces;
mod failures;
mod guide;
mod identification;
mod states;
