//! Plugins that were disabled at another host, before this one has noticed.

use parafa_api_diligence::requests::{AnswerOptions, Form, Question};
use parafa_api_diligence::{Purpose, SignatureTier};
use parafa_diligence::DiligenceError;
use parafa_domain::KycStatus;
use parafa_organisation_signature::SignatureUnavailable;
use parafa_platform::detached::Waiter;
use parafa_platform::plugins::DisabledPluginRow;
use parafa_platform::register_calls::{CallOutcome, CallRow};
use parafa_store::Clock;

use super::{ENTITY, LIVE, Office, REQUEST, TEST};
use crate::tests::support::{Host, SIGN, Site, rows};

/// Disables the plugin of a format, without the host's registry.
async fn disable_elsewhere(site: &Site, host: &Host, format: &str) {
    let plugin = site.plugins.by_id(format).unwrap();
    let row = DisabledPluginRow {
        sha256: plugin.digest().to_string(),
        since: site.clock.now(),
    };
    host.put(&row).await;
}

#[tokio::test]
async fn evidence_that_a_withdrawn_plugin_made_is_not_kept_and_the_order_costs_nothing() {
    let site = Site::with_attorney().await;
    for format in ["pdf", "jades", "asice"] {
        let office = Office::open(&site).await;
        let ordered = office.ordered(&LIVE).await;
        let is_verifying = |status| status == KycStatus::Verifying;
        office.sign(&ordered, SIGN[0]).await;
        office.until(&LIVE, &ordered, is_verifying).await;
        disable_elsewhere(&site, &office.host, format).await;

        let ended = office.end_in_hours(&LIVE, &ordered).await;

        assert_eq!(ended.status, KycStatus::Failed, "{format}");
        assert!(office.row(&ordered).await.evidence.is_none(), "{format}");
        assert!(office.ledger().await.is_empty(), "{format}");
    }
}

#[tokio::test]
async fn an_answer_that_a_withdrawn_plugin_signed_is_not_given_and_is_logged_so() {
    let site = Site::with_attorney().await;
    for (format, form) in [
        ("jades", Form::Signed(SignatureTier::JadesT)),
        ("asice", Form::Container),
    ] {
        let office = Office::open(&site).await;
        disable_elsewhere(&site, &office.host, format).await;
        let question = Question::Profile(ENTITY.parse().unwrap());
        let options = AnswerOptions {
            interpret: false,
            form,
            purpose: Some(Purpose::AmlKyc),
        };

        let diligence = &office.host.app.diligence.questions;
        let waiter = Waiter::default();
        let awaited = waiter.awaited();
        let refused = diligence.answer(&TEST, &question, options, REQUEST, &awaited);
        let refused = refused.await;

        let is_withdrawn = matches!(
            refused,
            Err(DiligenceError::Unsigned(SignatureUnavailable::Withdrawn(_)))
        );
        assert!(is_withdrawn, "{format}: {refused:?}");
        let logged: Vec<CallRow> = rows(&office.host).await;
        let outcomes: Vec<_> = logged.iter().map(|call| call.outcome).collect();
        assert_eq!(outcomes, [CallOutcome::SignatureUnavailable], "{format}");
    }
}
