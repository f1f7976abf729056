//! Claims deliveries: only those at the head of their line.

use std::collections::HashMap;

use async_trait::async_trait;
use http::Uri;
use parafa_platform::is_away;
use parafa_platform::jobs::{ClaimsInTurn, LEASE, LaneTurn};
use parafa_platform::outbox::{self, DELIVERIES, NoticeRow, Target};
use parafa_store::jobs::{self, ClaimedJob, Lane, LanePosition};
use parafa_store::{StoreError, Transaction};
use uuid::Uuid;

use super::lines::Line;
use super::{Payload, WebhookSender};

/// Page size when reading lane positions and finding their lines.
const PAGE: usize = 256;
/// Maximum number of pages read at once: other lanes wait meanwhile.
const PAGES_AT_ONCE: usize = 16;

#[async_trait]
impl ClaimsInTurn for WebhookSender {
    fn lane(&self) -> Lane {
        DELIVERIES
    }

    /// Claims at most `most` due deliveries that are next in their lines. The others stay
    /// unclaimed.
    async fn claim(&self, most: usize) -> Result<Vec<(ClaimedJob, LaneTurn)>, StoreError> {
        self.look_at_deliveries().await?;
        let lines = &self.lines;
        let next = lines.next(most);
        if next.is_empty() {
            return Ok(Vec::new());
        }
        let places: Vec<LanePosition> = next.iter().map(|(place, _)| *place).collect();
        let claimed = self.records.store.claim(DELIVERIES, &places, LEASE).await;
        let claimed = claimed.inspect_err(|_| lines.look_at_all())?;
        let turns = next.into_iter().map(|(place, turn)| (place.job(), turn));
        let mut turns: HashMap<Uuid, _> = turns.collect();
        // A delivery that could not be claimed gives its turn to the next.
        let with_turn = |job: ClaimedJob| Some((turns.remove(&job.id)?, job));
        let claimed = claimed.into_iter().filter_map(with_turn);
        Ok(claimed
            .map(|(turn, job)| (job, Box::new(turn) as LaneTurn))
            .collect())
    }

    fn follow_clock_back(&self) {
        self.lines.forget();
    }
}

impl WebhookSender {
    /// Number of due deliveries queued in lines, as last seen.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.lines.waiting()
    }

    /// Adds newly due deliveries to their lines.
    async fn look_at_deliveries(&self) -> Result<(), StoreError> {
        let lines = &self.lines;
        let now = self.records.store.now().await?;
        let mut after = lines.begin_look(now);
        for _ in 0..PAGES_AT_ONCE {
            let page = self
                .records
                .store
                .due_places(DELIVERIES, after, PAGE)
                .await?;
            let unknown = lines.unknown(&page);
            if !self.learn(&unknown).await? {
                // These are read again later.
                return Ok(());
            }
            match page.last() {
                Some(last) if page.len() == PAGE => after = *last,
                _ => {
                    lines.seen_all(now);
                    return Ok(());
                }
            }
            lines.seen(after);
            if !unknown.is_empty() {
                break;
            }
        }
        // The rest is read after the other lanes.
        self.work.notify_one();
        Ok(())
    }

    /// Finds the lines of these positions; returns false if one could not be found.
    async fn learn(&self, places: &[LanePosition]) -> Result<bool, StoreError> {
        if places.is_empty() {
            return Ok(true);
        }
        let notices = self.records.read(|tx| {
            Box::pin(async move {
                let mut notices = Vec::with_capacity(places.len());
                for place in places {
                    notices.push((*place, notice_at(tx, *place).await?));
                }
                Ok::<_, StoreError>(notices)
            })
        });
        let mut is_complete = true;
        for (place, notice) in notices.await? {
            let line = match notice {
                Some(notice) => self.line_of(&notice).await,
                None => Some(Line::nowhere()),
            };
            match line {
                Some(line) => self.lines.stand(line, place),
                None => is_complete = false,
            }
        }
        Ok(is_complete)
    }

    /// The line of an event; `None` while its content is unavailable. Unreadable content goes to no
    /// receiver; its job decides what follows.
    async fn line_of(&self, notice: &NoticeRow) -> Option<Line> {
        let payload = match self.records.notice_unless_lost::<Target>(notice).await {
            Err(error) if is_away(&error) => return None,
            payload => payload.ok().flatten(),
        };
        let target = payload.and_then(|payload| payload.target.parse::<Uri>().ok());
        Some(match target.as_ref().and_then(Uri::host) {
            Some(receiver) => Line::new(notice.tenant, receiver),
            None => Line::nowhere(),
        })
    }
}

/// The event to be delivered by the job at that position.
async fn notice_at(
    tx: &mut Transaction<'_>,
    place: LanePosition,
) -> Result<Option<NoticeRow>, StoreError> {
    let notice = async {
        let job = jobs::waiting(tx, place).await?;
        let Some(job) = job.filter(|job| job.kind == outbox::DELIVER) else {
            return Ok(None);
        };
        let Payload { notice } = job.payload()?;
        tx.get::<NoticeRow>(&notice).await
    };
    match notice.await {
        // Its job says so when it is its turn.
        Err(StoreError::Decode { .. }) => Ok(None),
        notice => notice,
    }
}
