//! Pages of a workspace's signings.

use parafa_ceremony::CeremonyError;
use parafa_ceremony::reader::ListedCeremony;
use parafa_ceremony::records::{CEREMONIES_BY_STATUS, CEREMONIES_OF_WORKSPACE, status_number};
use parafa_domain::CeremonyStatus;
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_store::{Guard, Page};
use uuid::Uuid;

use crate::error::SigningError;
use crate::signings::Signings;

/// Filter and position of a list.
#[derive(Clone, Copy, Debug)]
pub struct Listing {
    /// Status of the signings to show; `None` for any.
    pub status: Option<CeremonyStatus>,
    /// Most rows of the page.
    pub limit: usize,
    /// The cursor of the previous page.
    pub after: Option<Uuid>,
}

/// A page of signings.
#[derive(Debug)]
pub struct Listed {
    /// The signings.
    pub signings: Vec<ListedCeremony>,
    /// The cursor of the next page, if there is one.
    pub next: Option<Uuid>,
}

impl Signings {
    /// Returns a page of the caller's signings, newest first.
    pub async fn list_signings(
        &self,
        caller: &Caller,
        listing: Listing,
    ) -> Result<Listed, SigningError> {
        if let Some(cursor) = listing.after {
            self.reader
                .row_of(caller, cursor)
                .await
                .map_err(|error| match error {
                    CeremonyError::NotFound => SigningError::UnknownCursor,
                    other => other.into(),
                })?;
        }
        let Caller { tenant, mode, .. } = *caller;
        let page = Page {
            after: listing.after,
            ..Page::newest(listing.limit)
        };
        let paged = self
            .records
            .read(|tx| {
                Box::pin(async move {
                    let live = mode == KeyMode::Live;
                    match listing.status {
                        None => {
                            tx.page_by(
                                &CEREMONIES_OF_WORKSPACE,
                                &(tenant, live),
                                &page,
                                Guard::none(),
                            )
                            .await
                        }
                        Some(status) => {
                            let key = (tenant, live, status_number(status));
                            tx.page_by(&CEREMONIES_BY_STATUS, &key, &page, Guard::none())
                                .await
                        }
                    }
                })
            })
            .await?;
        let last = paged.rows.last().map(|row| row.ceremony.id.uuid());
        let mut signings = self.reader.show(paged.rows).await?;
        // A signing whose deadline has just passed may be indexed under its old
        // status.
        signings.retain(|shown| {
            let status = shown.row().ceremony.status;
            listing.status.is_none_or(|wanted| wanted == status)
        });
        Ok(Listed {
            signings,
            next: last.filter(|_| paged.more),
        })
    }
}
