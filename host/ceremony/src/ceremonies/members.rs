//! Members of the document: a signer is shown everything to be signed.

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use parafa_plugin_host::{
    CallError, CallPriority, Capability, Document, Member, MemberRole, Plugin, Urgency,
    on_one_line, refusal,
};
use parafa_store::Sha256Digest;

use super::{Ceremonies, OpenedLink};
use crate::document::document as read_document;
use crate::downloads::{BrokenOff, Download, Requester};
use crate::error::CeremonyError;

/// Largest member shown on its own, in bytes: as much as a plugin writes.
pub const LARGEST_SHOWN: u64 = 64 * 1024 * 1024;
/// Id of the only member of a document that is not a container.
const WHOLE_DOCUMENT: &str = "document";

/// A member of the document that is shown to the signer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ShownMember {
    /// The id by which it is requested; valid in an address without encoding.
    pub id: String,
    /// Its file name.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Its length, in bytes.
    pub bytes: u64,
    /// SHA-256 of its bytes, in lower-case hexadecimal.
    pub sha256: String,
    /// Its meaning to the signer.
    pub role: MemberRole,
}

/// A member for download, not read yet.
pub struct MemberDownload {
    /// The member.
    pub member: ShownMember,
    content: MemberContent,
}

enum MemberContent {
    /// The document itself.
    Whole(Box<Download>),
    /// The member with this id of the plugin.
    Extracted(Box<Plugin>, Document, String),
}

/// An open container.
struct Container {
    plugin: Plugin,
    document: Document,
    members: Vec<Member>,
}

impl Ceremonies {
    /// Returns all members of the document; of one that is not a container, the
    /// document itself.
    pub async fn members(&self, link: &OpenedLink) -> Result<Vec<ShownMember>, CeremonyError> {
        match self.container_members(link).await? {
            Some(members) => Ok(members),
            None => Ok(vec![whole(&self.document(link).await?)]),
        }
    }

    /// Returns all members of a container; `None` if the document is not one.
    pub async fn container_members(
        &self,
        link: &OpenedLink,
    ) -> Result<Option<Vec<ShownMember>>, CeremonyError> {
        let container = self.container(link).await?;
        Ok(container.map(|container| container.members.iter().map(shown).collect()))
    }

    /// Returns one of them.
    pub async fn member(
        &self,
        link: &OpenedLink,
        id: &str,
    ) -> Result<MemberDownload, CeremonyError> {
        let Some(container) = self.container(link).await? else {
            let document = self.document(link).await?;
            let member = Some(whole(&document)).filter(|member| member.id == id);
            return Ok(MemberDownload {
                member: member.ok_or(CeremonyError::NotFound)?,
                content: MemberContent::Whole(Box::new(document)),
            });
        };
        let Container {
            plugin,
            document,
            members,
        } = container;
        let member = members.iter().find(|member| shown_id(&member.id) == id);
        let member = member.ok_or(CeremonyError::NotFound)?;
        Ok(MemberDownload {
            member: shown(member),
            content: MemberContent::Extracted(Box::new(plugin), document, member.id.clone()),
        })
    }

    /// Begins to send one of them, once there is a permit.
    pub async fn send_member(
        &self,
        link: &OpenedLink,
        download: MemberDownload,
    ) -> Result<BoxStream<'static, Result<Bytes, BrokenOff>>, CeremonyError> {
        let requester = Requester::Link(link.signer);
        let MemberDownload { member, content } = download;
        let (plugin, document, id) = match content {
            MemberContent::Whole(document) => {
                return Ok(self.downloads.send(*document, requester).await?.boxed());
            }
            MemberContent::Extracted(plugin, document, id) => (plugin, document, id),
        };
        if member.bytes > LARGEST_SHOWN {
            return Err(CeremonyError::MemberTooLarge {
                bytes: member.bytes,
                limit: LARGEST_SHOWN,
            });
        }
        let tenant = link.row.tenant;
        let place = self
            .downloads
            .room_for(requester, tenant, member.bytes)
            .await?;
        let content = plugin.extract(document, &id).await.map_err(unreadable)?;
        Ok(place.send(content).boxed())
    }

    /// Returns the document, if its format has members.
    async fn container(&self, link: &OpenedLink) -> Result<Option<Container>, CeremonyError> {
        let row = &link.row;
        let plugin = self.plugins.by_id(&row.format);
        let plugin = plugin.ok_or_else(|| CeremonyError::OutOfUse {
            format: row.format.clone(),
            done: "shown",
        })?;
        if !plugin.capabilities().contains(&Capability::Contents) {
            return Ok(None);
        }
        let newest = row.document()?;
        // Reading a container takes as much memory as sending it.
        let requester = Requester::Link(link.signer);
        let _place = self.downloads.room_for(requester, row.tenant, 0).await?;
        let priority = CallPriority::new(Urgency::Usual, row.tenant.as_u128());
        let plugin = plugin.prioritized(priority);
        let key = self.reader.key_to(row).await?;
        let known = &self.known_documents;
        let document = read_document(&self.records, known, &key, newest.bytes_id).await?;
        let members = plugin.members(document.clone()).await;
        Ok(Some(Container {
            members: members.map_err(unreadable)?,
            plugin,
            document,
        }))
    }
}

/// Returns a document that is not a container as a member.
fn whole(document: &Download) -> ShownMember {
    ShownMember {
        id: WHOLE_DOCUMENT.to_owned(),
        name: document.name.clone(),
        media_type: document.version.media_type.clone(),
        bytes: document.version.bytes,
        sha256: document.version.sha256.clone(),
        role: MemberRole::Main,
    }
}

fn shown(member: &Member) -> ShownMember {
    ShownMember {
        id: shown_id(&member.id),
        name: on_one_line(&member.name, usize::MAX).into_owned(),
        media_type: member.media_type.clone(),
        bytes: member.size,
        sha256: hex::encode(&member.digest.value),
        role: member.role,
    }
}

/// Returns an id that is valid in an address for a plugin's id of a member,
/// such as a path.
fn shown_id(id: &str) -> String {
    let mut digest = Sha256Digest::of(id.as_bytes()).to_string();
    digest.truncate(32);
    digest
}

fn unreadable(error: CallError) -> CeremonyError {
    match error {
        CallError::Fault(fault) => CeremonyError::Plugin(Box::new(fault)),
        CallError::Refused(refusal) if refusal.code == refusal::NO_SUCH_MEMBER => {
            CeremonyError::NotFound
        }
        CallError::Refused(_) => {
            CeremonyError::Inconsistent("a document that was taken in is refused")
        }
    }
}

#[cfg(test)]
mod tests {
    use parafa_plugin_host::{Digest, DigestAlgorithm};

    use super::*;

    #[test]
    fn a_file_is_shown_by_a_name_of_which_nothing_is_unseen() {
        let member = Member {
            id: "a".to_owned(),
            name: "fdp\u{200f}.\u{ad}exe\u{2028}".to_owned(),
            media_type: "application/pdf".to_owned(),
            size: 0,
            digest: Digest {
                algorithm: DigestAlgorithm::Sha256,
                value: Vec::new(),
            },
            role: MemberRole::Main,
        };

        assert_eq!(shown(&member).name, r"fdp\u{200f}.\u{ad}exe\u{2028}");
    }
}
