use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use parafa_attorney::{Pin, Pkcs11Key, Pkcs11Settings, SigningKey, SoftwareKey};
use serde::Deserialize;

/// The key of the responsible attorney.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attorney {
    /// PEM file with the attorney's certificate, followed by its issuers,
    /// unless `trust.folder` contains them.
    pub certificates: PathBuf,
    /// PEM file with the key itself, for sandboxes.
    pub key_file: Option<PathBuf>,
    /// PKCS #11 module that contains the key.
    pub module: Option<PathBuf>,
    /// Label of its token.
    pub token: Option<String>,
    /// Label of the key.
    pub key_label: Option<String>,
    /// Id of the key, in hexadecimal digits.
    pub key_id: Option<String>,
    /// PIN of the token.
    pub pin: Option<Pin>,
    /// File with the PIN.
    pub pin_file: Option<PathBuf>,
    /// Maximum number of concurrent sessions with the token.
    #[serde(default = "sessions")]
    pub sessions: NonZeroUsize,
    /// Time limit for one signature, in seconds.
    #[serde(default = "timeout_seconds")]
    pub timeout_seconds: NonZeroU32,
}

fn sessions() -> NonZeroUsize {
    NonZeroUsize::new(4).expect("four is not zero")
}

fn timeout_seconds() -> NonZeroU32 {
    NonZeroU32::new(10).expect("ten is not zero")
}

impl Attorney {
    /// Creates settings for a key in a file.
    pub(crate) fn of_files(key: PathBuf, certificates: PathBuf) -> Self {
        Self {
            certificates,
            key_file: Some(key),
            module: None,
            token: None,
            key_label: None,
            key_id: None,
            pin: None,
            pin_file: None,
            sessions: sessions(),
            timeout_seconds: timeout_seconds(),
        }
    }

    /// Returns the key. Does not access the token yet.
    pub(crate) fn key(&self) -> anyhow::Result<Arc<dyn SigningKey>> {
        let certificates = read("attorney.certificates", &self.certificates)?;
        match (&self.key_file, &self.module) {
            (Some(_), Some(_)) => {
                bail!("attorney.key_file and attorney.module are both set: keep one of them")
            }
            (None, None) => bail!(
                "attorney.module is not set: name the PKCS #11 module that keeps the key, or, in a sandbox, attorney.key_file"
            ),
            (Some(file), None) => {
                self.refuse_settings_of_modules()?;
                let key = read("attorney.key_file", file)?;
                let key = SoftwareKey::from_pem(&key, &certificates);
                let key = key.with_context(|| {
                    format!("attorney.key_file {} cannot be used", file.display())
                })?;
                Ok(Arc::new(key))
            }
            (None, Some(module)) => {
                let key = Pkcs11Key::new(self.of_module(module)?, &certificates);
                Ok(Arc::new(key.context(
                    "attorney.certificates and attorney.key_label or attorney.key_id",
                )?))
            }
        }
    }

    fn refuse_settings_of_modules(&self) -> anyhow::Result<()> {
        let set = [
            ("token", self.token.is_some()),
            ("key_label", self.key_label.is_some()),
            ("key_id", self.key_id.is_some()),
            ("pin", self.pin.is_some()),
            ("pin_file", self.pin_file.is_some()),
        ];
        if let Some((name, _)) = set.into_iter().find(|(_, is_set)| *is_set) {
            bail!(
                "attorney.{name} is set, but attorney.key_file does not use it: it is for a module"
            );
        }
        Ok(())
    }

    fn of_module(&self, module: &Path) -> anyhow::Result<Pkcs11Settings> {
        if !module.is_file() {
            bail!(
                "attorney.module {} is not a file: name the shared library of the device",
                module.display()
            );
        }
        let token = self.token.clone();
        let token = token.context("attorney.token is not set: name the token by its label")?;
        let pin = match (&self.pin, &self.pin_file) {
            (Some(pin), None) => pin.clone(),
            (None, Some(file)) => {
                let pin = read("attorney.pin_file", file)?;
                let pin = String::from_utf8(pin).context("attorney.pin_file is not text")?;
                Pin::new(pin.trim_end().to_owned())
            }
            _ => bail!(
                "exactly one of attorney.pin_file and attorney.pin must be set, to open the token"
            ),
        };
        let key_id = self.key_id.as_ref().map(hex::decode).transpose();
        let key_id = key_id.context("attorney.key_id must be pairs of hexadecimal digits")?;
        if self.key_label.is_none() && key_id.is_none() {
            bail!(
                "neither attorney.key_label nor attorney.key_id is set: name the key by one of them"
            );
        }
        Ok(Pkcs11Settings {
            module: module.to_owned(),
            token,
            key_label: self.key_label.clone(),
            key_id,
            pin,
            sessions: self.sessions.get(),
            timeout: Duration::from_secs(self.timeout_seconds.get().into()),
        })
    }
}

fn read(setting: &str, file: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("{setting} {} cannot be read", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("empty"), "").unwrap();
        let text = text.replace("EMPTY", &path("empty"));
        let section: Attorney = toml::from_str(&text).unwrap();
        format!("{:#}", section.key().err().expect("a fault"))
    }

    #[test]
    fn what_is_wrong_with_the_key_is_told_by_its_setting() {
        let module = "certificates = 'EMPTY'\nmodule = 'EMPTY'\n";
        for (text, why) in [
            (
                "certificates = '/nowhere'".to_owned(),
                "attorney.certificates /nowhere cannot be read",
            ),
            (
                "certificates = 'EMPTY'".to_owned(),
                "attorney.module is not set",
            ),
            (format!("{module}key_file = 'EMPTY'"), "both set"),
            (
                "certificates = 'EMPTY'\nkey_file = 'EMPTY'\ntoken = 'a'".to_owned(),
                "attorney.token is set",
            ),
            (
                "certificates = 'EMPTY'\nkey_file = 'EMPTY'".to_owned(),
                "there is no certificate",
            ),
            (
                "certificates = 'EMPTY'\nmodule = '/nowhere'".to_owned(),
                "attorney.module /nowhere is not a file",
            ),
            (module.to_owned(), "attorney.token is not set"),
            (format!("{module}token = 'a'"), "attorney.pin_file"),
            (
                format!("{module}token = 'a'\npin = '1'\npin_file = 'EMPTY'"),
                "exactly one of",
            ),
            (
                format!("{module}token = 'a'\npin = '1'\nkey_id = 'x'"),
                "attorney.key_id",
            ),
            (
                format!("{module}token = 'a'\npin = '1'"),
                "attorney.key_label",
            ),
            (
                format!("{module}token = 'a'\npin = '1'\nkey_label = 'a'"),
                "there is no certificate",
            ),
        ] {
            let fault = fault(&text);
            assert!(fault.contains(why), "{text}: {fault}");
        }
    }

    #[test]
    fn the_pin_is_in_no_debug_output() {
        let section: Attorney = toml::from_str("certificates = 'a'\npin = '98317'").unwrap();

        assert!(!format!("{section:?}").contains("98317"));
    }
}
