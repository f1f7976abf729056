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
    ///
    /// `ref` is the id of the signing or order, or the `X-Request-Id` of an answer about
    /// an entity. The price of such an answer depends on `tier` (`json`, `jades-t`,
    /// `jades-lt` or `asice`) and `interpreted`. `refersTo` says what `ref` is: a signing, an
    /// order, or a call that `calls export` has. In CSV an apostrophe precedes texts that a
    /// spreadsheet would take for a formula.
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

/// Form of an export.
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
    ///
    /// `item` is what was asked, or `identification_package` for an order; `subject` is the
    /// code of the entity, or the unique number of the object. `outcome` is `answered`,
    /// `no_data`, `not_offered`, `upstream_unavailable`, `signature_unavailable`,
    /// `payment_required`, `abandoned` (the caller hung up first) or `failed`. `ref` is the
    /// `X-Request-Id` of the answer, or the id of the order, as in `usage export`.
    /// `rawSha256` has the SHA-256 of each register's answer, in order of arrival. `tier`
    /// and `interpreted` are null for orders. `charged` is in euros, without VAT.
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
