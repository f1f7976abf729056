//! Failures of phone signatures for documents of every format: nothing is
//! signed, the signer sees the reason, and the document can be signed
//! afterwards.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openssl::x509::X509;
use parafa_demo::{Fault, Service};
use parafa_domain::{Phase, SignerStatus};
use parafa_fixtures::Adoc;
use parafa_fixtures::signed::Identity;
use parafa_fixtures::signed::adoc::{AdocSigning, SignedAdoc};
use parafa_fixtures::signed::container::{ContainerSigning, SignedContainer};
use parafa_store::Clock;
use serde_json::{Value, json};

use super::smart_id::silence::LONGEST_TURN;
use super::smart_id::{End, end};
use crate::tests::support::{
    Certified, KeyUse, Log, MOBILE_ID, Posted, SIGN, SIGNS_BY_MOBILE_ID, SMART_ID, Site, Stage,
};

/// Policy of certificates on qualified devices.
const ON_DEVICE: &str = "0.4.0.194112.1.2";

/// Parts of the Lithuanian and English sentence of a code, the same for all
/// providers.
const TOLD: [(&str, [&str; 2]); 7] = [
    (
        "bad_signature",
        [
            "Įrenginio sukurtas parašas netinka šiam dokumentui.",
            "The signature that your device made does not match this document.",
        ],
    ),
    (
        "certificate_purpose",
        [
            "Šis sertifikatas neskirtas dokumentams pasirašyti.",
            "This certificate is not for signing documents.",
        ],
    ),
    (
        "certificate_untrusted",
        [
            "Jūsų sertifikato išdavėjas čia nepripažįstamas.",
            "The issuer of your certificate is not accepted here.",
        ],
    ),
    (
        "identity_mismatch",
        [
            "Sertifikatas priklauso kitam asmeniui",
            "The certificate belongs to someone other",
        ],
    ),
    (
        "not_qualified",
        [
            "galima pasirašyti kvalifikuotu elektroniniu parašu. Patikrinkite",
            "that can make qualified signatures was found.",
        ],
    ),
    (
        "provider_unavailable",
        ["paslauga šiuo metu neatsako.", "service is not responding."],
    ),
    (
        "timeout",
        ["Nesulaukėme patvirtinimo", "You did not confirm"],
    ),
];

/// Returns a document of every format that people sign. Containers need an
/// existing signature, here by an unknown person.
pub(super) fn documents(site: &Site) -> [Posted; 3] {
    let pdf = site.posted();
    let name = "sutartis.pdf";
    let container = SignedContainer::unsigned(&[(name, name, "application/pdf", &pdf.content)])
        .sign(ContainerSigning::by(Identity::Ona));
    let adoc = SignedAdoc::unsigned(&Adoc::default()).sign(AdocSigning::by(Identity::Ona));
    let posted = |extension, content: Vec<u8>| Posted {
        extension,
        content: content.into(),
    };
    [
        pdf,
        posted("asice", container.zip.build()),
        posted("adoc", adoc.zip.build()),
    ]
}

#[derive(Clone, Copy, Debug)]
enum Provider {
    SmartId,
    MobileId,
}

/// Failure to inject.
#[derive(Clone, Copy, Debug)]
enum Wrong {
    /// An answer of the service.
    Answer(Fault),
    /// An unreachable service.
    Silence,
    /// A certificate of another person.
    Person,
    /// A certificate of the person with this content.
    Certificate(Certified<'static>),
    /// A signature over other data.
    Signature,
}

impl Wrong {
    /// Returns cases: the phase of the failure, the failure, the error code,
    /// and the operator's log line.
    fn cases(provider: Provider) -> Vec<(Phase, Self, &'static str, &'static str)> {
        const BEGINS: Phase = Phase::Certificate;
        const SIGNS: Phase = Phase::WaitingForUser;

        let silent = "the service gave no answer";
        let malformed = "the service's answer is malformed";
        let forgotten = Fault::Status { status: 404 };
        let mut cases = vec![
            (BEGINS, Self::Silence, "provider_unavailable", silent),
            (SIGNS, Self::Silence, "provider_unavailable", silent),
            (
                BEGINS,
                Self::Answer(Fault::Garbage),
                "provider_unavailable",
                malformed,
            ),
            (
                SIGNS,
                Self::Answer(Fault::Garbage),
                "provider_unavailable",
                malformed,
            ),
            (
                SIGNS,
                Self::Answer(forgotten),
                "timeout",
                "the session is unknown or has expired",
            ),
            (SIGNS, Self::Signature, "bad_signature", "does not verify"),
            (BEGINS, Self::Person, "identity_mismatch", ""),
        ];
        let certificates = provider.certificates().into_iter();
        cases.extend(certificates.map(|(certificate, code, logged)| {
            (BEGINS, Self::Certificate(certificate), code, logged)
        }));
        cases
    }
}

impl Provider {
    /// Returns certificates that may not sign, with the error code and the
    /// operator's log line.
    fn certificates(self) -> [(Certified<'static>, &'static str, &'static str); 6] {
        let (by, others, policies): (_, _, &[&str]) = match self {
            Self::SmartId => ("eid-q-e", "eid-m-e", &[SMART_ID, ON_DEVICE]),
            Self::MobileId => ("eid-m-e", "eid-q-e", &[MOBILE_ID, ON_DEVICE]),
        };
        let sound = Certified {
            by,
            key_use: KeyUse::Signing,
            policies,
            is_qualified: true,
        };
        let untrusted = |by| {
            let certificate = Certified { by, ..sound };
            (
                certificate,
                "certificate_untrusted",
                "the certificate is not trusted",
            )
        };
        let not_qualified = |certificate| (certificate, "not_qualified", "is not qualified");
        let for_authentication = Certified {
            key_use: KeyUse::Authentication,
            ..sound
        };
        [
            untrusted("elsewhere-eid"),
            untrusted(others),
            not_qualified(Certified {
                is_qualified: false,
                ..sound
            }),
            not_qualified(Certified {
                policies: &policies[..1],
                ..sound
            }),
            (
                for_authentication,
                "certificate_purpose",
                "key is not for this purpose",
            ),
            // This one is valid, but its revocation status can never be
            // determined.
            (
                sound,
                "certificate_untrusted",
                "no source of revocation status",
            ),
        ]
    }

    fn service(self) -> Service {
        match self {
            Self::SmartId => Service::SmartId,
            Self::MobileId => Service::MobileId,
        }
    }

    async fn start(self, stage: &Stage<'_>) {
        let (host, signer) = (&stage.host, stage.signer);
        let started = match self {
            Self::SmartId => host.start(signer, SIGN[0]).await,
            Self::MobileId => host.start_mobile_id(signer, SIGNS_BY_MOBILE_ID).await,
        };
        started.unwrap();
    }

    /// Returns the certificates of the signer and of another person, in base64.
    async fn certificates_of_two(self, site: &Site) -> [String; 2] {
        match self {
            Self::SmartId => [
                site.smart_id_certificate(SIGN[0]).await,
                site.smart_id_certificate(SIGN[1]).await,
            ],
            Self::MobileId => {
                let (phone, code) = SIGNS_BY_MOBILE_ID;
                let other = ("+37060000007", "51001091072");
                [
                    site.mobile_id_certificate(phone, code).await,
                    site.mobile_id_certificate(other.0, other.1).await,
                ]
            }
        }
    }

    fn replace_certificate(self, site: &Site, base64: String) {
        match self {
            Self::SmartId => site.smart_id().replace("/cert/value", base64.into()),
            Self::MobileId => site.mobile_id().replace("/cert", base64.into()),
        }
    }

    fn replace_signature(self, site: &Site) {
        let value = |length| -> Value { json!(STANDARD.encode(vec![7; length])) };
        let member = "/signature/value";
        match self {
            Self::SmartId => site.smart_id().replace(member, value(256)),
            Self::MobileId => site.mobile_id().replace(member, value(64)),
        }
    }

    async fn go_wrong(self, stage: &mut Stage<'_>, wrong: Wrong) {
        let site = stage.site;
        let [own, other] = self.certificates_of_two(site).await;
        match wrong {
            Wrong::Answer(fault) => site.faults(self.service()).until_cleared(fault),
            Wrong::Silence => stage.host = stage.host.before_silent_providers(site),
            Wrong::Person => self.replace_certificate(site, other),
            Wrong::Certificate(certificate) => {
                let person = match self {
                    Self::SmartId => SIGN[0],
                    Self::MobileId => SIGNS_BY_MOBILE_ID.1,
                };
                let own = X509::from_der(&STANDARD.decode(own).unwrap()).unwrap();
                let key = own.public_key().unwrap();
                let certificate = certificate.issue(site, &format!("PNOLT-{person}"), &key);
                self.replace_certificate(site, STANDARD.encode(certificate));
            }
            Wrong::Signature => self.replace_signature(site),
        }
    }

    async fn mend(self, stage: &mut Stage<'_>) {
        stage.site.faults(self.service()).clear();
        stage.site.smart_id().replace_nothing();
        stage.site.mobile_id().replace_nothing();
        stage.host = stage.deployment.sound_host().await;
    }

    /// Runs an attempt with a failure from a phase on.
    async fn attempt(self, stage: &mut Stage<'_>, from: Phase, wrong: Wrong) -> End {
        let log = Log::open();
        let begun = stage.site.clock.now();
        self.start(stage).await;
        stage.reach_at_once(from).await;
        self.go_wrong(stage, wrong).await;
        let end = end(stage, &log, begun).await;
        self.mend(stage).await;
        end
    }
}

#[tokio::test]
async fn whatever_goes_wrong_with_a_phone_signs_nothing_and_costs_no_format_a_signature() {
    let site = Site::of_every_format().await;
    for document in documents(&site) {
        for provider in [Provider::SmartId, Provider::MobileId] {
            let mut stage = Stage::set(&site, document.clone()).await;
            let format = document.extension;
            for (from, wrong, code, logged) in Wrong::cases(provider) {
                site.rings().await;

                let end = provider.attempt(&mut stage, from, wrong).await;

                end.assert(code, logged);
                assert_told(code, &end);
                assert!(end.took < LONGEST_TURN, "{wrong:?}: {:?}", end.took);
                let rings = site.rings().await.signatures;
                let is_asked = from == Phase::WaitingForUser;
                assert_eq!(rings, usize::from(is_asked), "{format}, {wrong:?}");
                let versions = stage.signing().await.versions.len();
                assert_eq!(versions, 1, "{format}, {provider:?}, {wrong:?}");
            }
            let late = Fault::Delay { milliseconds: 50 };
            site.faults(provider.service()).until_cleared(late);

            provider.start(&stage).await;
            let attempt = stage.outcome().await;

            site.faults(provider.service()).clear();
            assert_eq!(attempt.phase, Phase::Done, "{format}, {provider:?}");
            let signing = stage.signing().await;
            assert_eq!(signing.versions.len(), 2);
            assert_eq!(signing.ceremony.signers[0].status, SignerStatus::Signed);
        }
    }
}

/// Asserts that the signer sees the sentence of the code.
#[track_caller]
fn assert_told(code: &str, end: &End) {
    let (_, told) = TOLD.iter().find(|(known, _)| *known == code).unwrap();
    for (sentence, part) in end.sentences().iter().zip(told) {
        assert!(sentence.contains(part), "{code}: {sentence}");
    }
}
