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
    /// Print what a workspace has used, the oldest first: a line of JSON each. With
    /// --month what all have used in it, each entry with its id and workspace.
    Export {
        #[arg(required_unless_present = "month")]
        tenant: Option<String>,
        /// Leave out what is older, such as 2026-03-01T00:00:00Z.
        #[arg(long, value_name = "TIME", conflicts_with = "month")]
        since: Option<Timestamp>,
        /// A month in UTC, such as 2026-10.
        #[arg(long, value_name = "YYYY-MM")]
        month: Option<Month>,
        /// One workspace alone.
        #[arg(
            long = "tenant",
            value_name = "TENANT",
            requires = "month",
            conflicts_with = "tenant"
        )]
        only: Option<String>,
        /// How a month is written; a line of JSON each, without it.
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
    /// Comma-separated values (RFC 4180) with a line of names, in UTF-8.
    Csv,
    /// A line of JSON each.
    Json,
}

/// Commands on the log of calls for register data.
#[derive(Clone, Debug, Deserialize, Serialize, Subcommand)]
#[serde(rename_all = "snake_case")]
pub enum CallsCommand {
    /// Print the calls for register data that a workspace has made, the oldest
    /// first: a line of JSON each.
    Export {
        tenant: String,
        /// Those about one entity or real-property object alone.
        #[arg(long, value_name = "CODE", value_parser = subject)]
        subject: Option<String>,
        /// Leave out what is older, such as 2026-03-01T00:00:00Z.
        #[arg(long, value_name = "TIME")]
        since: Option<Timestamp>,
        #[arg(skip)]
        after: Option<Uuid>,
    },
}
