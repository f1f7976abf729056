//! Operator's output during the slow first start.

use crate::config::Config;
use crate::startup::tell_first_start;

use super::support::Log;

#[test]
fn a_first_start_says_what_it_does_and_later_ones_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.store.data = folder.path().to_owned();
    let log = Log::open();

    tell_first_start(&config);
    let first = log.take();
    std::fs::create_dir(folder.path().join("plugin-cache")).unwrap();
    tell_first_start(&config);

    assert!(first.contains("compiles the plugins"), "{first}");
    assert_eq!(log.take(), "");
}
