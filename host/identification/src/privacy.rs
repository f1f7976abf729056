//! Privacy notice for the subject before signing (GDPR, article 13): the
//! controllers, the purposes and legal basis, the recipients, the retention, and
//! the subject's rights.

use parafa_api_diligence::Purpose;
use parafa_ceremony::SubjectNotice;

/// The processing of a subject's data.
pub(crate) struct Processing<'a> {
    /// The requester: the name of the workspace.
    pub(crate) requester: &'a str,
    /// The requester's code as a legal entity, where it is known.
    pub(crate) requester_code: Option<&'a str>,
    /// The attorney's name.
    pub(crate) attorney: &'a str,
    /// The attorney's contact for questions about data.
    pub(crate) contact: &'a str,
    pub(crate) entity_name: &'a str,
    /// The claimed role, in Lithuanian and English.
    pub(crate) role: [&'static str; 2],
    pub(crate) purpose: Purpose,
    pub(crate) purpose_words: [&'static str; 2],
    /// The link is mailed.
    pub(crate) is_mailed: bool,
    /// Longest retention of the package in days, where it is limited.
    pub(crate) kept_days: Option<i64>,
}

/// Returns the notice for one order.
pub(crate) fn subject_notice(facts: &Processing<'_>) -> SubjectNotice {
    let Processing {
        requester,
        requester_code,
        attorney,
        contact,
        entity_name,
        role: [role_lt, role_en],
        purpose,
        purpose_words: [purpose_lt, purpose_en],
        is_mailed,
        kept_days,
    } = *facts;
    let [code_lt, code_en] = match requester_code {
        Some(code) => [format!(", kodas {code},"), format!(", code {code},")],
        None => Default::default(),
    };
    let [basis_lt, basis_en] = basis(purpose);
    let [address_lt, address_en] = match is_mailed {
        true => [
            " El. pašto adresą nurodė prašytojas.",
            " Your email address was given by the requester.",
        ],
        false => [""; 2],
    };
    let [kept_lt, kept_en] = match kept_days {
        Some(days) => [
            format!(", ilgiausiai {days} d."),
            format!(", {days} days at most"),
        ],
        None => Default::default(),
    };
    let lt = [
        format!("Duomenų valdytojai: {requester}{code_lt} (prašytojas) savo patikrai ir advokatas (advokatė) {attorney} atitikties patvirtinimui. Dėl duomenų kreipkitės: {contact}."),
        format!("Tikslas: patvirtinti, kad esate registre nurodytas asmuo – {entity_name}: {role_lt}. Prašytojo tikslas: {purpose_lt}."),
        format!("Teisinis pagrindas: {basis_lt}"),
        format!("Kokie duomenys: parašo sertifikate esantys vardas, pavardė ir asmens kodas, pasirašymo laikas ir registro įrašas apie jūsų pareigas ar statusą.{address_lt}"),
        "Gavėjai: jeigu tapatybė sutampa, prašytojas gauna rinkinį – pasirašytą dokumentą su sertifikatu, kuriame yra jūsų asmens kodas, palyginimo duomenis, patvirtinimą ir registrų atsakymus; registras – užklausą apie juridinį asmenį; jūsų pasirinktos pasirašymo priemonės teikėjas – tai, ko reikia pasirašyti.".to_owned(),
        format!("Saugojimo laikas: čia esanti pasirašyto dokumento darbinė kopija ir registre nurodytų asmenų sąrašas ištrinami praėjus parai po užsakymo pabaigos. Sudarytas rinkinys ir užkoduota žyma, pagal kurią atpažįstamas pakartotinis patvirtinimas, čia saugomi tiek, kiek atitiktį gali tekti įrodyti, arba kol prašytojas juos ištrina{kept_lt}; pas prašytoją – kiek nustato jam taikomi įstatymai."),
        "Jūsų teisės: susipažinti su savo duomenimis, juos ištaisyti ar ištrinti, apriboti jų tvarkymą, nesutikti su tvarkymu teisėto intereso pagrindu ir pateikti skundą Valstybinei duomenų apsaugos inspekcijai (vdai.lrv.lt).".to_owned(),
        "Pasirašyti neprivaloma; nepasirašius rinkinys nesudaromas. Tapatybė su registru palyginama automatiškai, be profiliavimo; atitiktį advokato vardu patvirtina ta pati sistema.".to_owned(),
    ];
    let en = [
        format!("Controllers: {requester}{code_en} (the requester) for its own checks, and {attorney}, attorney-at-law, for attesting the match. Contact about your data: {contact}."),
        format!("Purpose: to confirm that you are the person named in the register – {entity_name}: {role_en}. The requester's purpose: {purpose_en}."),
        format!("Legal basis: {basis_en}"),
        format!("Which data: the given name, surname and personal code in the certificate of your signature, the time of signing, and the register's record of your role.{address_en}"),
        "Recipients: if the identity matches, the requester receives the package: the signed document with its certificate, which contains your personal code, the comparison data, the attestation and the answers of the registers. The register receives a query about the legal entity. The provider of the signing method that you choose receives what is needed to sign.".to_owned(),
        format!("Retention: the working copy of the signed document and the list of persons named in the register are erased here one day after the order has ended. The package, and a keyed mark by which a repeated confirmation is recognised, are kept here for as long as the match may have to be proven, or until the requester erases them{kept_en}; the requester keeps them for as long as the law that applies to it requires."),
        "Your rights: access to your data, their rectification or erasure, restriction of processing, objection to processing on the basis of legitimate interests, and a complaint to the State Data Protection Inspectorate (vdai.lrv.lt).".to_owned(),
        "You do not have to sign; if you do not, no package is made. Your identity is compared with the register automatically, without profiling; the same system attests the match in the attorney's name.".to_owned(),
    ];
    SubjectNotice {
        lt: lt.map(|paragraph| one_line(&paragraph)).join("\n"),
        en: en.map(|paragraph| one_line(&paragraph)).join("\n"),
    }
}

/// Returns the legal basis of the processing.
fn basis(purpose: Purpose) -> [&'static str; 2] {
    match purpose {
        Purpose::AmlKyc => [
            "prašytojo teisinė prievolė nustatyti tapatybę pagal Pinigų plovimo ir teroristų finansavimo prevencijos įstatymą (BDAR 6 straipsnio 1 dalies c punktas); advokato – teisėtas interesas patvirtinti atitiktį (f punktas).",
            "the requester's legal obligation to establish identity under the Law on the Prevention of Money Laundering and Terrorist Financing (GDPR, Article 6(1)(c)); the attorney's legitimate interest in attesting the match (point (f)).",
        ],
        Purpose::BusinessRelationship
        | Purpose::Transaction
        | Purpose::LegalClaim
        | Purpose::Other => [
            "teisėtas prašytojo interesas žinoti, kas veikia juridinio asmens vardu ar jį kontroliuoja, ir advokato – patvirtinti atitiktį (BDAR 6 straipsnio 1 dalies f punktas).",
            "the legitimate interest of the requester in knowing who acts for the legal entity or controls it, and of the attorney in attesting the match (GDPR, Article 6(1)(f)).",
        ],
    }
}

/// Joins lines, so that a name cannot break a paragraph.
fn one_line(paragraph: &str) -> String {
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}
