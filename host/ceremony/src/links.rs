//! Addresses below the public base URL.

use std::sync::Arc;

use parafa_store::MasterKey;
use parafa_store::keys::{Token, Tokens};
use url::Url;
use uuid::Uuid;

/// Signers' links. Clones make the same.
#[derive(Clone)]
pub struct Links {
    /// Public base URL, without a trailing slash.
    base_url: Arc<Url>,
    /// Token generator, created once: a page of signings has many links.
    ceremony_tokens: Tokens,
    master: Arc<MasterKey>,
}

impl Links {
    /// Creates links below `base_url`, with tokens derived from `master`.
    pub fn new(base_url: Url, master: Arc<MasterKey>) -> Self {
        Self {
            base_url: Arc::new(base_url),
            ceremony_tokens: master.tokens("ceremony"),
            master,
        }
    }

    /// Returns the public base URL.
    pub fn base_url(&self) -> &Url {
        &self.base_url
    }

    /// Returns the token of a signer's link.
    pub fn ceremony_token(&self, signer: Uuid) -> Token {
        const GENERATION: u32 = 0;

        self.ceremony_tokens.of(signer, GENERATION)
    }

    /// Returns the token of a signer's link to the completed document.
    pub fn copy_token(&self, signer: Uuid) -> Token {
        copy_token(&self.master, signer)
    }

    /// Returns an absolute address; `path` begins with a slash.
    pub fn address(&self, path: &str) -> String {
        format!("{}{path}", self.base_url.as_str().trim_end_matches('/'))
    }
}

/// Returns the token of a signer's link to the completed document.
pub(crate) fn copy_token(master: &MasterKey, signer: Uuid) -> Token {
    master.token("copy", signer, 0)
}
