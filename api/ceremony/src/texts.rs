//! Selection and filling of the catalogue's sentences.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::messages::{ENGLISH, LITHUANIAN, Messages};
use crate::views::Circumstances;
use crate::vocabulary::{AttemptFailure, Language, SigningMethod};

impl Messages {
    /// The sentences in this language.
    #[must_use]
    pub fn of(language: Language) -> &'static Self {
        match language {
            Language::En => &ENGLISH,
            Language::Lt => &LITHUANIAN,
        }
    }

    /// A time in Vilnius, the time zone of the signers, as they write it.
    #[must_use]
    pub fn local_time(&self, time: Timestamp) -> String {
        let zone = TimeZone::get("Europe/Vilnius").unwrap_or(TimeZone::UTC);
        let local = time.to_zoned(zone);
        let months = self.months.split('|');
        let month = months.zip(1..).find(|(_, number)| *number == local.month());
        let (month, _) = month.expect("a name for each of twelve months");
        self.date_time
            .replace("{year}", &local.year().to_string())
            .replace("{month}", month)
            .replace("{day}", &local.day().to_string())
            .replace("{time}", &local.strftime("%H:%M").to_string())
    }

    /// Sentence about a failed attempt: what happened, and what to do next.
    pub(crate) fn failure(
        &self,
        failure: AttemptFailure,
        circumstances: Circumstances,
    ) -> &'static str {
        use AttemptFailure as F;

        let Circumstances { method, is_locked } = circumstances;
        let is_card = method == SigningMethod::Nfc;
        match failure {
            F::BadSignature => self.failed_bad_signature,
            F::Cancelled => self.failed_cancelled,
            F::CertificateExpired => match method {
                SigningMethod::SmartId => self.failed_smart_id_expired,
                SigningMethod::MobileId => self.failed_mobile_id_expired,
                SigningMethod::Nfc => self.failed_card_expired,
            },
            F::CertificatePurpose => self.failed_certificate_purpose,
            F::CertificateRevoked => match method {
                SigningMethod::SmartId => self.failed_smart_id_revoked,
                SigningMethod::MobileId => self.failed_mobile_id_revoked,
                SigningMethod::Nfc => self.failed_card_revoked,
            },
            F::CertificateUntrusted if is_card => self.failed_card_untrusted,
            F::CertificateUntrusted => self.failed_certificate_untrusted,
            F::DeviceError => match method {
                SigningMethod::SmartId => self.failed_smart_id_device,
                SigningMethod::MobileId => self.failed_mobile_id_device,
                SigningMethod::Nfc => self.failed_card_device,
            },
            F::DocumentChanged => self.failed_document_changed,
            F::IdentityMismatch if !is_locked && is_card => self.failed_other_card,
            F::IdentityMismatch if !is_locked => match method {
                SigningMethod::MobileId => self.failed_other_number,
                SigningMethod::SmartId | SigningMethod::Nfc => self.failed_other_person,
            },
            F::IdentityMismatch => self.failed_identity_mismatch,
            F::NoAccount | F::NotQualified if is_card => self.failed_card_not_qualified,
            F::NoAccount | F::NotQualified => match method {
                SigningMethod::MobileId => self.failed_no_mobile_id,
                SigningMethod::SmartId | SigningMethod::Nfc => self.failed_no_smart_id,
            },
            F::PluginFailed => self.failed_plugin,
            F::ProviderUnavailable => match method {
                SigningMethod::SmartId => self.failed_smart_id_unavailable,
                SigningMethod::MobileId => self.failed_mobile_id_unavailable,
                SigningMethod::Nfc => self.failed_card_unavailable,
            },
            F::SigningInProgress => self.failed_signing_in_progress,
            F::Timeout => match method {
                SigningMethod::SmartId => self.failed_smart_id_timeout,
                SigningMethod::MobileId => self.failed_mobile_id_timeout,
                SigningMethod::Nfc => self.failed_card_timeout,
            },
            F::TimestampUnavailable => self.failed_timestamp_unavailable,
            F::TooManyAttempts => self.too_many_attempts,
            F::UserRefused => self.failed_user_refused,
            F::WrongCode => self.failed_wrong_code,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_told_of_another_person_s_link_that_is_for_no_person() {
        let told = Messages::of(Language::En);
        let mismatch = |method, is_locked| {
            let circumstances = Circumstances { method, is_locked };
            told.failure(AttemptFailure::IdentityMismatch, circumstances)
        };

        for method in [SigningMethod::Nfc, SigningMethod::MobileId] {
            assert_eq!(mismatch(method, true), told.failed_identity_mismatch);
        }
        assert_eq!(mismatch(SigningMethod::Nfc, false), told.failed_other_card);
        assert_eq!(
            mismatch(SigningMethod::MobileId, false),
            told.failed_other_number
        );
        assert_eq!(
            mismatch(SigningMethod::SmartId, false),
            told.failed_other_person
        );
    }

    #[test]
    fn a_failure_names_what_failed_by_its_method_alone() {
        use AttemptFailure::{DeviceError, NoAccount, ProviderUnavailable, Timeout};

        let told = |language, failure, method| {
            let circumstances = Circumstances {
                method,
                is_locked: false,
            };
            Messages::of(language).failure(failure, circumstances)
        };
        for failure in [DeviceError, NoAccount, ProviderUnavailable, Timeout] {
            for (language, mobile_id, card) in [
                (Language::En, "Mobile-ID", "card"),
                (Language::Lt, "obil", "ortel"),
            ] {
                let smart_id = told(language, failure, SigningMethod::SmartId);
                assert!(smart_id.contains("Smart-ID"), "{smart_id}");
                assert!(!smart_id.contains(card), "{smart_id}");
                let of_phone = told(language, failure, SigningMethod::MobileId);
                assert!(of_phone.contains(mobile_id), "{of_phone}");
                assert!(!of_phone.contains(" app"), "{of_phone}");
                assert!(!of_phone.contains("rogramėl"), "{of_phone}");
                let of_card = told(language, failure, SigningMethod::Nfc);
                assert!(of_card.contains(card), "{of_card}");
                assert!(!of_card.contains("SIM"), "{of_card}");
            }
        }
    }

    #[test]
    fn a_refused_card_is_told_which_cards_are_taken() {
        let told = |method| {
            let circumstances = Circumstances {
                method,
                is_locked: false,
            };
            Messages::of(Language::En).failure(AttemptFailure::CertificateUntrusted, circumstances)
        };

        assert!(told(SigningMethod::Nfc).contains("Lithuanian personal code"));
        assert!(!told(SigningMethod::SmartId).contains("code"));
    }

    #[test]
    fn a_plugin_s_failure_is_not_taken_for_one_of_the_provider() {
        let circumstances = Circumstances {
            method: SigningMethod::SmartId,
            is_locked: false,
        };
        for language in [Language::Lt, Language::En] {
            let told = |failure| Messages::of(language).failure(failure, circumstances);

            let [plugin, provider] = [
                AttemptFailure::PluginFailed,
                AttemptFailure::ProviderUnavailable,
            ]
            .map(told);

            assert_ne!(plugin, provider);
        }
    }

    #[test]
    fn times_are_written_as_their_readers_write_them() {
        let time = "2026-11-26T08:05:00Z".parse().unwrap();

        let [lithuanian, english] =
            [Language::Lt, Language::En].map(|language| Messages::of(language).local_time(time));

        assert_eq!(
            lithuanian,
            "2026\u{a0}m. lapkričio 26\u{a0}d. 10:05 (Vilniaus laiku)"
        );
        assert_eq!(english, "26 November 2026, 10:05 (Vilnius time)");
    }
}
