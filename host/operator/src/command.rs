#![expect(
    missing_docs,
    reason = "what is said of an argument is its help on the command line"
)]

mod exports;
mod keys;

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, ArgGroup, Subcommand, ValueEnum};
use parafa_platform::accounts::{AdocCategory, Product, Role};
use parafa_platform::billing::{Amount, PriceStep};
use parafa_plugin_store::PulledComponent;
use parafa_register_data::{EntityCode, PropertyNumber};
use serde::{Deserialize, Serialize};
use url::Url;
use uuid::Uuid;

pub use self::exports::{CallsCommand, UsageCommand, UsageFormat};
pub use self::keys::{KeyCommand, KeyTerms};
use crate::{Chosen, FaceChange, LinkedEntity};

/// Time limit for the answer to most commands.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);
/// Time limit for commands on plugins. They compile components and test a new
/// one; the tests have a much lower limit of their own.
const PLUGIN_ANSWER_WITHIN: Duration = Duration::from_secs(180);

/// All operator commands.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OperatorCommand {
    /// Commands on workspaces.
    Tenant(TenantCommand),
    /// Commands on the users of workspaces.
    User(UserCommand),
    /// Commands on API keys.
    Key(KeyCommand),
    /// Commands on relying parties.
    Provider(ProviderCommand),
    /// Commands on webhook deliveries.
    Delivery(DeliveryCommand),
    /// Commands on the usage ledger.
    Usage(UsageCommand),
    /// Commands on the log of calls for register data.
    Calls(CallsCommand),
    /// Commands on comments.
    Comment(CommentCommand),
    /// Commands on audit trails.
    Audit(AuditCommand),
    /// Commands on format plugins.
    Plugin(PluginCommand),
    /// A full copy.
    Backup(BackupCommand),
    /// Commands on content that no row names.
    Sweep(SweepCommand),
    /// Release of a restored copy that sends nothing.
    Release,
}

impl OperatorCommand {
    /// Returns the paging cursor of a command that answers in
    /// [`Part`](super::Part)s; `None` for commands answered at once.
    pub fn cursor(&mut self) -> Option<&mut Option<Uuid>> {
        match self {
            Self::Delivery(DeliveryCommand::List { after, .. })
            | Self::Usage(UsageCommand::Export { after, .. })
            | Self::Calls(CallsCommand::Export { after, .. })
            | Self::Audit(AuditCommand::Verify { after } | AuditCommand::Seals { after }) => {
                Some(after)
            }
            _ => None,
        }
    }

    /// Returns the time limit for the answer; `None` where the time depends on
    /// the amount of data.
    pub(crate) fn answered_within(&self) -> Option<Duration> {
        match self {
            Self::Audit(_) | Self::Backup(_) | Self::Sweep(_) => None,
            Self::Plugin(_) => Some(PLUGIN_ANSWER_WITHIN),
            _ => Some(ANSWER_WITHIN),
        }
    }

    /// Returns whether the command can be dropped half way without loss, when
    /// its client disconnects or the server stops.
    pub(crate) fn may_be_dropped(&self) -> bool {
        matches!(self, Self::Audit(_) | Self::Backup(_) | Self::Sweep(_))
    }
}

fn yes_or_no(text: &str) -> Result<bool, &'static str> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err("it must be yes or no"),
    }
}

/// Parses the code of an entity or the unique number of an object, in the form
/// that the log uses.
fn subject(text: &str) -> Result<String, &'static str> {
    let entity = text.parse::<EntityCode>().map(|code| code.to_string());
    let object = |_| {
        text.parse::<PropertyNumber>()
            .map(|number| number.to_string())
    };
    entity
        .or_else(object)
        .map_err(|_| "it is neither the code of an entity nor the unique number of an object")
}

/// Parses the retention period of signings, in days; ten years at most.
fn kept_days(text: &str) -> Result<Chosen<u16>, &'static str> {
    match text.parse::<u16>() {
        Ok(days @ 1..=3650) => Ok(Chosen::To(days)),
        Err(_) if text == "none" => Ok(Chosen::Nothing),
        _ => Err("it must be a number of days from 1 to 3650, or none"),
    }
}

fn id(text: &str) -> Result<Uuid, &'static str> {
    text.parse().map_err(|_| "no id")
}

/// Commands on workspaces. TENANT is an id or a name.
#[derive(Clone, Debug, Deserialize, Serialize, Subcommand)]
#[serde(rename_all = "snake_case")]
pub enum TenantCommand {
    /// Create a workspace; signers see its name.
    Create { name: String },
    /// List all workspaces.
    List,
    /// Show one workspace with its users.
    Show { tenant: String },
    /// Suspend a workspace: its keys stop working; open ceremony links keep working.
    Suspend { tenant: String },
    /// Resume a suspended workspace: its keys work again.
    Resume { tenant: String },
    /// Set whether a workspace can pay; if it cannot, its live keys create nothing.
    SetFunding {
        tenant: String,
        /// The new state.
        #[arg(value_enum)]
        funding: FundingStatus,
        /// The highest debt in euros, such as 250.00. Default: no ceiling for `ok`, 0
        /// for `ceiling`.
        #[arg(long, value_name = "EUR")]
        ceiling: Option<Amount>,
        /// A page on which a person can settle payments. Default: the current one, else
        /// the configured one.
        #[arg(long, value_name = "URL")]
        recovery_url: Option<Url>,
    },
    /// Set the prices of signatures, or return to the configured prices.
    SetPrices {
        tenant: String,
        /// A price from the Nth signature of a month on, such as 101=0.40; one must be
        /// for N = 1.
        #[arg(long = "from", value_name = "N=EUR")]
        steps: Vec<PriceStep>,
    },
    /// Record a payment of a workspace.
    RecordPayment {
        tenant: String,
        /// The amount, without VAT.
        #[arg(long, value_name = "EUR")]
        amount: Amount,
    },
    /// Set the agreements of a workspace for due diligence. Options that are left out
    /// keep their value.
    SetAgreement {
        tenant: String,
        /// Set to yes if the terms of service are accepted.
        #[arg(long, value_name = "yes|no", action = ArgAction::Set, value_parser = yes_or_no)]
        terms: Option<bool>,
        /// Set to yes if the engagement agreement is signed.
        #[arg(long, value_name = "yes|no", action = ArgAction::Set, value_parser = yes_or_no)]
        agreement: Option<bool>,
        /// The code of the entity that is billed.
        #[arg(long, value_name = "CODE|none")]
        entity: Option<LinkedEntity>,
    },
    /// Set the category of a workspace's composed ADOC documents. Default: BeDOC.
    SetAdocCategory {
        tenant: String,
        #[arg(value_enum, ignore_case = true)]
        category: AdocCategory,
    },
    /// Set how many days a workspace keeps ended signings before they are erased.
    SetRetention {
        tenant: String,
        /// 1 to 3650, or none to keep them until they are erased.
        #[arg(long, value_name = "DAYS|none", value_parser = kept_days)]
        days: Chosen<u16>,
    },
    /// Hold a signing, or all of a workspace: they are not erased automatically.
    Hold {
        tenant: String,
        /// The signing's id. Default: all of the workspace.
        #[arg(long, value_name = "ID", value_parser = id)]
        signing: Option<Uuid>,
    },
    /// Release a hold: signings are erased automatically again.
    Release {
        tenant: String,
        /// The signing's id. Default: the hold on the whole workspace.
        #[arg(long, value_name = "ID", value_parser = id)]
        signing: Option<Uuid>,
    },
    /// Set the branding of a workspace on signers' pages and in emails. Options that are left out
    /// keep their value.
    SetFace {
        tenant: String,
        #[command(flatten)]
        #[serde(flatten)]
        change: FaceChange,
    },
    /// Issue a new webhook secret; the old one also signs for a day.
    RotateSecret {
        tenant: String,
        /// The product whose events the secret signs.
        #[arg(long, value_enum)]
        product: Product,
    },
}

/// Payment state of a workspace, as set by operators.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum FundingStatus {
    /// In good standing.
    Ok,
    /// No payment method is set up.
    NoRail,
    /// An invoice is overdue.
    Overdue,
    /// In good standing until the debt and the price of the next signature exceed the ceiling.
    Ceiling,
}

/// Commands on users.
#[derive(Clone, Debug, Deserialize, Serialize, Subcommand)]
#[serde(rename_all = "snake_case")]
pub enum UserCommand {
    /// Add a user to a workspace.
    Add {
        tenant: String,
        email: String,
        #[arg(long, value_enum)]
        role: Role,
    },
    /// Change the role of a user.
    SetRole {
        tenant: String,
        email: String,
        #[arg(value_enum)]
        role: Role,
    },
    /// Remove a user from a workspace; their keys stop working at once.
    Revoke { tenant: String, email: String },
}

/// Commands on relying parties, which have people authenticate.
#[derive(Clone, Debug, Deserialize, Serialize, Subcommand)]
#[serde(rename_all = "snake_case")]
pub enum ProviderCommand {
    /// Create a relying party; the secret of its key is shown only once.
    Create {
        /// A name for operators.
        name: String,
        /// An origin that people may authenticate for, exactly as browsers send it,
        /// such as https://shop.example.
        #[arg(long = "audience", value_name = "ORIGIN", required = true, num_args = 1..)]
        audiences: Vec<String>,
        /// A method by which people may authenticate.
        #[arg(long = "method", value_name = "METHOD", required = true, num_args = 1.., value_enum)]
        methods: Vec<ProviderMethod>,
        /// An accepted encoding of card signatures: P1363, DER or RAW. Default: all of
        /// them.
        #[arg(long = "encoding", value_name = "ENCODING", num_args = 1..)]
        encodings: Vec<String>,
        /// The workspace that it belongs to; its calls are refused while the workspace is
        /// suspended.
        #[arg(long, value_name = "TENANT")]
        tenant: Option<String>,
        /// Do not issue assertions to it.
        #[arg(long)]
        no_assertion: bool,
    },
    /// List all relying parties.
    List,
    /// Revoke the key of a relying party at once, with the tokens of its open requests.
    Revoke {
        /// The id of its key.
        #[arg(value_parser = id)]
        key_id: Uuid,
    },
    /// Change a relying party: each given list replaces the current one. Options that
    /// are left out keep their value, and open requests continue.
    #[command(group = ArgGroup::new("change").required(true).multiple(true))]
    Set {
        /// The id of its key.
        #[arg(value_parser = id)]
        key_id: Uuid,
        /// An origin that people may authenticate for.
        #[arg(long = "audience", value_name = "ORIGIN", num_args = 1.., group = "change")]
        audiences: Vec<String>,
        /// A method by which people may authenticate.
        #[arg(long = "method", value_name = "METHOD", num_args = 1.., value_enum, group = "change")]
        methods: Vec<ProviderMethod>,
        /// An accepted encoding of card signatures: P1363, DER or RAW.
        #[arg(long = "encoding", value_name = "ENCODING", num_args = 1.., group = "change")]
        encodings: Vec<String>,
    },
    /// Rotate the secret of a relying party's key; the new one is shown only once. The
    /// old one works for a while longer.
    RotateSecret {
        /// The id of its key.
        #[arg(value_parser = id)]
        key_id: Uuid,
        /// Hours for which the old secret works; 0 ends it at once.
        #[arg(long, value_name = "HOURS", default_value_t = 24)]
        overlap_hours: u32,
    },
    /// Sign assertions with a new key, five minutes from now; the old one is published for
    /// a while longer.
    RotateKey,
    /// Revoke a compromised key of assertions, and with it all that it signed: it is no
    /// longer published, and a new one signs at once.
    RevokeKey {
        /// Its `kid`. Default: the current signing key.
        #[arg(allow_hyphen_values = true)]
        kid: Option<String>,
    },
}

/// Method of authentication.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum ProviderMethod {
    /// A card in a reader.
    Physical,
    /// A card over NFC.
    Nfc,
    /// Smart-ID.
    SmartId,
    /// Mobile-ID.
    MobileId,
}

/// Commands on webhook deliveries.
#[derive(Clone, Debug, Deserialize, Serialize, Subcommand)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryCommand {
    /// List the deliveries of a workspace, the newest first.
    List {
        tenant: String,
        #[arg(skip)]
        after: Option<Uuid>,
    },
    /// Send an event again.
    Replay {
        /// The delivery's id.
        #[arg(value_parser = id)]
        id: Uuid,
    },
}

/// Commands on comments.
#[derive(Clone, Debug, Deserialize, Serialize, Subcommand)]
#[serde(rename_all = "snake_case")]
pub enum CommentCommand {
    /// Add a comment to a signing; its workspace sees it, signers do not.
    Add {
        /// The signing's id.
        #[arg(value_parser = id)]
        signing: Uuid,
        text: String,
        /// The name of the writer.
        #[arg(long)]
        label: Option<String>,
    },
}

/// Commands on audit trails, and on what they tell of.
#[derive(Clone, Debug, Deserialize, Serialize, Subcommand)]
#[serde(rename_all = "snake_case")]
pub enum AuditCommand {
    /// Check that every record is present, recompute the audit trail of every signing
    /// and every seal over the ends of trails, and report broken ones.
    Verify {
        #[arg(skip)]
        after: Option<Uuid>,
    },
    /// List the seals over the heads of trails, the earliest first, each recomputed from
    /// its leaves.
    Seals {
        /// Has the number of a seal.
        #[arg(skip)]
        after: Option<Uuid>,
    },
    /// Print the audit trail of a signing with the hashes to recompute it and its seal.
    Prove {
        /// The signing's id.
        #[arg(value_parser = id)]
        signing: Uuid,
    },
    /// Read every document and data key that a record needs, and report missing or
    /// damaged ones. Takes as long as reading all documents.
    Contents,
}

/// Commands on the plugins of a data folder. Paths are absolute, because
/// another process may read the files.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PluginCommand {
    /// Installs a component and makes it the active version.
    Install {
        component: PathBuf,
        /// Where the file was pulled from, if it was.
        #[serde(default)]
        pulled: Option<PulledComponent>,
        /// Also of another publisher than the last.
        replace_publisher: bool,
        /// Give it what other plugins take, too.
        #[serde(default)]
        prefer: bool,
    },
    /// Show all versions.
    List,
    /// Disable the active version of a format.
    Disable { id: String },
    /// Go back to the previous version.
    Rollback {
        id: String,
        /// Allow a version that is disabled.
        enable: bool,
    },
    /// Trust a publisher.
    Trust {
        key: PathBuf,
        /// All formats if empty.
        formats: Vec<String>,
    },
    /// Stop trusting a publisher.
    Untrust { publisher: String },
}

/// A full copy into a folder, given by an absolute path.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct BackupCommand {
    pub to: PathBuf,
}

/// A sweep of what no row names.
#[derive(Clone, Copy, Debug, clap::Args, Deserialize, Serialize)]
pub struct SweepCommand {
    /// Sweep even if the amount suggests that records were lost; the content is deleted permanently
    /// after a day in quarantine.
    #[arg(long)]
    pub confirm: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_neither_yes_nor_no_and_what_is_no_id_is_told_in_these_words() {
        assert_eq!(yes_or_no("Yes"), Ok(true));
        assert_eq!(yes_or_no("no"), Ok(false));
        assert_eq!(yes_or_no("maybe"), Err("it must be yes or no"));
        assert_eq!(id("xyz"), Err("no id"));
        assert_eq!(subject("999000009"), Ok("999000009".to_owned()));
        assert_eq!(subject("440099900001"), Ok("4400-9990-0001".to_owned()));
        assert!(subject("999000008").is_err());
        assert!(id(&Uuid::nil().to_string()).is_ok());
    }

    #[test]
    fn signings_are_kept_for_one_day_to_ten_years_or_until_somebody_erases_them() {
        for (text, days) in [("none", None), ("1", Some(1)), ("3650", Some(3650))] {
            assert_eq!(kept_days(text).unwrap().into_option(), days);
        }
        for text in ["0", "3651", "-1", "1.5", "", "never"] {
            assert!(kept_days(text).is_err(), "{text}");
        }
    }
}
