//! `parafa trust import`: differences between trusted lists and the trust
//! anchors.

use std::fmt;
use std::path::{Path, PathBuf};

use parafa_plugin_tools::output::{print_json, print_line, shown, warn};
use parafa_store::{Clock, SystemClock};
use parafa_trusted_list::{Added, Changed, Difference, Import, ListView, Unlisted, Window, import};
use serde::Serialize;

use super::error::CommandError;

/// Arguments of `parafa trust`.
#[derive(Debug, clap::Args)]
pub(super) struct TrustArguments {
    #[command(subcommand)]
    command: TrustSubcommand,
}

#[derive(Debug, clap::Subcommand)]
enum TrustSubcommand {
    /// Show what trusted lists would change; the trust anchors stay as they are.
    ///
    /// A list of another version, with a document type declaration, or of more than 32 MiB,
    /// 64 levels, or 500,000 tags and comments is refused. So is one with a lower number than
    /// in trusted-lists.toml. Of services, CA/QC with `ForeSignatures` becomes the purpose
    /// signing, and TSA/QTST timestamping, both of the kind issuing. `qualified_from` is the
    /// start of the last granted period without a gap, and `qualified_until` the start of
    /// another status after it. Statuses from before Regulation (EU) No 910/2014, qualifiers
    /// of certificates and expired certificates add nothing.
    Import(ImportArguments),
}

#[derive(Debug, clap::Args)]
struct ImportArguments {
    /// The trusted lists, one for each territory.
    #[arg(required = true, value_name = "FILE.xml")]
    lists: Vec<PathBuf>,
    /// The list of the lists (LOTL), which names their signers.
    #[arg(long, value_name = "FILE.xml")]
    lotl: PathBuf,
    /// A certificate that may sign the LOTL. Default: those in lotl-signers.pem of the
    /// folder.
    #[arg(long = "lotl-signer", value_name = "CERT.pem")]
    lotl_signers: Vec<PathBuf>,
    /// The folder with trust.toml.
    #[arg(long, value_name = "DIR")]
    trust: PathBuf,
    /// Create this folder: a copy of the one with trust.toml, with the changes.
    #[arg(long, value_name = "OUTDIR")]
    write: Option<PathBuf>,
    /// Accept lists that should have been replaced by newer ones.
    #[arg(long)]
    accept_old: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    lists: &'a [ListView],
    #[serde(flatten)]
    difference: &'a Difference,
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<&'a Path>,
}

/// Runs one of the subcommands.
pub(super) fn trust(arguments: &TrustArguments) -> Result<(), CommandError> {
    let TrustSubcommand::Import(arguments) = &arguments.command;
    let imported = import(&Import {
        lists: &arguments.lists,
        list_of_lists: &arguments.lotl,
        signers: &arguments.lotl_signers,
        folder: &arguments.trust,
        accepts_old: arguments.accept_old,
        now: SystemClock.now(),
    })?;
    let written = arguments.write.as_deref();
    if let Some(folder) = written {
        imported.write(folder)?;
    }
    imported.warnings.iter().for_each(warn);
    if arguments.json {
        print_json(&Answer {
            lists: &imported.lists,
            difference: &imported.difference,
            warnings: &imported.warnings,
            written,
        })?;
        return Ok(());
    }
    for list in &imported.lists {
        print_line(format_args!(
            "{}: list {} of {}, signed by {}",
            list.territory, list.sequence, list.issued, list.signer
        ))?;
    }
    print_difference(&imported.difference)?;
    if let Some(folder) = written {
        print_line(format_args!("written: {}", folder.display()))?;
    }
    Ok(())
}

/// Prints a line for each difference: anchors added, changed, withdrawn or
/// unknown to the lists, and further remarks.
fn print_difference(difference: &Difference) -> anyhow::Result<()> {
    for added in &difference.added {
        print_line(shown(&added_line(added)))?;
    }
    for changed in &difference.changed {
        print_line(shown(&changed_line("changed", changed)))?;
    }
    for changed in &difference.withdrawn {
        print_line(shown(&changed_line("withdrawn", changed)))?;
    }
    for unlisted in &difference.unlisted {
        print_line(shown(&unlisted_line(unlisted)))?;
    }
    for note in &difference.notes {
        print_line(shown(&format!("note: {note}")))?;
    }
    if difference.is_settled() {
        print_line("nothing would change")?;
    }
    Ok(())
}

fn added_line(added: &Added) -> String {
    let mut line = format!(
        "add: {}, {}, {}; {}, {} ({}); SHA-256 {}",
        added.subject,
        added.purpose,
        Times(added.window),
        added.service,
        added.provider,
        added.territory,
        added.sha256
    );
    if !added.policies.is_empty() {
        line += &format!("; policies of the list: {}", added.policies.join(", "));
    }
    line
}

fn changed_line(what: &str, changed: &Changed) -> String {
    format!(
        "{what}: {} ({}), {}, {}, so far {}; SHA-256 {}",
        changed.file,
        changed.subject,
        changed.purposes.join(" and "),
        Times(changed.after),
        Times(changed.before),
        changed.sha256
    )
}

fn unlisted_line(unlisted: &Unlisted) -> String {
    format!(
        "on no list: {} ({}), {}; SHA-256 {}",
        unlisted.file,
        unlisted.subject,
        unlisted.purposes.join(" and "),
        unlisted.sha256
    )
}

/// A validity period, as text.
struct Times(Window);

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.from, self.0.until) {
            (None, None) => f.write_str("always"),
            (Some(from), None) => write!(f, "from {from}"),
            (None, Some(until)) => write!(f, "until {until}"),
            (Some(from), Some(until)) => write!(f, "from {from} until {until}"),
        }
    }
}
