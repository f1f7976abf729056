use std::error::Error;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use parafa_plugin_host::{CallError, Plugin};

use crate::damage::variants;
use crate::operation::sign;
use crate::place::Place;
use crate::{
    Answered, Case, CaseError, Check, Input, Operation, Scorecard, SignerError, SoftwareSigner,
    Verdict, perform,
};

/// When all signatures are made: 2026-01-01, noon UTC.
const TIME: i64 = 1_767_268_800;
/// Longest document of a quick check, in bytes.
const QUICK_BYTES: usize = 256 * 1024;

/// How much is asked of a plugin.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Depth {
    /// Every call once, with small documents.
    Quick,
    /// Every call twice, and with damaged documents.
    Full,
}

/// Why no score can be kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The folder of cases cannot be listed.
    #[error("{} cannot be listed", folder.display())]
    Folder {
        /// Which folder.
        folder: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// No case for the plugin is part of this crate.
    #[error("there is no built-in case for the format {0:?}")]
    NoBuiltInCases(String),
    /// There is no case for the plugin.
    #[error("there is no case for the format {format:?} in {}", folder.display())]
    NoCases {
        /// Id of the plugin.
        format: String,
        /// Where they were looked for.
        folder: PathBuf,
    },
    /// Nothing can be signed.
    #[error(transparent)]
    Signer(#[from] SignerError),
}

/// Plays the cases for a plugin: those of `cases/<id of the plugin>`, or of
/// `cases` itself where there is no such folder.
///
/// # Errors
///
/// When there is nothing to play. A case that cannot be read is one that failed.
pub async fn run(plugin: &Plugin, cases: &Path) -> Result<Scorecard, RunError> {
    let own = Some(cases.join(plugin.id())).filter(|folder| folder.is_dir());
    let folder = own.unwrap_or_else(|| cases.to_owned());
    let places = Place::below(&folder).map_err(|source| RunError::Folder {
        folder: folder.clone(),
        source,
    })?;
    if places.is_empty() {
        return Err(RunError::NoCases {
            format: plugin.id().to_owned(),
            folder,
        });
    }
    play_all(plugin, &places, Depth::Full).await
}

/// Plays the cases that are part of this crate.
///
/// # Errors
///
/// When there is none for the plugin's format.
pub async fn run_built_in(plugin: &Plugin) -> Result<Scorecard, RunError> {
    let places = Place::built_in(plugin.id());
    if places.is_empty() {
        return Err(RunError::NoBuiltInCases(plugin.id().to_owned()));
    }
    play_all(plugin, &places, Depth::Full).await
}

/// Plays the small ones of the cases that are part of this crate, each call once: whether a
/// plugin does its work at all. The scorecard of a format without built-in cases is empty.
///
/// # Errors
///
/// When nothing can be signed.
pub async fn run_quick(plugin: &Plugin) -> Result<Scorecard, RunError> {
    play_all(plugin, &Place::built_in(plugin.id()), Depth::Quick).await
}

async fn play_all(plugin: &Plugin, places: &[Place], depth: Depth) -> Result<Scorecard, RunError> {
    let mut scorecard = Scorecard::default();
    for place in places {
        match Case::read(place) {
            Ok(case) if depth == Depth::Quick && case.document.len() > QUICK_BYTES => {}
            Ok(case) => play(plugin, &case, depth, &mut scorecard).await?,
            Err(error) => {
                let verdict = match error {
                    CaseError::NoDocument(_) => Verdict::Skipped,
                    _ => Verdict::Failed,
                };
                scorecard.add(place.name(), verdict, Some(with_sources(&error)));
            }
        }
    }
    Ok(scorecard)
}

async fn play(
    plugin: &Plugin,
    case: &Case,
    depth: Depth,
    scorecard: &mut Scorecard,
) -> Result<(), SignerError> {
    for check in &case.checks {
        let name = format!("{}/{}", case.name, check.operation);
        let capability = check.operation.capability();
        if !plugin.capabilities().contains(&capability) {
            let why = format!("the plugin cannot {capability}");
            scorecard.add(name, Verdict::Skipped, Some(why));
            continue;
        }
        let trial = Trial::new(plugin, &case.input, check)?;
        match trial.failure(&case.document, depth).await {
            None => scorecard.add(name, Verdict::Passed, None),
            Some(why) => scorecard.add(name, Verdict::Failed, Some(why)),
        }
    }
    Ok(())
}

/// A check with the people who sign in it.
struct Trial<'a> {
    plugin: &'a Plugin,
    /// The case's file.
    name: &'a str,
    check: &'a Check,
    signers: Vec<SoftwareSigner>,
}

impl<'a> Trial<'a> {
    fn new(plugin: &'a Plugin, name: &'a str, check: &'a Check) -> Result<Self, SignerError> {
        // Somebody answers for the authorities also where nobody signs.
        let signers = (1..=check.signers().max(1))
            .map(|number| {
                let number = u8::try_from(number).unwrap_or(u8::MAX);
                SoftwareSigner::generate(TIME, [number; 32])
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            plugin,
            name,
            check,
            signers,
        })
    }

    /// What the plugin did wrong.
    async fn failure(&self, document: &Bytes, depth: Depth) -> Option<String> {
        let answer = self.answer(document.clone()).await;
        if let Err(mismatch) = self.check.expect.compare(&answer) {
            return Some(mismatch.to_string());
        }
        if depth == Depth::Quick {
            return None;
        }
        if self.answer(document.clone()).await != answer {
            return Some("it answers otherwise when it is asked again".to_owned());
        }
        for variant in variants(document) {
            if let Err(CallError::Fault(fault)) = self.answer(variant.document).await {
                return Some(format!("{}: {}", variant.what, fault.kind));
            }
        }
        None
    }

    async fn answer(&self, mut document: Bytes) -> Result<Answered, CallError> {
        let [first, others @ ..] = self.signers.as_slice() else {
            unreachable!("there is one signer at least")
        };
        let (operation, level) = (self.check.operation, self.check.level());
        let before = match operation {
            Operation::Sign => self.signers.len() - 1,
            _ => self.check.signers(),
        };
        for signer in self.signers.iter().take(before) {
            document = sign(self.plugin, document, signer, level).await?.bytes;
        }
        let last = others.last().unwrap_or(first);
        let input = Input {
            name: self.name.to_owned(),
            document,
        };
        perform(self.plugin, operation, &input, last, level).await
    }
}

fn with_sources(error: &CaseError) -> String {
    iter::successors(Some(error as &dyn Error), |&error| error.source())
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}
