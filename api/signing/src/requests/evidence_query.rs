use parafa_api_http::FromQuery;
use parafa_api_http::decode::Object;

use crate::vocabulary::EvidenceFormat;

/// The query of `GET /v1/signings/{signingId}/evidence`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct EvidenceQuery {
    /// Form of the answer.
    pub format: EvidenceFormat,
}

impl FromQuery for EvidenceQuery {
    fn decode(query: &mut Object<'_>) -> Option<Self> {
        let format = query.or("format", EvidenceFormat::Json, |node| {
            node.described("pdf answers an unsigned document for people to read.")
                .one_of()
        });
        Some(Self { format: format? })
    }
}
