//! Bodies checked against rules of an API.

use parafa_api_http::FromBody;
use parafa_api_http::decode::Node;

use crate::api::SigningApi;
use crate::requests::{CreateBatch, CreateSigning, NewFile, NewSigner, Rules, UpdateSigner};

macro_rules! held_against_rules {
    ($($body:ty),*) => {$(
        impl<A: SigningApi> FromBody<A> for $body {
            fn decode(api: &A, node: &Node<'_>) -> Option<Self> {
                let rules = Rules {
                    methods: api.methods(),
                    further_extensions: api.further_extensions(),
                    webhook_target: &|target| api.webhook_target(target),
                };
                Self::read(node, &rules)
            }
        }
    )*};
}

held_against_rules!(CreateBatch, CreateSigning, NewFile, NewSigner, UpdateSigner);
