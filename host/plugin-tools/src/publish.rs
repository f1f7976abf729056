use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use parafa_plugin_host::PluginDigest;
use parafa_plugin_store::{KeyPair, signature_file};
use serde_json::json;

use crate::ToolError;
use crate::bench;
use crate::output::{print_json, print_line};

const PRIVATE: &str = "publisher.key";
const PUBLIC: &str = "publisher.pub";

/// Arguments of `parafa plugin keygen`.
#[derive(Debug, clap::Args)]
pub struct KeygenArguments {
    /// The folder for publisher.key and publisher.pub.
    dir: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Arguments of `parafa plugin sign`.
#[derive(Debug, clap::Args)]
pub struct SignArguments {
    /// The component; its signature is written to WASM.sig.
    wasm: PathBuf,
    /// The publisher's private key.
    #[arg(long, value_name = "F")]
    key: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Makes a publisher's key; an existing one is not replaced.
pub fn keygen(arguments: &KeygenArguments) -> Result<(), ToolError> {
    let dir = &arguments.dir;
    let pair = KeyPair::generate()?;
    fs::create_dir_all(dir).map_err(|error| refused(dir, &error))?;
    let (private, public) = (dir.join(PRIVATE), dir.join(PUBLIC));
    if public.exists() {
        return Err(refused(&public, &io::ErrorKind::AlreadyExists.into()));
    }
    write_new(&private, &pair.to_pem()?, 0o600)?;
    write_new(&public, &pair.public().to_pem()?, 0o644)?;
    let publisher = pair.public().name();
    if arguments.json {
        print_json(&json!({"publisher": publisher, "key": private, "pub": public}))?;
    } else {
        print_line(format_args!(
            "publisher {publisher}\n{} signs, keep it secret\n{} is what operators trust",
            private.display(),
            public.display()
        ))?;
    }
    Ok(())
}

/// Signs a component, also anew.
pub fn sign(arguments: &SignArguments) -> Result<(), ToolError> {
    let wasm = bench::read(&arguments.wasm)?;
    let key = zeroize::Zeroizing::new(bench::read(&arguments.key)?.to_vec());
    let pair = KeyPair::from_pem(&key);
    let pair =
        pair.map_err(|error| ToolError::Refused(format!("{}: {error}", arguments.key.display())))?;
    let digest = PluginDigest::of(&wasm);
    let signature = pair.sign(digest.as_bytes())?;
    let path = signature_file(&arguments.wasm);
    let mut text = serde_json::to_vec_pretty(&signature).map_err(anyhow::Error::from)?;
    text.push(b'\n');
    fs::write(&path, text).map_err(|error| refused(&path, &error))?;
    let publisher = pair.public().name();
    if arguments.json {
        print_json(&json!({
            "sha256": digest,
            "publisher": publisher,
            "signature": path,
        }))?;
    } else {
        print_line(format_args!("{}: {digest} by {publisher}", path.display()))?;
    }
    Ok(())
}

fn write_new(path: &Path, content: &[u8], mode: u32) -> Result<(), ToolError> {
    let mut options = OpenOptions::new();
    let file = options.write(true).create_new(true).mode(mode).open(path);
    let written = file.and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()
    });
    written.map_err(|error| refused(path, &error))
}

fn refused(path: &Path, error: &io::Error) -> ToolError {
    ToolError::Refused(format!("{} cannot be written: {error}", path.display()))
}
