use std::collections::BTreeSet;
use std::error::Error;

use parafa_api_signing::views::date_time;
use parafa_ceremony::records::CeremonyRow;
use parafa_store::audit::{self, Verdict, seal};
use parafa_store::backup::{Missing, MissingItem};
use parafa_store::keys::{DataKey, KeyError};
use parafa_store::{Guard, Named, Needs, Page, StoreError};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{AuditCommand, OperateError, OperatorCommands, Part};

/// Signings in one part of an answer.
const AT_ONCE: usize = 100;
/// Seals in one part of an answer: each may cover many thousand trails.
const SEALS_AT_ONCE: usize = 10;

impl OperatorCommands {
    pub(crate) async fn audit(&self, command: AuditCommand) -> Result<Value, OperateError> {
        match command {
            AuditCommand::Verify { after } => Ok(self.verify(after).await?.into()),
            AuditCommand::Seals { after } => Ok(self.seals(after).await?.into()),
            AuditCommand::Prove { signing } => self.prove(signing).await,
            AuditCommand::Contents => self.contents().await,
        }
    }

    /// Returns the verdict on each signing's audit trail, erased signings
    /// included. The first part also verifies that the records are complete.
    async fn verify(&self, after: Option<Uuid>) -> Result<Part, OperateError> {
        if after.is_none() {
            self.records.store.verify().await?;
        }
        let page = &Page {
            after,
            ..Page::oldest(AT_ONCE)
        };
        let found = self
            .records
            .read(|tx| Box::pin(async move { tx.page::<CeremonyRow>(page, Guard::none()).await }))
            .await?;
        let mut part = Part::of(&found, |row| json!({"signingId": row.ceremony.id.uuid()}));
        for (row, value) in found.rows.iter().zip(&mut part.rows) {
            let chain = row.ceremony.id.uuid();
            value["brokenAt"] = json!(broken_at(&audit::verify(&self.records.store, chain).await?));
        }
        Ok(part)
    }

    /// Returns the seals, oldest first, each with its faults.
    async fn seals(&self, after: Option<Uuid>) -> Result<Part, OperateError> {
        let store = &self.records.store;
        let after = after.map_or(0, |after| after.as_u64_pair().1);
        let found = seal::seals(store, after, SEALS_AT_ONCE).await?;
        let mut rows = Vec::with_capacity(found.len());
        for one in &found {
            let fault = seal::verify_seal(store, one).await?;
            rows.push(json!({
                "seal": one.number,
                "hour": date_time(one.hour_began()),
                "size": one.size,
                "root": one.root,
                "previous": one.previous,
                "hash": one.hash,
                "fault": fault.map(|fault| fault.to_string()),
            }));
        }
        let is_last = found.len() < SEALS_AT_ONCE;
        let last = found.last().filter(|_| !is_last);
        Ok(Part {
            rows,
            after: last.map(|last| Uuid::from_u64_pair(0, last.number)),
        })
    }

    /// Returns a signing's audit trail in the form that anybody can recompute,
    /// also for an erased signing.
    async fn prove(&self, signing: Uuid) -> Result<Value, OperateError> {
        let row = self.records.store.get::<CeremonyRow>(&signing).await?;
        if row.is_none() {
            return Err(OperateError::NoTrail(signing));
        }
        let proven = seal::prove(&self.records.store, signing).await?;
        Ok(json!(parafa_signing::api::audit_trail(&proven)))
    }

    /// Counts the readable documents and data keys, each once however many rows
    /// name it, and lists the unreadable ones.
    async fn contents(&self) -> Result<Value, OperateError> {
        let mut read = Named::default();
        let needs = self.needs().await?;
        let mut missing = BTreeSet::new();
        for (table, named) in needs.content {
            let table = table.to_owned();
            for id in named.keys {
                let Some(key) = self.data_key(id).await? else {
                    let (table, what) = (table.clone(), MissingItem::DataKey(id));
                    missing.insert(Missing { table, what });
                    continue;
                };
                read.keys.insert(id);
                for file in &named.files {
                    if read.files.contains(file) {
                        continue;
                    }
                    if let Err(error) = self.records.files.read(&key, *file).await {
                        let error: &dyn Error = &error;
                        tracing::error!(error, "a document cannot be read");
                        let (table, what) = (table.clone(), MissingItem::Document(*file));
                        missing.insert(Missing { table, what });
                    } else {
                        read.files.insert(*file);
                    }
                }
            }
        }
        if !missing.is_empty() {
            // Content erased meanwhile is not missing.
            let needs = self.needs().await?;
            let mut needed = Named::default();
            for (_, named) in needs.content {
                needed.files.extend(named.files);
                needed.keys.extend(named.keys);
            }
            missing.retain(|missing| is_in(&missing.what, &needed));
        }
        missing.extend(needs.unread);
        Ok(json!({
            "documents": read.files.len(),
            "keys": read.keys.len(),
            "missing": missing,
        }))
    }

    async fn needs(&self) -> Result<Needs, StoreError> {
        self.inventory
            .tables
            .needs(&self.records.store, self.records.store.now().await?)
            .await
    }

    /// Opens a key; `None` if it is missing or damaged.
    async fn data_key(&self, id: Uuid) -> Result<Option<DataKey>, OperateError> {
        match self.records.keys.open(id).await {
            Ok(key) => Ok(Some(key)),
            Err(error @ (KeyError::Missing { .. } | KeyError::Damaged { .. })) => {
                tracing::error!(%error, "a data key cannot be read");
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn is_in(what: &MissingItem, named: &Named) -> bool {
    match what {
        MissingItem::Document(id) => named.files.contains(id),
        MissingItem::DataKey(id) => named.keys.contains(id),
        MissingItem::Row(_) => false,
    }
}

/// Returns the first faulty event. A signing always has a first event, so an
/// empty trail lacks that one.
fn broken_at(verdict: &Verdict) -> Option<u64> {
    match verdict {
        Verdict::Intact(head) if head.sequence == 0 => Some(1),
        Verdict::Intact(_) => None,
        Verdict::Broken { sequence } => Some(*sequence),
    }
}
