//! Small corpora for the repository, selected from those of runs.

use std::collections::{BinaryHeap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::{Target, built, create_folder, files};
use crate::process::{run, run_quietly};

/// Longest input in the repository, in bytes.
const LONGEST: u64 = 8 * 1024;
/// Most inputs in the repository of one target, and most bytes of them together.
const MOST: Room = Room {
    files: 200,
    bytes: 256 * 1024,
};
/// Length of libFuzzer's file names, SHA-1 in hexadecimal.
const HASH_DIGITS: usize = 40;

/// The remaining room for inputs.
#[derive(Clone, Copy, Debug)]
struct Room {
    files: usize,
    bytes: u64,
}

/// An input that was run.
#[derive(Debug)]
struct Tried {
    path: PathBuf,
    bytes: u64,
    /// Its features by libFuzzer.
    features: HashSet<u32>,
}

/// Keeps in `tests/fuzz/corpus` the inputs that cover most of each target's known features, within
/// limits. Inputs with names of their own stay; those kept by an earlier call are chosen anew.
///
/// # Errors
/// An input that is a finding; failures to build or run.
pub(crate) fn minimize(root: &Path, names: &[String]) -> anyhow::Result<()> {
    for target in built(root, names)? {
        let name = &target.name;
        run_quietly(&mut target.replay()?)?;
        let (named, learnt): (Vec<_>, Vec<_>) = files(&target.kept())?
            .into_iter()
            .partition(|path| !is_learnt(path));
        let first = [files(&target.seeds())?, named].concat();
        let candidates = [learnt, short_files(&target.learnt())?].concat();
        let mut tried = try_all(&target, &[&first[..], &candidates].concat())?;
        let others = tried.split_off(first.len());
        let seen = tried.into_iter().flat_map(|tried| tried.features).collect();
        let chosen = choose(&others, seen, MOST);
        keep(&target, &chosen)?;
        let bytes: u64 = chosen.iter().map(|tried| tried.bytes).sum();
        println!("{name}: {} inputs, {bytes} bytes", chosen.len());
    }
    Ok(())
}

/// Returns true if libFuzzer gave the file its name.
fn is_learnt(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| {
        name.len() == HASH_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

fn short_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut short = Vec::new();
    for path in files(folder)? {
        let length = fs::metadata(&path).with_context(|| path.display().to_string())?;
        if length.len() <= LONGEST {
            short.push(path);
        }
    }
    Ok(short)
}

/// Runs each of these files in libFuzzer and returns its features: the inner step of its merge,
/// which takes their names from a control file and appends the features.
fn try_all(target: &Target, paths: &[PathBuf]) -> anyhow::Result<Vec<Tried>> {
    let control = target.below("merge").with_extension("txt");
    create_folder(&target.root.join("target/fuzz/merge"))?;
    let mut text = format!("{}\n0\n", paths.len());
    for path in paths {
        let _ = writeln!(text, "{}", path.display());
    }
    fs::write(&control, text).with_context(|| control.display().to_string())?;
    let mut command = target.command()?;
    command
        .args(["-merge_inner=2", "-verbosity=0"])
        .arg(format!("-merge_control_file={}", control.display()));
    run(&mut command)?;
    let text = fs::read_to_string(&control).with_context(|| control.display().to_string())?;
    let tried = read_control_file(&text);
    ensure!(
        tried.len() == paths.len(),
        "{} of {} inputs were run",
        tried.len(),
        paths.len()
    );
    Ok(tried)
}

/// Reads the inputs of a control file that ran to their end. `STARTED` has the number and the
/// length of one, `FT` its number and features.
fn read_control_file(text: &str) -> Vec<Tried> {
    let mut lines = text.lines();
    let count = lines.next().and_then(|count| count.parse().ok());
    let paths: Vec<_> = lines.by_ref().skip(1).take(count.unwrap_or(0)).collect();
    let mut bytes = 0;
    let mut tried = Vec::new();
    for line in lines {
        let mut words = line.split(' ');
        let (marker, number) = (words.next(), words.next());
        match marker {
            Some("STARTED") => bytes = words.next().and_then(|word| word.parse().ok()).unwrap_or(0),
            Some("FT") => {
                let number = number.and_then(|number| number.parse::<usize>().ok());
                let path = number.and_then(|number| paths.get(number));
                tried.extend(path.map(|path| Tried {
                    path: PathBuf::from(path),
                    bytes,
                    features: words.filter_map(|word| word.parse().ok()).collect(),
                }));
            }
            _ => {}
        }
    }
    tried
}

/// Chooses the inputs that add most features, the best first: each adds some, and all fit into the
/// room.
fn choose(tried: &[Tried], mut seen: HashSet<u32>, mut room: Room) -> Vec<&Tried> {
    let gain = |tried: &Tried, seen: &HashSet<u32>| tried.features.difference(seen).count();
    // Of two that add equally many features, the shorter comes first.
    let mut queue: BinaryHeap<_> = tried
        .iter()
        .enumerate()
        .map(|(index, tried)| (gain(tried, &seen), u64::MAX - tried.bytes, index))
        .collect();
    let mut chosen = Vec::new();
    while let Some((promised, shortness, index)) = queue.pop() {
        let tried = &tried[index];
        let gain = gain(tried, &seen);
        if room.files == 0 || promised == 0 {
            break;
        }
        if gain < promised {
            queue.push((gain, shortness, index));
        } else if let Some(bytes) = room.bytes.checked_sub(tried.bytes) {
            room = Room {
                files: room.files - 1,
                bytes,
            };
            seen.extend(&tried.features);
            chosen.push(tried);
        }
    }
    chosen
}

/// Replaces the inputs of the repository by these.
fn keep(target: &Target, chosen: &[&Tried]) -> anyhow::Result<()> {
    let folder = target.kept();
    create_folder(&folder)?;
    let mut inputs = Vec::new();
    for tried in chosen {
        let input = fs::read(&tried.path).with_context(|| tried.path.display().to_string())?;
        inputs.push((tried.path.file_name(), input));
    }
    for path in files(&folder)?.into_iter().filter(|path| is_learnt(path)) {
        fs::remove_file(&path).with_context(|| path.display().to_string())?;
    }
    for (name, input) in inputs {
        let name = name.context("an input has a name")?;
        fs::write(folder.join(name), input).with_context(|| folder.display().to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(path: &str, bytes: u64, features: &[u32]) -> Tried {
        Tried {
            path: path.into(),
            bytes,
            features: features.iter().copied().collect(),
        }
    }

    fn chosen(tried: &[Tried], seen: &[u32], room: Room) -> Vec<String> {
        let chosen = choose(tried, seen.iter().copied().collect(), room).into_iter();
        chosen
            .map(|tried| tried.path.display().to_string())
            .collect()
    }

    #[test]
    fn inputs_are_read_with_what_they_do() {
        let text = "2\n0\n/a\n/b\nSTARTED 0 7\nFT 0 1 2\nCOV 0 5\nSTARTED 1 9\nFT 1\nCOV 1\n";

        let tried = read_control_file(text);

        assert_eq!(tried.len(), 2);
        assert_eq!((tried[0].path.to_str(), tried[0].bytes), (Some("/a"), 7));
        assert_eq!(tried[0].features, HashSet::from([1, 2]));
        assert!(tried[1].features.is_empty());
    }

    #[test]
    fn an_input_that_did_not_end_is_not_read() {
        let tried = read_control_file("2\n0\n/a\n/b\nSTARTED 0 7\nFT 0 1\nSTARTED 1 9\n");

        assert_eq!(tried.len(), 1);
    }

    #[test]
    fn the_inputs_that_add_most_are_chosen_and_none_that_adds_nothing() {
        let all = [
            tried("/long", 9, &[1, 2, 3]),
            tried("/short", 5, &[1, 2, 3]),
            tried("/other", 1, &[3, 4]),
            tried("/known", 1, &[7]),
        ];
        let room = Room {
            files: 10,
            bytes: 100,
        };

        assert_eq!(chosen(&all, &[7], room), ["/short", "/other"]);
    }

    #[test]
    fn no_more_is_chosen_than_there_is_room_for() {
        let all = [
            tried("/large", 50, &[1, 2, 3]),
            tried("/small", 5, &[4, 5]),
            tried("/third", 5, &[6]),
        ];

        let narrow = Room {
            files: 1,
            bytes: 10,
        };
        assert_eq!(chosen(&all, &[], narrow), ["/small"]);
        let wide = Room {
            files: 2,
            bytes: 55,
        };
        assert_eq!(chosen(&all, &[], wide), ["/large", "/small"]);
    }

    #[test]
    fn names_of_libfuzzer_are_told_from_others() {
        assert!(is_learnt(Path::new(
            "/a/da39a3ee5e6b4b0d3255bfef95601890afd80709"
        )));
        assert!(!is_learnt(Path::new("/a/twin-of-the-issuer")));
    }
}
