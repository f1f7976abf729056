//! `parafa usage export`: the usage ledger, for accounting.

use std::borrow::Cow;
use std::io::{self, Write};

use anyhow::Context;
use parafa_operator::{OperatorCommand, TenantCommand, UsageCommand, UsageFormat};
use parafa_plugin_tools::output::is_read;
use serde_json::Value;

use super::error::CommandError;
use super::operator::CommandTarget;

/// Columns of an export, by the members of its rows.
const COLUMNS: [&str; 13] = [
    "id",
    "at",
    "tenant",
    "workspace",
    "product",
    "item",
    "ref",
    "refersTo",
    "tier",
    "interpreted",
    "amount",
    "currency",
    "billed",
];
/// Line ending (RFC 4180, 2).
const LINE_END: &str = "\r\n";

/// Prints the usage of one workspace, or of every workspace in a month.
pub(super) fn export(
    target: &mut CommandTarget<'_>,
    command: &UsageCommand,
) -> Result<(), CommandError> {
    let UsageCommand::Export { format, .. } = command;
    let is_csv = *format == Some(UsageFormat::Csv);
    let workspaces = workspaces(target, command)?;
    let mut output = io::stdout().lock();
    if is_csv && !is_read(write!(output, "{}{LINE_END}", COLUMNS.join(",")))? {
        return Ok(());
    }
    for workspace in workspaces {
        let mut asked = command.clone();
        let UsageCommand::Export { tenant, .. } = &mut asked;
        *tenant = Some(workspace);
        let mut goes_on = true;
        target.each_row(OperatorCommand::Usage(asked), |row| {
            let written = match is_csv {
                true => write!(output, "{}{LINE_END}", line(&row)),
                false => writeln!(output, "{row}"),
            };
            goes_on = is_read(written)?;
            Ok(goes_on)
        })?;
        if !goes_on {
            break;
        }
    }
    Ok(())
}

/// Returns the exported workspaces, by name or id.
fn workspaces(
    target: &mut CommandTarget<'_>,
    command: &UsageCommand,
) -> Result<Vec<String>, CommandError> {
    let UsageCommand::Export { tenant, only, .. } = command;
    if let Some(named) = tenant.as_ref().or(only.as_ref()) {
        return Ok(vec![named.clone()]);
    }
    let listed = target.carry_out(OperatorCommand::Tenant(TenantCommand::List))?;
    let ids = listed.as_array().into_iter().flatten().map(|tenant| {
        let id = tenant["id"].as_str().context("a workspace has no id")?;
        Ok::<_, anyhow::Error>(id.to_owned())
    });
    Ok(ids.collect::<anyhow::Result<_>>()?)
}

/// Formats a row as a line of CSV.
fn line(row: &Value) -> String {
    let fields = COLUMNS.map(|column| match &row[column] {
        Value::Null => String::new(),
        Value::String(text) => quoted(text),
        other => other.to_string(),
    });
    fields.join(",")
}

/// Quotes a text as a field. A text that a spreadsheet would read as a formula
/// gets an apostrophe in front.
fn quoted(text: &str) -> String {
    let text = match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    };
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_is_a_line_with_a_field_for_each_column() {
        let row = json!({
            "id": "1",
            "at": "2026-10-31T23:59:59.000Z",
            "workspace": "Ąžuolas, \"UAB\"",
            "ref": "=HYPERLINK(1)",
            "interpreted": true,
            "amount": "0.70",
        });

        let fields = [
            r#""1""#,
            r#""2026-10-31T23:59:59.000Z""#,
            "",
            r#""Ąžuolas, ""UAB""""#,
            "",
            "",
            r#""'=HYPERLINK(1)""#,
            "",
            "",
            "true",
            r#""0.70""#,
            "",
            "",
        ];
        assert_eq!(line(&row), fields.join(","));
    }
}
