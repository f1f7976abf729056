//! Circular dependencies between the files of a crate: reading one file of a
//! circle means reading all of them.
//!
//! A file depends on another that defines an item it names, or a macro that
//! generates the item. A path through a re-export (`pub use`) leads to the
//! definition. A re-export itself is no dependency, and neither is `mod`. An
//! `impl` of a type in another file defines nothing. Tests are ignored.

mod arrows;
mod modules;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use self::arrows::Arrows;
use super::{folder, packages};
use crate::support::root;

/// Maximum number of files in a circle.
const MOST: usize = 3;

#[test]
fn no_circle_of_files_is_larger_than_three() {
    let mut too_large = String::new();
    for package in packages() {
        let folder = folder(&package);
        let targets = package.targets.iter();
        let targets = targets.filter(|target| target.is_lib() || target.is_bin());
        for target in targets {
            let read = |file: &Path| fs::read_to_string(file).ok();
            let arrows = Arrows::of(target.src_path.as_std_path(), &read);
            for circle in arrows.circles() {
                if circle.len() > MOST {
                    let within = arrows.within(&circle);
                    too_large += &format!("{folder}, {} files:\n{within}\n", circle.len());
                }
            }
        }
    }
    assert!(too_large.is_empty(), "{too_large}");
}

#[test]
fn the_plugin_hosts_folders_know_none_above_them() {
    let src = root().join("host/plugin-host/src");
    let read = |file: &Path| fs::read_to_string(file).ok();
    let arrows = Arrows::of(&src.join("lib.rs"), &read);
    let folders = ["contract", "runtime", "workflow"].map(|folder| src.join(folder));
    for (below, above) in [(0, 1), (0, 2), (1, 2)] {
        let up = arrows.between(&folders[below], &folders[above]);
        assert!(up.is_empty(), "{up}");
        let down = arrows.between(&folders[above], &folders[below]);
        assert!(!down.is_empty(), "{:?} knows nothing below", folders[above]);
    }
}

/// Returns the sizes of the circles of these files; the first file is the root.
fn sizes(files: &[(&str, &str)]) -> Vec<usize> {
    let sources: BTreeMap<PathBuf, &str> = files
        .iter()
        .map(|(name, source)| (Path::new("src").join(name), *source))
        .collect();
    let read = |file: &Path| sources.get(file).map(|source| (*source).to_owned());
    let root = Path::new("src").join(files[0].0);
    let arrows = Arrows::of(&root, &read);
    arrows.circles().iter().map(BTreeSet::len).collect()
}

/// Returns the sizes if `a` names `b` in this way, and `b` names `a`.
fn sizes_where(a: &str) -> Vec<usize> {
    sizes(&[
        ("lib.rs", "mod a; mod b; mod faces; pub use b::B as Handed;"),
        ("faces.rs", "pub(crate) use crate::b::*;"),
        ("a.rs", a),
        (
            "b.rs",
            "pub struct B; pub fn b() { crate::a::a() } macro_rules! beta { () => {} }",
        ),
    ])
}

#[test]
fn a_circle_is_as_large_as_it_has_files() {
    let circle = |names: [&'static str; 4]| {
        let [a, b, c, d] = names;
        sizes(&[
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", a),
            ("b.rs", b),
            ("c.rs", c),
            ("d.rs", d),
        ])
    };
    let (a, b) = ("use crate::b::B; struct A;", "use crate::c::C; struct B;");
    let (c, d) = ("use crate::d::D; struct C;", "use crate::a::A; struct D;");
    assert_eq!(circle([a, b, c, d]), [4]);
    assert_eq!(circle([a, b, "use crate::a::A; struct C;", d]), [3]);
    assert_eq!(circle([a, b, c, "struct D;"]), [0_usize; 0]);
}

#[test]
fn a_name_is_seen_however_it_is_written() {
    for a in [
        "use crate::b::B; fn a() {}",
        "use super::b::{self, b as c}; fn a() {}",
        "use crate::{b::{B, b}, faces}; fn a() {}",
        "use crate::faces::B; fn a() {}",
        "use crate::Handed; fn a() {}",
        "use crate::b; fn a() { b::b() }",
        "use super::b::*; fn a() -> B { B }",
        "use super::*; fn a() -> Handed { B }",
        "fn a() { let b = Some(self::super::b::B); }",
        "fn a() { use crate::b::b; b() }",
        "mod inner { fn a() { super::super::b::b() } } fn a() {}",
        "impl Trait for crate::b::B {} fn a() {}",
        "#[serde(with = \"crate::b\", default = \"crate::b::b\")] struct A; fn a() {}",
        "fn a() { beta!() }",
        "fn a() { crate::b::made_by_a_macro() }",
    ] {
        assert_eq!(sizes_where(a), [2], "{a}");
    }
}

#[test]
fn what_needs_nothing_of_the_other_file_is_no_dependency() {
    for a in [
        "fn a() {}",
        "use crate::b; fn a() {}",
        "pub use crate::b::B; fn a() {}",
        "use ::b::B; fn a() {}",
        "// crate::b::B\nfn a() { \"crate::b::B\" }",
        "use super::b::*; fn a(c: C) { c.b() }",
        "use super::b::*; fn a() { C { b: 1 } }",
        "#[cfg(test)] use crate::b::B; fn a() {}",
        "#[cfg(test)] mod tests { use crate::b::B; } fn a() {}",
        "fn a() { #[cfg(test)] crate::b::b(); }",
        "macro_rules! alpha { () => { super::b::b() } } fn a() {}",
    ] {
        assert_eq!(sizes_where(a), [0_usize; 0], "{a}");
    }
}

#[test]
fn what_is_said_of_a_type_elsewhere_does_not_define_it() {
    let files = [
        ("lib.rs", "mod kept; mod shown; pub struct Thing;"),
        (
            "kept.rs",
            "impl crate::Thing { fn keep(&self) { self.show() } }",
        ),
        (
            "shown.rs",
            "impl crate::Thing { fn show(&self) { self.keep() } }",
        ),
    ];
    assert_eq!(sizes(&files), [0_usize; 0]);
}
