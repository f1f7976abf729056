//! A PostgreSQL that speaks TLS.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::service::Service;
use super::{Durability, Postgres, initialize};

/// A server with a certificate for `localhost`, and for no address.
#[derive(Debug)]
pub struct Encrypted {
    /// The server.
    pub server: Postgres,
    /// The root that its certificate leads to, as PEM.
    pub root: String,
    /// Another one.
    pub other_root: String,
}

impl Postgres {
    /// Starts a server with TLS. It accepts connections without encryption too.
    ///
    /// # Panics
    /// When PostgreSQL or OpenSSL is not installed or does not start.
    #[must_use]
    pub fn encrypted() -> Encrypted {
        let server = Self::launch(Durability::None, &[("ssl", "on")], |service, data| {
            initialize(service, data);
            for root in ["root", "other"] {
                make_certificate(service, data, root, &[]);
            }
            let ca = ["-CA", "root.crt", "-CAkey", "root.key"];
            let of_server = ["subjectAltName=DNS:localhost", "basicConstraints=CA:FALSE"];
            let extensions = of_server
                .iter()
                .flat_map(|extension| ["-addext", extension]);
            let options: Vec<&str> = ca.into_iter().chain(extensions).collect();
            make_certificate(service, data, "server", &options);
        });
        let read = |name: &str| {
            let file = server.folder.join("data").join(name);
            fs::read_to_string(file).expect("a certificate")
        };
        Encrypted {
            root: read("root.crt"),
            other_root: read("other.crt"),
            server,
        }
    }
}

/// Makes a certificate and its key beside the data. One without options is a root.
fn make_certificate(service: &Service, data: &Path, name: &str, options: &[&str]) {
    const MAKE: &str = r#"cd "$1"; shift; exec openssl req -x509 -days 2 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 "$@""#;
    let mut make = Command::new("sh");
    make.args(["-c", MAKE, "sh"])
        .arg(data)
        .args(["-subj", &format!("/CN={name}")])
        .args(["-keyout", &format!("{name}.key")])
        .args(["-out", &format!("{name}.crt")])
        .args(options);
    service.run(&make);
}
