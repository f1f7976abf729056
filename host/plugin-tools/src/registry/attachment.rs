//! Attachments of a component: its publisher's signature, and documents
//! about it.

use serde_json::Value;

/// A kind of document that refers to a component.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Attachment {
    /// The publisher's signature, as in the file beside the component.
    Signature,
    /// A bill of materials of CycloneDX.
    CycloneDx,
    /// A bill of materials of SPDX.
    Spdx,
    /// A statement of in-toto, such as provenance by SLSA.
    Statement,
    /// A signed statement, in a DSSE envelope.
    Envelope,
}

impl Attachment {
    const ALL: [Self; 5] = [
        Self::Signature,
        Self::CycloneDx,
        Self::Spdx,
        Self::Statement,
        Self::Envelope,
    ];

    /// Returns the kind of a document, by the member that its specification requires.
    pub(super) fn of_document(text: &[u8]) -> Option<Self> {
        let document: Value = serde_json::from_slice(text).ok()?;
        let member = |name: &str| document.get(name).and_then(Value::as_str);
        if member("bomFormat") == Some("CycloneDX") {
            Some(Self::CycloneDx)
        } else if member("spdxVersion").is_some() {
            Some(Self::Spdx)
        } else if member("payloadType").is_some() {
            Some(Self::Envelope)
        } else if member("_type").is_some_and(|kind| kind.starts_with("https://in-toto.io/")) {
            Some(Self::Statement)
        } else {
            None
        }
    }

    /// Returns the kind of an artifact by its type.
    pub(super) fn of_type(artifact_type: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|kind| kind.media_type() == artifact_type)
    }

    /// Returns the media type of the document, which is also the type of the artifact.
    pub(super) fn media_type(self) -> &'static str {
        match self {
            Self::Signature => "application/vnd.parafa.plugin-signature.v1+json",
            Self::CycloneDx => "application/vnd.cyclonedx+json",
            Self::Spdx => "application/spdx+json",
            Self::Statement => "application/vnd.in-toto+json",
            Self::Envelope => "application/vnd.dsse.envelope.v1+json",
        }
    }

    /// Returns the suffix that is added to the component's file name.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::Signature => ".sig",
            Self::CycloneDx => ".cdx.json",
            Self::Spdx => ".spdx.json",
            Self::Statement => ".intoto.json",
            Self::Envelope => ".dsse.json",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_known_by_what_its_specification_demands() {
        for (text, kind) in [
            (r#"{"bomFormat": "CycloneDX"}"#, Some(Attachment::CycloneDx)),
            (r#"{"spdxVersion": "SPDX-2.3"}"#, Some(Attachment::Spdx)),
            (
                r#"{"_type": "https://in-toto.io/Statement/v1"}"#,
                Some(Attachment::Statement),
            ),
            (
                r#"{"payloadType": "application/vnd.in-toto+json"}"#,
                Some(Attachment::Envelope),
            ),
            (r#"{"_type": "other"}"#, None),
            ("[]", None),
            ("no JSON", None),
        ] {
            assert_eq!(Attachment::of_document(text.as_bytes()), kind, "{text}");
        }
    }

    #[test]
    fn an_artifact_is_known_by_its_type() {
        for kind in Attachment::ALL {
            assert_eq!(Attachment::of_type(kind.media_type()), Some(kind));
        }
        assert_eq!(Attachment::of_type("application/wasm"), None);
    }
}
