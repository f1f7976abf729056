use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use parafa_fixtures::referees::{AsicE, Dss, PyHanko, files_in};

use super::scoreboard::{Scoreboard, Verdicts};

/// The reasons why a validator refuses files, in their order; `None` for accepted ones.
type Refusals = Vec<Option<String>>;

/// The options of DSS for the level of every signature.
const DSS: [&str; 3] = ["--level", "T", "--online-loopback"];

/// Has external validators judge the samples in a folder, while their services still run.
pub(super) fn judge(folder: &Path, roots: &[PathBuf], board: &mut Scoreboard) {
    let of = |endings: &[&str]| -> Vec<PathBuf> {
        let mut files = files_in(folder);
        let is_such = |file: &PathBuf| {
            let ending = file.extension().and_then(OsStr::to_str);
            ending.is_some_and(|ending| endings.contains(&ending))
        };
        files.retain(is_such);
        files
    };
    let (documents, containers) = (of(&["pdf"]), of(&["asice", "adoc"]));
    let for_dss = of(&["pdf", "asice"]);
    let mut hold = |by: &'static str, files: &[PathBuf], refused: Option<Refusals>| match refused {
        None => board.skipped.push(format!("{by} is missing")),
        Some(refused) => {
            let named = files.iter().zip(refused);
            let named =
                named.filter_map(|(file, why)| Some(format!("{}: {}", file.display(), why?)));
            board.referees.push(Verdicts {
                by,
                files: files.len(),
                refused: named.collect(),
            });
        }
    };
    let judged =
        PyHanko::find(roots).map(|judge| refusals(judge.verdicts(&documents, &[]), |said| said.ok));
    hold("pyHanko", &documents, judged);
    let judged =
        AsicE::find(roots).map(|judge| refusals(judge.verdicts(&containers), |said| said.ok));
    hold("xmlsec1", &containers, judged);
    let judged =
        Dss::find(roots).map(|judge| refusals(judge.verdicts(&for_dss, &DSS), |said| said.ok));
    hold("DSS", &for_dss, judged);
}

/// Returns the reason of each refusal.
fn refusals<V: fmt::Debug>(verdicts: Vec<V>, is_good: fn(&V) -> bool) -> Refusals {
    let verdicts = verdicts.into_iter();
    let refusals = verdicts.map(|said| (!is_good(&said)).then(|| format!("{said:?}")));
    refusals.collect()
}
