//! What the ceremony says, in Lithuanian and English.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::vocabulary::{AttemptFailure, Language};

/// Every text of the ceremony page in one language.
#[derive(Debug)]
pub(crate) struct Texts {
    pub(crate) page_title: &'static str,
    pub(crate) skip_to_content: &'static str,
    pub(crate) asks_you_to_sign: &'static str,
    pub(crate) sign_by: &'static str,
    pub(crate) document: &'static str,
    pub(crate) open_document: &'static str,
    pub(crate) members: &'static str,
    pub(crate) members_unknown: &'static str,
    pub(crate) main_member: &'static str,
    pub(crate) attachment: &'static str,
    pub(crate) metadata: &'static str,
    pub(crate) fingerprint: &'static str,
    /// Heading of the advisory validation.
    pub(crate) signatures: &'static str,
    pub(crate) signatures_explained: &'static str,
    pub(crate) signatures_unknown: &'static str,
    pub(crate) unnamed_signer: &'static str,
    pub(crate) claimed_time: &'static str,
    pub(crate) no_claimed_time: &'static str,
    pub(crate) level: &'static str,
    pub(crate) intact: &'static str,
    pub(crate) not_intact: &'static str,
    pub(crate) more_signatures: &'static str,
    pub(crate) other_language: &'static str,
    pub(crate) sandbox: &'static str,
    pub(crate) how_to_sign: &'static str,
    /// What the choice among methods is of.
    pub(crate) method: &'static str,
    pub(crate) smart_id: &'static str,
    pub(crate) mobile_id: &'static str,
    pub(crate) card: &'static str,
    pub(crate) card_explained: &'static str,
    pub(crate) show_card_code: &'static str,
    pub(crate) pair_card: &'static str,
    pub(crate) pairing_code: &'static str,
    pub(crate) open_card_app: &'static str,
    pub(crate) pair_page: &'static str,
    pub(crate) pair_page_explained: &'static str,
    pub(crate) phone_number: &'static str,
    pub(crate) phone_number_hint: &'static str,
    pub(crate) phone_number_fault: &'static str,
    pub(crate) personal_code: &'static str,
    pub(crate) personal_code_hint: &'static str,
    pub(crate) personal_code_fault: &'static str,
    pub(crate) country: &'static str,
    pub(crate) lithuania: &'static str,
    pub(crate) latvia: &'static str,
    pub(crate) estonia: &'static str,
    pub(crate) sign: &'static str,
    pub(crate) or: &'static str,
    pub(crate) open_app: &'static str,
    pub(crate) scan_code: &'static str,
    pub(crate) this_device: &'static str,
    pub(crate) signing_paused: &'static str,
    pub(crate) busy: &'static str,
    pub(crate) confirm_on_device: &'static str,
    pub(crate) preparing: &'static str,
    pub(crate) verification_code: &'static str,
    pub(crate) compare_code: &'static str,
    pub(crate) completing: &'static str,
    pub(crate) give_up: &'static str,
    pub(crate) signed: &'static str,
    pub(crate) signed_explained: &'static str,
    pub(crate) download: &'static str,
    pub(crate) not_signed: &'static str,
    pub(crate) try_again: &'static str,
    pub(crate) decline: &'static str,
    pub(crate) decline_explained: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) confirm_decline: &'static str,
    pub(crate) declined: &'static str,
    pub(crate) declined_explained: &'static str,
    pub(crate) connection_lost: &'static str,
    pub(crate) too_many_attempts: &'static str,
    /// The same where it is known for how long, with `{minutes}` in it.
    pub(crate) too_many_attempts_for: &'static str,
    pub(crate) something_failed: &'static str,
    pub(crate) needs_script: &'static str,
    pub(crate) dead_link: &'static str,
    pub(crate) dead_link_explained: &'static str,
    pub(crate) trouble: &'static str,
    pub(crate) trouble_explained: &'static str,
}

impl Texts {
    /// The texts in this language.
    pub(crate) fn of(language: Language) -> &'static Self {
        match language {
            Language::En => &ENGLISH,
            Language::Lt => &LITHUANIAN,
        }
    }
}

/// The sentence that a signer reads when an attempt has failed.
pub(crate) fn failure_message(failure: AttemptFailure, language: Language) -> &'static str {
    use AttemptFailure as F;

    match (language, failure) {
        (Language::Lt, F::BadSignature) => {
            "Įrenginio sukurtas parašas netinka šiam dokumentui. Bandykite dar kartą."
        }
        (Language::Lt, F::Cancelled) => "Pasirašymas nutrauktas.",
        (Language::Lt, F::CertificateExpired) => {
            "Jūsų sertifikatas nebegalioja. Atnaujinkite jį ir bandykite dar kartą."
        }
        (Language::Lt, F::CertificatePurpose) => "Šis sertifikatas nėra skirtas pasirašyti.",
        (Language::Lt, F::CertificateRevoked) => "Jūsų sertifikatas atšauktas arba sustabdytas.",
        (Language::Lt, F::CertificateUntrusted) => {
            "Jūsų sertifikato išdavėjas čia nepripažįstamas."
        }
        (Language::Lt, F::DeviceError) => {
            "Jūsų telefono, programėlės ar kortelės pasiekti nepavyko arba pasirašyti jie negali. Patikrinkite, ar telefonas įjungtas ir turi ryšį, ir bandykite dar kartą."
        }
        (Language::Lt, F::DocumentChanged) => {
            "Dokumentas pasikeitė. Peržiūrėkite jį ir bandykite dar kartą."
        }
        (Language::Lt, F::IdentityMismatch) => {
            "Pasirašyti turi kitas asmuo. Naudokite to asmens, kuriam skirta nuoroda, tapatybę."
        }
        (Language::Lt, F::NoAccount | F::NotQualified) => {
            "Kvalifikuotai pasirašyti tinkamos paskyros ar sertifikato rasti nepavyko. Patikrinkite, ką įvedėte, ir savo programėlę, telefoną ar kortelę."
        }
        (Language::Lt, F::ProviderUnavailable) => {
            "Pasirašymo paslauga šiuo metu neatsako. Bandykite po kelių minučių."
        }
        (Language::Lt, F::Timeout) => {
            "Laukėme, bet įrenginyje nepatvirtinote. Bandykite dar kartą."
        }
        (Language::Lt, F::TimestampUnavailable) => {
            "Laiko žymos gauti nepavyko. Bandykite po kelių minučių."
        }
        (Language::Lt, F::TooManyAttempts) => LITHUANIAN.too_many_attempts,
        (Language::Lt, F::UserRefused) => "Atsisakėte pasirašyti savo įrenginyje.",
        (Language::Lt, F::WrongCode) => {
            "Įrenginyje pasirinktas ne tas kontrolinis kodas. Bandykite dar kartą."
        }
        (Language::En, F::BadSignature) => {
            "The signature that your device made does not fit this document. Try again."
        }
        (Language::En, F::Cancelled) => "The signing was cancelled.",
        (Language::En, F::CertificateExpired) => {
            "Your certificate has expired. Renew it and try again."
        }
        (Language::En, F::CertificatePurpose) => "This certificate is not one for signing.",
        (Language::En, F::CertificateRevoked) => "Your certificate has been revoked or suspended.",
        (Language::En, F::CertificateUntrusted) => {
            "The issuer of your certificate is not accepted here."
        }
        (Language::En, F::DeviceError) => {
            "Your phone, app or card could not be reached or cannot sign. Check that the phone is on and has coverage, and try again."
        }
        (Language::En, F::DocumentChanged) => {
            "The document has changed. Look at it again and try once more."
        }
        (Language::En, F::IdentityMismatch) => {
            "Somebody else has to sign. Use the identity of the person whom this link is for."
        }
        (Language::En, F::NoAccount | F::NotQualified) => {
            "No account or certificate for qualified signatures was found. Check what you typed, and your app, phone or card."
        }
        (Language::En, F::ProviderUnavailable) => {
            "The signing service does not answer at the moment. Try again in a few minutes."
        }
        (Language::En, F::Timeout) => {
            "We waited, but nothing was confirmed on your device. Try again."
        }
        (Language::En, F::TimestampUnavailable) => {
            "No time-stamp could be had. Try again in a few minutes."
        }
        (Language::En, F::TooManyAttempts) => ENGLISH.too_many_attempts,
        (Language::En, F::UserRefused) => "You refused to sign on your device.",
        (Language::En, F::WrongCode) => {
            "Another verification code was chosen on the device. Try again."
        }
    }
}

/// A time in Vilnius, the time zone of the signers.
pub(crate) fn local_time(time: Timestamp, language: Language) -> String {
    let zone = TimeZone::get("Europe/Vilnius").unwrap_or(TimeZone::UTC);
    let format = match language {
        Language::En => "%Y-%m-%d %H:%M (Vilnius)",
        Language::Lt => "%Y-%m-%d %H:%M (Vilniaus laiku)",
    };
    time.to_zoned(zone).strftime(format).to_string()
}

static LITHUANIAN: Texts = Texts {
    page_title: "Pasirašyti dokumentą",
    skip_to_content: "Pereiti prie turinio",
    asks_you_to_sign: "prašo jūsų pasirašyti:",
    sign_by: "Pasirašyti iki",
    document: "Dokumentas",
    open_document: "Atverti dokumentą",
    members: "Pasirašote visus šiuos failus:",
    members_unknown: "Failų sąrašo dabar parodyti nepavyko. Atverkite dokumentą arba įkelkite puslapį iš naujo.",
    main_member: "pagrindinis dokumentas",
    attachment: "priedas",
    metadata: "duomenys apie dokumentą",
    fingerprint: "SHA-256 santrauka",
    signatures: "Dokumente jau esantys parašai: informacinis patikrinimas",
    signatures_explained: "Patikrinimas tik informacinis: matyti, ar dokumentas po parašu nepakeistas. Kas pasirašė ir ar sertifikatai tada galiojo, čia netikrinta; tam skirtos kvalifikuotos validavimo paslaugos.",
    signatures_unknown: "Dokumentas jau pasirašytas, bet parašų dabar patikrinti nepavyko. Pasirašyti tai netrukdo.",
    unnamed_signer: "Pasirašęs asmuo nenurodytas",
    claimed_time: "nurodytas laikas",
    no_claimed_time: "laikas nenurodytas",
    level: "lygis",
    intact: "nepažeistas",
    not_intact: "pažeistas",
    more_signatures: "Kitų parašų:",
    other_language: "English",
    sandbox: "Bandomoji aplinka: čia niekas nepasirašoma.",
    how_to_sign: "Kaip pasirašysite?",
    method: "Pasirašymo būdas",
    smart_id: "Smart-ID",
    mobile_id: "Mobile-ID (mobilusis parašas)",
    card: "Asmens tapatybės kortelė (NFC)",
    card_explained: "Kortelę nuskaitysite telefonu su NFC ir pasirašymo programėle.",
    show_card_code: "Rodyti susiejimo kodą",
    pair_card: "Nuskaitykite kodą pasirašymo programėle arba įveskite jį joje, tada pridėkite kortelę prie telefono.",
    pairing_code: "Susiejimo kodas",
    open_card_app: "Atverti programėlę šiame įrenginyje",
    pair_page: "Atverkite pasirašymo programėlę",
    pair_page_explained: "Šis adresas skirtas programėlei, kuri telefone skaito asmens tapatybės kortelę. Jei ji neatsivėrė, paleiskite ją ir įveskite kodą.",
    phone_number: "Telefono numeris",
    phone_number_hint: "Su šalies kodu, pavyzdžiui, +37060000000",
    phone_number_fault: "Numeris prasideda ženklu + ir šalies kodu, toliau eina tik skaitmenys. Patikrinkite, ar nesuklydote.",
    personal_code: "Asmens kodas",
    personal_code_hint: "11 skaitmenų",
    personal_code_fault: "Asmens kodą sudaro 11 skaitmenų, o paskutinis turi derėti prie kitų. Patikrinkite, ar nesuklydote.",
    country: "Šalis",
    lithuania: "Lietuva",
    latvia: "Latvija",
    estonia: "Estija",
    sign: "Pasirašyti",
    or: "arba be asmens kodo",
    open_app: "Nuskaityti QR kodą",
    scan_code: "Nuskaitykite kodą Smart-ID programėle. Kodas keičiasi kas sekundę.",
    this_device: "Atverti Smart-ID šiame įrenginyje",
    signing_paused: "Pasirašymas laikinai sustabdytas. Pabandykite vėliau; jei nepavyks, kreipkitės į tą, kas atsiuntė nuorodą.",
    busy: "Šiuo metu dokumentą pasirašo kitas asmuo. Palaukite, netrukus ateis jūsų eilė.",
    confirm_on_device: "Patvirtinkite savo telefone",
    preparing: "Ruošiame dokumentą…",
    verification_code: "Kontrolinis kodas",
    compare_code: "Įsitikinkite, kad telefone matote tą patį kodą, ir tik tada įveskite PIN2 arba sPIN.",
    completing: "Jūs jau pasirašėte. Pridedame laiko žymą…",
    give_up: "Nutraukti",
    signed: "Pasirašyta",
    signed_explained: "Jūsų kvalifikuotas elektroninis parašas yra dokumente. Atsisiųsti galite 30 minučių.",
    download: "Atsisiųsti dokumentą",
    not_signed: "Nepasirašyta",
    try_again: "Bandyti dar kartą",
    decline: "Nepasirašysiu",
    decline_explained: "Siuntėjas sužinos, kad atsisakėte. Atšaukti atsisakymo nebus galima.",
    reason: "Priežastis (neprivaloma)",
    confirm_decline: "Atsisakyti pasirašyti",
    declined: "Atsisakėte pasirašyti",
    declined_explained: "Siuntėjui apie tai pranešta. Šį langą galite užverti.",
    connection_lost: "Ryšys nutrūko. Bandome prisijungti iš naujo…",
    too_many_attempts: "Per daug bandymų. Palaukite ir bandykite vėliau.",
    too_many_attempts_for: "Per daug bandymų. Palaukite {minutes} min. ir bandykite dar kartą.",
    something_failed: "Nepavyko. Bandykite dar kartą.",
    needs_script: "Kad galėtumėte pasirašyti, naršyklėje turi būti įjungtas „JavaScript“.",
    dead_link: "Nuoroda neveikia",
    dead_link_explained: "Pasirašymo nuoroda dar neaktyvi, jau panaudota arba atšaukta. Jei manote, kad tai klaida, kreipkitės į tą, kas ją atsiuntė.",
    trouble: "Puslapio parodyti nepavyko",
    trouble_explained: "Tai mūsų pusės sutrikimas, jūsų nuoroda tebegalioja. Po minutės atverkite ją dar kartą.",
};

static ENGLISH: Texts = Texts {
    page_title: "Sign a document",
    skip_to_content: "Skip to content",
    asks_you_to_sign: "asks you to sign:",
    sign_by: "Sign by",
    document: "Document",
    open_document: "Open the document",
    members: "You sign all of these files:",
    members_unknown: "The list of files could not be shown now. Open the document, or load the page again.",
    main_member: "main document",
    attachment: "appendix",
    metadata: "about the document",
    fingerprint: "SHA-256 digest",
    signatures: "Signatures already in the document: advisory check",
    signatures_explained: "This check is advisory: it says whether what was signed is still what the document says. Who signed, and whether their certificates were good then, was not checked; that is for a qualified validation service.",
    signatures_unknown: "The document is signed already, but its signatures could not be checked now. That does not keep you from signing.",
    unnamed_signer: "Signer not named",
    claimed_time: "claimed time",
    no_claimed_time: "no time given",
    level: "level",
    intact: "intact",
    not_intact: "not intact",
    more_signatures: "Further signatures:",
    other_language: "Lietuviškai",
    sandbox: "Sandbox: nothing is signed here.",
    how_to_sign: "How will you sign?",
    method: "Method",
    smart_id: "Smart-ID",
    mobile_id: "Mobile-ID",
    card: "ID card over NFC",
    card_explained: "You will read the card with a phone that has NFC, and the signing app on it.",
    show_card_code: "Show the pairing code",
    pair_card: "Scan the code with the signing app or type it there, then hold the card to the phone.",
    pairing_code: "Pairing code",
    open_card_app: "Open the app on this device",
    pair_page: "Open the signing app",
    pair_page_explained: "This address is for the app that reads the ID card on your phone. If the app did not open, start it and type the code.",
    phone_number: "Phone number",
    phone_number_hint: "With the code of the country, such as +37060000000",
    phone_number_fault: "A number begins with + and the code of the country, and has nothing but digits then. Check for a typing error.",
    personal_code: "Personal code",
    personal_code_hint: "11 digits",
    personal_code_fault: "A personal code has 11 digits, and the last one fits the others. Check for a typing error.",
    country: "Country",
    lithuania: "Lithuania",
    latvia: "Latvia",
    estonia: "Estonia",
    sign: "Sign",
    or: "or without a personal code",
    open_app: "Scan a QR code",
    scan_code: "Scan the code with the Smart-ID app. It changes every second.",
    this_device: "Open Smart-ID on this device",
    signing_paused: "Signing is paused for the moment. Try again later; if that does not help, turn to whoever sent you the link.",
    busy: "Somebody else is signing the document at the moment. Please wait, it will be your turn soon.",
    confirm_on_device: "Confirm on your phone",
    preparing: "Preparing the document…",
    verification_code: "Verification code",
    compare_code: "Make sure that your phone shows the same code, and only then enter PIN2 or sPIN.",
    completing: "You have signed. A time-stamp is being added…",
    give_up: "Cancel",
    signed: "Signed",
    signed_explained: "Your qualified electronic signature is in the document. You can download it for 30 minutes.",
    download: "Download the document",
    not_signed: "Not signed",
    try_again: "Try again",
    decline: "I will not sign",
    decline_explained: "The sender will know that you declined. This cannot be undone.",
    reason: "Reason (optional)",
    confirm_decline: "Decline to sign",
    declined: "You declined to sign",
    declined_explained: "The sender has been told. You can close this window.",
    connection_lost: "The connection was lost. Trying again…",
    too_many_attempts: "Too many attempts. Please wait and try later.",
    too_many_attempts_for: "Too many attempts. Please wait {minutes} min and try again.",
    something_failed: "That did not work. Try again.",
    needs_script: "Signing needs JavaScript to be on in your browser.",
    dead_link: "This link does not work",
    dead_link_explained: "The signing link is not active yet, was used already, or was retracted. If you think that this is a mistake, turn to whoever sent it.",
    trouble: "The page could not be shown",
    trouble_explained: "The fault is on our side and your link is still good. Open it again in a minute.",
};

#[cfg(test)]
mod tests {
    use parafa_api_http::WireName;

    use super::*;

    #[test]
    fn every_failure_has_its_sentence_in_both_languages() {
        for (name, failure) in AttemptFailure::ALL {
            let [lithuanian, english] =
                [Language::Lt, Language::En].map(|language| failure_message(*failure, language));
            assert_ne!(lithuanian, english, "{name}");
        }
    }
}
