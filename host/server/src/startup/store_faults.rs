//! Faults in the configured storage of records and documents.

use super::database;
use super::folder::check_cache;
use crate::config::{Config, Engine};

/// Returns a sentence for each fault. Settings of the unused engine are
/// ignored, except for those that name a place.
pub(super) fn store_faults(config: &Config) -> Vec<String> {
    let mut faults = Vec::new();
    let mut in_check = |checked: anyhow::Result<()>| {
        faults.extend(checked.err().map(|fault| format!("{fault:#}")));
    };
    let objects = config.objects.url.as_deref();
    match config.store.engine {
        Engine::Sled => {
            in_check(check_cache(config));
            if config.store.url.is_some() {
                in_check(Err(anyhow::anyhow!(
                    "store.url is set, and store.engine is sled, which keeps its records in store.data: set store.engine to postgres, or leave out the URL"
                )));
            }
            if objects.is_some() {
                in_check(Err(anyhow::anyhow!(
                    "objects.url is set, and store.engine is sled, which keeps its documents in store.data: set store.engine to postgres, or leave out the URL"
                )));
            }
        }
        Engine::Postgres => {
            if config.store.url.is_none() {
                in_check(Err(anyhow::anyhow!(
                    "store.engine is postgres, and store.url is not set: set it to the database, such as postgresql://parafa:PASSWORD@db1:5432,db2:5432/parafa"
                )));
            }
            in_check(database::options(config).map(drop));
            in_check(database::objects(config).map(drop).map_err(Into::into));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(change: impl FnOnce(&mut Config)) -> Vec<String> {
        let mut config = Config::default();
        change(&mut config);
        store_faults(&config)
    }

    #[test]
    fn what_the_embedded_store_does_not_use_is_refused_all_at_once() {
        let faults = faults(|config| {
            config.store.url = Some("postgresql://db/parafa".into());
            config.objects.url = Some("s3://bucket".to_owned());
            config.store.cache_bytes = 1;
        });

        let named = [
            "store.cache_bytes",
            "store.url is set",
            "objects.url is set",
        ];
        assert_eq!(faults.len(), named.len(), "{faults:?}");
        for (fault, named) in faults.iter().zip(named) {
            assert!(fault.starts_with(named), "{fault}");
        }
    }

    #[test]
    fn a_shared_store_needs_a_url_that_can_be_read_and_no_cache() {
        let shared = |url: Option<&str>, objects: Option<&str>| {
            faults(|config| {
                config.store.engine = Engine::Postgres;
                config.store.cache_bytes = 1;
                config.store.url = url.map(Into::into);
                config.objects.url = objects.map(str::to_owned);
            })
        };

        let hosts = "postgresql://parafa:secret@db1:5432,db2:5432/parafa";
        assert_eq!(shared(Some(hosts), Some("s3://bucket/parafa")), [""; 0]);
        assert_eq!(shared(Some(hosts), Some("file:///srv/parafa")), [""; 0]);
        assert!(shared(None, None)[0].contains("store.url is not set"));
        let unreadable = &shared(Some("db1:secret"), None)[0];
        assert!(
            unreadable.starts_with("store.url is not a URL"),
            "{unreadable}"
        );
        assert!(!unreadable.contains("secret"));
        for objects in [
            "bucket",
            "file://host/folder",
            "https://bucket",
            "s3:bucket",
        ] {
            let refused = &shared(Some(hosts), Some(objects))[0];
            assert!(refused.starts_with("objects.url "), "{refused}");
        }
    }

    #[test]
    fn roots_that_are_none_are_told_of() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for path in [file.path(), "nowhere".as_ref()] {
            let faults = faults(|config| {
                config.store.engine = Engine::Postgres;
                config.store.url = Some("postgresql://db/parafa".into());
                config.store.root_certificates = Some(path.to_owned());
            });
            assert!(faults[0].contains("store.root_certificates"), "{faults:?}");
        }
    }
}
