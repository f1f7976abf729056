//! The `mimetype` member, which identifies a container without unpacking (ETSI
//! EN 319 162-1, A.1; OpenDocument 1.2 part 3, 3.3).

use parafa_format_core::{Environment, Note};

use crate::{Archive, Error};

/// Name of the member.
pub const MIMETYPE: &str = "mimetype";

/// Maximum length of a media type with surrounding white space, in bytes.
const MOST_BYTES: u64 = 256;

impl Archive {
    /// Returns the media type of the container in lower case, and notes on its
    /// form: `mimetype-not-first`, `mimetype-compressed`,
    /// `mimetype-extra-field`, `mimetype-padded`.
    ///
    /// # Errors
    /// The member is missing, or has no media type.
    pub fn media_type<E: Environment>(
        &self,
        environment: &E,
        source: &E::Blob,
    ) -> Result<(String, Vec<Note>), Error> {
        let member = self.member(MIMETYPE).ok_or(Error::Mimetype("is missing"))?;
        let bytes = member.read(environment, source, MOST_BYTES)?;
        let text = std::str::from_utf8(&bytes).map_err(|_| Error::Mimetype("is not in UTF-8"))?;
        let media_type = text.trim_start_matches('\u{feff}').trim_end();
        if !media_type.contains('/') || !media_type.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::Mimetype("does not tell a media type"));
        }

        let oddities = [
            (
                self.entries[0].name != MIMETYPE,
                "mimetype-not-first",
                "is not the first one",
            ),
            (member.deflated, "mimetype-compressed", "is compressed"),
            (
                member.local_extra_len != 0,
                "mimetype-extra-field",
                "has an extra field",
            ),
            (
                media_type != text,
                "mimetype-padded",
                "has more than the media type",
            ),
        ];
        let notes = oddities
            .into_iter()
            .filter(|(is_so, ..)| *is_so)
            .map(|(_, code, what)| Note::new(code, format!("The member \"mimetype\" {what}.")))
            .collect();
        Ok((media_type.to_ascii_lowercase(), notes))
    }
}
