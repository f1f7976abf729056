//! `POST /v1/signings`.

mod accepted;
mod members;
mod rules;
mod several;
