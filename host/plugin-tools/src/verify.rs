use std::path::PathBuf;

use anyhow::Context;
use parafa_plugin_host::{CallError, Capability, Integrity, Operation, SignatureEvidence, refusal};
use serde::Serialize;

use crate::answer::ADVISORY;
use crate::bench::{self, Bench};
use crate::output::{print_json, print_line, shown};
use crate::signature_view::{SignatureView, Stamping};
use crate::{REFUSED, ToolError};

/// Arguments of `parafa verify`.
#[derive(Debug, clap::Args)]
pub struct VerifyArguments {
    /// The document.
    file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The prefix of codes of notes about signatures.
const ABOUT_SIGNATURES: &str = "signature-";

#[derive(Serialize)]
struct Verdict {
    /// Always true, so that the answer is never taken for a qualified validation.
    advisory: bool,
    intact: bool,
    #[serde(skip)]
    is_any_broken: bool,
    signatures: Vec<SignatureView>,
    /// Further notes on the signatures.
    notes: Vec<String>,
}

/// Prints the verdicts on a document's signatures. The signers' identity and trust are not checked.
pub fn verify(arguments: &VerifyArguments, bench: &Bench) -> Result<(), ToolError> {
    let document = bench::read(&arguments.file)?;
    let runtime = tokio::runtime::Runtime::new().context("the runtime does not start")?;
    let plugin = runtime.block_on(bench.installed_for(&arguments.file))?;
    if !plugin.capabilities().contains(&Capability::Verify) {
        return Err(ToolError::Refused(format!(
            "{} cannot be verified: the plugin {} does not verify",
            arguments.file.display(),
            plugin.id()
        )));
    }
    let evidence = runtime.block_on(async {
        let evidence = plugin.verify(document.clone()).await?;
        let mut notes = Vec::new();
        let signatures = &evidence.signatures;
        if !signatures.is_empty() && !is_any_broken(signatures) {
            // Defects of the file around its signatures are found by `inspect`.
            let report = plugin.inspect(document).await?;
            let obstacle = report.obstacle(Operation::Sign);
            let obstacle = obstacle.filter(|refusal| refusal.code == refusal::CONTAINER_UNSOUND);
            notes.extend(obstacle.map(|refusal| refusal.detail.clone()));
            let told = report.notes.into_iter();
            let told = told.filter(|note| note.code.starts_with(ABOUT_SIGNATURES));
            notes.extend(told.map(|note| note.detail));
        }
        Ok((evidence.signatures, notes))
    });
    let (evidence, notes) = match evidence {
        Ok(found) => found,
        Err(CallError::Refused(refusal)) => {
            return Err(ToolError::Refused(format!(
                "{} is refused: {refusal}",
                arguments.file.display()
            )));
        }
        Err(CallError::Fault(fault)) => return Err(ToolError::Fault(fault.into())),
    };
    let verdict = Verdict {
        advisory: true,
        intact: is_intact(&evidence),
        is_any_broken: is_any_broken(&evidence),
        signatures: evidence.iter().map(SignatureView::of).collect(),
        notes,
    };
    if arguments.json {
        print_json(&verdict)?;
    } else {
        for signature in &verdict.signatures {
            print_line(signature)?;
        }
        for note in &verdict.notes {
            print_line(shown(note))?;
        }
        print_line(verdict.conclusion())?;
        print_line(ADVISORY)?;
    }
    if verdict.intact {
        Ok(())
    } else {
        Err(ToolError::Told(REFUSED))
    }
}

fn is_intact(signatures: &[SignatureEvidence]) -> bool {
    let mut integrities = signatures.iter().map(|signature| signature.integrity);
    !signatures.is_empty() && integrities.all(|integrity| integrity == Integrity::Intact)
}

fn is_any_broken(signatures: &[SignatureEvidence]) -> bool {
    let mut integrities = signatures.iter().map(|signature| signature.integrity);
    integrities.any(|integrity| !matches!(integrity, Integrity::Intact | Integrity::Unsupported))
}

impl Verdict {
    fn conclusion(&self) -> &'static str {
        let stamping = self.signatures.iter().map(SignatureView::stamping).max();
        match (stamping, self.intact) {
            (None, _) => "There is no signature.",
            (Some(_), false) if self.is_any_broken => "Not every signature is intact.",
            (Some(_), false) => "Not every signature could be checked.",
            (Some(Stamping::Sound), true) => "Every signature is intact.",
            (Some(Stamping::Uncheckable), true) => {
                "Every signature is intact, but not every time-stamp could be checked."
            }
            (Some(Stamping::Unsound), true) => {
                "Every signature is intact, but not every time-stamp."
            }
        }
    }
}
