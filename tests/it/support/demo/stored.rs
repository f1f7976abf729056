//! All bytes that a deployment has stored, for whoever takes them.

use std::fs;
use std::path::Path;

use memchr::memmem;
use parafa_test_services::TemporaryDatabase;

use super::Demo;

/// Content of a demo's data folder and backups that no deployment has there: the
/// other side of all services with everybody's keys, and the master key.
const OF_THE_DEMO: [&str; 3] = ["demo.json", "world", "master.key"];
/// Statements that read one column each, in hexadecimal.
const COLUMNS: &str = "
    SELECT format(
        'SELECT encode(%s, ''hex'') FROM %I.%I WHERE %I IS NOT NULL',
        CASE data_type
            WHEN 'bytea' THEN format('%I', column_name)
            ELSE format('convert_to(%I::text, ''UTF8'')', column_name)
        END,
        table_schema, table_name, column_name
    )
    FROM information_schema.columns
    WHERE table_schema NOT IN ('pg_catalog', 'information_schema')";

/// Bytes stored at one place.
pub(crate) struct Stored {
    /// The file, or the statement that reads the column.
    pub(crate) place: String,
    /// The file's bytes, or those of the column in all rows.
    pub(crate) bytes: Vec<u8>,
}

impl Stored {
    /// Returns all files below a folder, except for the demo's own.
    pub(crate) fn below(folder: &Path) -> Vec<Self> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let name = entry.file_name();
            if !OF_THE_DEMO.iter().any(|own| name == *own) {
                collect(&entry.path(), &mut found);
            }
        }
        found
    }

    /// Returns whether it contains these bytes.
    pub(crate) fn has(&self, bytes: &[u8]) -> bool {
        memmem::find(&self.bytes, bytes).is_some()
    }

    fn column(database: &TemporaryDatabase, statement: &str) -> Self {
        let mut bytes = Vec::new();
        for row in database.psql(statement).lines() {
            bytes.extend(hex::decode(row).expect("hexadecimal"));
            // Nothing is found across two rows.
            bytes.push(b'\n');
        }
        Self {
            place: statement.to_owned(),
            bytes,
        }
    }
}

/// Collects a file, or all files below a folder. Sockets have no content.
fn collect(path: &Path, found: &mut Vec<Stored>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a folder") {
            collect(&entry.expect("an entry").path(), found);
        }
    } else if path.is_file() {
        found.push(Stored {
            place: path.display().to_string(),
            bytes: fs::read(path).expect("a file"),
        });
    }
}

impl Demo {
    /// Returns all files of the data folder, except for the demo's own, and all
    /// columns of the database.
    pub(crate) fn stored(&self) -> Vec<Stored> {
        let mut stored = Stored::below(&self.data());
        if let Some(database) = &self.database {
            let statements = database.psql(COLUMNS);
            let columns = statements.lines();
            stored.extend(columns.map(|statement| Stored::column(database, statement)));
        }
        stored
    }
}
