//! Checks of a database before a server relies on it.

use jiff::{SignedDuration, Timestamp};
use parafa_plugin_store::Findings;
use parafa_store::postgres::{Database, DatabaseContent, DatabaseLook, Obstacle, Weakness};
use parafa_store::{MasterKey, shared};

use crate::config::Config;
use crate::demo;
use crate::startup::{self, NoDatabase, database_options};

/// Tolerated difference between the clocks of host and database.
const TOLERATED: SignedDuration = SignedDuration::from_secs(5);

/// Connects to the database, without changing anything.
pub(super) async fn look_at_database(config: &Config, findings: &mut Findings) {
    // Faulty settings were reported with all others.
    let Ok(Some(options)) = database_options(config) else {
        return;
    };
    if options.is_open().is_ok_and(|is_open| is_open) {
        findings.warnings.push(
            "store.url has an sslmode that lets others on the network read the password and all rows: leave it out, or write sslmode=verify-full"
                .to_owned(),
        );
    }
    match Database::look_at(&options).await {
        Ok(look) => {
            findings.warnings.extend(warnings(&look, Timestamp::now()));
            look_at_store(config, &look.content, findings);
            look_at_documents(config, &look.content, findings).await;
        }
        Err(error) => {
            let findings = match error.obstacle() {
                Obstacle::StandbysAlone => &mut findings.warnings,
                _ => &mut findings.faults,
            };
            findings.push(NoDatabase::from(error).to_string());
        }
    }
}

/// Checks whether the master key opens the content.
fn look_at_store(config: &Config, content: &DatabaseContent, findings: &mut Findings) {
    if !content.holds_store() {
        findings.warnings.push(
            "there is no store in the database yet: the first server that starts creates it"
                .to_owned(),
        );
        return;
    }
    let mode = demo::mode_of(&config.store.data);
    let key = startup::master_key_file(config, mode);
    // An unreadable key was reported with the rest of the configuration.
    let others = &config.secrets.other_master_key_files;
    let Some(Ok(master)) = key.map(|file| MasterKey::load_with(&file, others)) else {
        return;
    };
    if let Err(error) = content.check_store(&master, mode) {
        let fault = format!("store.url: the store in the database cannot be opened: {error}");
        findings.faults.push(fault);
    }
}

/// Checks whether the documents are in the configured place.
async fn look_at_documents(config: &Config, content: &DatabaseContent, findings: &mut Findings) {
    let Ok(objects) = startup::objects(config) else {
        return;
    };
    if let Err(error) = shared::look_at_objects(content, objects).await {
        findings.faults.push(format!("objects.url: {error}"));
    }
}

fn warnings(look: &DatabaseLook, now: Timestamp) -> Vec<String> {
    let mut warnings: Vec<String> = look.weaknesses.iter().map(Weakness::to_string).collect();
    let ahead = now.duration_since(look.now);
    if ahead.abs() > TOLERATED {
        warnings.push(format!(
            "this machine's clock and the database's differ by {} seconds: synchronize both by NTP",
            ahead.abs().as_secs()
        ));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_forgets_and_one_with_another_time_are_warned_of() {
        let now = Timestamp::UNIX_EPOCH;
        let look = |seconds, weaknesses: &[Weakness]| DatabaseLook {
            schema: None,
            now: Timestamp::from_second(seconds).unwrap(),
            weaknesses: weaknesses.to_vec(),
            content: DatabaseContent::default(),
        };

        assert_eq!(warnings(&look(5, &[]), now), [""; 0]);
        let told = warnings(&look(6, &[Weakness::NoFsync]), now);
        assert!(told[0].contains("fsync off"), "{told:?}");
        assert!(told[1].contains("differ by 6 seconds"), "{told:?}");
        assert_eq!(warnings(&look(-6, &[]), now).len(), 1);
    }
}
