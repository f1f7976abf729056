//! Pairing: an app with a card gets the token of a request for a code shown on
//! a page.

use parafa_api_auth::AuthenticationId;
use parafa_api_auth::views::PairedClient;
use parafa_platform::pairing_code;
use parafa_store::clock::shifted;
use parafa_store::keys::{KeyError, Token, hash_token};

use crate::authentications::Authentications;
use crate::error::AuthError;
use crate::records::{REQUEST_BY_PAIRING, TokenGrant};

/// Length of a code: 60 bits.
const LENGTH: usize = 12;
/// Characters between two hyphens.
const GROUP: usize = 4;

/// Returns a new code, such as `K7QX-M2VD-9RTA`.
pub(crate) fn random_code() -> Result<String, KeyError> {
    let mut bytes = [0; LENGTH];
    getrandom::fill(&mut bytes).map_err(|_| KeyError::Random)?;
    let characters: Vec<_> = pairing_code::characters(&bytes).collect();
    let groups = characters.chunks(GROUP).map(String::from_iter);
    Ok(groups.collect::<Vec<_>>().join("-"))
}

/// Returns a typed code in the form for comparison.
pub(crate) fn normal(code: &str) -> String {
    pairing_code::normalized(code).collect()
}

/// Returns the address that opens an app, or else explains the code.
pub(crate) fn uri(base: &str, code: &str) -> String {
    format!("{base}/auth/pair?code={code}")
}

impl Authentications {
    /// Returns the token of the request with this code, which then no longer
    /// works.
    ///
    /// # Errors
    /// [`AuthError::NotFound`] when it is unknown, used or late.
    pub async fn pair(&self, code: &str) -> Result<PairedClient, AuthError> {
        let hash = hash_token(&normal(code)).to_string();
        let token = Token::random()?;
        let token_hash = token.hash().to_string();
        let lifetime = self.settings.client_token_lifetime;
        let request = self
            .records
            .transact(|tx| {
                let (hash, token_hash) = (hash.clone(), token_hash.clone());
                Box::pin(async move {
                    let found = tx.find(&REQUEST_BY_PAIRING, &hash).await?;
                    let mut row = found.ok_or(AuthError::NotFound)?;
                    let now = tx.now();
                    let works = row.pairing.as_ref();
                    let works = works.is_some_and(|grant| now < grant.expires_at);
                    if !works || row.state.status(now).is_terminal() {
                        return Err(AuthError::NotFound);
                    }
                    row.pairing = None;
                    row.client_token = Some(TokenGrant {
                        hash: token_hash,
                        expires_at: shifted(now, lifetime).min(row.state.expires_at()),
                    });
                    tx.put(&row).await?;
                    Ok(row)
                })
            })
            .await?;
        let provider = self.providers.working(request.provider).await?;
        Ok(PairedClient {
            provider: provider.ok_or(AuthError::NotFound)?.name,
            audience: request.audience,
            request_id: AuthenticationId(request.id),
            client_token: token.reveal().to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_the_same_however_it_is_typed() {
        let code = random_code().unwrap();

        assert_eq!(code.len(), 14);
        assert_eq!(
            normal(&code.to_lowercase().replace('-', " ")),
            normal(&code)
        );
        assert_eq!(normal("oi-l0"), "0110");
    }
}
