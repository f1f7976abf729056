//! Makes a component of a core module, for `cargo xtask`. It is built together with the server,
//! which has the same encoder. Everything else waits for xtask, so that does not include the
//! encoder.

use std::env;
use std::fs;

use anyhow::{Result, bail};
use wit_component::ComponentEncoder;

fn main() -> Result<()> {
    let mut arguments = env::args_os().skip(1);
    let (Some(module), Some(component), None) =
        (arguments.next(), arguments.next(), arguments.next())
    else {
        bail!("write parafa-component MODULE COMPONENT");
    };
    let encoded = ComponentEncoder::default()
        .module(&fs::read(module)?)?
        .validate(true)
        .encode()?;
    fs::write(component, encoded)?;
    Ok(())
}
