//! Packaging, checked with the product: every option, setting and file that it
//! names exists, and the server accepts each setting's value.

use std::fs;
use std::path::Path;
use std::process::Command;

use cargo_metadata::MetadataCommand;
use parafa_fixtures::tool;
use serde_json::Value;

use crate::docs::links;
use crate::support::demo::{parafa, program};
use crate::support::root;

const ALERTS: &str = "packaging/alerts.yaml";
const UNIT: &str = "packaging/parafa.service";
const CONTAINERFILE: &str = "Containerfile";
const COMPOSE: [&str; 2] = ["packaging/compose.yaml", "packaging/compose.hosts.yaml"];
const CONFIGURATION: &str = "packaging/parafa.toml";
const WALK: &str = "docs/installing.md";
const OPERATING: &str = "docs/operating.md";
const MONITORING: &str = "docs/monitoring.md";
/// Folder of installed documentation.
const INSTALLED_DOCS: &str = "usr/share/doc/parafa/";
/// Paths in packaged configurations that test machines lack: files, and a
/// database.
const INSTALLED: [&str; 4] = [
    "/etc/parafa/",
    "/var/lib/parafa",
    "/usr/lib/parafa/",
    "store.url: ",
];
/// Maximum exposure of the unit, in tenths: 2.0.
const MOST_EXPOSURE: &str = "20";

#[test]
fn the_unit_and_the_image_start_the_server_with_options_that_it_has() {
    let unit = read(UNIT);
    let start = unit
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart=/usr/bin/parafa "))
        .expect("a line that starts the server");
    let image = read(CONTAINERFILE);
    let default = image
        .lines()
        .find_map(|line| line.strip_prefix("CMD "))
        .expect("a default command");
    let default: Vec<String> = serde_json::from_str(default).expect("a list");
    assert_eq!(start.split(' ').collect::<Vec<_>>(), default);

    let (command, arguments) = default.split_first().expect("a command");
    let help = parafa([command.as_str(), "--help"]);
    assert!(help.status.success(), "parafa {command}");
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    for option in arguments.iter().filter(|word| word.starts_with("--")) {
        assert!(help.contains(&format!("{option} <")), "{option}:\n{help}");
    }
}

#[test]
fn packaged_configurations_lack_nothing_but_what_is_installed_beside_them() {
    let configuration = root().join(CONFIGURATION);
    assert_sound_once_installed(&configuration, &[]);
    for file in COMPOSE {
        let mut variables = of_image(&read(CONTAINERFILE));
        variables.extend(of_compose_file(&read(file)));
        assert!(variables.len() > 5, "{file}: {variables:?}");
        assert_sound_once_installed(&configuration, &variables);
    }
}

#[test]
fn the_configuration_of_the_walk_to_an_installation_lacks_nothing_else_either() {
    let page = read(WALK);
    let (_, block) = page.split_once("```toml\n").expect("a configuration");
    let (configuration, _) = block.split_once("```").expect("an end");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("parafa.toml");
    fs::write(&file, configuration).expect("a file");

    let (_, block) = page.split_once("```ini\n").expect("variables");
    let (variables, _) = block.split_once("```").expect("an end");
    let variables = variables.lines().filter_map(|line| line.split_once('='));
    let variables: Vec<_> = variables.map(owned).collect();
    assert!(variables.len() > 2, "{variables:?}");
    assert_sound_once_installed(&file, &variables);
}

#[test]
fn commands_of_installations_are_ones_that_the_program_takes() {
    let pages = [WALK, OPERATING].map(read).concat();
    let pages = pages.replace("Ąžuolas, UAB", "Ąžuolas");
    let commands = pages.lines().filter_map(|line| {
        let command = line.split_once("sudo -u parafa parafa ");
        command.or_else(|| line.split_once("/usr/bin/parafa "))
    });
    let mut seen = 0;
    for (_, command) in commands {
        // Help is printed only if the arguments before it are valid.
        let told = parafa(command.split_whitespace().chain(["--help"]));
        let fault = String::from_utf8_lossy(&told.stderr);
        assert!(told.status.success(), "{command}: {fault}");
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn variables_of_image_and_compose_files_are_settings() {
    let documented = read("docs/configuration.md");
    let mut seen = 0;
    for file in COMPOSE.into_iter().chain([CONTAINERFILE, UNIT]) {
        let text = read(file);
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let variables = words.filter_map(|word| word.strip_prefix("PARAFA_"));
        for variable in variables {
            let setting = variable.to_lowercase().replacen("__", ".", 1);
            assert!(
                documented.contains(&format!("| `{setting}` |")),
                "{file}: {setting}"
            );
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn files_that_image_compose_files_and_package_take_from_the_checkout_are_there() {
    for file in COMPOSE {
        let folder = root().join("packaging");
        let text = read(file);
        let context = value(&text, "context:").expect("a context");
        let image = value(&text, "dockerfile:").expect("a file");
        assert_there(&folder.join(context).join(image));
        let mounted = text.lines().filter_map(|line| {
            let source = line.trim().strip_prefix("- ./")?;
            source.split(':').next()
        });
        let mounted: Vec<&str> = mounted.collect();
        assert!(!mounted.is_empty(), "{file} mounts nothing");
        for source in mounted {
            assert_there(&folder.join(source));
        }
    }
    for (source, _) in packaged() {
        assert_there(&root().join(source));
    }
}

#[test]
fn a_packaged_page_links_to_nothing_of_the_documentation_that_is_not_packaged_beside_it() {
    let packaged = packaged();
    let mut seen = 0;
    for (page, installed) in &packaged {
        let Some(place) = page.strip_prefix("docs/") else {
            continue;
        };
        assert_eq!(*installed, format!("{INSTALLED_DOCS}{place}"));
        if !page.ends_with(".md") {
            continue;
        }
        for link in links(&root().join(page)) {
            let target = link.split('#').next().unwrap_or_default();
            // Other links lead to sources, which a package does not have.
            if target.starts_with("docs/") {
                let sources = packaged.iter().map(|(source, _)| source.as_str());
                assert!(has(sources, target), "{page}: {link}");
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn installed_files_that_alerts_unit_and_pages_name_are_packaged() {
    let packaged = packaged();
    let mut seen = 0;
    for file in [ALERTS, UNIT, WALK, OPERATING, MONITORING] {
        let text = read(file);
        let is_of_a_path = |c: char| c.is_ascii_alphanumeric() || "/-_.".contains(c);
        for named in text.split("/usr/share/").skip(1) {
            let named = named.split(|c| !is_of_a_path(c)).next().unwrap_or_default();
            let named = named.trim_end_matches('.');
            if named.starts_with("parafa") || named.starts_with("doc/parafa") {
                let named = format!("usr/share/{named}");
                let installed = packaged.iter().map(|(_, installed)| installed.as_str());
                assert!(has(installed, &named), "{file}: {named}");
                seen += 1;
            }
        }
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn image_and_package_take_what_a_release_leaves() {
    let released = read("xtask/src/release.rs");
    let image = read(CONTAINERFILE);
    let sources = image
        .lines()
        .filter_map(|line| line.strip_prefix("COPY --from=build "))
        .flat_map(|line| line.split(' '))
        .filter_map(|word| word.strip_prefix("/parafa/target/dist/"));
    let sources: Vec<&str> = sources.collect();
    assert!(sources.contains(&"parafa"), "{sources:?}");
    let packaged = assets();
    let packaged: Vec<&str> = packaged
        .iter()
        .filter_map(|(source, _)| source.split_once("target/dist/")?.1.split('/').next())
        .collect();
    assert!(packaged.contains(&"plugins"), "{packaged:?}");
    for source in sources.into_iter().chain(packaged) {
        assert!(released.contains(source), "{source}");
    }
}

#[test]
fn systemd_finds_the_unit_little_exposed() {
    let Some(analyze) = tool::program("systemd-analyze") else {
        return;
    };
    let judged = Command::new(analyze)
        .args(["security", "--offline=true", "--no-pager", "--threshold"])
        .arg(MOST_EXPOSURE)
        .arg(root().join(UNIT))
        .output()
        .expect("systemd-analyze starts");

    let told = String::from_utf8_lossy(&judged.stdout);
    let faults = String::from_utf8_lossy(&judged.stderr);
    assert!(judged.status.success(), "{told}{faults}");
    assert_eq!(faults, "", "what systemd does not know");
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Checks a configuration with the server. It may name missing files, but must
/// not contain anything that the server does not understand.
#[track_caller]
fn assert_sound_once_installed(file: &Path, variables: &[(String, String)]) {
    let output = program()
        .args(["check-config", "--json", "--config"])
        .arg(file)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .output()
        .expect("parafa starts");

    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(answer["sound"].is_boolean(), "{answer}");
    for fault in answer["faults"].as_array().into_iter().flatten() {
        let fault = fault.as_str().expect("a sentence");
        assert!(INSTALLED.iter().any(|what| fault.contains(what)), "{fault}");
    }
}

/// Returns the settings of the image.
fn of_image(containerfile: &str) -> Vec<(String, String)> {
    let words = containerfile.split_whitespace();
    let settings = words.filter_map(|word| word.split_once('='));
    settings
        .filter(|(name, _)| name.starts_with("PARAFA_"))
        .map(owned)
        .collect()
}

/// Returns the server's variables in a compose file, with the operator's
/// variables filled in.
fn of_compose_file(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().filter_map(|line| line.trim().split_once(':'));
    lines
        .filter(|(name, _)| name.starts_with("PARAFA_") || name.starts_with("AWS_"))
        .map(|(name, value)| match value.trim() {
            "" => owned((name, set_by_operator(name))),
            value => (name.to_owned(), filled(value)),
        })
        .collect()
}

/// Replaces the variable in a value by the operator's setting; its default may
/// name another variable.
fn filled(value: &str) -> String {
    let Some((before, rest)) = value.split_once("${") else {
        return value.to_owned();
    };
    let (variable, after) = rest.rsplit_once('}').expect("a variable ends");
    let name = variable.split(':').next().unwrap_or(variable);
    format!("{before}{}{after}", set_by_operator(name))
}

fn set_by_operator(variable: &str) -> &'static str {
    match variable {
        "DOMAIN" => "sign.example.com",
        "AWS_ENDPOINT_URL" => "https://s3.example.com",
        _ => "example",
    }
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Returns the text after a key on its line.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let mut lines = text.lines();
    lines.find_map(|line| line.trim().strip_prefix(key).map(str::trim))
}

/// Returns the Debian package's files: their sources, relative to `host/server`,
/// and where they are installed.
fn assets() -> Vec<(String, String)> {
    let metadata = MetadataCommand::new()
        .manifest_path(root().join("host/server/Cargo.toml"))
        .no_deps()
        .exec()
        .expect("metadata");
    let packages = metadata.packages.iter();
    let mut servers = packages.filter(|package| package.name == "parafa-server");
    let server = servers.next().expect("the server's package");
    let assets = server.metadata["deb"]["assets"].as_array();
    let assets = assets.expect("files of the Debian package").iter();
    let text = |value: &Value| value.as_str().expect("a path").to_owned();
    assets
        .map(|asset| (text(&asset[0]), text(&asset[1])))
        .collect()
}

/// Returns the packaged files of the repository, from its root, and their
/// installed paths. Build outputs are in `target`, outside of the repository.
fn packaged() -> Vec<(String, String)> {
    let assets = assets().into_iter();
    let assets = assets.filter(|(source, _)| !source.contains("target/"));
    let mut packaged = Vec::new();
    for (source, installed) in assets {
        let source = source.strip_prefix("../../").expect("from the root");
        for file in matching(source) {
            let name = file.rsplit('/').next().expect("a name");
            let is_folder = installed.ends_with('/');
            let installed = format!("{installed}{}", if is_folder { name } else { "" });
            packaged.push((file, installed));
        }
    }
    packaged
}

/// Returns the files that a path names, whose last part may have one `*`.
fn matching(path: &str) -> Vec<String> {
    let Some((before, after)) = path.split_once('*') else {
        return vec![path.to_owned()];
    };
    let (folder, begin) = before.rsplit_once('/').expect("a folder");
    let entries = fs::read_dir(root().join(folder)).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.into_string().expect("UTF-8"));
    let names = names.filter(|name| name.starts_with(begin) && name.ends_with(after));
    let files: Vec<String> = names.map(|name| format!("{folder}/{name}")).collect();
    assert!(!files.is_empty(), "{path}");
    files
}

/// Returns whether one of these files is at this path, or in a folder there.
fn has<'f>(mut files: impl Iterator<Item = &'f str>, path: &str) -> bool {
    files.any(|file| {
        file.strip_prefix(path)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

#[track_caller]
fn assert_there(file: &Path) {
    assert!(file.exists(), "{} is missing", file.display());
}
