//! The dossier that the subject signs and the attorney's attestation, in
//! Lithuanian and English, as descriptions from which the PDF plugin composes
//! pages.

use jiff::Timestamp;
use parafa_api_diligence::Purpose;
use parafa_api_http::views::date_time;
use parafa_ceremony::SubjectNotice;
use parafa_ceremony::own_documents::{facts_block, heading, moment, paragraph, table};
use parafa_register_data::data::CompanyProfile;
use parafa_register_data::{Register, Role};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::identity::MatchLevel;

/// Facts about the entity when an order is created.
pub(crate) struct DossierFacts<'a> {
    pub(crate) order: Uuid,
    /// The requester: the name of the workspace.
    pub(crate) requester: &'a str,
    pub(crate) profile: &'a CompanyProfile,
    pub(crate) role: Role,
    pub(crate) purpose: Purpose,
    /// The queried registers, with the time of each answer.
    pub(crate) sources: &'a [(Register, Timestamp)],
    /// The privacy notice for the subject.
    pub(crate) notice: &'a SubjectNotice,
    pub(crate) sandbox: bool,
}

/// Facts of the attorney's attestation.
pub(crate) struct AttestationFacts<'a> {
    pub(crate) order: Uuid,
    /// The attorney's name.
    pub(crate) signatory: &'a str,
    pub(crate) entity_name: &'a str,
    pub(crate) entity_code: &'a str,
    pub(crate) role: Role,
    pub(crate) purpose: Purpose,
    pub(crate) given_name: &'a str,
    pub(crate) surname: &'a str,
    pub(crate) match_level: MatchLevel,
    /// SHA-256 of the dossier, in lower-case hexadecimal.
    pub(crate) dossier_sha256: &'a str,
    /// SHA-256 of the subject's certificate; `None` where it is simulated.
    pub(crate) certificate_sha256: Option<&'a str>,
    pub(crate) sources: &'a [(Register, Timestamp)],
    pub(crate) at: Timestamp,
}

/// Describes the document that the subject signs.
pub(crate) fn dossier(facts: &DossierFacts<'_>) -> Value {
    let DossierFacts {
        profile,
        role,
        purpose,
        ..
    } = *facts;
    let [role_lt, role_en] = role_words(role);
    let [purpose_lt, purpose_en] = purpose_words(purpose);
    let english = |label: &parafa_register_data::data::Label| {
        label.en.clone().unwrap_or_else(|| label.lt.clone())
    };
    let office = profile.registered_office.as_ref();
    let office = office.and_then(|office| office.full.as_deref());
    let office = office.unwrap_or("–");
    let order = facts.order.to_string();
    let entity_lt = facts_block(&[
        ("Pavadinimas", &profile.name),
        ("Kodas", profile.code.as_str()),
        ("Teisinė forma", &profile.legal_form.label.lt),
        ("Teisinis statusas", &profile.legal_status.label.lt),
        ("Buveinė", office),
    ]);
    let entity_en = facts_block(&[
        ("Name", &profile.name),
        ("Code", profile.code.as_str()),
        ("Legal form", &english(&profile.legal_form.label)),
        ("Legal status", &english(&profile.legal_status.label)),
        ("Registered office", office),
    ]);
    let content = json!([
        heading("Pareiškimas"),
        paragraph(&format!(
            "Pasirašydamas (pasirašydama) šį dokumentą savo kvalifikuotu elektroniniu parašu patvirtinu, kad esu asmuo, nurodytas parašo sertifikate, ir kad toliau nurodytame juridiniame asmenyje esu: {role_lt}."
        )),
        facts_block(&[
            ("Užsakymas", &order),
            ("Prašytojas", facts.requester),
            ("Pareigos ar statusas", role_lt),
            ("Tikslas", purpose_lt),
        ]),
        heading("Juridinis asmuo"),
        entity_lt,
        heading("Duomenų šaltiniai"),
        sources_table(facts.sources, ["Registras", "Tvarkytojas", "Gauta (UTC)"]),
        heading("Kaip naudojami duomenys"),
        list(&[
            "Parašo sertifikate esantys vardas, pavardė ir asmens kodas palyginami su registro duomenimis; vaizdo skambučiai, veido atvaizdai ir biometriniai duomenys nenaudojami.",
            "Jeigu duomenys sutampa, atitiktį patvirtina advokatas, o prašytojas gauna šį pasirašytą dokumentą, patvirtinimą ir registrų atsakymus viename pasirašytame rinkinyje.",
            "Jeigu nesutampa, rinkinys nesudaromas, o prašytojui pranešama tik tai, kad tapatybė nepatvirtinta.",
            "Pasirašyti neprivaloma: pasirašymo puslapyje galite ir atsisakyti.",
        ]),
        heading("Asmens duomenys (BDAR 13 straipsnis)"),
        list(&facts.notice.lt.lines().collect::<Vec<_>>()),
        json!({ "type": "pageBreak" }),
        heading("Statement"),
        paragraph(&format!(
            "By signing this document with my qualified electronic signature I confirm that I am the person named in the certificate of the signature, and that in the legal entity named below I am: {role_en}."
        )),
        facts_block(&[
            ("Order", &order),
            ("Requested by", facts.requester),
            ("Role", role_en),
            ("Purpose", purpose_en),
        ]),
        heading("Legal entity"),
        entity_en,
        heading("Sources"),
        sources_table(facts.sources, ["Register", "Operator", "Retrieved (UTC)"]),
        heading("How the data are used"),
        list(&[
            "The given name, surname and personal code in the certificate of the signature are compared with the data of the register; no video call, facial image or biometric data is used.",
            "If they match, an attorney attests the match, and the requester receives this signed document, the attestation and the answers of the registers in one signed package.",
            "If they do not match, no package is made, and the requester learns only that the identity was not confirmed.",
            "You do not have to sign: you can also decline on the signing page.",
        ]),
        heading("Personal data (Article 13 GDPR)"),
        list(&facts.notice.en.lines().collect::<Vec<_>>()),
    ]);
    document(
        "Tapatybės ir pareigų patvirtinimas / Confirmation of identity and role",
        facts.requester,
        &order,
        facts.sandbox,
        &content,
    )
}

/// Describes the attorney's attestation.
pub(crate) fn attestation(facts: &AttestationFacts<'_>) -> Value {
    let [role_lt, role_en] = role_words(facts.role);
    let [purpose_lt, purpose_en] = purpose_words(facts.purpose);
    let order = facts.order.to_string();
    let person = format!("{} {}", facts.given_name, facts.surname);
    let at = moment(facts.at);
    let simulated = facts.certificate_sha256.is_none();
    let attorney = facts.signatory;
    let [match_lt, match_en] = match facts.match_level {
        MatchLevel::PersonalCode => ["sutampa asmens kodas", "the personal codes match"],
        MatchLevel::NameBirthDate => [
            "registre asmens kodo nėra; sutampa visi vardai, pavardė ir gimimo data",
            "the register has no personal code; all given names, the surname and the date of birth match",
        ],
    };
    let certificate = facts.certificate_sha256.unwrap_or("–");
    let [statement_lt, statement_en] = statement(attorney, simulated);
    let content = json!([
        heading("Patvirtinimas"),
        paragraph(&statement_lt),
        facts_block(&[
            ("Advokatas (advokatė)", attorney),
            ("Užsakymas", &order),
            (
                "Juridinis asmuo",
                &format!("{}, {}", facts.entity_name, facts.entity_code)
            ),
            ("Asmuo", &person),
            ("Pareigos ar statusas", role_lt),
            ("Tikslas", purpose_lt),
            ("Atitiktis", match_lt),
            ("Patikrinta (UTC)", &at),
            ("dossier.pdf SHA-256", facts.dossier_sha256),
            ("Sertifikato SHA-256", certificate),
        ]),
        heading("Duomenų šaltiniai"),
        sources_table(facts.sources, ["Registras", "Tvarkytojas", "Gauta (UTC)"]),
        paragraph(
            "Tai nėra nei registro išduotas dokumentas, nei teisinė išvada. Registrų atsakymai pridedami tokie, kokie gauti, tik pareigas ar statusą turinčių asmenų sąraše paliktas vien šis asmuo."
        ),
        heading("Attestation"),
        paragraph(&statement_en),
        facts_block(&[
            ("Attorney", attorney),
            ("Order", &order),
            (
                "Legal entity",
                &format!("{}, {}", facts.entity_name, facts.entity_code)
            ),
            ("Person", &person),
            ("Role", role_en),
            ("Purpose", purpose_en),
            ("Match", match_en),
            ("Verified (UTC)", &at),
            ("dossier.pdf SHA-256", facts.dossier_sha256),
            ("Certificate SHA-256", certificate),
        ]),
        heading("Sources"),
        sources_table(facts.sources, ["Register", "Operator", "Retrieved (UTC)"]),
        paragraph(
            "This is neither a document issued by a register nor a legal opinion. The answers of the registers are enclosed as received, except that the list of those who hold the role is reduced to this person."
        ),
    ]);
    document(
        "Advokato patvirtinimas / Attorney's attestation",
        attorney,
        &order,
        simulated,
        &content,
    )
}

/// Returns the attested statement.
fn statement(attorney: &str, simulated: bool) -> [String; 2] {
    if simulated {
        return [
            "BANDYMAS. Niekas nepasirašė ir nieko tapatybė nebuvo tikrinama: duomenys išgalvoti."
                .to_owned(),
            "TEST. Nobody has signed and nobody's identity was checked: the data are made up."
                .to_owned(),
        ];
    }
    [
        format!(
            "Aš, advokatas (advokatė) {attorney}, patvirtinu, kad toliau nurodytas asmuo pasirašė dokumentą „dossier.pdf“ kvalifikuotu elektroniniu parašu ir kad parašo sertifikate nurodyta tapatybė atitinka registro įrašą apie nurodytas pareigas ar statusą."
        ),
        format!(
            "I, {attorney}, attorney-at-law, attest that the person named below has signed the document “dossier.pdf” with a qualified electronic signature, and that the identity in the certificate of the signature corresponds to the register's record of the role named below."
        ),
    ]
}

/// Lists registers by name and operator, each with the time of its answer, as
/// attestations name them.
pub fn named_sources(sources: impl Iterator<Item = (Register, Timestamp)>) -> String {
    let named = sources.map(|(register, at)| {
        let (register, operator) = (register.name(), register.operator().name);
        format!("{register} ({operator}), {}", date_time(at))
    });
    named.collect::<Vec<_>>().join("; ")
}

/// Returns the statement that the payload's signature certifies, which is
/// therefore in the payload too.
pub(crate) fn certified(
    attorney: &str,
    simulated: bool,
    sources: &[(Register, Timestamp)],
) -> Value {
    let [lt, en] = statement(attorney, simulated);
    let sources = named_sources(sources.iter().copied());
    json!({
        "lt": format!("{lt} Advokatas (advokatė): {attorney}. Šaltinis ir gavimo laikas: {sources}. Tai nėra nei registro išduotas dokumentas, nei teisinė išvada."),
        "en": format!("{en} Attorney: {attorney}. Source and time: {sources}. This is neither a document issued by a register nor a legal opinion."),
    })
}

fn document(title: &str, author: &str, order: &str, sandbox: bool, content: &Value) -> Value {
    let mut document = json!({
        "title": title,
        "language": "lt",
        "author": author,
        "footer": order,
        "content": content,
    });
    if sandbox {
        document["header"] = json!("BANDYMAS · TEST");
    }
    document
}

fn list(items: &[&str]) -> Value {
    json!({ "type": "list", "items": items })
}

fn sources_table(sources: &[(Register, Timestamp)], titles: [&str; 3]) -> Value {
    let rows = sources.iter().map(|(register, at)| {
        let operator = register.operator();
        let operator = match operator.code {
            Some(code) => format!("{}, {code}", operator.name),
            None => operator.name.to_owned(),
        };
        [register.name().to_owned(), operator, moment(*at)]
    });
    table(titles, rows)
}

pub(crate) fn role_words(role: Role) -> [&'static str; 2] {
    match role {
        Role::Manager => ["vadovas (vadovė)", "manager"],
        Role::BoardMember => ["valdybos narys (narė)", "member of the board"],
        Role::SupervisoryBoardMember => [
            "stebėtojų tarybos narys (narė)",
            "member of the supervisory board",
        ],
        Role::Procurator => ["prokuristas (prokuristė)", "procurator"],
        Role::AuthorisedPerson => ["įgaliotas asmuo", "authorised person"],
        Role::Shareholder => ["akcininkas (akcininkė)", "shareholder"],
        Role::Member => ["narys (narė), dalyvis (dalyvė)", "member"],
        Role::BeneficialOwner => ["naudos gavėjas (gavėja)", "beneficial owner"],
        Role::Liquidator => ["likvidatorius (likvidatorė)", "liquidator"],
        Role::InsolvencyAdministrator => [
            "nemokumo administratorius (administratorė)",
            "insolvency administrator",
        ],
    }
}

pub(crate) fn purpose_words(purpose: Purpose) -> [&'static str; 2] {
    match purpose {
        Purpose::AmlKyc => [
            "pinigų plovimo ir teroristų finansavimo prevencija",
            "prevention of money laundering and terrorist financing",
        ],
        Purpose::BusinessRelationship => [
            "dalykinių santykių patikrinimas",
            "due diligence of a business relationship",
        ],
        Purpose::Transaction => ["sandorio patikrinimas", "due diligence of a transaction"],
        Purpose::LegalClaim => ["teisinis reikalavimas", "a legal claim"],
        Purpose::Other => ["kitas teisėtas tikslas", "another lawful purpose"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(value: &Value) -> Vec<&str> {
        match value {
            Value::String(text) => vec![text],
            Value::Array(values) => values.iter().flat_map(texts).collect(),
            Value::Object(members) => members.values().flat_map(texts).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn an_attestation_names_the_attorney_whose_statement_it_is() {
        let facts = AttestationFacts {
            order: Uuid::nil(),
            signatory: "Rasa Teisingoji",
            entity_name: "Pavyzdys, UAB",
            entity_code: "999000009",
            role: Role::Manager,
            purpose: Purpose::AmlKyc,
            given_name: "Ona",
            surname: "Onaitė",
            match_level: MatchLevel::PersonalCode,
            dossier_sha256: "00",
            certificate_sha256: Some("00"),
            sources: &[],
            at: Timestamp::UNIX_EPOCH,
        };

        let made = attestation(&facts);

        let texts = texts(&made["content"]);
        let naming = texts
            .iter()
            .filter(|text| text.contains("Rasa Teisingoji"))
            .count();
        assert_eq!(naming, 4, "a statement and a line in both languages");
    }
}
