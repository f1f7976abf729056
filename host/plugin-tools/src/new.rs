//! A new project of a plugin, which builds without this repository.

mod sdk;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use openssl::sha::sha256;
use serde_json::json;

use crate::ToolError;
use crate::bench::may_be_id;
use crate::output::{print_json, print_line, warn};
use crate::reach::{postable, posted};
use sdk::Sdk;

/// The document of the included case.
const DOCUMENT: &str = "Labas.\n";
/// Longest id of a format, in characters.
const LONGEST_ID: usize = 32;

/// Files of every new plugin, with placeholders such as `@id@`.
const FILES: [(&str, &str); 10] = [
    ("Cargo.toml", include_str!("template/package.toml")),
    ("README.md", include_str!("template/README.md")),
    (".gitignore", include_str!("template/gitignore")),
    (
        ".cargo/config.toml",
        include_str!("template/cargo-config.toml"),
    ),
    ("xtask/Cargo.toml", include_str!("template/xtask.toml")),
    ("xtask/src/main.rs", include_str!("template/xtask.rs")),
    (
        "xtask/src/packages.rs",
        include_str!("template/packages.rs"),
    ),
    (
        "xtask/src/toolchain.rs",
        include_str!("template/toolchain.rs"),
    ),
    ("cases/hello/case.toml", include_str!("template/case.toml")),
    ("cases/hello/input.txt", DOCUMENT),
];

/// A plugin that inspects.
const INSPECTING: [(&str, &str); 2] = [
    ("src/lib.rs", include_str!("template/lib.rs")),
    ("src/tests.rs", include_str!("template/tests.rs")),
];

/// Files of a plugin that signs and verifies, too. Toys are signed by these modules
/// (`plugins/toy`).
const SIGNING: [(&str, &str); 6] = [
    ("src/lib.rs", include_str!("template/signing/lib.rs")),
    (
        "src/document.rs",
        include_str!("template/signing/document.rs"),
    ),
    (
        "src/inspect.rs",
        include_str!("template/signing/inspect.rs"),
    ),
    ("src/sign.rs", include_str!("template/signing/sign.rs")),
    (
        "src/tests.rs",
        concat!(
            include_str!("template/tests.rs"),
            "\n",
            include_str!("template/signing/tests.rs")
        ),
    ),
    ("src/verify.rs", include_str!("template/signing/verify.rs")),
];

/// Ability of a new plugin beside `inspect`.
#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
enum Ability {
    Sign,
    Verify,
}

/// Arguments of `parafa plugin new`.
#[derive(Debug, clap::Args)]
pub struct NewArguments {
    /// The folder to create; its name becomes the format's name.
    dir: PathBuf,
    /// The file extension of its documents. Default: the format's name.
    #[arg(long, value_name = "EXT", value_parser = extension)]
    extension: Option<String>,
    /// Operations beside `inspect`: `sign,verify`, because a plugin that signs must
    /// verify.
    #[arg(long, value_name = "ABILITIES", value_delimiter = ',')]
    with: Vec<Ability>,
    /// The folder of the SDK's source, `plugins/sdk` of Parafa's.
    #[arg(long, value_name = "PATH", conflicts_with = "vendor")]
    sdk: Option<PathBuf>,
    /// The unpacked bundle of the SDK, from which all packages are taken. Without it
    /// and `--sdk`, they come from crates.io, where the SDK is not published yet.
    #[arg(long, value_name = "FOLDER")]
    vendor: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Makes the folder; an existing one must be empty.
pub fn new(arguments: &NewArguments) -> Result<(), ToolError> {
    let dir =
        std::path::absolute(&arguments.dir).map_err(|error| failed(&arguments.dir, &error))?;
    let id = format_id(&dir);
    let extension = arguments.extension.as_ref().unwrap_or(&id);
    let sdk = Sdk::named(arguments.sdk.as_deref(), arguments.vendor.as_deref())?;
    let dependency = sdk.dependency();
    let (sources, dependencies) = match begun_with(&arguments.with)? {
        Begin::Inspecting => (
            &INSPECTING[..],
            format!("parafa-plugin-sdk = {{ {dependency} }}\n"),
        ),
        Begin::Signing => (
            &SIGNING[..],
            format!(
                "base64 = \"0.22\"\nparafa-plugin-sdk = {{ {dependency}, features = [\"cms\"] }}\n"
            ),
        ),
    };
    fs::create_dir_all(&dir).map_err(|error| failed(&dir, &error))?;
    let mut entries = fs::read_dir(&dir).map_err(|error| failed(&dir, &error))?;
    if entries.next().is_some() {
        return Err(ToolError::Refused(format!(
            "{} is not empty: name a folder that is not there yet",
            dir.display()
        )));
    }
    let filled = [
        ("@id@", id.clone()),
        ("@extension@", extension.clone()),
        ("@posted@", posted()),
        ("@module@", id.replace('-', "_")),
        ("@dependencies@", dependencies),
        ("@sdk@", dependency),
        ("@sdk-folder@", sdk.folder()),
        ("@sdk-note@", sdk.note().to_owned()),
        ("@source@", sdk.configuration()),
        ("@sha256@", hex::encode(sha256(DOCUMENT.as_bytes()))),
    ];
    for (name, template) in FILES.iter().chain(sources) {
        let path = dir.join(name);
        let text = filled
            .iter()
            .fold((*template).to_owned(), |text, (name, value)| {
                text.replace(name, value)
            });
        write(&path, &text).map_err(|error| failed(&path, &error))?;
    }
    if matches!(sdk, Sdk::Registry) {
        warn(
            "the SDK, parafa-plugin-sdk, is taken from crates.io: until it is published there, \
             --vendor FOLDER is needed, the SDK's bundle of a release",
        );
    }
    if arguments.json {
        let is_postable = postable(extension);
        print_json(&json!({
            "id": id, "dir": dir, "extension": extension, "postable": is_postable,
        }))?;
    } else {
        print_line(format_args!(
            "the format {id} is in {}: `cargo xtask build` there leaves plugin.wasm",
            dir.display()
        ))?;
        if !postable(extension) {
            print_line(format_args!(
                "callers can post .{extension} where the setting plugins.extensions lists it; \
                 beside such they post {}",
                posted()
            ))?;
        }
    }
    Ok(())
}

/// The template of a new plugin.
enum Begin {
    Inspecting,
    Signing,
}

fn begun_with(with: &[Ability]) -> Result<Begin, ToolError> {
    match (
        with.contains(&Ability::Sign),
        with.contains(&Ability::Verify),
    ) {
        (false, false) => Ok(Begin::Inspecting),
        (true, true) => Ok(Begin::Signing),
        _ => Err(ToolError::Refused(
            "a plugin that signs must verify, and one template has both: use --with sign,verify"
                .to_owned(),
        )),
    }
}

/// Parses a file name extension as typed by a person.
fn extension(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('.').unwrap_or(text).to_ascii_lowercase();
    if may_be_id(&text) {
        Ok(text)
    } else {
        Err("the end of a name has letters, digits and hyphens".to_owned())
    }
}

/// Returns the folder's name as a format's id: lower-case letters, digits and hyphens, beginning
/// with a letter.
fn format_id(dir: &Path) -> String {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let mut id = String::new();
    for character in name.chars().map(|character| character.to_ascii_lowercase()) {
        match character {
            'a'..='z' => id.push(character),
            '0'..='9' if !id.is_empty() => id.push(character),
            _ if !id.is_empty() && !id.ends_with('-') => id.push('-'),
            _ => {}
        }
    }
    id.truncate(LONGEST_ID);
    match id.trim_end_matches('-') {
        "" => "format".to_owned(),
        id => id.to_owned(),
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

fn failed(path: &Path, error: &io::Error) -> ToolError {
    ToolError::Refused(format!("{} cannot be written: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_is_taken_with_its_full_stop_or_without() {
        assert_eq!(extension(".ASiCE").as_deref(), Ok("asice"));
        assert_eq!(extension("asice").as_deref(), Ok("asice"));
        assert!(extension("").is_err() && extension("a/b").is_err());
    }

    #[test]
    fn a_folder_gives_its_format_a_name() {
        for (folder, id) in [
            ("my-format", "my-format"),
            ("My Format_2", "my-format-2"),
            ("2024-invoices", "invoices"),
            ("sąskaita", "s-skaita"),
            ("---", "format"),
        ] {
            assert_eq!(format_id(&Path::new("/tmp").join(folder)), id);
        }
    }

    #[test]
    fn nothing_is_left_to_be_filled_in() {
        let folder = tempfile::tempdir().unwrap();
        for (name, with, sources) in [
            ("saskaita", vec![], &INSPECTING[..]),
            (
                "sutartis",
                vec![Ability::Sign, Ability::Verify],
                &SIGNING[..],
            ),
        ] {
            let arguments = arguments(&folder.path().join(name), with);

            assert!(new(&arguments).is_ok());

            for (name, _) in FILES.iter().chain(sources) {
                let text = fs::read_to_string(arguments.dir.join(name)).unwrap();
                assert!(!text.contains('@'), "{name}");
            }
            let readme = fs::read_to_string(arguments.dir.join("README.md")).unwrap();
            assert!(readme.contains("--vendor FOLDER"), "{readme}");
            assert!(new(&arguments).is_err(), "the folder is not empty any more");
        }
    }

    #[test]
    fn the_readme_of_the_sdk_has_the_plugin_that_inspects() {
        let readme = include_str!("../../../plugins/sdk/README.md");
        for (name, template) in INSPECTING {
            let text = template.replace("@id@", "saskaita");
            let text = text.replace("@extension@", "saskaita");
            assert!(
                readme.contains(&format!("```rust,ignore\n{text}```\n")),
                "{name}"
            );
        }
    }

    #[test]
    fn who_signs_verifies() {
        let folder = tempfile::tempdir().unwrap();
        for with in [Ability::Sign, Ability::Verify] {
            let arguments = arguments(&folder.path().join("saskaita"), vec![with]);

            assert!(new(&arguments).is_err());
            assert!(!arguments.dir.exists());
        }
    }

    fn arguments(dir: &Path, with: Vec<Ability>) -> NewArguments {
        NewArguments {
            dir: dir.to_owned(),
            extension: None,
            with,
            sdk: None,
            vendor: None,
            json: false,
        }
    }
}
