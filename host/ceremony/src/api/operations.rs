//! Implementation of signers' pages and calls by the services.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::body::{Body, Bytes};
use parafa_api_ceremony::{
    Attempt, AttemptError, AttemptFailure, CardAlgorithm, CardApp, CardCertificate, CardEncoding,
    CardRequest, CardSignature, CardSubject, CeremonyApi, CeremonyView, Circumstances, ClosedLink,
    Country, DeviceLink, Document, Face, Language, Member, OtherSigners, PageContent, PageMembers,
    PairedCard, PairedDocument, Pairing, Party, Progress, ShownDocument, Signer, SignerStatus,
    SigningMethod, StartAttempt, State,
};
use parafa_api_http::{Fault, Problem, WireName};
use parafa_domain::{self as domain, PersonalCode};
use parafa_platform::accounts::KeyMode;

use crate::CeremonyError;
use crate::ceremonies::{self, Access, Ceremonies, CeremonyState, OpenedLink};
use crate::downloads::Requester;
use crate::records::AttemptRow;
use parafa_eid::{ChoiceLinks, card};

/// The pages and calls of signers over the services.
pub struct CeremonyOperations(pub Arc<Ceremonies>);

#[async_trait]
impl CeremonyApi for CeremonyOperations {
    type Link = OpenedLink;

    fn card_app(&self) -> Option<&CardApp> {
        self.0.card_app()
    }

    async fn find(&self, token: &str) -> Result<OpenedLink, Problem> {
        Ok(self.0.open_link(token).await?)
    }

    async fn closed(&self, token: &str) -> Result<Option<ClosedLink>, Problem> {
        let Some((reason, language)) = self.0.closed_link(token).await? else {
            return Ok(None);
        };
        let language = word(language.tag())?;
        Ok(Some(ClosedLink { reason, language }))
    }

    fn is_open(&self, link: &OpenedLink) -> bool {
        link.access == Access::Sign
    }

    fn language(&self, link: &OpenedLink) -> Result<Language, Problem> {
        Ok(word(link.party()?.page_language().tag())?)
    }

    fn person(&self, country: Country, code: &str) -> Option<String> {
        person(country, code)
    }

    async fn page(&self, link: OpenedLink) -> Result<PageContent, Problem> {
        let members = self.page_members(&link).await;
        let state = self.0.state(link).await?;
        let progress = self.progress(&state).await?;
        let newest = state.opened.row.document()?;
        let set_up = self.0.methods_set_up();
        let methods = state.party.methods.iter();
        let methods = methods.filter(|method| set_up.contains(method));
        Ok(PageContent {
            document_sha256: newest.sha256.clone(),
            document_name: state.opened.private.document_name.clone(),
            document_mime_type: newest.media_type.clone(),
            expires_at: state.opened.row.ceremony.expires_at,
            wanted_by: state.opened.row.ceremony.soft_deadline_at,
            methods: methods
                .map(|method| word(method.name()))
                .collect::<Result<_, _>>()?,
            sandbox: state.opened.row.mode == KeyMode::Test,
            has_scripts: state.opened.row.has_scripts,
            earlier_signatures: self.0.earlier_signatures(&state.opened.row).await,
            members,
            progress,
            face: state.face,
            copy_until: state.copy_until,
            subject_notice: state.opened.private.subject_notice,
            title: state.opened.private.title,
        })
    }

    async fn face(&self, link: OpenedLink) -> Result<Face, Problem> {
        Ok(self.0.face(&link).await?)
    }

    async fn logo(&self, link: OpenedLink) -> Result<Bytes, Problem> {
        Ok(self.0.logo(&link).await?)
    }

    async fn document(&self, link: OpenedLink) -> Result<ShownDocument, Problem> {
        let download = self.0.document(&link).await?;
        let (downloads, requester) = (self.0.downloads().clone(), Requester::Link(link.signer));
        Ok(ShownDocument {
            bytes: download.version.bytes,
            file_name: download.name.clone(),
            media_type: download.version.media_type.clone(),
            content: Box::pin(async move {
                Ok(Body::from_stream(
                    downloads.send(download, requester).await?,
                ))
            }),
        })
    }

    async fn members(&self, link: OpenedLink) -> Result<Vec<Member>, Problem> {
        let members = self.0.members(&link).await?.into_iter();
        let members: Result<_, _> = members.map(member).collect();
        Ok(members?)
    }

    async fn member(&self, link: OpenedLink, id: &str) -> Result<ShownDocument, Problem> {
        let download = self.0.member(&link, id).await?;
        let ceremonies = self.0.clone();
        Ok(ShownDocument {
            bytes: download.member.bytes,
            file_name: download.member.name.clone(),
            media_type: download.member.media_type.clone(),
            content: Box::pin(async move {
                let content = ceremonies.send_member(&link, download).await?;
                Ok(Body::from_stream(content))
            }),
        })
    }

    async fn state(&self, link: OpenedLink) -> Result<State, Problem> {
        Ok(view(self.0.state(link).await?)?)
    }

    async fn await_state(
        &self,
        token: &str,
        wait: Duration,
        known: Option<&str>,
    ) -> Result<(State, String), Problem> {
        let known = known.and_then(|tag| tag.parse().ok());
        let state = self.0.await_state(token, wait, known).await?;
        let tag = state.fingerprint.to_string();
        Ok((view(state)?, tag))
    }

    async fn start_attempt(&self, link: OpenedLink, request: StartAttempt) -> Result<(), Problem> {
        if let Some(person) = &request.person {
            self.check_digit(&link, person).await?;
        }
        let start = ceremonies::StartAttempt {
            method: method(request.method),
            person: request.person,
            phone_number: request.phone_number,
            document_sha256: request.document_sha256,
            language: request.language.map(language),
        };
        Ok(self.0.start_attempt(link, start).await?)
    }

    async fn give_up(&self, link: OpenedLink) -> Result<(), Problem> {
        Ok(self.0.give_up_attempt(&link).await?)
    }

    async fn return_from_app(
        &self,
        link: OpenedLink,
        value: &str,
        session_secret_digest: &str,
    ) -> Result<(), Problem> {
        let returned = self.0.return_from_app(&link, value, session_secret_digest);
        Ok(returned.await?)
    }

    async fn pair(&self, code: &str) -> Result<PairedCard, Problem> {
        let paired = self.0.pair(code).await?;
        let state = self.state(paired.link).await?;
        Ok(PairedCard {
            card_token: paired.token,
            base: paired.base,
            signing: state.signing,
            document: PairedDocument {
                name: state.document.name,
                sha256: state.document.sha256,
            },
        })
    }

    async fn find_paired(&self, token: &str) -> Result<OpenedLink, Problem> {
        Ok(self.0.open_card_link(token).await?)
    }

    async fn card_certificate(
        &self,
        link: OpenedLink,
        der: Vec<u8>,
    ) -> Result<CardRequest, Problem> {
        let asked = self.0.submit_certificate(&link, der).await?;
        let subject = asked.certificate.subject();
        let owned = |value: Option<&str>| value.map(str::to_owned);
        Ok(CardRequest {
            request_id: asked.request.to_string(),
            dtbs: ceremonies::base64(&asked.to_be_signed),
            dtbs_hash_alg_oid: ceremonies::SHA_256_OID,
            operation_token: asked.operation_token,
            verification_code: asked.verification_code,
            cert: CardCertificate {
                subject: CardSubject {
                    serial_number: owned(subject.serial_number()),
                    given_name: owned(subject.given_name()),
                    sn: owned(subject.surname()),
                    cn: owned(subject.common_name()),
                    c: owned(subject.country()),
                },
            },
        })
    }

    async fn card_complete(
        &self,
        link: OpenedLink,
        signature: CardSignature,
    ) -> Result<Attempt, Problem> {
        let language = word(link.party()?.page_language().tag())?;
        let submitted = ceremonies::SubmittedSignature {
            value: signature.value,
            algorithm: card_algorithm(signature.algorithm),
            encoding: card_encoding(signature.encoding),
            operation_token: signature.operation_token,
        };
        let row = self.0.submit_signature(&link, &submitted).await?;
        let is_locked = link.party()?.identity_locked;
        Ok(attempt(row, None, None, is_locked, language)?)
    }

    async fn decline(&self, link: OpenedLink, reason: Option<String>) -> Result<State, Problem> {
        let row = self.0.decline(&link, reason).await?;
        self.state(OpenedLink { row, ..link }).await
    }
}

/// Longest wait of a page for the document's members; it is then shown without
/// them.
const MEMBERS_WITHIN: Duration = Duration::from_secs(5);

impl CeremonyOperations {
    /// Refuses a code with a wrong check digit, unless the signer is locked to it: codes in real
    /// certificates may have one.
    async fn check_digit(&self, link: &OpenedLink, person: &str) -> Result<(), Problem> {
        let Some((country, code)) = wrong_code(person) else {
            return Ok(());
        };
        if country == "LT" && self.0.is_locked_to(link, &code).await? {
            return Ok(());
        }
        let told = "must be 11 digits, the last of them a check digit";
        let fault = Fault::new("/personalCode", told);
        Err(Problem::validation(vec![fault]))
    }

    /// Returns the progress of the signatures, as far as a signer may know it.
    async fn progress(&self, state: &CeremonyState) -> Result<Progress, CeremonyError> {
        let row = &state.opened.row;
        let others = match row.ceremony.status {
            domain::CeremonyStatus::Pending => OtherSigners::StillSign,
            domain::CeremonyStatus::Completed => OtherSigners::HaveSigned,
            _ => OtherSigners::Ended,
        };
        let is_copy_mailed = self.0.mails_copies(row).await?;
        let shows_parties = self.0.shows_parties();
        let parties = row.ceremony.signers.iter().zip(&state.opened.signers);
        let parties = parties
            .filter(|(party, _)| shows_parties && party.status != domain::SignerStatus::Recorded);
        Ok(Progress {
            others,
            is_copy_mailed,
            parties: parties
                .map(|(party, private)| Party {
                    name: private.name.clone(),
                    status: status(party.status),
                })
                .collect(),
        })
    }

    /// Returns the document's members for the page, which is shown even if they
    /// are unknown.
    async fn page_members(&self, link: &OpenedLink) -> PageMembers {
        let looked = tokio::time::timeout(MEMBERS_WITHIN, self.0.container_members(link)).await;
        let members = match looked {
            Ok(Ok(None)) => return PageMembers::DocumentItself,
            Ok(Ok(Some(members))) => members,
            Ok(Err(error)) => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "the members of a document cannot be listed");
                return PageMembers::Unknown;
            }
            Err(_) => return PageMembers::Unknown,
        };
        let members: Result<_, _> = members.into_iter().map(member).collect();
        members.map_or(PageMembers::Unknown, PageMembers::Known)
    }
}

/// Returns the signer's view of the state.
fn view(state: CeremonyState) -> Result<State, CeremonyError> {
    let document = state.opened.row.document()?.clone();
    let language: Language = word(state.party.page_language().tag())?;
    let attempt = match state.attempt {
        Some(row) => Some(attempt(
            row,
            state.device_link,
            state.pairing,
            state.party.identity_locked,
            language,
        )?),
        None => None,
    };
    let methods = state.party.methods.iter();
    Ok(State {
        signing: CeremonyView {
            title: state.opened.private.title,
            tenant: state.face.registered_name,
            display_name: state.face.display_name,
            expires_at: state.opened.row.ceremony.expires_at,
            sandbox: (state.opened.row.mode == KeyMode::Test).then_some(true),
        },
        signer: Signer {
            name: state.name,
            language,
            methods_allowed: methods
                .map(|method| word(method.name()))
                .collect::<Result<_, _>>()?,
            countries: Country::offered(state.opened.private.subject_notice.is_some()),
            status: status(state.party.status),
        },
        document: Document {
            name: state.opened.private.document_name,
            sha256: document.sha256,
            bytes: document.bytes,
            mime_type: document.media_type,
        },
        attempt,
        busy: state.busy.map(|_| true),
        busy_until: state.busy.and_then(|turn| turn.free_by()),
    })
}

fn member(member: ceremonies::ShownMember) -> Result<Member, CeremonyError> {
    Ok(Member {
        id: member.id,
        name: member.name,
        mime_type: member.media_type,
        bytes: member.bytes,
        sha256: member.sha256,
        role: word(member.role.name())?,
    })
}

fn attempt(
    row: AttemptRow,
    device_link: Option<ChoiceLinks>,
    pairing: Option<ceremonies::Pairing>,
    is_locked: bool,
    language: Language,
) -> Result<Attempt, CeremonyError> {
    let failure = match row.failure {
        Some(failure) => Some(word::<AttemptFailure>(failure.code())?),
        None => None,
    };
    let method = word(row.method.name())?;
    let circumstances = Circumstances { method, is_locked };
    Ok(Attempt {
        method,
        phase: word(row.phase.name())?,
        verification_code: row.verification_code,
        device_link: device_link.map(|link| DeviceLink {
            qr: link.qr,
            same_device: link.same_device,
        }),
        pairing: pairing.map(|pairing| Pairing {
            code: pairing.code,
            uri: pairing.uri,
            expires_at: pairing.expires_at,
        }),
        error: failure.map(|failure| AttemptError::new(failure, circumstances, language)),
    })
}

/// Returns the API's value for the domain's one of the same name.
fn word<T: WireName>(name: &str) -> Result<T, CeremonyError> {
    let known = T::ALL.iter().find(|(known, _)| *known == name);
    known
        .map(|(_, word)| *word)
        .ok_or(CeremonyError::Inconsistent(
            "the interface has no word for something",
        ))
}

fn language(language: Language) -> domain::Language {
    match language {
        Language::En => domain::Language::En,
        Language::Lt => domain::Language::Lt,
    }
}

fn method(method: SigningMethod) -> domain::SigningMethod {
    match method {
        SigningMethod::Nfc => domain::SigningMethod::Nfc,
        SigningMethod::SmartId => domain::SigningMethod::SmartId,
        SigningMethod::MobileId => domain::SigningMethod::MobileId,
    }
}

fn card_algorithm(algorithm: CardAlgorithm) -> card::SignatureAlgorithm {
    match algorithm {
        CardAlgorithm::Es256 => card::SignatureAlgorithm::Es256,
        CardAlgorithm::Rs256 => card::SignatureAlgorithm::Rs256,
        CardAlgorithm::Ps256 => card::SignatureAlgorithm::Ps256,
    }
}

fn card_encoding(encoding: CardEncoding) -> card::SignatureEncoding {
    match encoding {
        CardEncoding::P1363 => card::SignatureEncoding::P1363,
        CardEncoding::Der => card::SignatureEncoding::Der,
        CardEncoding::Raw => card::SignatureEncoding::Raw,
    }
}

fn status(status: domain::SignerStatus) -> SignerStatus {
    match status {
        domain::SignerStatus::Pending => SignerStatus::Pending,
        domain::SignerStatus::Signed => SignerStatus::Signed,
        domain::SignerStatus::Declined => SignerStatus::Declined,
        domain::SignerStatus::Cancelled => SignerStatus::Cancelled,
        domain::SignerStatus::Expired => SignerStatus::Expired,
        domain::SignerStatus::Simulated => SignerStatus::Simulated,
        domain::SignerStatus::Waiting => SignerStatus::Waiting,
        domain::SignerStatus::Recorded => SignerStatus::Recorded,
    }
}

/// Returns the ETSI EN 319 412-1 semantics identifier of a national code.
fn person(country: Country, code: &str) -> Option<String> {
    if country == Country::Latvia {
        let digits: String = code.chars().filter(|character| *character != '-').collect();
        let is_sound = digits.len() == 11 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let placed = !code.contains('-') || code.find('-') == Some(6) && code.len() == 12;
        return (is_sound && placed).then(|| format!("PNOLV-{}-{}", &digits[..6], &digits[6..]));
    }
    let parsed = code.parse::<PersonalCode>().ok()?;
    Some(format!("PNO{}-{}", country.as_str(), parsed.digits()))
}

/// Returns country and code of an identifier whose check digit is wrong. Latvian codes have none.
fn wrong_code(person: &str) -> Option<(&str, PersonalCode)> {
    let (country, code) = person.strip_prefix("PNO")?.split_once('-')?;
    let code = code.parse::<PersonalCode>().ok()?;
    (!code.has_valid_check_digit()).then_some((country, code))
}

#[cfg(test)]
mod tests {
    use parafa_api_ceremony::Phase;

    use super::*;

    #[test]
    fn a_national_code_names_its_person() {
        let named = |country, code| person(country, code);
        let lithuanian = named(Country::Lithuania, "40504040001");
        assert_eq!(lithuanian.as_deref(), Some("PNOLT-40504040001"));
        assert_eq!(named(Country::Lithuania, "4050404000"), None);
        for code in ["01010110006", "010101-10006"] {
            let latvian = named(Country::Latvia, code);
            assert_eq!(latvian.as_deref(), Some("PNOLV-010101-10006"));
        }
        assert_eq!(named(Country::Latvia, "0101011-0006"), None);
    }

    #[test]
    fn a_wrong_check_digit_is_found_where_codes_have_one() {
        for country in ["LT", "EE"] {
            let is_wrong = |code: &str| wrong_code(&format!("PNO{country}-{code}")).is_some();
            assert!(is_wrong("33309240164"), "{country}");
            assert!(!is_wrong("40504040001"), "{country}");
        }
        assert!(wrong_code("PNOLV-010101-10007").is_none());
    }

    #[test]
    fn the_interface_has_a_word_for_everything() {
        for failure in domain::AttemptFailure::ALL {
            assert!(
                word::<AttemptFailure>(failure.code()).is_ok(),
                "{failure:?}"
            );
        }
        for method in domain::SigningMethod::ALL {
            assert!(word::<SigningMethod>(method.name()).is_ok(), "{method:?}");
        }
        for language in [domain::Language::En, domain::Language::Lt] {
            assert!(word::<Language>(language.tag()).is_ok(), "{language:?}");
        }
        for phase in [
            domain::Phase::Certificate,
            domain::Phase::Signing,
            domain::Phase::WaitingForUser,
            domain::Phase::Completing,
            domain::Phase::Done,
            domain::Phase::Failed,
        ] {
            assert!(word::<Phase>(phase.name()).is_ok(), "{phase:?}");
        }
    }
}
