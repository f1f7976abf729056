//! Funding of signatures.

use parafa_ceremony::records::CeremonyRow;
use parafa_platform::PlatformError;
use parafa_platform::accounts::{Caller, KeyMode};
use parafa_platform::billing::{self, PaymentRequired, Reserved};
use parafa_store::Transaction;
use url::Url;

use crate::error::SigningError;

/// Refuses a workspace that cannot pay for this number of signatures; the sandbox is
/// free.
pub(super) async fn check(
    tx: &mut Transaction<'_>,
    caller: &Caller,
    signatures: usize,
    configured: Option<&Url>,
) -> Result<(), SigningError> {
    if caller.mode == KeyMode::Test {
        return Ok(());
    }
    let wanted = Reserved::signatures(signatures as u64);
    let Err(required) = billing::check_funding(tx, caller.tenant, wanted).await? else {
        return Ok(());
    };
    let PaymentRequired {
        cause,
        recovery_url,
    } = required;
    Err(SigningError::PaymentRequired {
        cause,
        recovery_url: recovery_url.or_else(|| configured.cloned()).map(Box::new),
    })
}

/// Like [`check`], in the commit that requests these signatures.
pub(super) async fn reserve(
    tx: &mut Transaction<'_>,
    caller: &Caller,
    signatures: usize,
    configured: Option<&Url>,
) -> Result<(), SigningError> {
    check(tx, caller, signatures, configured).await?;
    if caller.mode == KeyMode::Live {
        billing::reserve(tx, caller.tenant).await?;
    }
    Ok(())
}

/// Adds a real signature to the ledger, in the transaction that stores it.
pub(super) async fn bill_signature(
    tx: &mut Transaction<'_>,
    row: &CeremonyRow,
) -> Result<(), PlatformError> {
    if row.mode == KeyMode::Live {
        let signing = row.ceremony.id.uuid();
        billing::bill_signature(tx, row.tenant, signing).await?;
    }
    Ok(())
}
