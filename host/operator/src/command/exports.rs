use clap::{Subcommand, ValueEnum};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::subject;
use crate::Month;

/// Commands on the usage ledger.
#[derive(Clone, Debug, Deserialize, Serialize, Subcommand)]
#[serde(rename_all = "snake_case")]
pub enum UsageCommand {
    /// Print the usage of a workspace, oldest first, as JSON lines. With --month, print
    /// that month's usage of all workspaces, each entry with its id and workspace.
    Export {
        #[arg(required_unless_present = "month")]
        tenant: Option<String>,
        /// Only entries from this time on, such as 2026-03-01T00:00:00Z.
        #[arg(long, value_name = "TIME", conflicts_with = "month")]
        since: Option<Timestamp>,
        /// A month in UTC, such as 2026-10.
        #[arg(long, value_name = "YYYY-MM")]
        month: Option<Month>,
        /// Only this workspace.
        #[arg(
            long = "tenant",
            value_name = "TENANT",
            requires = "month",
            conflicts_with = "tenant"
        )]
        only: Option<String>,
        /// The format of a month's export. Default: JSON lines.
        #[arg(long, value_enum, requires = "month")]
        format: Option<UsageFormat>,
        #[arg(skip)]
        after: Option<Uuid>,
    },
}

/// How an export is written.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum UsageFormat {
    /// Comma-separated values (RFC 4180) with a header line, in UTF-8.
    Csv,
    /// A line of JSON each.
    Json,
}

/// Commands on the log of calls for register data.
#[derive(Clone, Debug, Deserialize, Serialize, Subcommand)]
#[serde(rename_all = "snake_case")]
pub enum CallsCommand {
    /// Print the register calls of a workspace, oldest first, as JSON lines.
    Export {
        tenant: String,
        /// Only calls about this entity or real-property object.
        #[arg(long, value_name = "CODE", value_parser = subject)]
        subject: Option<String>,
        /// Only entries from this time on, such as 2026-03-01T00:00:00Z.
        #[arg(long, value_name = "TIME")]
        since: Option<Timestamp>,
        #[arg(skip)]
        after: Option<Uuid>,
    },
}
