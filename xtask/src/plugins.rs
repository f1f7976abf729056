//! Builds the format plugins: Rust to a core module, a core module to a
//! component.
//!
//! The same source gives the same bytes on every machine: the lock file is
//! obeyed, every plugin is built alone (so that another one's features cannot
//! leak into it), and neither the module nor its order depends on a path.

mod compiler;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};
use wit_component::ComponentEncoder;

use crate::process;

pub(crate) use compiler::run as run_as_compiler;

const TARGET: &str = "wasm32-unknown-unknown";

/// What is built: the package, the module that it makes, the component in
/// `target/plugins`, and whether that is part of the product.
const PLUGINS: [Plugin; 6] = [
    Plugin {
        package: "parafa-plugin-toy",
        module: "parafa_plugin_toy.wasm",
        component: "test/toy.wasm",
        shipped: false,
    },
    Plugin {
        package: "parafa-plugin-toy-container",
        module: "parafa_plugin_toy_container.wasm",
        component: "test/toy-container.wasm",
        shipped: false,
    },
    Plugin {
        package: "parafa-plugin-adoc",
        module: "parafa_plugin_adoc.wasm",
        component: "adoc.wasm",
        shipped: true,
    },
    Plugin {
        package: "parafa-plugin-asice",
        module: "parafa_plugin_asice.wasm",
        component: "asice.wasm",
        shipped: true,
    },
    Plugin {
        package: "parafa-plugin-jades",
        module: "parafa_plugin_jades.wasm",
        component: "jades.wasm",
        shipped: true,
    },
    Plugin {
        package: "parafa-plugin-pdf",
        module: "parafa_plugin_pdf.wasm",
        component: "pdf.wasm",
        shipped: true,
    },
];

/// The flags of `plugins/.cargo/config.toml`, which are overridden by what is
/// set here; it says what each is for.
const FLAGS: [&str; 5] = [
    "--cfg",
    r#"getrandom_backend="unsupported""#,
    "-Ctarget-feature=+simd128",
    "-Clink-arg=-z",
    "-Clink-arg=stack-size=262144",
];

/// What plugins are built with.
pub(crate) struct PluginBuild<'a> {
    root: &'a Path,
    toolchain: Toolchain,
    compiler: PathBuf,
    flags: OsString,
}

impl<'a> PluginBuild<'a> {
    /// Finds a toolchain and fetches what the plugins depend on.
    ///
    /// # Errors
    /// Says what is missing, or that `plugins/Cargo.lock` is not up to date.
    pub(crate) fn prepare(root: &'a Path) -> Result<Self> {
        let toolchain = Toolchain::find(root)?;
        eprintln!("plugins: {}", toolchain.description());
        Ok(Self {
            compiler: compiler::place().context("the compiler of the plugins")?,
            flags: rustflags(root, &toolchain)?,
            toolchain,
            root,
        })
    }

    /// Builds every plugin into `target/plugins` and answers where the shipped
    /// ones are; those that only tests load stand in its `test` folder.
    pub(crate) fn build(&self) -> Result<Vec<PathBuf>> {
        let mut shipped = Vec::new();
        for plugin in &PLUGINS {
            let module = self.compile(plugin)?;
            let component = self.root.join("target/plugins").join(plugin.component);
            encode(&module, &component)
                .with_context(|| format!("cannot make a component of {}", module.display()))?;
            if plugin.shipped {
                shipped.push(component);
            }
        }
        Ok(shipped)
    }

    /// Looks at the plugins as they are compiled for WebAssembly; where the
    /// linter has no standard library for that, as they are for this machine.
    /// The profile is the build's, so that both share what runs at compile time.
    ///
    /// # Errors
    /// What has a warning.
    pub(crate) fn deny_warnings(&self) -> Result<()> {
        let mut clippy = process::cargo(&self.root.join("plugins"));
        clippy.args(["clippy", "--release", "--workspace", "--locked", "--target"]);
        clippy.arg(match self.toolchain {
            Toolchain::Installed => TARGET,
            Toolchain::Debian { .. } => "host-tuple",
        });
        process::run(clippy.args(["--", "-D", "warnings"]))
    }

    fn compile(&self, plugin: &Plugin) -> Result<PathBuf> {
        let build = self.root.join("plugins/target");
        let mut cargo = self.toolchain.cargo();
        cargo
            .args([
                "build",
                "--quiet",
                "--release",
                "--locked",
                "--target",
                TARGET,
                "--package",
                plugin.package,
            ])
            .arg("--target-dir")
            .arg(&build)
            .current_dir(self.root.join("plugins"))
            .env("CARGO_ENCODED_RUSTFLAGS", &self.flags);
        compiler::install(&mut cargo, &self.compiler, self.root);
        if matches!(self.toolchain, Toolchain::Debian { .. }) {
            cargo.args(["-Z", "build-std=std,panic_abort"]);
        }
        let status = cargo.status().context("cannot run cargo")?;
        ensure!(
            status.success(),
            "the plugin {} does not build",
            plugin.package
        );
        Ok(build.join(TARGET).join("release").join(plugin.module))
    }
}

/// The SHA-256 digests of components, in hexadecimal.
pub(crate) fn digests(components: &[PathBuf]) -> Result<Vec<String>> {
    let digest = |component: &PathBuf| Ok(hex::encode(Sha256::digest(fs::read(component)?)));
    components.iter().map(digest).collect()
}

struct Plugin {
    package: &'static str,
    module: &'static str,
    component: &'static str,
    shipped: bool,
}

/// What compiles for WebAssembly here.
enum Toolchain {
    /// Rust with a standard library for the target.
    Installed,
    /// Debian's Rust, which has none: it is built along from its source.
    Debian { linker: PathBuf },
}

impl Toolchain {
    const DEBIAN_CARGO: &str = "/usr/bin/cargo";
    const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
    const DEBIAN_LIBRARY: &str = "/usr/lib/rustlib/src/rust/library";
    const DEBIAN_LINKERS: [&str; 2] = ["/usr/bin/wasm-ld-22", "/usr/bin/wasm-ld"];

    fn find(root: &Path) -> Result<Self> {
        if has_target(root) {
            return Ok(Self::Installed);
        }
        let added = Command::new("rustup")
            .args(["target", "add", TARGET])
            .current_dir(root)
            .status();
        if added.is_ok_and(|status| status.success()) && has_target(root) {
            return Ok(Self::Installed);
        }
        let linker = Self::DEBIAN_LINKERS
            .iter()
            .map(PathBuf::from)
            .find(|linker| linker.exists());
        let complete = [Self::DEBIAN_CARGO, Self::DEBIAN_RUSTC, Self::DEBIAN_LIBRARY]
            .iter()
            .all(|part| Path::new(part).exists());
        match linker {
            Some(linker) if complete => Ok(Self::Debian { linker }),
            _ => bail!(
                "no Rust for {TARGET}: run `rustup target add {TARGET}`, or on Debian \
                 `apt install rustc-web cargo-web rust-web-src lld-22`"
            ),
        }
    }

    fn description(&self) -> &'static str {
        match self {
            Self::Installed => "the installed standard library for wasm32-unknown-unknown",
            Self::Debian { .. } => {
                "Debian's Rust with a standard library built along (its digests differ from released plugins)"
            }
        }
    }

    fn cargo(&self) -> Command {
        match self {
            Self::Installed => Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into())),
            Self::Debian { linker } => {
                let mut cargo = Command::new(Self::DEBIAN_CARGO);
                cargo
                    .env("RUSTC", Self::DEBIAN_RUSTC)
                    // `-Z build-std` is what the bootstrap mode is needed for.
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
                cargo
            }
        }
    }
}

fn has_target(root: &Path) -> bool {
    Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .current_dir(root)
        .output()
        .is_ok_and(|output| {
            output.status.success()
                && Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir()
        })
}

/// The flags of every plugin, and the paths that would tell machines apart.
fn rustflags(root: &Path, toolchain: &Toolchain) -> Result<OsString> {
    // The registry's folders exist, and can be named, only after a fetch.
    let fetched = toolchain
        .cargo()
        .args(["fetch", "--locked", "--target", TARGET])
        .current_dir(root.join("plugins"))
        .status()
        .context("cannot run cargo")?;
    ensure!(
        fetched.success(),
        "cannot fetch what plugins/Cargo.lock names; after a change of the formats' dependencies run \
         `cargo update --workspace` in plugins/"
    );

    let mut flags: Vec<OsString> = FLAGS.iter().map(OsString::from).collect();
    flags.push(remap(root, "/parafa"));
    let registries = cargo_home()?.join("registry/src");
    for registry in fs::read_dir(&registries)
        .with_context(|| format!("cannot read {}", registries.display()))?
    {
        flags.push(remap(&registry?.path(), "/registry"));
    }
    Ok(flags.join(&OsString::from("\x1f")))
}

fn remap(from: &Path, to: &str) -> OsString {
    let mut flag = OsString::from("--remap-path-prefix=");
    flag.push(from);
    flag.push("=");
    flag.push(to);
    flag
}

fn cargo_home() -> Result<PathBuf> {
    match env::var_os("CARGO_HOME") {
        Some(home) => Ok(home.into()),
        None => Ok(env::home_dir()
            .context("there is no home directory")?
            .join(".cargo")),
    }
}

/// Makes the component, unless it is there and was made of the same module.
fn encode(module: &Path, component: &Path) -> Result<()> {
    let bytes = fs::read(module)?;
    let stamp = component.with_extension("stamp");
    let made_of = format!(
        "{} wit-component-0.263",
        hex::encode(Sha256::digest(&bytes))
    );
    let current = fs::read(component).ok().filter(|current| {
        fs::read_to_string(&stamp).is_ok_and(|stamp| {
            stamp == format!("{made_of} {}", hex::encode(Sha256::digest(current)))
        })
    });
    let (encoded, verdict) = match current {
        Some(current) => (current, "unchanged"),
        None => (
            ComponentEncoder::default()
                .module(&bytes)?
                .validate(true)
                .encode()?,
            "built",
        ),
    };
    let digest = hex::encode(Sha256::digest(&encoded));
    if verdict == "built" {
        fs::create_dir_all(
            component
                .parent()
                .context("a component stands in a folder")?,
        )?;
        fs::write(component, &encoded)?;
        fs::write(&stamp, format!("{made_of} {digest}"))?;
    }
    eprintln!(
        "plugins: {} {verdict}, {} bytes, sha256 {digest}",
        component.display(),
        encoded.len()
    );
    Ok(())
}
