use parafa_api_signing::views::date_time;
use parafa_platform::register_calls::CallRow;
use parafa_store::Paged;
use serde_json::{Value, json};

use crate::{CallsCommand, OperateError, OperatorCommands, Part};

impl OperatorCommands {
    pub(crate) async fn calls(&self, command: CallsCommand) -> Result<Value, OperateError> {
        let CallsCommand::Export {
            tenant,
            subject,
            since,
            after,
        } = command;
        let found: Paged<CallRow> = self.rows_of(&tenant, since, after).await?;
        let is_asked = |row: &&CallRow| {
            since.is_none_or(|since| row.at >= since)
                && subject
                    .as_ref()
                    .is_none_or(|subject| row.subject == *subject)
        };
        let part = Part {
            rows: found.rows.iter().filter(is_asked).map(shown).collect(),
            after: found.rows.last().filter(|_| found.more).map(|row| row.id),
        };
        Ok(part.into())
    }
}

fn shown(call: &CallRow) -> Value {
    json!({
        "at": date_time(call.at),
        "item": call.item,
        "subject": call.subject,
        "purpose": call.purpose,
        "outcome": call.outcome,
        "ref": call.reference_or_id(),
        "rawSha256": call.raw_sha256,
        "tier": call.form.map(|form| form.tier),
        "interpreted": call.form.map(|form| form.interpreted),
        "charged": call.charged.to_string(),
    })
}
