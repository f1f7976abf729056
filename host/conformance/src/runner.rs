use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use parafa_issuing::IssuingError;
use parafa_plugin_host::{CallError, Fault, FaultKind, Plugin};

use crate::case_files::CaseFiles;
use crate::coverage::{Bit, uncovered};
use crate::damage::variants;
use crate::generic;
use crate::operation::sign;
use crate::{
    Answered, Case, CaseError, Check, Input, Mismatch, Operation, Scorecard, SoftwareSigner,
    Verdict, perform,
};

/// Time of all signatures: 2026-01-01, noon UTC.
const TIME: i64 = 1_767_268_800;
/// Longest document of a quick check, in bytes.
const QUICK_BYTES: usize = 256 * 1024;

/// Depth of the checks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Depth {
    /// Every call once, with small documents.
    Quick,
    /// Every call twice, and with damaged documents.
    Full,
}

impl Depth {
    /// Number of time-outs after which an operation is skipped: each costs the whole time limit of
    /// a call.
    fn most_time_outs(self) -> usize {
        match self {
            Self::Quick => 1,
            Self::Full => 2,
        }
    }
}

/// Reason why no score can be kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The folder of cases cannot be listed.
    #[error("{} cannot be listed", folder.display())]
    Folder {
        /// Path of the folder.
        folder: PathBuf,
        /// Cause.
        #[source]
        source: io::Error,
    },
    /// No case for the plugin.
    #[error("there is no case for the format {format:?} in {}", folder.display())]
    NoCases {
        /// Id of the plugin.
        format: String,
        /// The folder searched.
        folder: PathBuf,
    },
    /// Nothing can be signed.
    #[error(transparent)]
    Signer(#[from] IssuingError),
}

/// Runs the cases for a plugin: those of `cases/<id of the plugin>`, or of `cases` itself if there
/// is no such folder.
///
/// # Errors
///
/// There are no cases. An unreadable case counts as failed.
pub async fn run(plugin: &Plugin, cases: &Path) -> Result<Scorecard, RunError> {
    let own = Some(cases.join(plugin.id())).filter(|folder| folder.is_dir());
    let folder = own.unwrap_or_else(|| cases.to_owned());
    let places = CaseFiles::below(&folder).map_err(|source| RunError::Folder {
        folder: folder.clone(),
        source,
    })?;
    if places.is_empty() {
        return Err(RunError::NoCases {
            format: plugin.id().to_owned(),
            folder,
        });
    }
    Run::new(&plugin.on_trial(), Depth::Full)
        .play_places(&places)
        .await
}

/// Runs the cases that are part of this crate; for a format without any, those for any format.
///
/// # Errors
///
/// Nothing can be signed.
pub async fn run_built_in(plugin: &Plugin) -> Result<Scorecard, RunError> {
    Run::new(&plugin.on_trial(), Depth::Full)
        .play_built_in()
        .await
}

/// Runs the small cases that are part of this crate, each call once: a check that a plugin works at
/// all.
///
/// # Errors
///
/// Nothing can be signed.
pub async fn run_quick(plugin: &Plugin) -> Result<Scorecard, RunError> {
    Run::new(&plugin.on_trial(), Depth::Quick)
        .play_built_in()
        .await
}

/// Cases being played.
struct Run<'a> {
    plugin: &'a Plugin,
    depth: Depth,
    /// Number of time-outs of each operation.
    time_outs: BTreeMap<&'static str, usize>,
    scorecard: Scorecard,
}

impl<'a> Run<'a> {
    fn new(plugin: &'a Plugin, depth: Depth) -> Self {
        Self {
            plugin,
            depth,
            time_outs: BTreeMap::new(),
            scorecard: Scorecard::default(),
        }
    }

    async fn play_built_in(mut self) -> Result<Scorecard, RunError> {
        let places = CaseFiles::built_in(self.plugin.id());
        if !places.is_empty() {
            return self.play_places(&places).await;
        }
        for case in generic::cases(self.plugin.capabilities()) {
            self.play(&case).await?;
        }
        Ok(self.scorecard)
    }

    async fn play_places(mut self, places: &[CaseFiles]) -> Result<Scorecard, RunError> {
        for place in places {
            match Case::read(place) {
                Ok(case) => self.play(&case).await?,
                Err(error) => {
                    let verdict = match error {
                        CaseError::NoDocument(_) => Verdict::Skipped,
                        _ => Verdict::Failed,
                    };
                    let why = Some(with_sources(&error));
                    self.scorecard.add(place.name(), verdict, why);
                }
            }
        }
        Ok(self.scorecard)
    }

    async fn play(&mut self, case: &Case) -> Result<(), IssuingError> {
        if self.depth == Depth::Quick && case.document.len() > QUICK_BYTES {
            return Ok(());
        }
        let mut asked = BTreeMap::<&str, usize>::new();
        for check in &case.checks {
            let operation = check.operation.name();
            let times = asked.entry(operation).or_default();
            *times += 1;
            let name = match times {
                1 => format!("{}/{operation}", case.name),
                times => format!("{}/{operation}-{times}", case.name),
            };
            let (verdict, why) = self.judge(case, check).await?;
            self.scorecard.add(name, verdict, why);
        }
        Ok(())
    }

    async fn judge(
        &mut self,
        case: &Case,
        check: &Check,
    ) -> Result<(Verdict, Option<String>), IssuingError> {
        let operation = check.operation;
        let capability = operation.capability();
        if !self.plugin.capabilities().contains(&capability) {
            let why = format!("the plugin cannot {}", capability.verb_phrase());
            return Ok((Verdict::Skipped, Some(why)));
        }
        let time_outs = self.time_outs.entry(operation.name()).or_default();
        if *time_outs >= self.depth.most_time_outs() {
            let why = format!("skipped: {operation} gave no result in time before");
            return Ok((Verdict::Failed, Some(why)));
        }
        let trial = Trial::new(self.plugin, case, check)?;
        let Some(failure) = trial.failure(self.depth).await else {
            return Ok((Verdict::Passed, None));
        };
        if failure.is_time_out() {
            *time_outs += 1;
        }
        Ok((Verdict::Failed, Some(failure.to_string())))
    }
}

/// Failure of a plugin in one check.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// The repeated call faults.
    #[error("when it is asked again: {}", .0.kind)]
    Again(Box<Fault>),
    /// A damaged document causes a fault.
    #[error("{what}: {}", fault.kind)]
    Damaged {
        /// Description of the damage.
        what: String,
        /// The plugin's fault.
        fault: Box<Fault>,
    },
    /// A document that was damaged after earlier signatures causes a fault.
    #[error("signed, then {what}: {}", fault.kind)]
    DamagedOnceSigned {
        /// Description of the damage.
        what: String,
        /// The plugin's fault.
        fault: Box<Fault>,
    },
    /// Its answer is not the expected one.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// A change to bytes that a signature covers goes unnoticed.
    #[error("the new signature is intact although {0} was turned over, which it is said to cover")]
    NotCovered(Bit),
    /// The repeated call gives another answer.
    #[error("it answers otherwise when it is asked again")]
    Unsteady,
}

impl Failure {
    /// Returns true if the plugin timed out.
    fn is_time_out(&self) -> bool {
        let fault = match self {
            Self::Again(fault)
            | Self::Damaged { fault, .. }
            | Self::DamagedOnceSigned { fault, .. } => fault,
            Self::Mismatch(Mismatch::Fault(fault)) => fault,
            Self::Mismatch(_) | Self::NotCovered(_) | Self::Unsteady => return false,
        };
        matches!(fault.kind, FaultKind::TimedOut { .. })
    }
}

/// A check with its signers.
struct Trial<'a> {
    plugin: &'a Plugin,
    case: &'a Case,
    check: &'a Check,
    signers: Vec<SoftwareSigner>,
}

impl<'a> Trial<'a> {
    fn new(plugin: &'a Plugin, case: &'a Case, check: &'a Check) -> Result<Self, IssuingError> {
        // The authorities are needed even where no signer is.
        let signers = (1..=check.signers().max(1))
            .map(|number| {
                let number = u8::try_from(number).unwrap_or(u8::MAX);
                let signer = SoftwareSigner::of(check.algorithm(), TIME, [number; 32])?;
                Ok(signer.standing_for(check.by()))
            })
            .collect::<Result<_, IssuingError>>()?;
        Ok(Self {
            plugin,
            case,
            check,
            signers,
        })
    }

    /// Failure of the plugin, if any.
    async fn failure(&self, depth: Depth) -> Option<Failure> {
        let document = &self.case.document;
        let answer = self.answer(document.clone()).await;
        if let Err(mismatch) = self.check.expect.compare(&answer) {
            return Some(mismatch.into());
        }
        if depth == Depth::Quick {
            return None;
        }
        let again = self.answer(document.clone()).await;
        if let Err(failure) = stands_by(&answer, again) {
            return Some(failure);
        }
        if let Ok(Answered::Signed(signed)) = &answer {
            let given = self.signed_before(document.clone()).await.ok()?;
            match uncovered(self.plugin, &given, signed).await {
                Ok(None) | Err(CallError::Refused(_)) => {}
                Ok(Some(bit)) => return Some(Failure::NotCovered(bit)),
                Err(CallError::Fault(fault)) => {
                    return Some(Failure::DamagedOnceSigned {
                        what: "bits turned over: one that is covered".to_owned(),
                        fault: Box::new(fault),
                    });
                }
            }
        }
        for variant in variants(document) {
            if let Err(CallError::Fault(fault)) = self.answer(variant.document).await {
                return Some(Failure::Damaged {
                    what: variant.what,
                    fault: Box::new(fault),
                });
            }
        }
        if self.signers_before() == 0 {
            return None;
        }
        // Documents damaged before signing are mostly refused, so damage signed ones too.
        let signed = self.signed_before(document.clone()).await.ok()?;
        for variant in variants(&signed) {
            if let Err(CallError::Fault(fault)) = self.answer_signed(variant.document).await {
                return Some(Failure::DamagedOnceSigned {
                    what: variant.what,
                    fault: Box::new(fault),
                });
            }
        }
        None
    }

    async fn answer(&self, document: Bytes) -> Result<Answered, CallError> {
        self.answer_signed(self.signed_before(document).await?)
            .await
    }

    /// The document with the signatures that precede the operation under test.
    async fn signed_before(&self, mut document: Bytes) -> Result<Bytes, CallError> {
        for signer in self.signers.iter().take(self.signers_before()) {
            let given = self.input(document).document();
            let signed = sign(self.plugin, given, signer, self.check.level_before()).await?;
            document = signed.bytes;
        }
        Ok(document)
    }

    fn signers_before(&self) -> usize {
        match self.check.operation {
            Operation::Sign => self.signers.len() - 1,
            _ => self.check.signers(),
        }
    }

    async fn answer_signed(&self, document: Bytes) -> Result<Answered, CallError> {
        let Some(last) = self.signers.last() else {
            unreachable!("there is one signer at least")
        };
        let input = self.input(document);
        let (operation, level) = (self.check.operation, self.check.level());
        perform(self.plugin, operation, &input, last, level).await
    }

    fn input(&self, document: Bytes) -> Input {
        Input {
            names: self.check.names(&self.case.input),
            document,
            companions: self.case.beside.clone(),
            member: None,
            params: self.check.params(),
        }
    }
}

/// Checks that a plugin gives the same answer when asked again.
fn stands_by(
    answer: &Result<Answered, CallError>,
    again: Result<Answered, CallError>,
) -> Result<(), Failure> {
    match again {
        again if again == *answer => Ok(()),
        Err(CallError::Fault(fault)) => Err(Failure::Again(Box::new(fault))),
        _ => Err(Failure::Unsteady),
    }
}

fn with_sources(error: &CaseError) -> String {
    iter::successors(Some(error as &dyn Error), |&error| error.source())
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

#[cfg(test)]
mod tests {
    use parafa_plugin_host::{MadeDocument, PluginDigest, Refusal};

    use super::*;
    use crate::Made;

    #[test]
    fn the_same_answer_again_is_stood_by() {
        for answer in [made("hello"), refused("encrypted")] {
            assert!(stands_by(&answer, answer.clone()).is_ok(), "{answer:?}");
        }
    }

    #[test]
    fn an_answer_that_differs_in_a_byte_is_not_stood_by() {
        for (answer, again) in [
            (made("hello"), made("hellO")),
            (made("hello"), made("hello ")),
            (refused("encrypted"), refused("encrypteD")),
        ] {
            assert_unsteady(&answer, again);
        }
    }

    #[test]
    fn what_is_accepted_once_and_refused_once_is_not_stood_by() {
        let (accepted, refused) = (made("hello"), refused("encrypted"));

        assert_unsteady(&accepted, refused.clone());
        assert_unsteady(&refused, accepted);
    }

    #[test]
    fn a_fault_when_it_is_asked_again_is_told() {
        let fault = Fault {
            plugin: "toy".to_owned(),
            digest: PluginDigest::of(b"toy"),
            kind: FaultKind::TooDeeplyNested,
        };

        let again = stands_by(&made("hello"), Err(fault.into())).unwrap_err();

        assert!(
            again
                .to_string()
                .starts_with("when it is asked again: out of stack"),
            "{again}"
        );
    }

    fn assert_unsteady(answer: &Result<Answered, CallError>, again: Result<Answered, CallError>) {
        let told = stands_by(answer, again).unwrap_err().to_string();
        assert_eq!(told, "it answers otherwise when it is asked again");
    }

    fn made(document: &'static str) -> Result<Answered, CallError> {
        let bytes = Bytes::from(document);
        Ok(Answered::Made(Box::new(Made {
            document: MadeDocument {
                document: bytes.clone().into(),
                bytes,
                media_type: "application/x-toy".to_owned(),
                notes: Vec::new(),
            },
            report: None,
            members: Vec::new(),
            unchanged: false,
        })))
    }

    fn refused(code: &str) -> Result<Answered, CallError> {
        let refusal = Refusal::new(code.to_owned(), "the document says so");
        Err(CallError::Refused(refusal))
    }
}
