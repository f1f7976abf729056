//! Dependencies between the files of a crate, and their circles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::modules::{Manner, Modules, Read};

/// Meaning of a path.
enum Target {
    Module(usize),
    /// Item, by its defining file.
    Item(PathBuf),
}

/// Names that each file takes from others.
pub(super) struct Arrows(BTreeMap<PathBuf, BTreeMap<PathBuf, BTreeSet<String>>>);

impl Arrows {
    /// Reads the dependencies of the crate with this root.
    pub(super) fn of(root: &Path, read: Read<'_>) -> Self {
        let modules = Modules::of(root, read);
        let mut arrows: BTreeMap<PathBuf, BTreeMap<PathBuf, BTreeSet<String>>> = BTreeMap::new();
        for (place, module) in modules.all.iter().enumerate() {
            let from = arrows.entry(module.file.clone()).or_default();
            for (path, manner) in &module.named {
                for to in modules.depended_on(place, path, *manner) {
                    if to != module.file {
                        from.entry(to).or_default().insert(path.join("::"));
                    }
                }
            }
        }
        Self(arrows)
    }

    /// Returns the files of each circle. Each of them reaches all others.
    pub(super) fn circles(&self) -> BTreeSet<BTreeSet<&Path>> {
        let files = self.0.keys();
        let reached: BTreeMap<&Path, BTreeSet<&Path>> = files
            .map(|file| (file.as_path(), self.reached(file)))
            .collect();
        let circles = reached.iter().map(|(file, reached_from)| {
            let back = |other: &&Path| reached.get(other).is_some_and(|back| back.contains(file));
            reached_from.iter().copied().filter(back).collect()
        });
        circles
            .filter(|circle: &BTreeSet<_>| circle.len() > 1)
            .collect()
    }

    /// Lists the dependencies within a circle, one per line.
    pub(super) fn within(&self, circle: &BTreeSet<&Path>) -> String {
        self.lines(|from, to| circle.contains(from) && circle.contains(to))
    }

    /// Lists the dependencies of one folder's files on another's, one per line.
    pub(super) fn between(&self, from_folder: &Path, to_folder: &Path) -> String {
        self.lines(|from, to| from.starts_with(from_folder) && to.starts_with(to_folder))
    }

    fn lines(&self, is_meant: impl Fn(&Path, &Path) -> bool) -> String {
        let arrows = self.0.iter();
        let arrows =
            arrows.flat_map(|(from, to)| to.iter().map(move |(to, names)| (from, to, names)));
        let meant = arrows.filter(|(from, to, _)| is_meant(from, to));
        let lines = meant.map(|(from, to, names)| {
            format!("{} -> {}: {names:?}\n", from.display(), to.display())
        });
        lines.collect()
    }

    fn reached(&self, from: &Path) -> BTreeSet<&Path> {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(file) = open.pop() {
            for to in self.0.get(file).into_iter().flat_map(BTreeMap::keys) {
                if reached.insert(to.as_path()) {
                    open.push(to);
                }
            }
        }
        reached
    }
}

impl Modules<'_> {
    /// Returns the files that a module depends on by naming a path in this
    /// manner.
    fn depended_on(&self, module: usize, path: &[String], manner: Manner) -> Vec<PathBuf> {
        if manner == Manner::Reexport {
            return Vec::new();
        }
        let Some(targets) = self.meant(module, path, &mut Vec::new()) else {
            let made = path.last().and_then(|name| self.macros.get(name));
            let made = made.filter(|_| manner == Manner::Macro);
            return made.into_iter().flatten().cloned().collect();
        };
        let is_module = |target: &Target| matches!(target, Target::Module(_));
        // If a module and a function share a name, only code shows which is
        // used.
        if manner == Manner::Import && targets.iter().any(is_module) {
            return Vec::new();
        }
        let files = targets.into_iter().filter_map(|target| match target {
            Target::Module(_) => None,
            Target::Item(file) => Some(file),
        });
        files.collect()
    }

    /// Resolves a path in a module; empty if it leads out of the crate. `seen`
    /// are the names being looked up.
    fn meant(
        &self,
        module: usize,
        path: &[String],
        seen: &mut Vec<(usize, String)>,
    ) -> Option<Vec<Target>> {
        let mut words = path.iter().peekable();
        let mut start = module;
        let mut is_relative = false;
        while let Some(word) =
            words.next_if(|word| ["crate", "self", "super"].contains(&word.as_str()))
        {
            is_relative = true;
            match word.as_str() {
                "crate" => start = 0,
                "super" => start = self.all[start].parent.unwrap_or(start),
                _ => {}
            }
        }
        let mut targets = match is_relative {
            true => vec![Target::Module(start)],
            false => self.look_up(module, words.next()?, seen)?,
        };
        for word in words {
            let mut next = Vec::new();
            for target in targets {
                match target {
                    Target::Item(_) => next.push(target),
                    Target::Module(module) => match self.look_up(module, word, seen) {
                        Some(found) => next.extend(found),
                        None if seen.contains(&(module, word.clone())) => {}
                        // The item was generated by a macro of that file.
                        None => next.push(Target::Item(self.all[module].file.clone())),
                    },
                }
            }
            targets = next;
        }
        Some(targets)
    }

    /// Resolves a name in a module: a child, an own item, an import of that
    /// name, or else a glob import.
    fn look_up(
        &self,
        module: usize,
        name: &str,
        seen: &mut Vec<(usize, String)>,
    ) -> Option<Vec<Target>> {
        let key = (module, name.to_owned());
        if seen.contains(&key) {
            return None;
        }
        seen.push(key);
        let here = &self.all[module];
        let child = here.children.get(name).copied().map(Target::Module);
        let defined = here.defined.contains(name);
        let defined = defined.then(|| Target::Item(here.file.clone()));
        let mut targets: Vec<Target> = child.into_iter().chain(defined).collect();
        let mut is_found = !targets.is_empty();
        for path in here.imports.get(name).into_iter().flatten() {
            is_found = true;
            targets.extend(self.meant(module, path, seen).unwrap_or_default());
        }
        if !is_found {
            for path in &here.globs {
                for target in self.meant(module, path, seen).unwrap_or_default() {
                    if let Target::Module(module) = target
                        && let Some(found) = self.look_up(module, name, seen)
                    {
                        is_found = true;
                        targets.extend(found);
                    }
                }
            }
        }
        seen.pop();
        is_found.then_some(targets)
    }
}
