//! Served content: the table of operations, their implementation, and their documentation.

use std::sync::Arc;

use axum::extract::RawPathParams;
use http::{HeaderValue, Method};

use crate::api::Api;
use crate::config::HttpConfig;
use crate::edge::BodyBudget;
use crate::operation::Contract;
use crate::reference::Reference;

/// State shared by all operations.
pub(crate) struct Http<A: Api> {
    pub(crate) api: Arc<A>,
    pub(crate) config: Arc<HttpConfig>,
    pub(crate) budget: BodyBudget,
    /// Contracts in documentation order.
    pub(crate) contracts: Arc<[Arc<Contract<A>>]>,
    pub(crate) reference: Arc<Reference<A>>,
}

impl<A: Api> Clone for Http<A> {
    fn clone(&self) -> Self {
        Self {
            api: Arc::clone(&self.api),
            config: Arc::clone(&self.config),
            budget: self.budget.clone(),
            contracts: Arc::clone(&self.contracts),
            reference: Arc::clone(&self.reference),
        }
    }
}

impl<A: Api> Http<A> {
    /// Contract of a path template and method. For a method that the path lacks, the contract of
    /// one that it has.
    pub(crate) fn contract(&self, template: &str, method: &Method) -> Option<&Contract<A>> {
        let contracts = self.contracts.iter().map(|contract| &**contract);
        let mut contracts = contracts.filter(|contract| contract.path == template);
        let first = contracts.next()?;
        let method = match *method {
            Method::HEAD => &Method::GET,
            _ => method,
        };
        let exact = contracts.find(|contract| contract.method == *method);
        Some(exact.filter(|_| first.method != *method).unwrap_or(first))
    }

    /// The methods of a path of this template, as `Allow` lists them (RFC 9110,
    /// 10.2.1).
    pub(crate) fn allowed(&self, template: &str) -> HeaderValue {
        let contracts = self.contracts.iter();
        let contracts = contracts.filter(|contract| contract.path == template);
        let methods = contracts.flat_map(|contract| {
            let has_head = contract.method == Method::GET && contract.has_head;
            [Some(contract.method.as_str()), has_head.then_some("HEAD")]
        });
        let methods: Vec<_> = methods.flatten().collect();
        HeaderValue::try_from(methods.join(",")).expect("methods are tokens")
    }

    /// The record named by a path of this template, if it has ids; inner `None` if an id is
    /// invalid.
    pub(crate) fn record(
        &self,
        template: &str,
        params: &RawPathParams,
    ) -> Option<Option<A::Record>> {
        let mut contracts = self.contracts.iter();
        let contract = contracts.find(|contract| contract.path == template)?;
        (contract.record)(params)
    }
}
