//! Created records, and their URLs.

use parafa_api_http::Created;
use uuid::Uuid;

use super::{Batch, Comment, Signer, Signing, StoredFile};

impl Created for Signing {
    const IDS: &'static [(&'static str, &'static str)] = &[
        ("signingId", "$response.body#/signingId"),
        ("signerId", "$response.body#/signers/0/signerId"),
    ];

    fn address(&self) -> Option<Uuid> {
        Some(self.signing_id.0)
    }
}

impl Created for Signer {
    const IDS: &'static [(&'static str, &'static str)] = &[
        ("signingId", "$request.path.signingId"),
        ("signerId", "$response.body#/signerId"),
    ];
}

impl Created for Batch {
    const IDS: &'static [(&'static str, &'static str)] = &[
        ("batchId", "$response.body#/batchId"),
        ("signingId", "$response.body#/signings/0/signingId"),
    ];

    fn address(&self) -> Option<Uuid> {
        Some(self.batch_id.0)
    }
}

impl Created for StoredFile {
    const IDS: &'static [(&'static str, &'static str)] =
        &[("fileToken", "$response.body#/fileToken")];

    fn address(&self) -> Option<Uuid> {
        Some(self.file_token.0)
    }
}

impl Created for Comment {}
