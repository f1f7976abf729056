//! Hosts of a URL.

use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// Returns a configuration for each host alone; `None` where the ports or addresses do not
/// match the hosts.
pub(super) fn each(config: &Config) -> Option<Vec<Config>> {
    let (hosts, addresses) = (config.get_hosts(), config.get_hostaddrs());
    let ports = config.get_ports();
    let count = hosts.len().max(addresses.len());
    let fits = |number: usize| number == 0 || number == count;
    if count == 0 || !fits(hosts.len()) || !fits(addresses.len()) {
        return None;
    }
    if ports.len() > 1 && !fits(ports.len()) {
        return None;
    }
    let alone = (0..count).map(|place| {
        let mut alone = without_host(config);
        match hosts.get(place) {
            Some(Host::Tcp(host)) => _ = alone.host(host),
            Some(Host::Unix(path)) => _ = alone.host_path(path),
            None => {}
        }
        if let Some(address) = addresses.get(place) {
            alone.hostaddr(*address);
        }
        if let Some(port) = ports.get(place).or(ports.first()) {
            alone.port(*port);
        }
        alone
    });
    Some(alone.collect())
}

/// Copies a configuration without its hosts.
fn without_host(config: &Config) -> Config {
    let mut copy = Config::new();
    copy.ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .channel_binding(config.get_channel_binding());
    if let Some(user) = config.get_user() {
        copy.user(user);
    }
    if let Some(password) = config.get_password() {
        copy.password(password);
    }
    if let Some(name) = config.get_dbname() {
        copy.dbname(name);
    }
    if let Some(options) = config.get_options() {
        copy.options(options);
    }
    copy
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts_of(url: &str) -> Option<Vec<Config>> {
        each(&url.parse().expect("a URL"))
    }

    #[test]
    fn each_host_of_a_url_is_one_alone_with_all_else_that_it_says() {
        let url = "postgresql://me:secret@db1:1,db2:2/name?sslmode=require&options=-c%20a%3Db";
        let alone = [
            "postgresql://me:secret@db1:1/name?sslmode=require&options=-c%20a%3Db",
            "postgresql://me:secret@db2:2/name?sslmode=require&options=-c%20a%3Db",
        ];
        let alone = alone.map(|url| url.parse().expect("a URL"));

        assert_eq!(hosts_of(url), Some(alone.to_vec()));
    }

    #[test]
    fn hosts_and_addresses_that_do_not_match_are_none() {
        assert_eq!(
            hosts_of("postgresql://db1,db2/name?hostaddr=127.0.0.1"),
            None
        );
        assert_eq!(hosts_of("postgresql:///name"), None);
        let named = hosts_of("postgresql://db1/name?hostaddr=127.0.0.1").expect("one host");
        assert_eq!(named[0].get_hostaddrs().len(), 1);
    }
}
