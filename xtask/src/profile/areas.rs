//! Samples of `perf`, by whose code was running.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::Context;

/// Areas with a smaller part of the samples, in thousandths, stand in one line.
const LEAST: u64 = 5;
/// Libraries beside the program, by how their names begin.
const LIBRARIES: [(&str, &str); 6] = [
    ("libcrypto", "OpenSSL"),
    ("libssl", "OpenSSL"),
    ("libc.so", "C library"),
    ("libm.so", "C library"),
    ("libgcc", "C library"),
    ("ld-linux", "C library"),
];
/// Functions of C in the program, by how their names begin.
const FUNCTIONS: [(&str, &str); 3] = [
    ("aws_lc", "AWS-LC"),
    ("mi_", "allocator"),
    ("_mi_", "allocator"),
];
/// Crates that come with the compiler.
const STANDARD: [&str; 5] = ["alloc", "compiler_builtins", "core", "hashbrown", "std"];

/// How many samples met which area: a crate, a library, the kernel.
#[derive(Debug, Default)]
pub(super) struct Areas(BTreeMap<String, u64>);

impl Areas {
    /// Reads what `perf report` prints of samples, program and mangled function, with semicolons
    /// between them.
    pub(super) fn of_report(report: &str) -> anyhow::Result<Self> {
        let mut areas = Self::default();
        let lines = report.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let read = || {
                let mut fields = line.splitn(3, ';').map(str::trim);
                let (samples, object, symbol) = (fields.next()?, fields.next()?, fields.next()?);
                Some((samples.parse::<u64>().ok()?, area(object, symbol)))
            };
            let (samples, area) = read().with_context(|| format!("a line of perf: {line}"))?;
            *areas.0.entry(area).or_default() += samples;
        }
        Ok(areas)
    }

    /// Samples and their part of all, the most first.
    pub(super) fn table(&self, title: &str) -> String {
        let all = self.0.values().sum::<u64>().max(1);
        let mut areas: Vec<_> = self.0.iter().collect();
        areas.sort_by_key(|(name, samples)| (u64::MAX - **samples, *name));
        let mut table = format!("| {title} | samples | % |\n|---|---|---|\n");
        let mut row = |name: &str, samples: u64| {
            let thousandths = (samples * 1000 + all / 2) / all;
            let (percent, tenth) = (thousandths / 10, thousandths % 10);
            // A text takes it always.
            let _ = writeln!(table, "| {name} | {samples} | {percent}.{tenth} |");
        };
        let mut rest = 0;
        for (name, samples) in areas {
            if samples * 1000 / all < LEAST {
                rest += samples;
            } else {
                row(name, *samples);
            }
        }
        row("all else", rest);
        row("all", self.0.values().sum());
        table
    }
}

/// Whose code a function is.
fn area(object: &str, symbol: &str) -> String {
    let named = |known: &[(&str, &str)], name: &str| {
        let found = known.iter().find(|(begin, _)| name.starts_with(begin));
        found.map(|(_, area)| (*area).to_owned())
    };
    // What follows `[.]` or `[k]`.
    let symbol = symbol.split_once(' ').map_or(symbol, |(_, name)| name);
    // Plugins are the only code that is not in a file.
    if object.starts_with("[JIT]") || object.starts_with("//anon") {
        return "WASM guest".to_owned();
    }
    if object == "[unknown]" {
        return "not known".to_owned();
    }
    if object.starts_with('[') {
        return "kernel".to_owned();
    }
    if let Some(library) = named(&LIBRARIES, object) {
        return library;
    }
    if object != "parafa" {
        return object.to_owned();
    }
    match crate_of(symbol) {
        Some(name) if STANDARD.contains(&name) => "Rust's own library".to_owned(),
        Some(name) => name.to_owned(),
        None => named(&FUNCTIONS, symbol).unwrap_or_else(|| "other C in the program".to_owned()),
    }
}

/// The crate that a mangled function is of: for a method, that of its type.
fn crate_of(symbol: &str) -> Option<&str> {
    if let Some(path) = symbol.strip_prefix("_R") {
        let mut roots = path.match_indices('C');
        return roots.find_map(|(at, _)| crate_root(&path[at + 1..]));
    }
    let (length, name) = counted(symbol.strip_prefix("_ZN")?)?;
    let first = name.get(..length)?;
    if !first.contains('$') {
        return Some(first);
    }
    // Of a type such as `_$LT$$RF$sled..tree..Tree$u20$as..`.
    let (path, _) = first.split_once("..")?;
    path.rsplit('$').next()
}

/// The name in a crate root of version 0 of the mangling, after its `C`.
fn crate_root(root: &str) -> Option<&str> {
    let is_of_crate = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let root = match root.strip_prefix('s') {
        Some(disambiguated) => disambiguated.split_once('_')?.1,
        None => root,
    };
    let (length, name) = counted(root)?;
    let name = name.strip_prefix('_').unwrap_or(name).get(..length)?;
    name.chars().all(is_of_crate).then_some(name)
}

/// A length, and what follows it.
fn counted(text: &str) -> Option<(usize, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (length, rest) = text.split_at(digits);
    Some((length.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `perf report` prints, with functions of the program in both ways of mangling.
    const SAMPLE: &str = include_str!("sample.txt");

    #[test]
    fn samples_are_counted_by_crate_library_and_kernel_and_small_shares_stand_together() {
        let table = Areas::of_report(SAMPLE).unwrap().table("signature");

        let expected = "\
| signature | samples | % |
|---|---|---|
| kernel | 320 | 32.0 |
| WASM guest | 200 | 20.0 |
| allocator | 100 | 10.0 |
| AWS-LC | 90 | 9.0 |
| OpenSSL | 60 | 6.0 |
| parafa_store | 60 | 6.0 |
| C library | 50 | 5.0 |
| sled | 40 | 4.0 |
| itoa | 30 | 3.0 |
| Rust's own library | 25 | 2.5 |
| other C in the program | 15 | 1.5 |
| not known | 6 | 0.6 |
| all else | 4 | 0.4 |
| all | 1000 | 100.0 |
";
        assert_eq!(table, expected);
    }

    #[test]
    fn what_is_no_line_of_a_report_is_named() {
        let error = Areas::of_report("12 ;parafa ;[.] main\nno samples\n").unwrap_err();

        assert_eq!(error.to_string(), "a line of perf: no samples");
    }

    #[test]
    fn functions_are_of_the_crate_of_their_type() {
        for (symbol, expected) in [
            (
                "_ZN4core5array76_$LT$impl$u20$core..default..Default$GT$7defaultE",
                Some("core"),
            ),
            (
                "_ZN67_$LT$crypto_common..InvalidLength$u20$as$u20$core..fmt..Display$GT$3fmt17hdf2c413aaa4cffE",
                Some("crypto_common"),
            ),
            (
                "_ZN37_$LT$u8$u20$as$u20$itoa..Unsigned$GT$3fmtE",
                Some("itoa"),
            ),
            (
                "_RNvMNtCslNYArtu3iFV_5alloc6stringNtB2_6String8truncate",
                Some("alloc"),
            ),
            ("_RNvC7mycrate3foo", Some("mycrate")),
            ("mi_free", None),
        ] {
            assert_eq!(crate_of(symbol), expected, "{symbol}");
        }
    }
}
