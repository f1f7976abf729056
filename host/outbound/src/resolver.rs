//! DNS lookups with vetting of every address.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::address::check_global_unicast;

/// DNS lookup.
#[async_trait]
pub(crate) trait Lookup: Send + Sync {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The operating system's resolver.
pub(crate) struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((name, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

/// Resolves public names. One address that is not global unicast among the
/// answers spoils them all: a name that points inside is hostile or broken.
pub(crate) struct VettingResolver(pub(crate) Arc<dyn Lookup>);

/// A DNS failure, or a forbidden address.
#[derive(Debug, thiserror::Error)]
pub(crate) enum VettingError {
    #[error("the name resolves to no address")]
    NoAddress,
    #[error("the name resolves to an address that is not global unicast")]
    NotGlobal,
    #[error("the name cannot be resolved")]
    Lookup(#[source] io::Error),
}

impl VettingResolver {
    async fn vetted(lookup: &dyn Lookup, name: &str) -> Result<Vec<SocketAddr>, VettingError> {
        let addresses = lookup.lookup(name).await.map_err(VettingError::Lookup)?;
        if addresses.is_empty() {
            return Err(VettingError::NoAddress);
        }
        if addresses
            .iter()
            .any(|address| check_global_unicast(*address).is_err())
        {
            return Err(VettingError::NotGlobal);
        }
        // Port 0 is replaced by the request's.
        let sockets = addresses.into_iter().map(|address| (address, 0).into());
        Ok(sockets.collect())
    }
}

impl Resolve for VettingResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let lookup = Arc::clone(&self.0);
        Box::pin(async move {
            let vetted = Self::vetted(lookup.as_ref(), name.as_str()).await?;
            Ok(Box::new(vetted.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(&'static [&'static str]);

    #[async_trait]
    impl Lookup for Fixed {
        async fn lookup(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            Ok(self
                .0
                .iter()
                .map(|text| text.parse().expect(text))
                .collect())
        }
    }

    #[tokio::test]
    async fn public_addresses_are_handed_on() {
        let found = VettingResolver::vetted(&Fixed(&["8.8.8.8", "2606:4700::1"]), "a.lt").await;
        assert_eq!(found.expect("addresses").len(), 2);
    }

    #[tokio::test]
    async fn one_inner_address_spoils_the_answer() {
        for addresses in [
            &["8.8.8.8", "127.0.0.1"][..],
            &["::ffff:10.0.0.1"],
            &["64:ff9b::7f00:1"],
            &["8.8.8.8", "fe80::1"],
        ] {
            let found = VettingResolver::vetted(&Fixed(addresses), "a.lt").await;
            assert!(
                matches!(found, Err(VettingError::NotGlobal)),
                "{addresses:?}"
            );
        }
    }

    #[tokio::test]
    async fn a_name_without_addresses_leads_nowhere() {
        let found = VettingResolver::vetted(&Fixed(&[]), "a.lt").await;
        assert!(matches!(found, Err(VettingError::NoAddress)));
    }
}
