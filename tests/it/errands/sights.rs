use reqwest::{Method as Http, StatusCode};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::hosts::Hosts;
use super::town::Town;
use crate::acknowledged::{Entry, Sight, Step, Subject};

impl Town {
    /// Returns a host's report on an entry; `None` if only the ledger of charges has it.
    pub(crate) async fn sight(&self, entry: &Entry) -> Option<Sight> {
        let id = &entry.id;
        let sight = match entry.subject {
            Subject::Signing => {
                let path = format!("v1/signings/{id}");
                sight(&self.signing, &path, "document", step_of_signing).await
            }
            Subject::Order { .. } => {
                let path = format!("v1/kyc-packages/{id}");
                sight(&self.diligence, &path, "artifact", step_of_order).await
            }
            Subject::Authentication { .. } => {
                let path = format!("v1/auth/requests/{id}");
                sight(&self.authentication, &path, "", step_of_authentication).await
            }
            Subject::Question { .. } => return None,
        };
        Some(sight)
    }
}

/// Returns the report at a path, with the digest of its bytes if they existed.
async fn sight(hosts: &Hosts, path: &str, bytes: &str, step: fn(&Value) -> Option<Step>) -> Sight {
    let known = [StatusCode::NOT_FOUND];
    let answer = hosts.insist(Http::GET, path, None, &known).await;
    if answer.status == StatusCode::NOT_FOUND {
        return Sight::Absent;
    }
    let told: Value = serde_json::from_slice(&answer.body).expect("JSON");
    let Some(step) = step(&told) else {
        return Sight::Strange(told.to_string());
    };
    let mut sha256 = None;
    let has_ended = [Step::Completed, Step::Erased].contains(&step);
    if has_ended && !bytes.is_empty() {
        let path = format!("{path}/{bytes}");
        let answer = hosts.insist(Http::GET, &path, None, &known).await;
        let is_there = answer.status.is_success();
        sha256 = is_there.then(|| hex::encode(Sha256::digest(&answer.body)));
    }
    Sight::Present { step, sha256 }
}

fn step_of_signing(told: &Value) -> Option<Step> {
    match told["status"].as_str()? {
        _ if told["erasedAt"].is_string() => Some(Step::Erased),
        "pending" => Some(Step::Created),
        "completed" => Some(Step::Completed),
        "cancelled" => Some(Step::Cancelled),
        _ => None,
    }
}

fn step_of_order(told: &Value) -> Option<Step> {
    match told["status"].as_str()? {
        "awaiting_subject" | "verifying" => Some(Step::Created),
        "delivered" => Some(Step::Completed),
        _ => None,
    }
}

fn step_of_authentication(told: &Value) -> Option<Step> {
    match told["status"].as_str()? {
        "pending" | "certificate_received" | "in_progress" => Some(Step::Created),
        "completed" => Some(Step::Completed),
        "failed" | "expired" => Some(Step::Failed),
        _ => None,
    }
}
