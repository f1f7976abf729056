//! Classifiers of the Register of Legal Entities: the meaning of its codes and words.

use jiff::civil::Date;

use crate::data::{Label, LegalForm, LegalStatus, NormalizedStatus, NormalizedStatus as S};

/// The status with this code. An unknown code keeps the register's words, and is never interpreted.
#[must_use]
pub fn legal_status(jar_code: &str, words: &str, since: Option<Date>) -> LegalStatus {
    let known = STATUSES.iter().find(|(code, ..)| *code == jar_code);
    let (normalized, label) = match known {
        Some((_, lt, en, normalized)) => (*normalized, Label::new(*lt, *en)),
        None => (
            NormalizedStatus::Other,
            Label {
                lt: words.to_owned(),
                en: None,
            },
        ),
    };
    LegalStatus {
        jar_code: Some(jar_code.to_owned()),
        normalized,
        label,
        since,
    }
}

/// The legal form with this name, such as `Uždaroji akcinė bendrovė`; with the code given by the
/// register, otherwise with the known one.
#[must_use]
pub fn legal_form(name: &str, jar_code: Option<&str>) -> LegalForm {
    let wanted = name.to_lowercase();
    let known = FORMS.iter().find(|form| form.0.to_lowercase() == wanted);
    let known_code = known.and_then(|form| form.3);
    LegalForm {
        jar_code: jar_code.or(known_code).map(str::to_owned),
        elf: known.map(|form| form.2.to_owned()),
        label: Label {
            lt: name.to_owned(),
            en: known.map(|form| form.1.to_owned()),
        },
    }
}

#[rustfmt::skip]
const STATUSES: [(&str, &str, &str, NormalizedStatus); 29] = [
    ("0", "Teisinis statusas neįregistruotas", "no special legal status registered", S::Registered),
    ("1", "Reorganizuojamas", "under reorganisation", S::UnderReorganisation),
    ("2", "Dalyvaujantis reorganizavime", "participating in a reorganisation", S::ParticipatingInReorganisation),
    ("3", "Pertvarkomas", "under conversion of its legal form", S::UnderConversion),
    ("4", "Restruktūrizuojamas", "under restructuring", S::UnderRestructuring),
    ("5", "Bankrutuojantis", "in bankruptcy proceedings", S::Bankruptcy),
    ("6", "Bankrutavęs", "declared bankrupt by the former law", S::BankruptLegacy),
    ("7", "Likviduojamas", "in liquidation", S::InLiquidation),
    ("8", "Dalyvaujantis atskyrime", "participating in a spin-off", S::ParticipatingInSpinOff),
    ("9", "Inicijuojamas likvidavimas", "liquidation is being initiated", S::LiquidationInitiated),
    ("10", "Išregistruotas", "removed from the register", S::Deregistered),
    ("11", "Likviduotas", "liquidated", S::Liquidated),
    ("12", "Nepersiregistravęs", "did not re-register", S::NotReregistered),
    ("13", "Bankrutuojantis", "in bankruptcy proceedings", S::Bankruptcy),
    ("16", "Inicijuojantis Europos bendrovės steigimą jungimosi būdu", "initiating a European company by merger", S::SeFormation),
    ("17", "Inicijuojantis Europos bendrovės steigimą valdymo (holdingo) būdu", "initiating a European company as a holding", S::SeFormation),
    ("18", "Europos bendrovė, kurios buveinė yra perkeliama", "European company that moves its seat", S::SeatTransfer),
    ("19", "Inicijuojantis Europos kooperatinės bendrovės steigimą jungimosi būdu", "initiating a European cooperative society by merger", S::SceFormation),
    ("20", "Europos kooperatinė bendrovė, kurios buveinė yra perkeliama", "European cooperative society that moves its seat", S::SeatTransfer),
    ("21", "Jungiama peržengiant vienos valstybės ribas bendrovė", "company being merged across a border", S::CrossBorderMerger),
    ("22", "Dalyvaujanti peržengiant vienos valstybės ribas jungimesi bendrovė", "company participating in a merger across a border", S::ParticipatingInCrossBorderMerger),
    ("23", "Jungiamas peržengiant vienos valstybės ribas juridinis asmuo", "legal entity being merged across a border", S::CrossBorderMerger),
    ("24", "Dalyvaujantis peržengiant vienos valstybės ribas jungimesi juridinis asmuo", "legal entity participating in a merger across a border", S::ParticipatingInCrossBorderMerger),
    ("25", "Perkeliantis buveinę", "moving its seat", S::SeatTransfer),
    ("26", "Likviduojamas dėl bankroto", "being liquidated because of bankruptcy", S::LiquidationBankruptcy),
    ("27", "Jungiama peržengiant vienos valstybės ribas bendrovė", "company being merged across a border", S::CrossBorderMerger),
    ("28", "Dalyvaujanti peržengiant vienos valstybės ribas jungimesi bendrovė", "company participating in a merger across a border", S::ParticipatingInCrossBorderMerger),
    ("29", "Pertvarkoma peržengiant vienos valstybės ribas bendrovė", "company being converted across a border", S::CrossBorderConversion),
    ("30", "Skaidoma peržengiant vienos valstybės ribas bendrovė", "company being divided across a border", S::CrossBorderDivision),
];

/// Lithuanian name, English name, ISO 20275 code, code in the register if it is known for certain.
#[rustfmt::skip]
const FORMS: [(&str, &str, &str, Option<&str>); 32] = [
    ("Uždaroji akcinė bendrovė", "private limited liability company", "BPLS", Some("310")),
    ("Akcinė bendrovė", "public limited liability company", "81KA", Some("320")),
    ("Mažoji bendrija", "small partnership", "SFYA", None),
    ("Individuali įmonė", "individual enterprise", "A338", None),
    ("Tikroji ūkinė bendrija", "general partnership", "DLCX", None),
    ("Komanditinė ūkinė bendrija", "limited partnership", "LUOA", None),
    ("Viešoji įstaiga", "public institution", "KWBA", None),
    ("Asociacija", "association", "F2ZF", None),
    ("Labdaros ir paramos fondas", "charity and sponsorship fund", "HGMH", None),
    ("Kooperatinė bendrovė (kooperatyvas)", "cooperative society", "LUGM", None),
    ("Žemės ūkio bendrovė", "agricultural company", "UHNL", None),
    ("Valstybės įmonė", "state enterprise", "4ZF3", None),
    ("Savivaldybės įmonė", "municipal enterprise", "YRXK", None),
    ("Biudžetinė įstaiga", "budgetary institution", "K4GR", Some("950")),
    ("Europos bendrovė", "European company", "13T9", None),
    ("Europos kooperatinė bendrovė", "European cooperative society", "5BY2", None),
    ("Europos ekonominių interesų grupė", "European economic interest grouping", "BGPJ", None),
    ("Europos teritorinio bendradarbiavimo grupė", "European grouping of territorial cooperation", "QRXD", None),
    ("Bendrija", "community of owners", "HJ1Y", None),
    ("Sodininkų bendrija", "gardeners' community", "QG9Y", None),
    ("Advokatų profesinė bendrija", "professional partnership of advocates", "5CIE", None),
    ("Politinė partija", "political party", "X8J8", None),
    ("Nuolatinė arbitražo institucija", "permanent arbitral institution", "Q8UI", None),
    ("Centrinis bankas", "central bank", "WQRG", None),
    ("Privačių detektyvų bendrija", "partnership of private detectives", "NVPY", None),
    ("Profesinė sąjunga", "trade union", "6JDN", None),
    ("Religinė bendruomenė", "religious community", "A2GC", None),
    ("Tradicinė religinė bendruomenė ar bendrija", "traditional religious community", "F2TQ", None),
    ("Prekybos, pramonės ir amatų rūmai", "chamber of commerce, industry and crafts", "Q4A3", None),
    ("Prekybos, pramonės ir amatų rūmų asociacija", "association of chambers of commerce", "E4HU", None),
    ("Bendras valdymo ir pranešimų centras", "joint command and reporting centre", "SFK9", None),
    ("Šeimyna", "foster family home", "5TA8", None),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_status_keeps_the_registers_words_and_means_nothing() {
        let status = legal_status("15", "Perkeliantis buveinę į kitą valstybę", None);
        assert_eq!(status.normalized, NormalizedStatus::Other);
        assert_eq!(status.label.lt, "Perkeliantis buveinę į kitą valstybę");
        assert_eq!(status.label.en, None);
    }

    #[test]
    fn a_form_is_found_by_its_name_and_its_code_is_not_guessed() {
        let private = legal_form("Uždaroji akcinė bendrovė", None);
        assert_eq!(private.elf.as_deref(), Some("BPLS"));
        assert_eq!(private.jar_code.as_deref(), Some("310"));
        let partnership = legal_form("MAŽOJI BENDRIJA", None);
        assert_eq!(partnership.elf.as_deref(), Some("SFYA"));
        assert_eq!(partnership.jar_code, None);
        assert_eq!(legal_form("Filialas", Some("777")).elf, None);
    }
}
