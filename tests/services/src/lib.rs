//! Databases and object stores that tests and benches start for themselves, in temporary folders
//! and on ports of their own. They end with the process that started them, however it ends.

mod engine;
mod pooler;
mod postgres;
mod proxy;
mod s3;

pub use self::engine::is_database;
pub use self::pooler::Pooler;
pub use self::postgres::{
    Durability, Encrypted, Postgres, PostgresDatabase, Replicated, TemporaryDatabase,
};
pub use self::proxy::{Moment, Proxy, Traffic};
pub use self::s3::{Behaviour, Fault, S3, Step};
