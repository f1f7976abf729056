//! Samples of `perf` by area: the crate or library of the running code.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::Context;

/// Areas with a smaller part of the samples, in thousandths, share one line.
const LEAST: u64 = 5;
/// C functions in the program, by prefixes of their names.
const FUNCTIONS: [(&str, &str); 3] = [
    ("aws_lc", "AWS-LC"),
    ("mi_", "allocator"),
    ("_mi_", "allocator"),
];

/// Returns a table of the samples of each crate, library and other area and their share, the most
/// first. The input is `perf report`'s list of samples, program and mangled function, separated by
/// semicolons.
pub(super) fn table(title: &str, report: &str) -> anyhow::Result<String> {
    let mut areas = BTreeMap::<&str, u64>::new();
    for line in report.lines().filter(|line| !line.trim().is_empty()) {
        let (samples, area) = read(line).with_context(|| format!("a line of perf: {line}"))?;
        *areas.entry(area).or_default() += samples;
    }
    let all = areas.values().sum::<u64>().max(1);
    let is_large = |area: &(&str, u64)| area.1 * 1000 / all >= LEAST;
    let (mut rows, small): (Vec<_>, Vec<_>) = areas.into_iter().partition(is_large);
    rows.sort_by_key(|(_, samples)| Reverse(*samples));
    rows.push(("all else", small.iter().map(|(_, samples)| samples).sum()));
    rows.push(("all", all));

    let mut table = format!("| {title} | samples | % |\n|---|---|---|\n");
    for (area, samples) in rows {
        let thousandths = (samples * 1000 + all / 2) / all;
        let (percent, tenth) = (thousandths / 10, thousandths % 10);
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| {area} | {samples} | {percent}.{tenth} |");
    }
    Ok(table)
}

fn read(line: &str) -> Option<(u64, &str)> {
    let mut fields = line.splitn(3, ';').map(str::trim);
    let samples = fields.next()?.parse().ok()?;
    Some((samples, area(fields.next()?, fields.next()?)))
}

/// Returns the area of a function.
fn area<'a>(object: &'a str, symbol: &'a str) -> &'a str {
    match object {
        "parafa" => {
            // The symbol after `[.]`.
            let symbol = symbol.split_once(' ').map_or(symbol, |(_, name)| name);
            let of_c = FUNCTIONS
                .iter()
                .find(|known| symbol.starts_with(known.0))
                .map_or("other C in the program", |known| known.1);
            crate_of(symbol).unwrap_or(of_c)
        }
        // Only plugins are code without a file.
        _ if object.starts_with("[JIT]") => "WASM guest",
        _ if object.starts_with('[') && object != "[unknown]" => "kernel",
        library => library,
    }
}

/// Returns the crate of a function, or of its type or trait: that of the first crate root in its
/// name by version 0 of Rust's mangling.
fn crate_of(symbol: &str) -> Option<&str> {
    let path = symbol.strip_prefix("_R")?;
    path.match_indices('C')
        .find_map(|(at, _)| crate_root(&path[at + 1..]))
}

/// Returns the name in a crate root, after its `C`: an optional disambiguator, a length, the name.
fn crate_root(root: &str) -> Option<&str> {
    let is_of_crate = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let root = match root.strip_prefix('s') {
        Some(disambiguated) => disambiguated.split_once('_')?.1,
        None => root,
    };
    let (length, name) = root.split_at(root.find(|c: char| !c.is_ascii_digit())?);
    let name = name.get(..length.parse::<usize>().ok()?)?;
    name.chars().all(is_of_crate).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output of `perf report`.
    const SAMPLE: &str = include_str!("sample.txt");

    #[test]
    fn samples_are_counted_by_crate_library_and_kernel_and_small_shares_stand_together() {
        let table = table("signature", SAMPLE).unwrap();

        let expected = "\
| signature | samples | % |
|---|---|---|
| kernel | 320 | 32.0 |
| WASM guest | 200 | 20.0 |
| allocator | 100 | 10.0 |
| AWS-LC | 90 | 9.0 |
| libcrypto.so.3 | 60 | 6.0 |
| parafa_store | 60 | 6.0 |
| libc.so.6 | 50 | 5.0 |
| sled | 40 | 4.0 |
| alloc | 30 | 3.0 |
| core | 25 | 2.5 |
| other C in the program | 15 | 1.5 |
| [unknown] | 6 | 0.6 |
| all else | 4 | 0.4 |
| all | 1000 | 100.0 |
";
        assert_eq!(table, expected);
    }

    #[test]
    fn what_is_no_line_of_a_report_is_named() {
        let error = table("signature", "12 ;parafa ;[.] main\nno samples\n").unwrap_err();

        assert_eq!(error.to_string(), "a line of perf: no samples");
    }
}
